import t from 'tap';
import { readScript } from '../../../src/sql/index.js';
import { refusalOf, scriptText } from '../../support/sql/sql-tree-text.js';

const READ: readonly (readonly [string, string])[] = [
  [
    'UPDATE t SET a = 1, [clicks.1.value] = \'x\', "c" = NULL',
    "update [t] set [a] = 1, [clicks.1.value] = 'x', [c] = null",
  ],
  [
    'update [x y] as u set a = -1 where b = 2 and not c',
    'update [x y] as [u] set [a] = -1 where {{[b] = 2} and {not [c]}}',
  ],
  ['UPDATE t u SET a = b + 1', 'update [t] as [u] set [a] = {[b] + 1}'],
  ['UPDATE t SET (a, b) = (1, c), d = 2', 'update [t] set [a] = 1, [b] = [c], [d] = 2'],
  [
    'UPDATE t SET a = u.b FROM u, v JOIN w ON x WHERE t.c = u.c RETURNING *, a + 1 AS z',
    'update [t] set [a] = [u].[b] from [u], {[v] inner join [w] on [x]} where {[t].[c] = [u].[c]} returning *, {[a] + 1} as [z]',
  ],
  ['DELETE FROM public.t USING public.u', 'delete from [t] from [u]'],
  ['DELETE FROM t x USING u WHERE b', 'delete from [t] as [x] from [u] where [b]'],
  ['DELETE FROM t RETURNING returning', 'delete from [t] returning [returning]'],
  ['DELETE FROM t WHERE a IN (SELECT b)', 'delete from [t] where {[a] = any select [b]}'],
  ['DELETE FROM t', 'delete from [t]'],
  [
    "delete from default as 'd' where [c.value] like 'x%'",
    "delete from [default] as [d] where {[c.value] like 'x%' escape null}",
  ],
];

t.test('UPDATE and DELETE statements are parsed with every field', async (t) => {
  for (const [text, expected] of READ) t.equal(scriptText(readScript(text)), `writes: ${expected}`, text);
});

const REFUSED: readonly (readonly [string, number, string])[] = [
  ['UPDATE', 7, "found the end of the statement where a table's name is expected"],
  ['UPDATE t', 9, 'found the end of the statement where SET is expected'],
  ['UPDATE t WHERE a', 10, 'found "WHERE" where SET is expected'],
  ['UPDATE t.u SET a = 1', 8, '"t" is not the schema of the tables, which is "public"'],
  ['DELETE FROM a.b.public.t', 15, '"b" is not the schema of the tables, which is "public"'],
  ['UPDATE t SET', 13, "found the end of the statement where a column's name is expected"],
  ['UPDATE t SET a', 15, 'found the end of the statement where = is expected'],
  ['UPDATE t SET a.b = 1', 15, 'found "." where = is expected'],
  [
    'UPDATE t SET a = 1 AND b = 2',
    20,
    'found "AND" where a comma, WHERE or the end of the statement is expected',
  ],
  ['UPDATE t SET (a, b) = (1)', 23, '1 values for 2 columns'],
  ['UPDATE t SET (a, b) = (SELECT 1, 2, 3)', 23, '3 values for 2 columns'],
  ['UPDATE t SET (a, b) = (SELECT * FROM u)', 23, 'write the columns of this SELECT instead of *'],
  [
    'UPDATE t SET a = 1 RETURNING',
    29,
    'found the end of the statement where a column, a value or an expression is expected',
  ],
  [
    'DELETE FROM t RETURNING a WHERE b',
    27,
    'found "WHERE" where a comma or the end of the statement is expected',
  ],
  ['UPDATE t SET a = 1,', 20, "found the end of the statement where a column's name is expected"],
  ['UPDATE t SET a = 1 FROM', 24, 'found the end of the statement where a table is expected'],
  [
    'UPDATE t SET a = 1 WHERE b LIMIT 5',
    28,
    'found "LIMIT" where an operator or the end of the statement is expected',
  ],
  ['DELETE t WHERE a', 8, 'found "t" where FROM is expected'],
  ['DELETE FROM t, u', 14, 'found "," where WHERE or the end of the statement is expected'],
  [
    'DELETE FROM t WHERE',
    20,
    'found the end of the statement where a column, a value or an expression is expected',
  ],
  ['DELETE FROM t WHERE a b', 23, 'found "b" where an operator or the end of the statement is expected'],
];

t.test('an invalid UPDATE or DELETE is refused with a message and its position', async (t) => {
  for (const [text, column, message] of REFUSED) {
    t.equal(
      refusalOf(() => readScript(text)),
      `1:${column} ${message}`,
      text,
    );
  }
});
