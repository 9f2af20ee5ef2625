import t from 'tap';
import { type Route, routeOf } from '../../../../src/pg/session/queries/routing.js';
import { tableNames } from '../../../../src/pg/session/queries/table-names.js';
import { readPostgres } from '../../../../src/sql/index.js';

const OF_ROWS: readonly string[] = [
  "SELECT count(*) FROM flights WHERE date > pg_catalog.now() - interval '100 years'",
  'SELECT origin AS pg_origin, count(*) FROM flights GROUP BY 1 ORDER BY 2, pg_origin',
  'SELECT pg_typeof(delay), count(*) FROM public.flights GROUP BY 1',
  `SELECT i FROM "t" WHERE i = '7'::pg_catalog.int8`,
  'SELECT a OPERATOR(pg_catalog.+) 1 FROM t',
  'SELECT pg_catalog.count(*) FROM (SELECT 1 FROM flights) pg_x',
  'EXPLAIN SELECT pg_typeof(1) FROM (flights f JOIN airports a ON f.a = a.b)',
  'WITH pg_f AS (SELECT * FROM flights) SELECT pg_typeof(1) FROM pg_f',
  'WITH flights AS (SELECT * FROM flights) SELECT pg_typeof(1) FROM flights',
  'SELECT 1 FROM quarry.public.pg_sales',
  'SELECT extract(day FROM pg_catalog.now()) FROM t',
  'TABLE flights',
  'SELECT 1 FROM generate_series(1, 2)',
];
const OF_CATALOG: readonly string[] = [
  'SELECT 1 FROM pg_class, LATERAL unnest(x) u, ROWS FROM (f(1), g(2)) v',
  'SELECT \'flights\'::regclass FROM pg_catalog.pg_class c, "pg_catalog"."pg_type"',
  'WITH flights AS (SELECT * FROM pg_class) SELECT * FROM Flights',
  'WITH RECURSIVE n(a, b) AS MATERIALIZED (SELECT 1, 2 UNION ALL SELECT a, b FROM n), m AS (SELECT * FROM n) SELECT pg_typeof(a) FROM m, n',
  'SELECT 1 FROM (pg_class c JOIN pg_type t ON c.a IS NOT DISTINCT FROM t.b) WHERE x IN (1, y)',
  'SELECT substring(a FROM 1 FOR 2), (SELECT count(*) FROM information_schema.tables t, ONLY pg_class), b FROM pg_am',
  'SELECT pg_catalog.pg_get_userbyid(1)',
  'SELECT * FROM pg_show_all_settings()',
  'TABLE pg_class',
];
const MIXED: readonly string[] = [
  'SELECT 1 FROM flights, pg_class',
  'SELECT 1 FROM pg_class WHERE EXISTS (SELECT 1 FROM public.flights)',
  'SELECT 1 FROM information_schema.tables t LEFT JOIN flights f ON f.a = t.b',
  'SELECT (SELECT max(oid) FROM pg_class), count(*) FROM flights',
  'WITH c AS (SELECT 1 FROM pg_class) SELECT 1 FROM c, flights',
  'SELECT 1 FROM (WITH f AS (SELECT 1 FROM pg_x) SELECT 1 FROM f) g, f',
];
const EITHER: readonly string[] = [
  'SELECT 1',
  "SELECT extract(year FROM now()), trim(FROM 'a')",
  'SELECT 1 IS DISTINCT FROM 2',
];

const routed = (text: string): Route => routeOf(readPostgres(text)[0]);

t.test('a statement that reads tables of rows is never routed to the catalog', async (t) => {
  const routes = { rows: OF_ROWS, catalog: OF_CATALOG, mixed: MIXED, either: EITHER };
  for (const [route, texts] of Object.entries(routes)) {
    for (const text of texts) t.equal(routed(text), route, text);
  }
  t.equal(routed('SET a = b'), 'session');
  t.equal(routed('INSERT INTO pg_class VALUES (1)'), 'write');
  t.equal(routed('nonsense'), 'unknown');
});

t.test('tables are found with their schemas', async (t) => {
  const text = `SELECT "F".x, (SELECT 1 FROM b.c) FROM "F" AS f(x, y), A."G" JOIN h USING (i), k(1) WHERE z`;
  t.strictSame(tableNames(readPostgres(text)[0].tokens), {
    tables: [
      { schema: 'b', name: 'c' },
      { schema: null, name: 'F' },
      { schema: 'a', name: 'G' },
      { schema: null, name: 'h' },
    ],
    hasFrom: true,
  });
});
