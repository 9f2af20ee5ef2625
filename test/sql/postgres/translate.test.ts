import t from 'tap';
import { readPostgresSelect } from '../../../src/sql/postgres/select.js';
import { characterAt, readPostgres } from '../../../src/sql/postgres/statements.js';
import type { SqlParameter } from '../../../src/sql/postgres/translate.js';
import { readScript } from '../../../src/sql/script.js';

const LEFT_OUT: readonly string[] = ['position', 'parenthesized', 'ofSchema'];

/** The tree without its source positions and schemas. */
const bare = (tree: unknown): unknown =>
  JSON.parse(JSON.stringify(tree, (key, value) => (LEFT_OUT.includes(key) ? undefined : value)));

const read = (text: string, parameters: readonly SqlParameter[] = []): unknown =>
  bare(readPostgresSelect(readPostgres(text)[0], parameters, 'http'));
const ours = (text: string): unknown => {
  const script = readScript(text);
  return bare(script.statements[0]);
};

const SAME: readonly (readonly [postgres: string, ours: string])[] = [
  [`SELECT a FROM t WHERE b = ANY (ARRAY['x', 'y]'])`, `SELECT a FROM t WHERE b IN ('x', 'y]')`],
  [
    `SELECT a FROM t WHERE b <> ALL (ARRAY [1, c + 2]::bigint[])`,
    'SELECT a FROM t WHERE b NOT IN (1, c + 2)',
  ],
  [
    `SELECT a FROM t WHERE b = SOME ('{x, "y z", NULL, "a\\"b\\\\"}'::pg_catalog.text[])`,
    `SELECT a FROM t WHERE b IN ('x', 'y z', NULL, 'a"b\\')`,
  ],
  [`SELECT a FROM t WHERE b != ALL ('{}')`, 'SELECT a FROM t WHERE b NOT IN (SELECT NULL WHERE FALSE)'],
  ['TABLE t', '(SELECT * FROM t)'],
  ['SELECT "a b"."c.d", "e" FROM "t"', 'SELECT [a b].[c.d], [e] FROM [t]'],
  [
    'SELECT x::int, (a + b)::numeric(10, 2) FROM t',
    'SELECT CAST(x AS int), CAST((a + b) AS numeric(10, 2)) FROM t',
  ],
  [
    'SELECT sum(x)::double precision::text FROM t',
    'SELECT CAST(CAST(sum(x) AS double precision) AS text) FROM t',
  ],
  ["SELECT a.b::date, '1'::pg_catalog.int4 FROM a", "SELECT CAST(a.b AS date), CAST('1' AS int4) FROM a"],
  [
    "SELECT a FROM t WHERE b > now() - INTERVAL '6 hours'",
    "SELECT a FROM t WHERE b > now() - INTERVAL '6' hour",
  ],
  [
    "SELECT a FROM t WHERE b < c + '2 days'::interval",
    "SELECT a FROM t WHERE b < c + CAST('2 days' AS interval)",
  ],
  ["SELECT x AT TIME ZONE 'UTC' FROM t LIMIT ALL", "SELECT x AT TIME ZONE 'UTC' FROM t"],
  [
    "SELECT x FROM t WHERE x ILIKE 'a%' AND y !~~ E'b\\'\\n%'",
    "SELECT x FROM t WHERE x ILIKE 'a%' ESCAPE '\\' AND y NOT LIKE 'b''\n%' ESCAPE '\\'",
  ],
  ["SELECT 1 FROM t WHERE x LIKE 'a!_' ESCAPE '!'", "SELECT 1 FROM t WHERE x LIKE 'a!_' ESCAPE '!'"],
  ["SELECT 1 FROM t WHERE x LIKE 'a\\' ESCAPE ''", "SELECT 1 FROM t WHERE x LIKE 'a\\' ESCAPE ''"],
  ["SELECT 1 FROM t WHERE x LIKE '\\_\\\\'", "SELECT 1 FROM t WHERE x LIKE '\\_\\\\' ESCAPE '\\'"],
  ['SELECT 1 FROM t WHERE x OPERATOR(pg_catalog.<=) 1', 'SELECT 1 FROM t WHERE x <= 1'],
  [
    'SELECT sum(x) OVER (PARTITION BY y)::int FROM t',
    'SELECT CAST(sum(x) OVER (PARTITION BY y) AS int) FROM t',
  ],
  [
    "SELECT x FROM public.t WHERE x IN (SELECT y::int FROM public.u WHERE z ILIKE 'a')",
    "SELECT x FROM public.t WHERE x IN (SELECT CAST(y AS int) FROM public.u WHERE z ILIKE 'a' ESCAPE '\\')",
  ],
  ['SELECT case when a then 1 end::text FROM t', 'SELECT CAST(case when a then 1 end AS text) FROM t'],
];

