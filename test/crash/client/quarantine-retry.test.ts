/**
 * Refused lines that are inserted again after a change of the model, with kills of the server meanwhile: each is inserted once
 * and leaves the quarantine. To run again: node dist/test/crash/client/quarantine-retry.test.js --seed 1 --kills 20
 */
import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { killOptions } from './kill-options.js';
import { SqlStore, temporaryDir } from './sql-store.js';

const { kills: KILLS, seed: SEED } = killOptions(2);
t.setTimeout(60_000 + KILLS * 10_000);

const RECORDS = 1_500;

interface Retried {
  readonly inserted: number;
  readonly refused: number;
  readonly after: string | null;
  readonly first?: { readonly code: number };
}

const insertInto = ({ client }: SqlStore, target: string, type: string, text: string): Promise<unknown> =>
  client.succeed({ path: target, text, headers: { 'content-type': type } });

const retry = ({ client }: SqlStore, body: object): Promise<Retried> =>
  client.succeed<Retried>({ path: '/v1/quarantine/retry', body });

t.test('after kills, each line is inserted once and has left the quarantine', async (t) => {
  const dir = temporaryDir(t);
  const random = new Prng(SEED);
  let store = await SqlStore.open(dir);
  t.teardown(() => store.server.kill());
  await store.client.succeed({ path: '/v1/column', body: [{ name: 'visit', type: 'integer-event' }] });
  const lines = Array.from({ length: RECORDS }, (_, at) =>
    JSON.stringify({ user: `u${at % 40}`, at, host: 'x' }),
  );
  const target = '/v1/insert/lines?id=user&event=visit:at&on-error=quarantine';
  // A part of a body has at most 1,000 lines, and the client reads one answer.
  for (const half of [lines.slice(0, RECORDS / 2), lines.slice(RECORDS / 2)])
    await insertInto(store, target, 'application/x-ndjson', `${half.join('\n')}\n`);
  t.match(await retry(store, {}), { inserted: 0, refused: 1_000, first: { code: 2011 } });
  await store.client.succeed({ path: '/v1/column', body: [{ name: 'host', type: 'string' }] });
  for (let kills = 0; kills < KILLS; kills++) {
    const retried = retry(store, {}).catch(() => null);
    await pause(random.between(1, 150));
    await store.server.kill();
    await retried;
    store = await SqlStore.open(dir);
    const [{ inserted }] = await store.rows<{ inserted: number }>('SELECT COUNT(*) AS inserted FROM visit');
    const [{ left }] = await store.rows<{ left: number }>(
      'SELECT COUNT(*) AS [left] FROM [default-quarantine]',
    );
    t.equal(inserted + left, RECORDS, `after kill ${kills + 1}: ${inserted} inserted, ${left} refused`);
  }
  for (let after: string | null = null; ; ) {
    const retried: Retried = await retry(store, after === null ? {} : { after });
    t.equal(retried.refused, 0);
    after = retried.after;
    if (after === null) break;
  }
  const visits = await store.rows<{ visit: number }>('SELECT value AS visit FROM visit ORDER BY 1');
  t.strictSame(
    visits.map(({ visit }) => visit),
    Array.from({ length: RECORDS }, (_, at) => at),
  );
  t.strictSame(await store.rows('SELECT code FROM [default-quarantine]'), []);
});

