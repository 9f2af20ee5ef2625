/** CREATE, DROP and ALTER of tables and views in transaction blocks, also beside other writes. */
import t from 'tap';
import { kinds, message, RawClient } from '../../raw-client.js';
import { refusal, startPostgres } from '../../site.js';

t.test('a CREATE or DROP takes effect at the COMMIT of its block', async (t) => {
  const fixture = await startPostgres(t);
  const client = await fixture.connect();
  const other = await fixture.connect();
  const block = async (...texts: readonly string[]): Promise<readonly string[]> => {
    const tags: string[] = [];
    for (const text of texts) tags.push((await client.query(text)).command);
    return tags;
  };
  const refused = async (text: string, from = other): Promise<string | undefined> =>
    (await refusal(from.query(text))).code;
  await client.query('CREATE TABLE source (n int, name text)');
  await client.query(`INSERT INTO source ("entity-id", n, name) VALUES ('a', 1, 'x'), ('b', 2, 'y')`);

  t.strictSame(await block('BEGIN', 'CREATE TABLE made AS SELECT n * 2 AS twice, name FROM source'), [
    'BEGIN',
    'CREATE',
  ]);
  t.equal(await refused('SELECT twice FROM made'), '42P01', 'it does not exist before COMMIT');
  t.strictSame(await block('COMMIT'), ['COMMIT']);
  t.strictSame((await other.query('SELECT twice, name FROM made ORDER BY 1')).rows, [
    { twice: '2', name: 'x' },
    { twice: '4', name: 'y' },
  ]);
  await block('BEGIN', 'CREATE VIEW seen AS SELECT sum(twice) AS s FROM made', 'COMMIT');
  t.strictSame((await other.query('SELECT s FROM seen')).rows, [{ s: '6' }]);
  await block('BEGIN', 'DROP VIEW seen', 'COMMIT');
  t.equal(await refused('SELECT s FROM seen'), '42P01');
  await block('BEGIN', 'DROP TABLE made', 'ROLLBACK');
  t.strictSame((await other.query('SELECT count(*) AS n FROM made')).rows, [{ n: '2' }]);
  await block(
    'BEGIN',
    'SAVEPOINT s',
    'DROP TABLE made',
    'ROLLBACK TO s',
    'CREATE TABLE other_table (n int)',
    'COMMIT',
  );
  t.strictSame((await other.query('SELECT count(*) AS n FROM made')).rows, [{ n: '2' }]);
  t.strictSame((await other.query('SELECT count(*) AS n FROM other_table')).rows, [{ n: '0' }]);
  await block('BEGIN', 'DROP TABLE made', 'COMMIT');
  t.equal(await refused('SELECT twice FROM made'), '42P01');

  const wrong: readonly (readonly [texts: readonly string[], code: string])[] = [
    [['CREATE TABLE source (n int)'], '42P07'],
    [['DROP TABLE nothing'], '42P01'],
    [['CREATE TABLE bad AS SELECT nix FROM source'], '42703'],
    [['CREATE TABLE x (n int)', 'CREATE TABLE x (n int)'], '42P07'],
    [['CREATE TABLE x (n int)', 'SELECT n FROM x'], '0A000'],
    [
      ['CREATE TABLE x (n int)', `INSERT INTO x ("entity-id", n) VALUES ('c', 1) ON CONFLICT DO NOTHING`],
      '42601',
    ],
    [
      [
        'ALTER TABLE source RENAME TO y',
        `INSERT INTO y ("entity-id", n) VALUES ('c', 1) ON CONFLICT ("entity-id") DO UPDATE SET n = 2`,
      ],
      '42601',
    ],
    [[`INSERT INTO source ("entity-id", n) VALUES ('c', 1)`, 'DROP TABLE source'], '0A000'],
    [[`INSERT INTO source ("entity-id", n) VALUES ('c', 1)`, 'ALTER TABLE source RENAME TO y'], '0A000'],
    [['ALTER TABLE source RENAME TO y', 'ALTER TABLE source RENAME TO z'], '42P01'],
    [['ALTER TABLE source RENAME TO y', `INSERT INTO source ("entity-id") VALUES ('c')`], '42P01'],
    [['CREATE TABLE source2 (n int)', 'ALTER TABLE source RENAME TO source2'], '42P07'],
    [['ALTER VIEW source RENAME TO y'], '42809'],
    [['CREATE TABLE x (n int)', `INSERT INTO x ("entity-id", n) VALUES ('a', 1) RETURNING n`], '0A000'],
    [['CREATE TABLE x (n int)', 'CREATE TABLE y AS SELECT n FROM x'], '42601'],
    [
      [
        'CREATE TABLE x AS SELECT n FROM source',
        'INSERT INTO source ("entity-id", n) SELECT \'z\', n FROM x',
      ],
      '42601',
    ],
    [['DROP TABLE source', 'SELECT n FROM source'], '0A000'],
  ];
  for (const [texts, code] of wrong) {
    await block('BEGIN', ...texts.slice(0, -1));
    t.equal(await refused(texts.at(-1) ?? '', client), code, texts.join('; '));
    await block('ROLLBACK');
  }
  await block('BEGIN', 'CREATE TABLE late (n int)');
  await other.query('CREATE TABLE late (n int)');
  t.equal(
    await refused('COMMIT', client),
    '42P07',
    'a table that was created meanwhile is refused at COMMIT',
  );
  t.strictSame((await client.query('SELECT count(*) AS n FROM source')).rows, [{ n: '2' }]);

  const reader = await fixture.connect(fixture.keys.read);
  await reader.query('BEGIN');
  t.equal(await refused('CREATE TABLE x (n int)', reader), '42501');
});

