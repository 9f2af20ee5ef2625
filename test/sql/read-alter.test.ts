/** ALTER TABLE ... ADD COLUMN and DROP COLUMN over HTTP and on the port: values, names, rights, blocks, crashes. */
import t from 'tap';
import { refusal, startPostgres } from '../pg/site.js';
import { ConformanceServer } from '../support/conformance-server.js';

t.setTimeout(200_000);

t.test('columns are added and dropped over HTTP, also after a crash', async (t) => {
  const server = await ConformanceServer.start(true, { shards: 3, workers: 2 });
  t.teardown(() => server.stop());
  const run = async (sql: string): Promise<unknown> => JSON.parse((await server.sql(sql)).text);
  await run('CREATE TABLE base (n INT, old TEXT)');
  await run(`INSERT INTO base ([entity-id], n, old) VALUES ('a', 1, 'x'), ('b', 2, 'y')`);
  const altered = { result: { altered: ['base'] } };
  t.match(
    await run(
      'ALTER TABLE base ADD COLUMN price NUMERIC(10, 2), ADD is_new BOOLEAN NULL, DROP COLUMN old CASCADE',
    ),
    altered,
  );
  t.match(await run('SELECT n, price, is_new FROM base ORDER BY n LIMIT 1'), {
    result: [{ n: 1, price: null, 'is-new': null }],
  });
  t.match(await run(`UPDATE base SET price = 1.25, [is-new] = TRUE WHERE n = 2`), { result: { updated: 1 } });
  // A column that is dropped and added again has no values.
  t.match(await run('ALTER TABLE base DROP n, ADD n TEXT'), altered);
  t.match(
    await run('ALTER TABLE base ADD COLUMN IF NOT EXISTS is_new BOOLEAN, DROP COLUMN IF EXISTS old'),
    altered,
  );
  t.match(await run('ALTER TABLE IF EXISTS nix ADD COLUMN a INT'), { result: { altered: [] } });
  const rows = [
    { 'entity-id': 'a', price: null, 'is-new': null, n: null },
    { 'entity-id': 'b', price: 1.25, 'is-new': true, n: null },
  ];
  t.match(await run('SELECT * FROM base ORDER BY 1'), { result: rows });
  t.match(await run('SELECT old FROM base'), { errors: [{ code: 6000 }] });
  const killed = await server.copy(true);
  t.match(JSON.parse((await killed.sql('SELECT * FROM base ORDER BY 1')).text), { result: rows });
  await killed.stop();
});

