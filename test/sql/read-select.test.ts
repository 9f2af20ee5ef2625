import t from 'tap';
import { type ReadStatement, readScript } from '../../src/sql/index.js';
import { flatRead } from '../support/sql/flat-read.js';
import { refusalOf, scriptText } from '../support/sql/sql-tree-text.js';

const READ: readonly (readonly [string, string])[] = [
  ['SELECT 1', 'select 1'],
  ['SELECT *', 'select *'],
  ['select * from default', 'select * from [default]'],
  ['SELECT jobs.*, [x y].*, * FROM jobs', 'select [jobs].*, [x y].*, * from [jobs]'],
  [
    'SELECT a AS x, b y, c AS [z z], d "w", e AS \'v\' FROM t',
    'select [a] as [x], [b] as [y], [c] as [z z], [d] as [w], [e] as [v] from [t]',
  ],
  ['SELECT "a" FROM "t" AS "u"', 'select "a" from [t] as [u]'],
  ['SELECT DISTINCT a, b FROM t u', 'select distinct [a], [b] from [t] as [u]'],
  [
    'SELECT a FROM t WHERE b = 1 OR c = 2 AND d',
    'select [a] from [t] where {{[b] = 1} or {{[c] = 2} and [d]}}',
  ],
  ['SELECT a OR b AND c FROM t', 'select {[a] or {[b] and [c]}} from [t]'],
  [
    "SELECT MAX([p.value]) FROM u GROUP BY INTERVAL([p.value])='days' HAVING [p.date] BETWEEN '2017-05-09' AND '2017-05-30'",
    "select max{[p.value]} from [u] group by {interval{[p.value]} = 'days'} having {[p.date] between '2017-05-09' and '2017-05-30'}",
  ],
  [
    'SELECT a, COUNT(*) FROM t GROUP BY a, UPPER(b) HAVING COUNT(*) > 4',
    'select [a], count{*} from [t] group by [a], upper{[b]} having {count{*} > 4}',
  ],
  ['SELECT a FROM t HAVING MAX(b) > 1', 'select [a] from [t] having {max{[b]} > 1}'],
  [
    'SELECT a FROM t ORDER BY 1, b DESC, c + 1 ASC, x NULLS LAST, y DESC NULLS LAST',
    'select [a] from [t] order by 1, [b] desc, {[c] + 1}, [x], [y] desc',
  ],
  [
    'SELECT a FROM f JOIN d ON f.x = d.[entity-id]',
    'select [a] from [f] inner join [d] on {[f].[x] = [d].[entity-id]}',
  ],
  [
    'SELECT a FROM f AS g INNER JOIN d e ON a LEFT JOIN h ON b LEFT OUTER JOIN i AS j ON c WHERE k',
    'select [a] from [f] as [g] inner join [d] as [e] on [a] left join [h] on [b] left join [i] as [j] on [c] where [k]',
  ],
  // LIMIT
  ['SELECT a FROM t LIMIT 5', 'select [a] from [t] limit 5'],
  ['SELECT a FROM t LIMIT 0', 'select [a] from [t] limit 0'],
  ['SELECT a FROM t LIMIT 5 OFFSET 6', 'select [a] from [t] limit 5 offset 6'],
  ['SELECT a FROM t OFFSET 6 LIMIT 5', 'select [a] from [t] limit 5 offset 6'],
  ['SELECT a FROM t LIMIT 6, 5', 'select [a] from [t] limit 5 offset 6'],
  ['SELECT a FROM t OFFSET 6', 'select [a] from [t] offset 6'],
  [
    'SELECT a FROM t ORDER BY b OFFSET 6 ROWS FETCH NEXT 5 ROWS ONLY',
    'select [a] from [t] order by [b] limit 5 offset 6',
  ],
  ['SELECT a FROM t FETCH FIRST ROW ONLY', 'select [a] from [t] limit 1'],
  ['SELECT TOP 5 a FROM t', 'select [a] from [t] limit 5'],
  ['SELECT TOP (5) a FROM t OFFSET 2', 'select [a] from [t] limit 5 offset 2'],
  ['SELECT DISTINCT TOP 5 a FROM t', 'select distinct [a] from [t] limit 5'],
  ['SELECT TOP 5 DISTINCT a FROM t', 'select distinct [a] from [t] limit 5'],
  // Words that are names where they are not keywords
  [
    'SELECT top, offset, fetch, left, date, first, last, value FROM t',
    'select [top], [offset], [fetch], [left], [date], [first], [last], [value] from [t]',
  ],
  [
    'SELECT [select], x.[from], y.where FROM [order] LIMIT 1',
    'select [select], [x].[from], [y].[where] from [order] limit 1',
  ],
  ['SELECT a.union, [into] FROM a', 'select [a].[union], [into] from [a]'],
  ['SELECT left(a, 1) FROM t LEFT JOIN u ON b', 'select left{[a], 1} from [t] left join [u] on [b]'],
  ['SELECT a FROM left LEFT OUTER JOIN right ON b', 'select [a] from [left] left join [right] on [b]'],
  // EXPLAIN
  ['EXPLAIN SELECT 1', 'explain plan select 1'],
  ['explain analyze select 1', 'explain analyze select 1'],
];

