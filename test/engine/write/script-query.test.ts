/** INSERT ... SELECT against a whole server: one version of read and write, whole or not at all, once per key, rights. */
import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { ConformanceServer } from '../../support/conformance-server.js';

const SEED = Date.now() % 1_000_000;
t.comment(`seed ${SEED}`);
t.setTimeout(200_000);

const COLUMNS = [
  { name: 'n', type: 'integer' },
  { name: 'price', type: 'decimal', 'decimal-places': 2 },
  { name: 'title', type: 'string', cardinality: 'low' },
  { name: 'tags', type: 'string', storage: 'list-of-values' },
  { name: 'day', type: 'date' },
  { name: 'hit', type: 'integer-event' },
];

async function start(layout: { shards: number; workers: number }): Promise<ConformanceServer> {
  const server = await ConformanceServer.start(true, layout);
  const columns = ['item', 'copy'].flatMap((dimension) =>
    COLUMNS.map((column) => ({ ...column, 'api-name': column.name, dimension })),
  );
  const { status, text } = await server.post('/v1/column', JSON.stringify(columns));
  t.equal(status, 200, text);
  return server;
}

async function rowsOf(server: ConformanceServer, sql: string): Promise<readonly Record<string, unknown>[]> {
  const { status, text } = await server.sql(sql);
  if (status !== 200) throw new Error(`${sql}: ${text}`);
  return (JSON.parse(text) as { readonly result: Record<string, unknown>[] }).result;
}

const ALL = 'SELECT [entity-id], n, price, title, tags, day FROM';

t.test('the rows of the SELECT are inserted with every digit and text, and events', async (t) => {
  const server = await start({ shards: 3, workers: 2 });
  t.teardown(() => server.stop());
  const prng = new Prng(SEED);
  const entities = Array.from({ length: 900 }, (_, index) => {
    const title = prng.pick(['a "quoted", text', 'ümlaut \\ slash', '[1, 2]', '{"x":1}', '-']);
    const values = { n: 9_007_199_254_740_993n + BigInt(index), tags: [`x${index % 3}`, 'y,"z"'], title };
    const more = { price: prng.below(100_000) / 100, day: '2024-02-29', dimension: 'item' };
    const text = JSON.stringify({ ...values, ...more }, (_key, value) =>
      typeof value === 'bigint' ? `#${value}#` : value,
    );
    return `"item ${index}":${text.replaceAll(/"#(\d+)#"/g, '$1')}`;
  });
  const inserted = await server.post('/v1/insert', `{${entities.join(',')}}`);
  t.equal(inserted.status, 200, inserted.text.slice(0, 300));
  const text = `INSERT INTO copy ([entity-id], n, price, title, tags, day, [hit.value], [hit.date])
    SELECT [entity-id], n, price, title, tags, day, 7, day FROM item`;
  const { text: answer } = await server.sql(text);
  t.match(JSON.parse(answer), { result: { 'inserted-entities': 900 }, count: 900 }, answer.slice(0, 300));
  const [found, expected] = await Promise.all(
    ['copy', 'item'].map(async (name) => (await server.sql(`${ALL} ${name} ORDER BY 1`)).text),
  );
  t.equal(found.replace(/"took".*/, ''), expected.replace(/"took".*/, ''));
  t.strictSame(await rowsOf(server, 'SELECT SUM([hit.value]) AS hits FROM copy'), [{ hits: 6_300 }]);
});

t.test('concurrent statements see all rows of each other, or none of them', async (t) => {
  const server = await start({ shards: 2, workers: 2 });
  t.teardown(() => server.stop());
  const add = `INSERT INTO copy ([entity-id], n) SELECT 'n' || CAST(COUNT(*) AS VARCHAR), COUNT(*) FROM copy`;
  const answers = await Promise.all(Array.from({ length: 8 }, () => server.sql(add)));
  t.strictSame(
    answers.filter(({ status }) => status !== 200).map(({ text }) => text),
    [],
  );
  const ids = await rowsOf(server, 'SELECT n FROM copy ORDER BY n');
  t.strictSame(
    ids.map(({ n }) => n),
    [0, 1, 2, 3, 4, 5, 6, 7],
  );
});

