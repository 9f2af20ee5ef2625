import t from 'tap';
import { readScript } from '../../../src/sql/index.js';
import { refusalOf, scriptText } from '../../support/sql/sql-tree-text.js';

const READ: readonly (readonly [string, string])[] = [
  [
    "INSERT INTO t ([entity-id], name, \"x\", [clicks.1.value], [clicks.1.date]) VALUES ('a', 'b', 1, 2, '2017-01-01')",
    "insert into [t] ([entity-id], [name], [x], [clicks.1.value], [clicks.1.date]) values ('a', 'b', 1, 2, '2017-01-01')",
  ],
  ['insert into default(a)values(1),(2)', 'insert into [default] ([a]) values (1), (2)'],
  [
    'INSERT INTO [x y] (a) VALUES (-1.50), (+ 2), (- 3), (.5), (1e5)',
    'insert into [x y] ([a]) values (-1.50), (2), (-3), (0.5), (1e5)',
  ],
  [
    'INSERT INTO t (a) VALUES (123456789012345678901234567890)',
    'insert into [t] ([a]) values (123456789012345678901234567890)',
  ],
  [
    `INSERT INTO t (a) VALUES ('it''s'), (N'n'), ("d""q"), (''), ('["x", 1]'), (';--')`,
    `insert into [t] ([a]) values ('it's'), ('n'), ("d"q"), (''), ('["x", 1]'), (';--')`,
  ],
  [
    'INSERT INTO t (a) VALUES (null), (TRUE), (False)',
    'insert into [t] ([a]) values (null), (true), (false)',
  ],
  ['INSERT INTO t (a) SELECT b FROM c;', 'insert [t]([a]) query: select [b] from [c]'],
  ['INSERT INTO [db].Public.[t] (a) VALUES (1)', 'insert into [t] ([a]) values (1)'],
  ['INSERT INTO t (a) (SELECT 1)', 'insert [t]([a]) query: select 1'],
  [
    'INSERT INTO t (a, b) WITH x AS (SELECT 1) SELECT * FROM x, x y',
    'insert [t]([a], [b]) query: with [x] as {select 1} select * from [x], [x] as [y]',
  ],
  [
    'INSERT INTO t (a) VALUES (1), (2) RETURNING a + 1, *; DELETE FROM t',
    'insert into [t] ([a]) values (1), (2) returning {[a] + 1}, *; delete from [t]',
  ],
  [
    'INSERT INTO t AS u (a) SELECT b FROM c x RETURNING u.a',
    'insert [t]([a]) query: select [b] from [c] as [x] returning [u].[a]',
  ],
  ['INSERT INTO t (a, b) VALUES (1), (2, 3, 4)', 'insert into [t] ([a], [b]) values (1), (2, 3, 4)'],
  ['INSERT INTO t -- x\n(a) VALUES /* ( */ (1 -- ,\n, 2)\n;', 'insert into [t] ([a]) values (1, 2)'],
];

t.test('INSERT statements are parsed with every literal as written', async (t) => {
  for (const [text, expected] of READ) t.equal(scriptText(readScript(text)), `writes: ${expected}`, text);
});

t.test('every value has its line and column', async (t) => {
  const literal = { quotes: 'single', parenthesized: false };
  const number = { is: 'number', parenthesized: false };
  t.strictSame(readScript("INSERT INTO t\n ([ü🙂], b)\nVALUES ('🙂\n🙂🙂', -1), (\n 2);"), {
    kind: 'writes',
    statements: [
      {
        is: 'insert',
        position: { line: 1, column: 1 },
        table: { name: 't', alias: null, position: { line: 1, column: 13 } },
        columns: [
          { name: 'ü🙂', position: { line: 2, column: 3 } },
          { name: 'b', position: { line: 2, column: 9 } },
        ],
        rows: [
          [
            { is: 'string', text: '🙂\n🙂🙂', ...literal, position: { line: 3, column: 9 } },
            { ...number, text: '-1', position: { line: 4, column: 6 } },
          ],
          [{ ...number, text: '2', position: { line: 5, column: 2 } }],
        ],
        tables: [],
        conflict: null,
        returning: null,
      },
    ],
  });
});

const LITERAL = 'a literal: a number, a string, TRUE, FALSE or NULL is expected';

