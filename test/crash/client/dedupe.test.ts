/**
 * Bodies of records that senders without Idempotency-Keys repeat after kills of the server: with `dedupe` each record is inserted
 * or kept in the quarantine, once. To run again: node dist/test/crash/client/dedupe.test.js --seed 1 --kills 20
 */
import { setTimeout as pause } from 'node:timers/promises';
import { RecordBatchStreamWriter, tableFromArrays } from 'apache-arrow';
import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { LineClient, type PartAnswer, partsIn } from '../../http/line-client.js';
import { killOptions } from './kill-options.js';
import { SqlStore, temporaryDir } from './sql-store.js';

const { kills: KILLS, seed: SEED } = killOptions(2);
t.setTimeout(90_000 + KILLS * 20_000);

const RECORDS = 4_000;
const BAD_EVERY = 10;

async function send(store: SqlStore, path: string, body: string): Promise<readonly PartAnswer[] | null> {
  const sender = new LineClient({ port: store.httpPort, key: store.server.keys().master, path });
  void sender.write(body);
  sender.end();
  const answer = await sender.answer.catch(() => null);
  return answer?.status === 200 && answer.whole ? partsIn(answer.text) : null;
}

const sumOf = (
  parts: readonly PartAnswer[] | null,
  name: 'inserted-entities' | 'quarantined-lines' | 'duplicate-lines',
): number => (parts ?? []).reduce((sum, part) => sum + (part[name] ?? 0), 0);

t.test('two senders repeat overlapping records until they are accepted: each is there once', async (t) => {
  const dir = temporaryDir(t);
  const random = new Prng(SEED);
  let store = await SqlStore.open(dir);
  t.teardown(() => store.server.kill());
  await store.client.succeed({ path: '/v1/column', body: [{ name: 'visit', type: 'integer-event' }] });
  const path = '/v1/insert/lines?id=user&event=visit:at&dedupe=seq&on-error=quarantine';
  const record = (at: number): string =>
    JSON.stringify({ user: `u${at % 50}`, at: at % BAD_EVERY === 0 ? 'x' : at, seq: `s-${at}` });
  const bodyOf = (from: number, to: number): string =>
    `${Array.from({ length: to - from }, (_, at) => record(from + at)).join('\n')}\n`;
  const bodies = [bodyOf(0, RECORDS * 0.75), bodyOf(RECORDS * 0.25, RECORDS)];
  for (let kills = 0; kills < KILLS; kills++) {
    const sent = bodies.map((body) => send(store, path, body));
    await pause(random.between(5, 200));
    await store.server.kill();
    await Promise.all(sent);
    store = await SqlStore.open(dir);
  }
  const answers = await Promise.all(bodies.map((body) => send(store, path, body)));
  t.ok(
    answers.every((parts) => parts !== null),
    'both bodies are accepted',
  );
  const again = await send(store, path, bodies[0]);
  t.equal(sumOf(again, 'duplicate-lines'), RECORDS * 0.75);
  t.equal(sumOf(again, 'inserted-entities') + sumOf(again, 'quarantined-lines'), 0);
  const visits = await store.rows<{ visit: number }>('SELECT value AS visit FROM visit ORDER BY 1');
  const good = Array.from({ length: RECORDS }, (_, at) => at).filter((at) => at % BAD_EVERY !== 0);
  t.strictSame(
    visits.map(({ visit }) => visit),
    good,
    'each good record once',
  );
  const lines = await store.rows<{ line: string[] }>('SELECT line FROM [default-quarantine]');
  t.strictSame(
    lines.map(({ line }) => line.join('')).sort(),
    Array.from({ length: RECORDS / BAD_EVERY }, (_, at) => record(at * BAD_EVERY)).sort(),
    'each other record once in the quarantine',
  );
});

t.test('a body of lines that is repeated with dedupe=:body is inserted once', async (t) => {
  const dir = temporaryDir(t);
  const random = new Prng(SEED + 1);
  let store = await SqlStore.open(dir);
  t.teardown(() => store.server.kill());
  await store.client.succeed({ path: '/v1/column', body: [{ name: 'visit', type: 'integer-event' }] });
  const path = '/v1/insert/lines?id=user&event=visit:at&dedupe=:body';
  // All parts have the same bytes; they are different writes.
  const body = `${JSON.stringify({ user: 'u', at: 1 })}\n`.repeat(RECORDS);
  for (let kills = 0; kills < KILLS; kills++) {
    const sent = send(store, path, body);
    await pause(random.between(5, 150));
    await store.server.kill();
    await sent;
    store = await SqlStore.open(dir);
  }
  t.equal(sumOf(await send(store, path, body), 'inserted-entities'), RECORDS, 'answered as the first time');
  t.strictSame(await store.rows('SELECT COUNT(*) AS [count] FROM visit'), [{ count: RECORDS }]);
  const other = await send(store, `${path}&unknown=ignore`, body);
  t.equal(sumOf(other, 'inserted-entities'), RECORDS);
  t.strictSame(
    await store.rows('SELECT COUNT(*) AS [count] FROM visit'),
    [{ count: RECORDS * 2 }],
    'another URL is another write',
  );
});

