/**
 * The dialect of the Postgres port compared with PostgreSQL itself: names and values of columns, order of missing values,
 * division, casts, and the codes of errors.
 */
import { PGlite } from '@electric-sql/pglite';
import t from 'tap';
import { refusal, startPostgres } from '../../pg/site.js';

const ROWS = [
  { id: 'a', n: 7, k: 2, p: '10.25', name: 'ann', seen: '2024-01-31T10:20:30Z' },
  { id: 'b', n: -7, k: 3, p: '-0.50', name: 'bob', seen: '2024-02-29T00:00:00Z' },
  { id: 'c', n: 0, k: 5, p: null, name: null, seen: null },
  { id: 'd', n: null, k: 1, p: '99.99', name: 'a much longer name', seen: '2023-12-31T23:59:59Z' },
];
const COLUMNS = [
  { name: 'n', type: 'integer' },
  { name: 'k', type: 'integer' },
  { name: 'p', type: 'decimal', 'decimal-places': 2 },
  { name: 'name', type: 'string' },
  { name: 'seen', type: 'datetime' },
];

/** Statements with the same names and values in both. `id` is the entity ID. */
const EQUAL = [
  'SELECT * FROM things ORDER BY "entity-id"',
  'SELECT things.*, n AS Total FROM things ORDER BY "entity-id"',
  'SELECT count(*), sum(n), min(n), max(name) FROM things',
  'SELECT count(*), count(*), 1, 1 AS "One", \'x\', true, NULL FROM things',
  'SELECT n + 1, -n, n IS NULL, n > 1 AND k > 1, n::text, n::text || name FROM things ORDER BY k',
  'SELECT Count(*) AS C, K FROM things GROUP BY K ORDER BY k DESC',
  'SELECT coalesce(n, 0), nullif(n, 0), greatest(n, k), least(n, k), abs(n), upper(name) FROM things ORDER BY k',
  'SELECT CASE WHEN n > 0 THEN 1 ELSE 0 END, CASE WHEN n > 0 THEN n ELSE k END FROM things ORDER BY k',
  'SELECT cast(k AS numeric), cast(k AS varchar), (k + 1)::int8 FROM things ORDER BY things.k',
  'SELECT (SELECT max(k) FROM things), EXISTS (SELECT 1 FROM things), (SELECT k AS kk FROM things WHERE k = 1)',
  'SELECT row_number() OVER (ORDER BY k), sum(n) OVER (ORDER BY k) FROM things ORDER BY k',
  'SELECT count FROM (SELECT count(*) FROM things) x',
  "SELECT substring(name from 1 for 2), trim(name), position('n' in name), extract(year from seen)::int8 FROM things ORDER BY k",
  "SELECT date_trunc('month', seen) FROM things ORDER BY k",
  'SELECT n FROM things ORDER BY n',
  'SELECT n FROM things ORDER BY n DESC',
  'SELECT n, name FROM things ORDER BY name DESC, n',
  'SELECT n FROM things ORDER BY n DESC LIMIT 2',
  'SELECT n FROM things ORDER BY n DESC NULLS LAST',
  'SELECT n FROM things ORDER BY n NULLS FIRST',
  'SELECT DISTINCT name FROM things ORDER BY name DESC',
  'SELECT name, sum(n) FROM things GROUP BY name ORDER BY sum(n) DESC, name DESC',
  'SELECT name, rank() OVER (ORDER BY n DESC) FROM things ORDER BY 2, name',
  'SELECT first_value(k) OVER (ORDER BY n DESC) FROM things ORDER BY k',
  'SELECT n FROM things UNION ALL SELECT 100 ORDER BY 1 DESC',
  'SELECT k, ARRAY(SELECT t.k FROM things t WHERE t.k <= things.k ORDER BY t.n DESC, t.k) FROM things ORDER BY k',
  'SELECT * FROM unnest(ARRAY[1, 2], ARRAY[3]) WITH ORDINALITY AS u (a, b, nr) ORDER BY nr',
  'SELECT k, sum(k) OVER (ORDER BY n ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE CURRENT ROW), count(*) OVER (ROWS UNBOUNDED PRECEDING EXCLUDE GROUP) FROM things ORDER BY k',
  'SELECT n / k, n % k, 7 / 2, -7 / 2, -7 % 2, 7 / 2.0 > 3.4 FROM things ORDER BY k',
  'SELECT k FROM things WHERE n <> 0 AND 14 / n > 1',
  'SELECT CASE WHEN n = 0 THEN NULL ELSE 14 / n END FROM things ORDER BY k',
  'SELECT sum(k) / count(*) > 2.7, sum(k) % 4, sum(1) / 3, sum(CASE WHEN k > 1 THEN 1 ELSE 0 END) / 2 FROM things',
  'SELECT s / 2 > 5.4, c / 3 FROM (SELECT sum(k) AS s, count(*) AS c FROM things) x',
  'SELECT extract(month FROM seen) / 4 > 0.2, extract(epoch FROM seen) / 86400 > 19753.4 FROM things ORDER BY k',
  'SELECT (sum(k) + 1) / 5 > 2.3, coalesce(sum(k), 0) / 2 > 5.4, count(*) / 3 FROM things',
  'SELECT name::varchar(3), CAST(name AS VARCHAR(5)), 12345::varchar(2) FROM things ORDER BY k',
  'SELECT (k + 0)::decimal(5, 2), 1.005::decimal(5, 2), p::numeric, 1.23456::numeric FROM things ORDER BY k',
  'SELECT 1 AS a -- one\r, 2 AS b',
];