for (const [postgres, same] of SAME) {
  t.test(`${postgres} is ${same}`, (t) => {
    t.strictSame(read(postgres), ours(same));
    t.end();
  });
}

t.test('parameters are literals, whatever their content', (t) => {
  const text = "x' OR [a] = 1 -- $2";
  t.strictSame(
    read('SELECT a FROM t WHERE a = $1 AND b = $2 AND c = $3 AND d = $4 LIMIT $5', [
      { is: 'text', text },
      { is: 'number', text: '-1.5' },
      { is: 'null' },
      { is: 'boolean', value: false },
      { is: 'text', text: '7' },
    ]),
    ours(
      `SELECT a FROM t WHERE a = '${text.replaceAll("'", "''")}' AND b = (-1.5) AND c = NULL AND d = FALSE LIMIT 7`,
    ),
  );
  t.end();
});

t.test('a text is split into statements, with positions in the whole text', (t) => {
  const text = "SELECT ';' ;; SELECT $3 -- ;\n; ";
  t.strictSame(
    readPostgres(text).map(({ text, parameterCount }) => [text, parameterCount]),
    [
      ["SELECT ';'", 0],
      ['SELECT $3 -- ;', 3],
    ],
  );
  const [{ tokens }] = readPostgres('\n "東🚀" x');
  t.equal(characterAt('\n "東🚀" x', tokens[1].position), 8);
  t.end();
});

t.test('syntax without an equivalent is refused with its position', (t) => {
  const refused = (text: string): unknown => {
    try {
      read(text);
    } catch (error) {
      const { message, moreInfo } = error as { message: string; moreInfo: { column: number } };
      return [message, moreInfo.column];
    }
    return null;
  };
  for (const sign of ['~', '~*', '!~', '!~*']) t.equal(refused(`SELECT a ${sign} 'x' FROM t`), null, sign);
  t.match(refused('SELECT a @> b FROM t'), [/not available/, 10]);
  t.match(refused("SELECT a - INTERVAL '1 day 02:00:00.5' FROM t"), [/in whole seconds/, 21]);
  t.match(refused('SELECT ::int FROM t'), [/missing before/, 8]);
  t.match(refused('SELECT a::int[] FROM t'), [/arrays/, 9]);
  t.match(refused('SELECT a FROM t WHERE a < ANY (ARRAY[1])'), [/< ANY is not available for arrays/, 27]);
  t.match(refused("SELECT a FROM t WHERE a = ANY ('x')"), [/has the form '\{a,b\}'/, 32]);
  t.match(refused(`SELECT a FROM t WHERE a = ANY ('{${' '.repeat(1_000_000)}{}')`), [/has the form/, 32]);
  t.match(refused(`SELECT a FROM t WHERE a = ANY ('{${'1,'.repeat(10_000)}1}')`), [
    /at most 10000 elements/,
    32,
  ]);
  t.match(refused("SELECT a FROM t WHERE a = ANY ('{x,}')"), [/has the form/, 32]);
  t.match(refused('SELECT a FROM t WHERE a = ANY (ARRAY[1, 2)'), [/where \] is expected/, 43]);
  t.match(refused('SELECT a FROM t WHERE a = ANY (ARRAY[ARRAY[1], 2])'), [/where \) is expected/, 46]);
  t.match(refused(`SELECT ${'ARRAY['.repeat(9_000)}`), [/nested more than 64/, 392]);
  t.match(refused('SELECT $0 FROM t'), [/parameters are \$1 to/, 8]);
  t.equal(refused('SELECT $$x$$ FROM t'), null);
  t.match(refused('SELECT $a$x$$ FROM t'), [/has no end/, 8]);
  t.match(refused('SELECT $ FROM t'), [/neither a parameter/, 8]);
  t.match(refused("SELECT 'a' LIKE 'b\\\\\\'"), [/ends with its ESCAPE/, 17]);
  t.match(refused('SELECT "" FROM t'), [/at least one character/, 8]);
  t.end();
});