t.test('rows of Arrow that are repeated are inserted once, by a field and by their bytes', async (t) => {
  const dir = temporaryDir(t);
  const random = new Prng(SEED + 2);
  let store = await SqlStore.open(dir);
  t.teardown(() => store.server.kill());
  await store.client.succeed({ path: '/v1/column', body: [{ name: 'visit', type: 'integer-event' }] });
  const bodyOf = (from: number, to: number): Uint8Array => {
    const numbers = Int32Array.from({ length: to - from }, (_, at) => from + at);
    const table = tableFromArrays({
      user: numbers.map((at) => at % 50),
      at: numbers,
      seq: [...numbers].map((at) => `s-${at}`),
    });
    const batches = Array.from({ length: 4 }, (_, at) =>
      table.slice((at * table.numRows) / 4, ((at + 1) * table.numRows) / 4),
    );
    return RecordBatchStreamWriter.writeAll(batches.flatMap((part) => part.batches)).toUint8Array(true);
  };
  const sendRows = async (by: string, body: Uint8Array): Promise<readonly PartAnswer[] | null> => {
    const headers = { 'Content-Type': 'application/vnd.apache.arrow.stream' };
    const path = `/v1/insert?id=user&event=visit:at&unknown=ignore&${by}`;
    const sender = new LineClient({ port: store.httpPort, key: store.server.keys().master, path, headers });
    void sender.write(body);
    sender.end();
    const answer = await sender.answer.catch(() => null);
    return answer?.status === 200 && answer.whole ? partsIn(answer.text) : null;
  };
  const bodies = [bodyOf(0, RECORDS * 0.75), bodyOf(RECORDS * 0.25, RECORDS)];
  for (let kills = 0; kills < KILLS; kills++) {
    const sent = bodies.map((body) => sendRows('dedupe=seq', body));
    await pause(random.between(5, 100));
    await store.server.kill();
    await Promise.all(sent);
    store = await SqlStore.open(dir);
  }
  const answers = await Promise.all(bodies.map((body) => sendRows('dedupe=seq', body)));
  t.ok(
    answers.every((parts) => parts !== null),
    'both bodies are accepted',
  );
  const again = await sendRows('dedupe=seq', bodies[0]);
  t.strictSame([sumOf(again, 'duplicate-lines'), sumOf(again, 'inserted-entities')], [RECORDS * 0.75, 0]);
  const lines = await send(
    store,
    '/v1/insert/lines?id=user&event=visit:at&dedupe=seq',
    `${JSON.stringify({ user: 1, at: 1, seq: 's-1' })}\n`,
  );
  t.equal(sumOf(lines, 'duplicate-lines'), 1, 'a line with the same value is the same record');
  const visits = async (): Promise<number[]> =>
    (await store.rows<{ visit: number }>('SELECT value AS visit FROM visit ORDER BY 1')).map(
      ({ visit }) => visit,
    );
  t.strictSame(
    await visits(),
    Array.from({ length: RECORDS }, (_, at) => at),
    'each row once',
  );
  for (let sent = 0; sent < 2; sent++) {
    t.equal(sumOf(await sendRows('dedupe=:body', bodies[0]), 'inserted-entities'), RECORDS * 0.75);
  }
  t.equal((await visits()).length, RECORDS * 1.75, 'a body that was sent twice is there once');
});

t.test('records without the field of dedupe are refused, and other bodies name no field', async (t) => {
  const store = await SqlStore.open(temporaryDir(t));
  t.teardown(() => store.server.kill());
  const insert = (path: string, type: string, text: string) =>
    store.client.request({ path, text, headers: { 'content-type': type } });
  await store.client.succeed({ path: '/v1/column', body: [{ name: 'age', type: 'integer' }] });
  const lines = '/v1/insert/lines?id=:uuid&dedupe=seq';
  t.match(await insert(lines, 'text/csv', 'age,seq\n1,a\n2,\n'), {
    status: 400,
    body: { errors: [{ code: 2003, message: /line 3: .*"seq"/ }] },
  });
  t.match(await insert(lines, 'text/csv', 'seq,age\na,1\na,2\n'), {
    status: 200,
    body: { 'inserted-entities': 1, 'duplicate-lines': 1 },
  });
  t.match(await insert('/v1/insert?dedupe=seq', 'application/json', '{}'), {
    status: 400,
    body: { errors: [{ code: 4049 }] },
  });
  const entity = '{"a": {"age": 7}}';
  const whole = '/v1/insert?dedupe=:body';
  t.match(await insert(whole, 'application/json', entity), { status: 200, body: { 'inserted-entities': 1 } });
  await store.client.succeed({ path: '/v1/delete', body: { query: [{ 'entity-id': { equals: 'a' } }] } });
  t.match(await insert(whole, 'application/json', entity), { status: 200, body: { 'inserted-entities': 1 } });
  t.strictSame(
    await store.rows("SELECT age FROM [default] WHERE [entity-id] = 'a'"),
    [],
    'it was not repeated',
  );
});