t.test('a change of columns that breaks a rule changes nothing', async (t) => {
  const server = await ConformanceServer.start(true, { shards: 2, workers: 2 });
  t.teardown(() => server.stop());
  await server.sql('CREATE TABLE base (a_b INT, [select] TEXT)');
  await server.sql('CREATE VIEW seen AS SELECT a_b FROM base');
  const long = 'n'.repeat(5_000);
  const cases: readonly (readonly [string, RegExp])[] = [
    ['ALTER TABLE base ADD COLUMN [a-b] INT', /column "a-b" already exists/],
    ['ALTER TABLE base ADD COLUMN [entity_id] TEXT', /already exists/],
    ['ALTER TABLE base ADD COLUMN c INT, ADD C TEXT', /two columns are called "c"/],
    ['ALTER TABLE base ADD COLUMN c INT, ADD d NIX', /there is no type "nix"/i],
    ['ALTER TABLE base ADD COLUMN c FLOAT', /columns have no type float/],
    ['ALTER TABLE base ADD COLUMN c INT NOT NULL', /PRIMARY KEY and NOT NULL/],
    ['ALTER TABLE base ADD COLUMN c INT DEFAULT 1', /constraints and defaults/],
    ['ALTER TABLE base ADD COLUMN [c d] INT', /is not a name/],
    ['ALTER TABLE base ADD COLUMN dimension INT', /is reserved/],
    [`ALTER TABLE base ADD COLUMN ${long} INT`, /./],
    ['ALTER TABLE base ADD COLUMN select INT', /found "select"/],
    ['ALTER TABLE base ADD CONSTRAINT k UNIQUE (a_b)', /ADD CONSTRAINT is not available/],
    ['ALTER TABLE base ALTER COLUMN a_b TYPE TEXT', /ALTER COLUMN is not available/],
    ['ALTER TABLE base RENAME COLUMN a_b TO c', /RENAME COLUMN is not available/],
    ['ALTER TABLE base DROP COLUMN a_b, DROP COLUMN nix', /there is no column "nix" in "base"/],
    ['ALTER TABLE base DROP COLUMN a_b, DROP COLUMN [a-b]', /there is no column "a-b"/],
    ['ALTER TABLE base DROP COLUMN [entity-id]', /cannot be deleted/],
    ['ALTER TABLE nix ADD COLUMN a INT', /there is no table "nix"/],
    ['ALTER TABLE seen ADD COLUMN a INT', /"seen" is a view/],
    ['ALTER VIEW seen ADD COLUMN a INT', /RENAME TO/],
    ['ALTER TABLE base', /./],
    ['ALTER TABLE base ADD', /./],
    ['ALTER TABLE base ADD COLUMN c INT; SELECT 1', /only statement/],
  ];
  for (const [sql, message] of cases) {
    const { status, text } = await server.sql(sql);
    t.equal(status, 400, `${sql.slice(0, 80)}: ${text}`);
    t.match(JSON.parse(text), { errors: [{ code: 6000, message }] }, sql.slice(0, 80));
  }
  t.equal((await server.sql('ALTER TABLE base DROP COLUMN [SELECT], ADD COLUMN [Like] DATE')).status, 200);
  t.match(JSON.parse((await server.sql(`INSERT INTO base ([entity-id], a_b) VALUES ('a', 5)`)).text), {
    result: { 'inserted-entities': 1 },
  });
  t.match(JSON.parse((await server.sql('SELECT * FROM base')).text), {
    result: [{ 'a-b': 5, like: null }],
  });
});

