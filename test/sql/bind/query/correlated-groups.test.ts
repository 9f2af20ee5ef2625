/** GROUPING SETS, ROLLUP and CUBE in correlated subqueries, compared with PostgreSQL. */
import { PGlite } from '@electric-sql/pglite';
import t from 'tap';
import { Prng } from '../../../../src/base/index.js';
import { startPostgres } from '../../../pg/site.js';

const SEED = Date.now() % 1_000_000;
const ROUNDS = 60;
t.comment(`seed ${SEED}`);
t.setTimeout(120_000);

t.test('grouping sets of correlated subqueries', async (t) => {
  const prng = new Prng(SEED);
  const fixture = await startPostgres(t);
  const client = await fixture.connect();
  const postgres = await PGlite.create();
  t.teardown(() => postgres.close());
  const value = (): string => prng.pick(['NULL', '0', '1', '2', '3', '4']);
  const rows = Array.from({ length: 12 }, (_, at) => `('r${at}', ${value()}, ${value()}, ${value()})`);
  const insert = `INSERT INTO g ("entity-id", a, b, c) VALUES ${rows.join(', ')}`;
  await client.query('CREATE TABLE g (a bigint, b bigint, c bigint)');
  await postgres.exec('CREATE TABLE g ("entity-id" text, a bigint, b bigint, c bigint)');
  for (const text of [insert]) await Promise.all([client.query(text), postgres.exec(text)]);

  /** An aggregate of the subquery; `o` is the outer table. */
  const aggregate = (): string =>
    prng.pick([
      'count(*)',
      'sum(i.c)',
      'max(i.b)',
      'count(i.c)',
      'sum(i.a + o.a)',
      'grouping(i.a)',
      'min(o.b)',
    ]);
  const groups = (): string =>
    prng.pick([
      ...['ROLLUP (i.a)', 'ROLLUP (i.a, i.b)', 'CUBE (i.a, i.b)', 'GROUPING SETS ((i.a), (i.b), ())'],
      ...['GROUPING SETS ((), (i.a), (i.a))', 'i.b, ROLLUP (i.a)', 'ROLLUP (i.a, i.c + o.c)'],
    ]);
  const where = (): string =>
    prng.pick([
      'i.b = o.b',
      'i.b > o.b',
      'i.b <= o.b AND i.c <> o.a',
      'i.b = o.b AND i.a = o.c',
      'i.c + o.c > 3',
    ]);
  const inner = (item: string): string =>
    `SELECT ${item} AS v FROM g i WHERE ${where()} GROUP BY ${groups()}`;
  // grouping() of i.a is available in sets that name it.
  const source = (): string => {
    for (;;) {
      const text = inner(aggregate());
      if (!text.includes('grouping(') || /GROUP BY.*i\.a/.test(text)) return text;
    }
  };
  const statement = (): string =>
    prng.pick([
      `SELECT o."entity-id" AS id, (SELECT max(s.v) FROM (${source()}) s) AS v FROM g o`,
      `SELECT o."entity-id" AS id, (${source()} ORDER BY 1 DESC NULLS LAST LIMIT 1) AS v FROM g o`,
      `SELECT o."entity-id" AS id, l.v FROM g o, LATERAL (${source()}) l`,
      `SELECT o."entity-id" AS id, l.v FROM g o LEFT JOIN LATERAL (${source()}) l ON true`,
      `SELECT o."entity-id" AS id, o.a AS v FROM g o WHERE EXISTS (${source()} HAVING count(*) > 2)`,
      `SELECT o."entity-id" AS id, o.a AS v FROM g o WHERE o.a IN (${source()})`,
    ]);
  const sorted = (found: readonly object[]): readonly string[] =>
    found
      .map((row) => JSON.stringify(Object.values(row).map((one) => (one === null ? null : String(one)))))
      .sort();
  let answered = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const text = statement();
    const expected = await postgres.query<object>(text).catch((error: Error) => error);
    if (expected instanceof Error) continue;
    answered++;
    const found = await client.query<object>(text).catch((error: Error) => error);
    if (found instanceof Error) t.fail(`${text}: ${found.message}`);
    else t.strictSame(sorted(found.rows), sorted(expected.rows), text);
  }
  t.ok(answered > ROUNDS / 2, `${answered} answered`);
});