t.test('SELECT statements are parsed with every field', async (t) => {
  for (const [text, expected] of READ) t.equal(scriptText(readScript(text)), `reads: ${expected}`, text);
});

const CLAUSES =
  'the clauses of a SELECT have this order: FROM, JOIN, WHERE, GROUP BY, HAVING, ORDER BY, LIMIT';
const GOES_ON = 'a comma, the next clause or the end of the statement is expected';
const VALUE = 'a column, a value or an expression is expected';

const REFUSED: readonly (readonly [string, number, string])[] = [
  ['SELECT', 7, `found the end of the statement where ${VALUE}`],
  ['SELECT FROM t', 8, `found "FROM" where ${VALUE}`],
  ['SELECT a,, b', 10, `found "," where ${VALUE}`],
  ['SELECT a, FROM t', 11, `found "FROM" where ${VALUE}`],
  ['SELECT a FROM', 14, 'found the end of the statement where a table is expected'],
  ['SELECT a FROM WHERE b', 15, 'found "WHERE" where a table is expected'],
  ['SELECT a FROM t WHERE', 22, `found the end of the statement where ${VALUE}`],
  ['SELECT a FROM t WHERE GROUP BY b', 23, `found "GROUP" where ${VALUE}`],
  ['SELECT a b c FROM t', 12, `found "c" where ${GOES_ON}`],
  ["SELECT a 'b' FROM t", 10, `found the string "b" where ${GOES_ON}`],
  ['SELECT a 5 FROM t', 10, `found "5" where ${GOES_ON}`],
  ['SELECT a b.c FROM t', 10, `found "b" where ${GOES_ON}`],
  ['SELECT a AS b.c FROM t', 13, 'found "b" where a name is expected'],
  ['SELECT a AS FROM t', 13, 'found "FROM" where a name is expected'],
  ['SELECT * AS a FROM t', 8, '* cannot have an alias'],
  ['SELECT a) FROM t', 9, 'this ) closes nothing'],
  ['SELECT a FROM t GROUP b', 23, 'found "b" where BY is expected'],
  ['SELECT a FROM t ORDER', 22, 'found the end of the statement where BY is expected'],
  ['SELECT a DESC', 10, 'DESC is allowed only in ORDER BY'],
  ['SELECT a FROM t WHERE a ASC', 25, 'ASC is allowed only in ORDER BY'],
  ['SELECT a FROM t ORDER BY a DESC b', 33, `found "b" where ${GOES_ON}`],
  ['SELECT a FROM t ORDER BY a ORDER BY b', 28, 'ORDER BY is allowed only once in a SELECT'],
  ['SELECT a FROM t FROM u', 17, 'FROM is allowed only once in a SELECT'],
  ['SELECT a WHERE b FROM t', 18, `FROM is not allowed here; ${CLAUSES}`],
  ['SELECT a FROM t ORDER BY b WHERE c', 28, `WHERE is not allowed here; ${CLAUSES}`],
  ['SELECT a FROM t WHERE b JOIN c ON d', 25, `INNER JOIN is not allowed here; ${CLAUSES}`],
  ['SELECT a FROM t ON b', 17, `found "ON" where ${GOES_ON}`],
  ['SELECT a DISTINCT b', 10, `found "DISTINCT" where ${GOES_ON}`],
  ['SELECT a SELECT b', 10, `found "SELECT" where ${GOES_ON}`],
  ['SELECT a FROM t WHERE *', 23, '* is allowed only as a column of SELECT and in COUNT(*)'],
  ['SELECT a FROM t ORDER BY t.*', 26, '* is allowed only as a column of SELECT and in COUNT(*)'],
  ['SELECT a FROM t WHERE a = 1, b = 2', 28, 'conditions are joined with AND and OR, not with commas'],
  ['SELECT a FROM t HAVING a, b', 25, 'conditions are joined with AND and OR, not with commas'],
  ['SELECT a FROM t JOIN u', 22, 'the JOIN of "u" lacks ON'],
  ['SELECT a FROM t JOIN ON b', 22, 'found "ON" where a table is expected'],
  ['SELECT a FROM t INNER u ON b', 23, 'found "u" where JOIN is expected'],
  ['SELECT a FROM t LEFT OUTER u ON b', 28, 'found "u" where JOIN is expected'],
  ["SELECT a FROM 't'", 15, `found the string "t" where a table's name, alone, is expected`],
  ['SELECT a FROM dbo.t', 15, `"dbo" is not the schema of the tables, which is "public"`],
  ['SELECT a FROM (t)', 15, `found "(" where a table's name, alone, is expected`],
  ['SELECT a FROM t JOIN 5 ON b', 22, `found "5" where a table's name, alone, is expected`],
  [
    'SELECT a FROM t LIMIT',
    22,
    'found the end of the statement where a whole number from 0 to 9007199254740991 is expected',
  ],
  ['SELECT a FROM t LIMIT -1', 23, 'found "-" where a whole number from 0 to 9007199254740991 is expected'],
  [
    'SELECT a FROM t LIMIT 1.5',
    23,
    'found "1.5" where a whole number from 0 to 9007199254740991 is expected',
  ],
  [
    'SELECT a FROM t LIMIT 9007199254740992',
    23,
    'found "9007199254740992" where a whole number from 0 to 9007199254740991 is expected',
  ],
  ['SELECT a FROM t LIMIT 5 LIMIT 6', 25, 'found "LIMIT" where the end of the statement is expected'],
  ['SELECT a FROM t LIMIT 5 WHERE a', 25, 'found "WHERE" where the end of the statement is expected'],
  ['SELECT a FROM t LIMIT 1, 2 OFFSET 3', 28, 'found "OFFSET" where the end of the statement is expected'],
  ['SELECT a FROM t FETCH NEXT 5 ONLY', 30, 'found "ONLY" where ROWS is expected'],
  ['SELECT a FROM t FETCH NEXT 5 ROWS', 34, 'found the end of the statement where ONLY is expected'],
  ['SELECT TOP 5 a FROM t LIMIT 6', 29, 'TOP and LIMIT cannot be used in one statement'],
  ['SELECT TOP 5 PERCENT a FROM t', 14, 'TOP n PERCENT is not available'],
  [
    'EXPLAIN',
    8,
    'found the end of the statement where SELECT, the only statement that can be explained, is expected',
  ],
  [
    'EXPLAIN DELETE FROM t',
    9,
    'found "DELETE" where SELECT, the only statement that can be explained, is expected',
  ],
];