t.test('the port alters tables, also in blocks, for those who may create columns', async (t) => {
  const fixture = await startPostgres(t);
  const client = await fixture.connect();
  const run = async (...texts: readonly string[]): Promise<void> => {
    for (const text of texts) await client.query(text);
  };
  const rows = async (text: string): Promise<unknown[]> =>
    (await client.query({ text, rowMode: 'array' })).rows;
  await run('CREATE TABLE t (n int)', `INSERT INTO t ("entity-id", n) VALUES ('a', 1), ('b', 2)`);
  t.equal(
    (await client.query('ALTER TABLE ONLY public.t ADD COLUMN IF NOT EXISTS "s" varchar(20)')).command,
    'ALTER',
  );
  t.strictSame(
    await rows(
      `SELECT column_name FROM information_schema.columns WHERE table_name = 't' AND column_name = 's'`,
    ),
    [['s']],
  );
  const notices: string[] = [];
  client.on('notice', ({ message }) => notices.push(String(message)));
  await run('ALTER TABLE t ADD COLUMN IF NOT EXISTS s text, DROP COLUMN IF EXISTS nix');
  t.strictSame(notices, ['column "nix" does not exist, skipping', 'column "s" already exists, skipping']);

  await run(
    'BEGIN',
    'ALTER TABLE t ADD COLUMN flag boolean, ADD COLUMN m int',
    'UPDATE t SET flag = true, m = 7',
    `UPDATE t SET s = 'none' WHERE m IS NULL`,
    `UPDATE t SET s = 'seven' WHERE m = 7 AND "entity-id" = 'a'`,
    `INSERT INTO t ("entity-id", n, flag) VALUES ('c', 3, false)`,
    'COMMIT',
  );
  t.strictSame(await rows('SELECT "entity-id", n, s, flag, m FROM t ORDER BY 1'), [
    ['a', '1', 'seven', true, '7'],
    ['b', '2', null, true, '7'],
    ['c', '3', null, false, null],
  ]);
  await run(
    'BEGIN',
    'SAVEPOINT s',
    'ALTER TABLE t DROP COLUMN m',
    'ROLLBACK TO s',
    'ALTER TABLE t ADD k int',
  );
  await run('COMMIT', 'BEGIN', 'ALTER TABLE t DROP COLUMN n', 'ROLLBACK');
  t.strictSame(await rows('SELECT n, m, k FROM t ORDER BY 1 LIMIT 1'), [['1', '7', null]]);
  const refused: readonly (readonly [texts: readonly string[], code: string])[] = [
    [['UPDATE t SET n = 1', 'ALTER TABLE t DROP COLUMN n'], '0A000'],
    [['ALTER TABLE t DROP COLUMN n', 'UPDATE t SET n = 1'], '42703'],
    [['ALTER TABLE t ADD COLUMN x int', 'ALTER TABLE t ADD COLUMN x int'], '42701'],
    [['CREATE TEMP TABLE tt (a int)', 'ALTER TABLE tt ADD COLUMN b int'], '0A000'],
    [['ALTER TABLE t ALTER COLUMN n SET NOT NULL'], '0A000'],
  ];
  for (const [texts, code] of refused) {
    await run('BEGIN', ...texts.slice(0, -1));
    t.equal((await refusal(client.query(texts.at(-1) ?? ''))).code, code, texts.join('; '));
    await run('ROLLBACK');
  }
  await run(
    'BEGIN',
    'ALTER TABLE t ADD COLUMN x int, ADD COLUMN y text',
    'CREATE TABLE u AS SELECT n, x, y FROM t WHERE x IS NULL ORDER BY x, n',
    'CREATE TABLE v AS SELECT y, count(*) AS c, count(x) AS d, max(x) AS e FROM t GROUP BY y',
    'CREATE TABLE w AS SELECT a.n FROM t a JOIN t b ON a.x = b.x',
    `CREATE TABLE z AS SELECT n FROM t WHERE y LIKE '%a%' OR x > 3`,
    `UPDATE t SET y = 'set' WHERE x IS NULL AND y IS NULL`,
    'COMMIT',
  );
  t.strictSame(await rows('SELECT n, x, y FROM u ORDER BY n'), [
    ['1', null, null],
    ['2', null, null],
    ['3', null, null],
  ]);
  t.strictSame(await rows('SELECT y, c, d, e FROM v'), [[null, '3', '0', null]]);
  t.strictSame(await rows('SELECT n FROM w UNION ALL SELECT n FROM z'), []);
  t.strictSame(await rows('SELECT y, count(*) FROM t GROUP BY y'), [['set', '3']]);
  await run('ALTER TABLE t DROP COLUMN x');
  const other = await fixture.connect();
  await run('BEGIN', 'ALTER TABLE t ADD COLUMN late int');
  await other.query('ALTER TABLE t ADD COLUMN late text');
  t.equal((await refusal(client.query('COMMIT'))).code, '42701', 'a column that was added meanwhile');
  await run(
    'BEGIN',
    'ALTER TABLE t ADD COLUMN later int',
    `INSERT INTO t ("entity-id", later) VALUES ('d', 4)`,
  );
  await other.query('ALTER TABLE t ADD COLUMN between_them text');
  await run('COMMIT');
  t.strictSame(await rows(`SELECT later, between_them FROM t WHERE "entity-id" = 'd'`), [['4', null]]);

  const { body } = await fixture.https.request({
    ...{ method: 'POST', path: '/v1/database/custom_key', key: fixture.keys.team },
    body: { 'database-name': 'quarry', 'custom-database-key': { 'key-name': 'w', 'key-type': 'write-read' } },
  });
  const narrow = await fixture.connect(String((body as { key: string }).key));
  const reader = await fixture.connect(fixture.keys.read);
  for (const text of ['ALTER TABLE t ADD COLUMN x int', 'ALTER TABLE t DROP COLUMN n']) {
    t.match(await refusal(narrow.query(text)), { code: '42501' }, text);
    t.match(await refusal(reader.query(text)), { code: '42501' }, text);
  }
});
