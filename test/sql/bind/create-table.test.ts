/** CREATE TABLE, CREATE TABLE ... AS and DROP TABLE over HTTP and on the port: columns, rows, bounds, rights, crashes. */
import t from 'tap';
import { refusal, startPostgres } from '../../pg/site.js';
import { ConformanceServer } from '../../support/conformance-server.js';

t.setTimeout(200_000);

interface Answer {
  readonly result?: unknown;
  readonly errors?: readonly { readonly code: number; readonly message: string }[];
}

t.test('a table has the columns and rows of its query, also after a crash, and is made once', async (t) => {
  const server = await ConformanceServer.start(true, { shards: 3, workers: 2 });
  t.teardown(() => server.stop());
  const run = async (sql: string, headers: Record<string, string> = {}): Promise<Answer> =>
    JSON.parse((await server.post('/v1/sql', sql, 'application/sql', '*/*', headers)).text);
  t.match(
    await run(
      'CREATE TABLE [base] ([entity-id] TEXT PRIMARY KEY, n INT, price NUMERIC(10, 2), d DATE, ok BOOLEAN, s VARCHAR(10))',
    ),
    {
      result: { created: ['base'] },
    },
  );
  t.match(
    await run(
      `INSERT INTO base ([entity-id], n, price, d, ok, s) VALUES ('a', 9007199254740993, 1.5, '2024-02-29', TRUE, 'X'), ('b', NULL, NULL, NULL, NULL, NULL)`,
    ),
    {
      result: { 'inserted-entities': 2 },
    },
  );
  const all = `CREATE TABLE copy_of AS SELECT *, price * 3 AS more, n IS NULL AS lacks FROM (SELECT [entity-id], n, price, d, ok, s FROM base) b`;
  for (let round = 0; round < 3; round++) {
    t.match(await run(all, { 'idempotency-key': 'once' }), {
      result: { 'inserted-entities': 2, 'inserted-values': 8 },
    });
    if (round === 1) await server.restartFromLog();
  }
  const text = (await server.sql('SELECT * FROM copy_of ORDER BY 1')).text;
  t.match(text, '"n":9007199254740993');
  t.match(JSON.parse(text), {
    result: [
      { 'entity-id': 'a', price: 1.5, d: '2024-02-29', ok: true, s: 'x', more: 4.5, lacks: false },
      { 'entity-id': 'b', price: null, d: null, ok: null, s: null, more: null, lacks: true },
    ],
  });
  t.match(
    await run(
      'CREATE TABLE counts AS SELECT i % 3 AS part, COUNT(*) AS n FROM generate_series(1, 3100) s (i) GROUP BY 1 ORDER BY 1',
    ),
    {
      result: { 'inserted-entities': 3 },
    },
  );
  t.match(await run('SELECT [entity-id], part, n FROM counts ORDER BY 1'), {
    result: [
      { 'entity-id': '1', part: 0, n: 1033 },
      { 'entity-id': '2', part: 1, n: 1034 },
      { 'entity-id': '3', part: 2, n: 1033 },
    ],
  });
  const killed = await server.copy(true);
  t.match(JSON.parse((await killed.sql('SELECT COUNT(*) AS n FROM counts')).text), { result: [{ n: 3 }] });
  await killed.stop();
  t.match(await run('CREATE TABLE IF NOT EXISTS counts AS SELECT 1 AS x'), { result: { created: [] } });
  t.match(await run('DROP TABLE counts, COUNTS'), { result: { dropped: ['counts'] } });
  t.match(await run('DROP TABLE IF EXISTS counts'), { result: { dropped: [] } });
});

t.test('a table that breaks a rule is not made', async (t) => {
  const server = await ConformanceServer.start(true, { shards: 2, workers: 2 });
  t.teardown(() => server.stop());
  for (const [sql, message] of [
    ['CREATE TABLE x AS SELECT 1 AS a, 2 AS A', /two columns are called/],
    ['CREATE TABLE x AS SELECT 0.5e0 * SQRT(2) AS a', /no type float/],
    [`CREATE TABLE x AS SELECT 'k' AS [entity-id] FROM generate_series(1, 2000) i`, /more than once/],
    [
      `CREATE TABLE x AS SELECT CASE WHEN i = 1700 THEN '' ELSE 'y' END AS a FROM generate_series(1, 2000) s (i)`,
      /the string is empty/,
    ],
    ['CREATE TABLE x AS SELECT i FROM generate_series(1, 50001) s (i)', /at most 50000 rows/],
    ['CREATE TABLE [a b] AS SELECT 1 AS x', /is not a name/],
    ['CREATE TABLE x AS SELECT 1 AS [a b]', /is not a name/],
    ['CREATE TABLE x (a INT NOT NULL)', /PRIMARY KEY and NOT NULL/],
    ['CREATE TABLE x (a INT DEFAULT 1)', /constraints and defaults/],
    ['CREATE TABLE x (a NIX)', /there is no type/],
    ['CREATE TABLE [default] (a INT)', /already exists/],
    ['DROP TABLE [default]', /cannot be deleted/],
    ['DROP TABLE x', /there is no table/],
    ['CREATE TABLE x AS SELECT 1 AS a; SELECT 1', /only statement/],
    ['CREATE TABLE x (a INT) AS SELECT 1', /takes the columns of its query/],
  ] as const) {
    const { status, text } = await server.sql(sql);
    t.equal(status, 400, `${sql}: ${text}`);
    t.match(JSON.parse(text), { errors: [{ code: 6000, message }] }, sql);
  }
  t.match((await server.sql('SELECT 1 FROM x')).status, 400);
});

t.test('the port makes tables for those who may create dimensions', async (t) => {
  const fixture = await startPostgres(t);
  const client = await fixture.connect();
  await client.query('CREATE TABLE public.people (age bigint, name text, "entity-id" text primary key)');
  t.equal(
    (
      await client.query(
        `INSERT INTO people ("entity-id", age, name) SELECT 'p' || g, g, 'n' FROM generate_series(1, 5) AS t (g)`,
      )
    ).rowCount,
    5,
  );
  const made = await client.query(
    'CREATE TABLE old_people AS SELECT age / 2 AS half, name FROM people WHERE age > $1',
    [2],
  );
  t.strictSame([made.command, made.rowCount], ['SELECT', 3]);
  t.strictSame((await client.query('SELECT half, name FROM old_people ORDER BY 1 LIMIT 1')).rows, [
    { half: '1', name: 'n' },
  ]);
  t.equal((await client.query('CREATE TABLE IF NOT EXISTS people (x int)')).command, 'CREATE');
  const { body } = await fixture.https.request({
    ...{ method: 'POST', path: '/v1/database/custom_key', key: fixture.keys.team },
    body: { 'database-name': 'quarry', 'custom-database-key': { 'key-name': 'w', 'key-type': 'write-read' } },
  });
  const narrow = await fixture.connect(String((body as { key: string }).key));
  const reader = await fixture.connect(fixture.keys.read);
  for (const text of ['CREATE TABLE x (a int)', 'CREATE TABLE x AS SELECT 1 AS a', 'DROP TABLE people']) {
    t.match(await refusal(narrow.query(text)), { code: '42501' }, text);
    t.match(await refusal(reader.query(text)), { code: '42501' }, text);
  }
  t.equal((await client.query('DROP TABLE people, old_people')).command, 'DROP');
  t.match(await refusal(client.query('SELECT 1 FROM people')), { code: '42P01' });
});
