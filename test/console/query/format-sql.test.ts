/** Formatted SQL: its lines, and that it is the same statement. */
import t from 'tap';
import { formatSql } from '../../../src/console/query/format-sql.js';

t.test('clauses and conditions have lines, subqueries are indented', async (t) => {
  t.equal(
    formatSql(
      "select a,count(*) as n from [x y] d left join b on b.id = d.id and b.k = 1 where v between 1 and 2 and d.[entity-id] in (select id from t where q = 'and  or') group by a having count(*) > 1 order by n desc limit 3",
    ),
    `SELECT a, COUNT(*) AS n
FROM [x y] d
LEFT JOIN b ON b.id = d.id AND b.k = 1
WHERE v BETWEEN 1 AND 2
  AND d.[entity-id] IN (
  SELECT id
  FROM t
  WHERE q = 'and  or'
)
GROUP BY a
HAVING COUNT(*) > 1
ORDER BY n DESC
LIMIT 3`
      .replace('COUNT(*) AS', 'count(*) AS')
      .replace('HAVING COUNT', 'HAVING count'),
  );
});

t.test('texts, names, comments, functions and items of lists stay as they are', async (t) => {
  for (const text of [
    'SELECT \'from  where\', "Left  x", [order by] FROM t',
    'SELECT LEFT(a, 1), ARRAY[1, 2][1], x::text, -1 - 2, a.b FROM t',
    'SELECT EXTRACT(DAY FROM d), SUBSTRING(a FROM 2) FROM t',
    'SELECT RANK() OVER (PARTITION BY a ORDER BY b) FROM t',
    "SELECT x -- from 'here\nFROM t",
    'SELECT * FROM funnel(\'{"a": [1, 2]}\')',
  ]) {
    t.equal(formatSql(text).replaceAll('\nFROM', ' FROM').replace("'here FROM", "'here\nFROM"), text);
  }
});

t.test('a comment ends with its line, whatever follows it', async (t) => {
  for (const text of ['SELECT a -- note\n, b', 'SELECT a -- note\n; SELECT b', 'SELECT (a -- note\n)']) {
    t.equal(formatSql(text), text.replace('; ', ';\n'));
  }
});

t.test('random statements keep their tokens, and a second run changes nothing', async (t) => {
  const seed = Number(process.env.QUARRY_TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));
  t.comment(`seed ${seed}`);
  let state = seed;
  const random = (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
  const PARTS =
    "select from where and or between group by ( ) , ; 'a''b' [x y] \"q\" left join union a.b 1.5 -- = <> :: count(*) (select 1) /*c*/".split(
      ' ',
    );
  const bare = (text: string): string => text.replace(/\s+/g, '').toLowerCase();
  for (let round = 0; round < 2_000; round++) {
    const text = Array.from({ length: 1 + random(20) }, () => PARTS[random(PARTS.length)]).join(
      [' ', '\n', '  '][random(3)],
    );
    const formatted = formatSql(text);
    t.equal(bare(formatted), bare(text), text);
    t.equal(formatSql(formatted), formatted, text);
  }
});