t.test('a table whose rows or columns a key restricts by its name is not renamed', async (t) => {
  const fixture = await startPostgres(t);
  const { https, keys } = fixture;
  const client = await fixture.connect();
  await client.query('CREATE TABLE lands (n int)');
  for (const [name, more] of [
    ['filtered', { filter: { lands: { n: { gt: 1 } } } }],
    ['narrow', { 'columns-whitelist': { lands: ['n'] } }],
  ] as const) {
    const key = { 'key-name': name, 'key-type': 'read-only', ...more };
    const at = { path: '/v1/database/custom_key', key: keys.team };
    await https.succeed({ ...at, body: { 'database-name': 'quarry', 'custom-database-key': key } });
    const renamed = client.query('ALTER TABLE lands RENAME TO countries');
    t.match(await refusal(renamed), { message: new RegExp(`key "${name}" restricts its rows or columns`) });
    const deleted = { 'database-name': 'quarry', 'custom-database-key': { 'key-name': name } };
    await https.succeed({ ...at, method: 'DELETE', body: deleted });
  }
  await client.query('ALTER TABLE lands RENAME TO countries');
  t.strictSame((await client.query('SELECT n FROM countries')).rows, []);
});

t.test('the statements of dbt and of migrations are one block each', async (t) => {
  const fixture = await startPostgres(t);
  const client = await fixture.connect();
  const other = await fixture.connect();
  const run = async (...texts: readonly string[]): Promise<void> => {
    for (const text of texts) await client.query(text);
  };
  const rows = async (text: string): Promise<unknown[]> =>
    (await other.query({ text, rowMode: 'array' })).rows;
  await run(
    'CREATE TABLE source (n int, name text)',
    `INSERT INTO source ("entity-id", n, name) VALUES ('a', 1, 'x'), ('b', 2, 'y')`,
  );
  // A table is built beside the old one and takes its name.
  const build = (factor: number): readonly string[] => [
    'BEGIN',
    'DROP TABLE IF EXISTS "quarry"."public"."model__dbt_tmp" CASCADE',
    `CREATE TABLE "quarry"."public"."model__dbt_tmp" AS (SELECT "entity-id", n * ${factor} AS n FROM source)`,
    ...(factor === 1 ? [] : ['ALTER TABLE "quarry"."public"."model" RENAME TO "model__dbt_backup"']),
    'ALTER TABLE "quarry"."public"."model__dbt_tmp" RENAME TO "model"',
  ];
  await run(...build(1), 'COMMIT');
  t.strictSame(await rows('SELECT "entity-id", n FROM model ORDER BY 1'), [
    ['a', '1'],
    ['b', '2'],
  ]);
  await run(...build(10));
  t.strictSame(await rows('SELECT sum(n) FROM model'), [['3']], 'others see the old table before COMMIT');
  await run(
    'COMMIT',
    'BEGIN',
    'DROP TABLE IF EXISTS "quarry"."public"."model__dbt_backup" CASCADE',
    'COMMIT',
  );
  t.strictSame(await rows('SELECT sum(n) FROM model'), [['30']]);
  t.equal((await refusal(other.query('SELECT 1 FROM model__dbt_backup'))).code, '42P01');
  await run(...build(7), 'ROLLBACK');
  t.strictSame(await rows('SELECT sum(n) FROM model'), [['30']]);

  // Views do the same.
  await run('CREATE VIEW shown AS SELECT n FROM model');
  await run(
    'BEGIN',
    'CREATE VIEW shown__tmp AS (SELECT n + 1 AS n FROM model)',
    'ALTER TABLE shown RENAME TO shown__backup',
    'ALTER VIEW shown__tmp RENAME TO shown',
    'COMMIT',
    'DROP VIEW IF EXISTS shown__backup CASCADE',
  );
  t.strictSame(await rows('SELECT sum(n) FROM shown'), [['32']]);

  // A seed, and a migration whose rows are changed in the same block.
  await run(
    'BEGIN',
    'CREATE TABLE seed (id int, name text)',
    `INSERT INTO seed ("entity-id", id, name) VALUES ('1', 1, 'one'), ('2', 2, 'two')`,
    `INSERT INTO seed ("entity-id", id, name) VALUES ('3', 3, 'three')`,
    `UPDATE seed SET name = 'zwei' WHERE "entity-id" = '2'`,
    `DELETE FROM source WHERE n = 1`,
    `UPDATE source SET name = 'changed' WHERE n = 2`,
    'COMMIT',
  );
  t.strictSame(await rows('SELECT id, name FROM seed ORDER BY 1'), [
    ['1', 'one'],
    ['2', 'zwei'],
    ['3', 'three'],
  ]);
  t.strictSame(await rows('SELECT n, name FROM source'), [['2', 'changed']]);
  // A dump is loaded.
  const raw = new RawClient(fixture.port);
  t.teardown(() => raw.close());
  await raw.start('quarry', fixture.keys.master);
  await raw.send('Z', message('Q', 'BEGIN'));
  await raw.send('Z', message('Q', 'CREATE TABLE loaded (n int)'));
  await raw.send('G', message('Q', 'COPY loaded ("entity-id", n) FROM STDIN'));
  await raw.send('Z', message('d', Buffer.from('a\t1\nb\t2\n')), message('c'));
  t.equal(kinds(await raw.send('Z', message('Q', 'COMMIT'))), 'CZ');
  t.strictSame(await rows('SELECT count(*), sum(n) FROM loaded'), [['2', '3']]);
  // A table is replaced under its own name.
  await run(
    'BEGIN',
    'DROP TABLE seed',
    'CREATE TABLE seed (total int)',
    `INSERT INTO seed ("entity-id", total) VALUES ('t', 5)`,
    'CREATE TABLE gone AS SELECT n FROM source',
    'DROP TABLE gone',
    'COMMIT',
  );
  t.strictSame(await rows('SELECT * FROM seed'), [['t', '5']]);
});