t.test('after a kill, a statement has taken effect whole or not at all', async (t) => {
  const server = await start({ shards: 3, workers: 2 });
  t.teardown(() => server.stop());
  const prng = new Prng(SEED);
  const counts = new Set<unknown>();
  for (let round = 1; round <= 2; round++) {
    const running = server.sql(
      `INSERT INTO copy ([entity-id], n) SELECT 'r${round}-' || CAST(i AS VARCHAR), ${round} FROM generate_series(1, 3000) i`,
    );
    await new Promise((resolve) => setTimeout(resolve, prng.below(1_500)));
    const left = await server.copy(true);
    const [{ people }] = await rowsOf(left, `SELECT COUNT(*) AS people FROM copy WHERE n = ${round}`);
    await left.stop();
    t.ok(people === 0 || people === 3_000, `${people} of 3000`);
    counts.add(people);
    t.equal((await running).status, 200);
    const acknowledged = await server.copy(true);
    t.strictSame(await rowsOf(acknowledged, `SELECT COUNT(*) AS people FROM copy WHERE n = ${round}`), [
      { people: 3_000 },
    ]);
    await acknowledged.stop();
  }
  t.comment(`found ${[...counts].join(' and ')} rows`);
});

t.test('a repeat with the same key writes nothing and returns the first answer', async (t) => {
  const server = await start({ shards: 1, workers: 1 });
  t.teardown(() => server.stop());
  const send = (text: string, key: string) =>
    server.post('/v1/sql', text, 'application/sql', '*/*', { 'idempotency-key': key });
  const none = `INSERT INTO copy ([entity-id], n) SELECT [entity-id], n FROM item`;
  const some = `INSERT INTO copy ([entity-id], n) SELECT 'x' || CAST(i AS VARCHAR), i FROM generate_series(1, 1500) i`;
  const first = await send(none, 'none-yet');
  t.match(JSON.parse(first.text), { result: { 'inserted-entities': 0 } });
  await server.post('/v1/insert', '{"late":{"dimension":"item","n":1}}');
  t.match(JSON.parse((await send(none, 'none-yet')).text), {
    result: { 'inserted-entities': 0 },
  });
  await send(some, 'many');
  await server.sql('DELETE FROM copy WHERE n > 0');
  const repeated = await send(some, 'many');
  t.match(JSON.parse(repeated.text), { result: { 'inserted-entities': 1_500 }, count: 1_500 });
  t.strictSame(await rowsOf(server, 'SELECT COUNT(*) AS people FROM copy'), [{ people: 0 }]);
  await server.restart();
  t.match(JSON.parse((await send(none, 'none-yet')).text), {
    result: { 'inserted-entities': 0 },
  });
  t.strictSame(await rowsOf(server, 'SELECT COUNT(*) AS people FROM copy'), [{ people: 0 }]);
});

t.test('a statement that breaks a rule writes none of its rows', async (t) => {
  const server = await start({ shards: 2, workers: 2 });
  t.teardown(() => server.stop());
  for (const [select, message] of [
    [
      `SELECT 'x' || CAST(i AS VARCHAR), CASE WHEN i = 1700 THEN 1.5 ELSE i END FROM generate_series(1, 2000) i`,
      /integer/,
    ],
    [`SELECT 'x' || CAST(i % 1990 AS VARCHAR), i FROM generate_series(1, 2000) i`, /more than once/],
    ['SELECT NULL, 1', /an entity ID is a string or a number/],
    [`SELECT 'x', 1, 2`, /returns 3 columns for the 2/],
    [`SELECT 'x' || CAST(i AS VARCHAR), i FROM generate_series(1, 50001) i`, /at most 50000 rows/],
  ] as const) {
    const { status, text } = await server.sql(`INSERT INTO copy ([entity-id], n) ${select}`);
    t.equal(status, 400, text);
    t.match(JSON.parse(text), { errors: [{ code: 6000, message }] });
  }
  t.strictSame(await rowsOf(server, 'SELECT COUNT(*) AS people FROM copy'), [{ people: 0 }]);
});