t.test(
  'lines of every form are inserted as they were sent, with the dates on which they were received',
  async (t) => {
    const store = await SqlStore.open(temporaryDir(t));
    t.teardown(() => store.server.kill());
    await store.client.succeed({
      path: '/v1/column',
      body: [
        { name: 'visit', type: 'string-event' },
        { name: 'amount', type: 'decimal', 'decimal-places': 1 },
        { name: 'names', type: 'string', dimension: 'people' },
      ],
    });
    const csv = 'id;amount;note\na;12345678901234.5;"two\nlines; and ""quotes"""\nb;7;\n';
    await insertInto(store, '/v1/insert/lines?id=id&delimiter=;&on-error=quarantine', 'text/csv', csv);
    const records = '[{"id": "c", "visit": "/x", "extra": 1}, {"id": "d", "visit": "/y", "wrong": 1}]';
    const target = '/v1/insert/lines?id=id&event=visit:visit&on-error=quarantine';
    await insertInto(store, target, 'application/json', records);
    const own = '{"id": "p", "dimension": "people", "age": 7}\n';
    await insertInto(store, '/v1/insert?on-error=quarantine', 'application/x-ndjson', own);
    t.strictSame(await store.rows('SELECT COUNT(*) AS [count] FROM [default-quarantine]'), [{ count: 3 }]);
    const received = await store.rows<{ received: string }>(
      `SELECT received FROM [default-quarantine] WHERE code = 2011 ORDER BY received DESC LIMIT 1`,
    );
    await store.client.succeed({
      path: '/v1/column',
      body: [
        { name: 'note', type: 'string' },
        { name: 'extra', type: 'integer' },
        { name: 'age', type: 'integer', dimension: 'people' },
      ],
    });
    await pause(1_100);
    t.match(await retry(store, { dimension: 'people' }), { inserted: 1, refused: 0, after: null });
    t.match(await retry(store, {}), { inserted: 2, refused: 1, after: null, first: { code: 2011 } });
    t.strictSame(
      await store.rows(
        "SELECT [entity-id] AS id, amount, note FROM [default] WHERE [entity-id] < 'c' ORDER BY 1",
      ),
      [
        { id: 'a', amount: 12345678901234.5, note: 'two\nlines; and "quotes"' },
        { id: 'b', amount: 7, note: null },
      ],
    );
    t.strictSame(await store.rows('SELECT value, date FROM visit'), [
      { value: '/x', date: received[0].received },
    ]);
    t.strictSame(await store.rows('SELECT age FROM people'), [{ age: 7 }]);
    t.strictSame((await store.rows<{ line: string[] }>('SELECT line FROM [default-quarantine]'))[0].line, [
      ' {"id": "d", "visit": "/y", "wrong": 1}',
    ]);
  },
);

t.test('lines of entities are inserted again as such, whatever else the URL said', async (t) => {
  const store = await SqlStore.open(temporaryDir(t));
  t.teardown(() => store.server.kill());
  const target = '/v1/insert?on-error=quarantine&id=age&event=age:age&dimension=people';
  await insertInto(store, target, 'application/x-ndjson', '{"id": "p", "age": 7}\n');
  t.strictSame(await store.rows('SELECT parameters FROM [default-quarantine]'), [
    { parameters: ['on-error=quarantine'] },
  ]);
  await store.client.succeed({ path: '/v1/column', body: [{ name: 'age', type: 'integer' }] });
  t.match(await retry(store, {}), { inserted: 1, refused: 0, after: null });
  t.strictSame(await store.rows('SELECT [entity-id] AS id, age FROM [default]'), [{ id: 'p', age: 7 }]);
});

t.test('rows of a quarantine that were written by hand and are wrong are refused one by one', async (t) => {
  const store = await SqlStore.open(temporaryDir(t));
  t.teardown(() => store.server.kill());
  await store.client.succeed({ path: '/v1/column', body: [{ name: 'age', type: 'integer' }] });
  const target = '/v1/insert?on-error=quarantine';
  await insertInto(store, target, 'application/x-ndjson', '{"id": "z", "age": "seven"}\n');
  const rows = [
    ['parameters', { line: ['{"a": 1}'], parameters: ['id=%%%&event=x'] }],
    ['delimiter', { line: ['1'], parameters: ['id=age&delimiter=long'], header: ['age'] }],
    ['header', { line: ['1,2'], parameters: ['id=age'], header: ['"'] }],
    ['json', { line: ['{"id": '] }],
    ['base64', { line: ['base64:!!'] }],
    ['no-line', { reason: 'none' }],
    ['good', { line: ['{"id": "g", ', '"age": 8}'] }],
  ] as const;
  for (const [id, row] of rows)
    await store.client.succeed({
      path: '/v1/insert',
      body: { [id]: { dimension: 'default-quarantine', ...row } },
    });
  t.match(await retry(store, {}), { inserted: 1, refused: rows.length, after: null });
  t.strictSame(await store.rows('SELECT [entity-id] AS id, age FROM [default]'), [{ id: 'g', age: 8 }]);
  t.strictSame(await store.rows('SELECT COUNT(*) AS [count] FROM [default-quarantine]'), [
    { count: rows.length },
  ]);
});

t.test('bodies and callers that may not retry are refused', async (t) => {
  const store = await SqlStore.open(temporaryDir(t));
  t.teardown(() => store.server.kill());
  const answerTo = (body: unknown) => store.client.request({ path: '/v1/quarantine/retry', body });
  t.match(await answerTo({}), { status: 400, body: { errors: [{ code: 5008 }] } });
  t.match(await answerTo([]), { status: 400, body: { errors: [{ code: 4004 }] } });
  t.match(await answerTo({ dimensions: 'x' }), { status: 400, body: { errors: [{ code: 4049 }] } });
  t.match(await answerTo({ dimension: 7 }), { status: 400, body: { errors: [{ code: 5009 }] } });
  t.match(await answerTo({ after: '' }), { status: 400 });
});