t.test('an invalid SELECT is refused with a message and its position', async (t) => {
  for (const [text, column, message] of REFUSED) {
    t.equal(
      refusalOf(() => readScript(text)),
      `1:${column} ${message}`,
      text,
    );
  }
});

t.test('a SELECT joins at most 32 tables', async (t) => {
  const joining = (count: number): string => `SELECT a FROM t${'\nJOIN u ON b'.repeat(count)}`;
  t.doesNotThrow(() => readScript(joining(32)));
  for (const count of [33, 4_000]) {
    t.equal(
      refusalOf(() => readScript(joining(count))),
      '34:1 a SELECT joins at most 32 tables',
    );
  }
});

t.test('a SELECT of many columns is read, and so are many SELECTs', async (t) => {
  const columns = (count: number): string => `SELECT ${Array(count).fill('a').join(',')} FROM t`;
  for (const count of [400, 499, 500, 40_000]) {
    const [statement] = readScript(columns(count)).statements as readonly ReadStatement[];
    t.equal(flatRead(statement).items.length, count);
  }
  const script = readScript(Array(50).fill(columns(50)).join(';'));
  t.strictSame(
    (script.statements as readonly ReadStatement[]).map((statement) => flatRead(statement).items.length),
    Array(50).fill(50),
  );
});
