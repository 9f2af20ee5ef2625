/** CREATE and DROP of tables and views in transaction blocks. */
import t from 'tap';
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
    [['CREATE TABLE x (n int)', 'CREATE TABLE y (n int)'], '0A000'],
    [['CREATE TABLE x (n int)', `INSERT INTO source ("entity-id", n) VALUES ('c', 1)`], '0A000'],
    [[`INSERT INTO source ("entity-id", n) VALUES ('c', 1)`, 'DROP TABLE source'], '0A000'],
    [['DROP TABLE source', 'SELECT n FROM source'], '0A000'],
  ];
  for (const [texts, code] of wrong) {
    await block('BEGIN', ...texts.slice(0, -1));
    t.equal(await refused(texts.at(-1) ?? '', client), code, texts.join('; '));
    await block('ROLLBACK');
  }
  await block('BEGIN', 'CREATE TABLE late (n int)');
  await other.query('CREATE TABLE late (n int)');
  t.ok(await refused('COMMIT', client), 'a table that was created meanwhile is refused at COMMIT');
  t.strictSame((await client.query('SELECT count(*) AS n FROM source')).rows, [{ n: '2' }]);

  const reader = await fixture.connect(fixture.keys.read);
  await reader.query('BEGIN');
  t.equal(await refused('CREATE TABLE x (n int)', reader), '42501');
});