const REFUSED: readonly (readonly [string, number, string])[] = [
  ['INSERT t (a) VALUES (1)', 8, 'found "t" where INTO is expected'],
  ['INSERT INTO (a) VALUES (1)', 13, `found "(" where a table's name is expected`],
  ['INSERT INTO [] (a) VALUES (1)', 13, 'a name in [brackets] has at least one character'],
  ['INSERT INTO "" (a) VALUES (1)', 13, 'a name has at least one character'],
  ['INSERT INTO t VALUES (1)', 15, 'found "VALUES" where the list of columns in parentheses is expected'],
  ['INSERT INTO t () VALUES (1)', 16, `found ")" where a column's name is expected`],
  ["INSERT INTO t ('a') VALUES (1)", 16, `found the string "a" where a column's name is expected`],
  ['INSERT INTO t (a.b) VALUES (1)', 17, 'found "." where a comma or ) is expected'],
  ['INSERT INTO t (a, from) VALUES (1)', 19, `found "from" where a column's name is expected`],
  ['INSERT INTO t (a) UPDATE b', 19, 'found "UPDATE" where VALUES or a SELECT is expected'],
  ['INSERT INTO t (a) SELECT b FROM', 32, 'found the end of the statement where a table is expected'],
  [
    'INSERT INTO t (a) VALUES',
    25,
    'found the end of the statement where a row of values in parentheses is expected',
  ],
  ['INSERT INTO t (a) VALUES 1', 26, 'found "1" where a row of values in parentheses is expected'],
  ['INSERT INTO t (a) VALUES ()', 27, `found ")" where ${LITERAL}`],
  ['INSERT INTO t (a) VALUES (1,)', 29, `found ")" where ${LITERAL}`],
  ['INSERT INTO t (a) VALUES (b)', 27, `found "b" where ${LITERAL}`],
  ['INSERT INTO t (a) VALUES ([b])', 27, `found "[b]" where ${LITERAL}`],
  ['INSERT INTO t (a) VALUES (DEFAULT)', 27, `found "DEFAULT" where ${LITERAL}`],
  ['INSERT INTO t (a) VALUES ((1))', 27, `found "(" where ${LITERAL}`],
  ["INSERT INTO t (a) VALUES (-'1')", 28, 'found the string "1" where a number is expected'],
  ['INSERT INTO t (a) VALUES (1 + 1)', 29, 'found "+" where a comma or ) is expected'],
  ['INSERT INTO t (a) VALUES (1 2)', 29, 'found "2" where a comma or ) is expected'],
  ['INSERT INTO t (a) VALUES (1', 28, 'found the end of the statement where a comma or ) is expected'],
  ["INSERT INTO t (a) VALUES ('1)", 27, 'the string that begins here has no end'],
  [
    'INSERT INTO t (a) VALUES (1),',
    30,
    'found the end of the statement where a row of values in parentheses is expected',
  ],
  [
    'INSERT INTO t (a) VALUES (1) RETURN a',
    30,
    'found "RETURN" where a comma, ON CONFLICT, RETURNING or the end of the statement is expected',
  ],
];

t.test('an INSERT with anything but literals is refused with a message and its position', async (t) => {
  for (const [text, column, message] of REFUSED) {
    t.equal(
      refusalOf(() => readScript(text)),
      `1:${column} ${message}`,
      text,
    );
  }
});

t.test('an INSERT has at most as many entities as a request', async (t) => {
  const rows = (count: number): string => `INSERT INTO t (a) VALUES${Array(count).fill('\n(1)').join(',')}`;
  t.doesNotThrow(() => readScript(rows(1_000)));
  const message = 'an INSERT has more than 1000 entities';
  t.equal(
    refusalOf(() => readScript(rows(1_001))),
    `1001:5 ${message} {"code":2012}`,
  );
});

t.test('the length of names and values is limited', async (t) => {
  const names = (count: number): string => `INSERT INTO t (${'a,'.repeat(count - 1)}a) VALUES (1)`;
  t.equal(
    refusalOf(() => readScript(names(200_001))),
    '1:400016 an INSERT names at most 200000 columns',
  );
  const values = (count: number): string => `INSERT INTO t (a) VALUES (${'1,'.repeat(count - 1)}1)`;
  const text = `${values(500_000)};${values(500_001)}`;
  t.equal(
    refusalOf(() => readScript(text)),
    `1:${text.length - 1} the body's INSERTs have more than 1000000 values`,
  );
});