/** Statements that both refuse, with PostgreSQL's code. */
const REFUSED: readonly (readonly [text: string, code: string])[] = [
  ['SELECT 1 / n FROM things', '22012'],
  ['SELECT k % n FROM things', '22012'],
  ['SELECT 1.5 / (k - 2) FROM things', '22012'],
  ['SELECT 1 / 0', '22012'],
  ['SELECT sum(n) / (count(*) - 4) FROM things', '22012'],
  ["SELECT 'x'::int8", '22P02'],
  ['SELECT name::int8 FROM things', '22P02'],
  ['SELECT nix FROM things', '42703'],
  ['SELECT 1 FROM nix', '42P01'],
  ['SELECT FROM WHERE', '42601'],
  ['SELECT nix(1) FROM things', '42883'],
  ['SELECT p::decimal(3, 2) FROM things', '22003'],
  ['SELECT 1000::numeric(3)', '22003'],
  ['SELECT count(*), count(n) FROM things ORDER BY count', '42702'],
  ['SELECT n, count(*) FROM things GROUP BY k', '42803'],
];

t.test('the port answers as PostgreSQL does', async (t) => {
  const fixture = await startPostgres(t);
  await fixture.https.request({ method: 'POST', path: '/v1/dimension', body: { name: 'things' } });
  await fixture.https.request({
    method: 'POST',
    path: '/v1/column',
    body: COLUMNS.map((column) => ({ ...column, dimension: 'things' })),
  });
  const members = ROWS.map(({ id, ...row }) => {
    const values = Object.entries(row).filter(([, value]) => value !== null);
    const texts = values.map(([name, value]) => `"${name}":${name === 'p' ? value : JSON.stringify(value)}`);
    return `"${id}":{"dimension":"things",${texts.join()}}`;
  });
  const text = `{${members.join()}}`;
  t.equal((await fixture.https.request({ method: 'POST', path: '/v1/insert', text })).status, 200);

  const postgres = await PGlite.create();
  t.teardown(() => postgres.close());
  await postgres.exec(
    `SET TimeZone = 'UTC';
     CREATE TABLE things ("entity-id" text, n int8, k int8, p numeric(38, 2), name text, seen timestamptz)`,
  );
  for (const { id, n, k, p, name, seen } of ROWS) {
    await postgres.query('INSERT INTO things VALUES ($1, $2, $3, $4, $5, $6)', [id, n, k, p, name, seen]);
  }
  const client = await fixture.connect();
  const plain = (value: unknown): unknown => {
    if (value === null || typeof value === 'boolean') return value;
    if (value instanceof Date) return value.toISOString();
    return typeof value === 'number' || /^-?\d+(\.\d+)?$/.test(String(value)) ? Number(value) : String(value);
  };
  for (const statement of EQUAL) {
    const wanted = await postgres.query<unknown[]>(statement, [], { rowMode: 'array' });
    const found = await client
      .query<unknown[]>({ text: statement, rowMode: 'array' })
      .catch((error: Error) => ({ fields: [], rows: [[error.message]] }));
    const shown = (fields: readonly { readonly name: string }[], rows: readonly unknown[][]): string =>
      JSON.stringify([fields.map(({ name }) => name), ...rows.map((row) => row.map(plain))]);
    t.equal(shown(found.fields, found.rows), shown(wanted.fields, wanted.rows), statement);
  }
  for (const [statement, code] of REFUSED) {
    const refused = await postgres.query(statement).catch((error) => error as { code?: string });
    t.equal((refused as { code?: string }).code, code, `PostgreSQL: ${statement}`);
    t.equal((await refusal(client.query(statement))).code, code, statement);
  }
  const over = async (sql: string): Promise<unknown> =>
    (
      await fixture.https.request({
        method: 'POST',
        path: '/v1/sql',
        text: sql,
        headers: { 'content-type': 'application/sql' },
      })
    ).body;
  t.match(
    await over('SELECT COUNT(*), MAX(7 / 2), MAX(1 / 0) FROM things'),
    { result: [{ COUNT: 4, MAX: 3.5, MAX_2: null }] },
    'HTTP keeps its rules',
  );
  t.match(await over('SELECT CAST(name AS VARCHAR(3)) AS cut FROM things WHERE k = 1'), {
    result: [{ cut: 'a m' }],
  });
});
