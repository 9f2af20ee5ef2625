import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { Cursor } from '../../../src/sql/cursor.js';
import { flattened } from '../../../src/sql/query/flattened.js';
import { readQuery } from '../../../src/sql/query/read-query.js';
import { isFlat } from '../../../src/sql/query/routing.js';
import { readSelect } from '../../../src/sql/read-select.js';
import { nextToken, statementTokens, type Token } from '../../../src/sql/tokens.js';
import { SqlGenerator } from '../../support/sql/generated-sql.js';
import { SqlPrinter } from '../../support/sql/printed-sql.js';

const SEED = 31_905;
const GENERATED_COUNT = 800;

function tokensOf(text: string): readonly Token[] {
  const cursor = new Cursor(text);
  return statementTokens(cursor, nextToken(cursor), { tokens: 1_000_000 });
}

t.test('flat statements are routed to the flat reader, and the other one reads the same', async (t) => {
  t.comment(`seed ${SEED}`);
  let count = 0;
  for (let index = 0; index < GENERATED_COUNT; index++) {
    const random = new Prng(SEED + index);
    const generated = new SqlGenerator(random).script();
    if (generated.kind !== 'reads') continue;
    for (const statement of generated.statements) {
      const printer = new SqlPrinter(random);
      printer.script({ kind: 'reads', statements: [statement] });
      const tokens = tokensOf(printer.text);
      const flat = readSelect(tokens);
      const { query, explain, position } = readQuery(tokens);
      const found = flattened(query);
      t.ok(isFlat(tokens), printer.text);
      const same = JSON.stringify(found === null ? null : { ...found, explain, position });
      if (same !== JSON.stringify({ ...flat, explain, position })) {
        t.strictSame(found, flat, printer.text);
        return;
      }
      t.strictSame([explain, position], [flat.explain, flat.position]);
      count++;
    }
  }
  t.ok(count > GENERATED_COUNT, `${count} statements`);
});

t.test('NULLS FIRST is part of a flat order, NULLS LAST its default', async (t) => {
  const missing = (text: string) => flatten(text)?.orderBy.map((key) => key.missing);
  t.strictSame(missing('SELECT a FROM t ORDER BY a NULLS FIRST, b NULLS LAST, c'), ['first', null, null]);
});

const flatten = (text: string) => flattened(readQuery(tokensOf(text)).query);

t.test('queries with another meaning than flat statements have no flat form', async (t) => {
  const none = [
    'WITH x AS (SELECT 1) SELECT a FROM x',
    'VALUES (1)',
    'SELECT 1 UNION SELECT 2',
    '(SELECT 1 LIMIT 1) LIMIT 1',
    'SELECT DISTINCT ON (a) a FROM t',
    'SELECT a FROM t, u',
    'SELECT a FROM (SELECT 1) x',
    'SELECT a FROM t AS x (a)',
    'SELECT a FROM t RIGHT JOIN u ON b',
    'SELECT a FROM t FULL JOIN u ON b',
    'SELECT a FROM t CROSS JOIN u',
    'SELECT a FROM t JOIN u USING (a)',
    'SELECT a FROM t NATURAL JOIN u',
    'SELECT a FROM t JOIN (u JOIN v ON b) ON c',
    'SELECT a FROM t GROUP BY ROLLUP (a)',
    'SELECT a FROM t GROUP BY ()',
    'SELECT a FROM t WINDOW w AS ()',
    'SELECT a FROM t QUALIFY b',
    'SELECT a FROM t FETCH FIRST 2 ROWS WITH TIES',
    'SELECT SUM(a) OVER () FROM t',
    'SELECT COUNT(*) FILTER (WHERE a) FROM t',
    'SELECT STRING_AGG(a ORDER BY b) FROM t',
    'SELECT 1 + (SELECT 2)',
    'SELECT a FROM t WHERE NOT EXISTS (SELECT 1)',
    'SELECT a FROM t ORDER BY a IN (SELECT 1)',
    'SELECT a FROM t JOIN u ON CASE WHEN a = ALL (SELECT 1) THEN 1 END',
  ];
  for (const text of none) t.equal(flatten(text), null, text);
});

t.test('other forms of flat statements have a flat form', async (t) => {
  const same = [
    ['SELECT ALL a FROM t', 'SELECT a FROM t'],
    ['((SELECT a FROM t))', 'SELECT a FROM t'],
    ['(SELECT a FROM t ORDER BY a LIMIT 5)', 'SELECT a FROM t ORDER BY a LIMIT 5'],
    ['(SELECT a FROM t) ORDER BY a', 'SELECT a FROM t ORDER BY a'],
    ['SELECT a FROM (t JOIN u ON b) LEFT JOIN v ON c', 'SELECT a FROM t JOIN u ON b LEFT JOIN v ON c'],
    ['SELECT a FROM t GROUP BY (a, b)', 'SELECT a FROM t GROUP BY a, b'],
    ['SELECT TOP 5 a FROM t', 'SELECT a FROM t LIMIT 5'],
    ['SELECT a FROM t LIMIT ALL', 'SELECT a FROM t'],
  ];
  const bare = (tree: unknown): string =>
    JSON.stringify(tree, (key, value) => (key === 'position' ? undefined : value));
  for (const [text, flat] of same) {
    t.equal(bare(flatten(text)), bare(readSelect(tokensOf(flat))), text);
  }
});
