/**
 * A body of records with wrong lines, sent again after kills of the server with its Idempotency-Key: each line is inserted or
 * kept in the quarantine, once. To run again: node dist/test/crash/client/quarantine.test.js --seed 1 --kills 20
 */
import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { LineClient, partsIn } from '../../http/line-client.js';
import { killOptions } from './kill-options.js';
import { SqlStore, temporaryDir } from './sql-store.js';

const { kills: KILLS, seed: SEED } = killOptions(2);
t.setTimeout(60_000 + KILLS * 10_000);

const RECORDS = 5_000;
const PATH = '/v1/insert/lines?id=user&event=visit:at&on-error=quarantine';

/** Records, some of them wrong. No two are equal. */
function recordsFrom(random: Prng): { readonly text: string; readonly isGood: boolean }[] {
  return Array.from({ length: RECORDS }, (_, at) => {
    const good = { user: `u${random.below(50)}`, at };
    if (random.chance(0.9)) return { text: JSON.stringify(good), isGood: true };
    const bad = [
      `{"at":${at}}`,
      JSON.stringify({ ...good, host: 'x' }),
      `no JSON ${at}`,
      JSON.stringify({ ...good, at: `${at} ${'ü😀'.repeat(700)}` }),
    ];
    return { text: random.pick(bad), isGood: false };
  });
}

t.test('after kills, each line is inserted or in the quarantine, once', async (t) => {
  const dir = temporaryDir(t);
  const random = new Prng(SEED);
  const records = recordsFrom(random);
  const body = `${records.map(({ text }) => text).join('\n')}\n`;
  let store = await SqlStore.open(dir);
  t.teardown(() => store.server.kill());
  await store.client.succeed({ path: '/v1/column', body: [{ name: 'visit', type: 'integer-event' }] });
  for (let kills = 0; ; ) {
    const sender = new LineClient({
      port: store.httpPort,
      key: store.server.keys().master,
      path: PATH,
      headers: { 'Idempotency-Key': 'all' },
    });
    void sender.write(body);
    sender.end();
    const isKilled = kills < KILLS;
    if (isKilled) {
      await pause(random.between(5, 120));
      await store.server.kill();
      kills++;
    }
    const answer = await sender.answer;
    if (!isKilled) {
      t.equal(answer.status, 200);
      const quarantined = partsIn(answer.text).reduce(
        (sum, part) => sum + (part['quarantined-lines'] ?? 0),
        0,
      );
      t.equal(quarantined, records.filter(({ isGood }) => !isGood).length, 'the answer counts what is kept');
      break;
    }
    store = await SqlStore.open(dir);
  }
  await store.server.kill();
  store = await SqlStore.open(dir);
  const visits = await store.rows<{ visit: number }>('SELECT value AS visit FROM visit');
  const wanted = records.filter(({ isGood }) => isGood).map(({ text }) => JSON.parse(text).at as number);
  t.strictSame(
    visits.map(({ visit }) => visit).sort((a, b) => a - b),
    wanted,
    'each good record once',
  );
  const quarantined = await store.rows<{ line: string[] }>('SELECT line FROM [default-quarantine]');
  const bad = records.filter(({ isGood }) => !isGood).map(({ text }) => text);
  t.strictSame(
    quarantined.map(({ line }) => line.join('')).sort(),
    [...bad].sort(),
    'each other line once, as it was sent',
  );
});

t.test('a quarantine can be read and emptied like every dimension', async (t) => {
  const dir = temporaryDir(t);
  const store = await SqlStore.open(dir);
  t.teardown(() => store.server.kill());
  await store.client.succeed({ path: '/v1/column', body: [{ name: 'age', type: 'integer' }] });
  const answer = await store.client.request({
    path: '/v1/insert?on-error=quarantine',
    text: '{"id":"a","age":1}\n{"id":"b","age":"x"}\n',
    headers: { 'content-type': 'application/x-ndjson' },
  });
  t.match(answer, { status: 200, body: { 'inserted-entities': 1, 'quarantined-lines': 1 } });
  const [row] = await store.rows<Record<string, unknown>>(
    'SELECT line, code, [line-number], parameters FROM [default-quarantine]',
  );
  t.strictSame(row, {
    line: ['{"id":"b","age":"x"}'],
    code: 2007,
    'line-number': 2,
    parameters: ['on-error=quarantine'],
  });
  const whole = await store.client.request({
    path: '/v1/insert?on-error=quarantine',
    body: { c: { age: 'x' } },
  });
  t.match(whole, { status: 400, body: { errors: [{ code: 4049, message: /body of lines/ }] } });
  await store.rows('DELETE FROM [default-quarantine]');
  t.strictSame(await store.rows('SELECT code FROM [default-quarantine]'), []);
  const metrics = await (await fetch(`http://127.0.0.1:${store.httpPort}/metrics`)).text();
  t.match(metrics, /quarry_lines_quarantined_total\{code="2007"\} 1/);
});
