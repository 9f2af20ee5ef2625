import t from 'tap';
import { Cursor } from '../../src/sql/cursor.js';
import { nextToken, statementTokens } from '../../src/sql/tokens.js';
import { refusalOf } from '../support/sql/sql-tree-text.js';

const tokensOf = (text: string): readonly string[] => {
  const cursor = new Cursor(text);
  return statementTokens(cursor, nextToken(cursor), { tokens: 1_000 }).map(
    (token) => `${token.kind} ${token.text} ${token.position.line}:${token.position.column}`,
  );
};

const CASES: readonly (readonly [string, readonly string[]])[] = [
  ['', ['end  1:1']],
  [' \t\r\n\u00a0\ufeff', ['end  2:3']],
  ['größe x2 _a$', ['word größe 1:1', 'word x2 1:7', 'word _a$ 1:10', 'end  1:13']],
  [
    '[entity-id][a]]b][ x ]',
    ['bracketed entity-id 1:1', 'bracketed a]b 1:12', 'bracketed  x  1:18', 'end  1:23'],
  ],
  ["'it''s' N'b' n 'c'", ["single it's 1:1", 'single b 1:9', 'word n 1:14', 'single c 1:16', 'end  1:19']],
  ["'' '' ''''", ['single  1:1', 'single  1:4', "single ' 1:7", 'end  1:11']],
  ['"say ""x""" ""', ['double say "x" 1:1', 'double  1:13', 'end  1:15']],
  ["'two\nlines' x", ['single two\nlines 1:1', 'word x 2:8', 'end  2:9']],
  ["'🙂' 🙂🙂 x", ['single 🙂 1:1', 'word 🙂🙂 1:5', 'word x 1:8', 'end  1:9']],
  ['"🙂" [🙂] /* 🙂 */ x', ['double 🙂 1:1', 'bracketed 🙂 1:5', 'word x 1:17', 'end  1:18']],
  [
    '007 1.50 .5 1. 1e5 1.5E-3 2.e+1',
    [
      ...['number 007 1:1', 'number 1.50 1:5', 'number 0.5 1:10', 'number 1 1:13', 'number 1e5 1:16'],
      ...['number 1.5E-3 1:20', 'number 2e+1 1:27', 'end  1:32'],
    ],
  ],
  ['18446744073709551617', ['number 18446744073709551617 1:1', 'end  1:21']],
  [
    'a.b,*(a)',
    [
      ...['word a 1:1', 'sign . 1:2', 'word b 1:3', 'sign , 1:4', 'sign * 1:5', 'sign ( 1:6', 'word a 1:7'],
      ...['sign ) 1:8', 'end  1:9'],
    ],
  ],
  [
    '<><=>=!=<>||',
    [
      ...[
        'sign <> 1:1',
        'sign <= 1:3',
        'sign >= 1:5',
        'sign <> 1:7',
        'sign <> 1:9',
        'sign || 1:11',
        'end  1:13',
      ],
    ],
  ],
  [
    '1-2--3\n+/* /* */ \n */-4',
    ['number 1 1:1', 'sign - 1:2', 'number 2 1:3', 'sign + 2:1', 'sign - 3:4', 'number 4 3:5', 'end  3:6'],
  ],
  ['-- 🙂 only', ['end  1:10']],
  ['a ; b', ['word a 1:1', 'end  1:3']],
  [
    '\';\' [;] ";" /* ; */ -- ;\n x',
    ['single ; 1:1', 'bracketed ; 1:5', 'double ; 1:9', 'word x 2:2', 'end  2:3'],
  ],
];

t.test('a text is split into words, names, literals and signs with their positions', async (t) => {
  for (const [text, expected] of CASES) {
    t.strictSame(tokensOf(text), expected, JSON.stringify(text));
  }
});

t.test('only words of ASCII letters outside of brackets and quotes are keywords', async (t) => {
  const upper = (text: string): string => nextToken(new Cursor(text)).upper;
  t.equal(upper('select'), 'SELECT');
  t.equal(upper('SeLeCt'), 'SELECT');
  for (const text of ['[select]', '"select"', "'select'", 'lıke', 'caſe', 'select1'])
    t.equal(upper(text), '', text);
});

const REFUSED: readonly (readonly [string, string, string])[] = [
  ["a 'b", 'the string that begins here has no end', '1:3'],
  ["a\n 'b\n\nc''", 'the string that begins here has no end', '2:2'],
  ['"b', 'the name or string that begins here has no end', '1:1'],
  ['[b]]', 'the name in brackets that begins here has no end', '1:1'],
  ['a /* b /* */', 'the comment that begins here has no end', '1:3'],
  ['[]', 'a name in [brackets] has at least one character', '1:1'],
  [
    '12ab',
    '"12a" is neither a number nor a name; write a name that begins with a digit in [brackets]',
    '1:1',
  ],
  [
    '1.2.3',
    '"1.2." is neither a number nor a name; write a name that begins with a digit in [brackets]',
    '1:1',
  ],
  ['1e', '"1e" is neither a number nor a name; write a name that begins with a digit in [brackets]', '1:1'],
  ['0x1F', '"0x" is neither a number nor a name; write a name that begins with a digit in [brackets]', '1:1'],
  ['a `b`', 'backticks are not available; write names in [brackets]', '1:3'],
  ['@x', 'variables are not available', '1:1'],
  ['a = ?', 'parameters are not available; write the value itself', '1:5'],
  [':x', 'parameters are not available; write the value itself', '1:1'],
  ['a == b', 'values are compared with a single =', '1:3'],
  ['a ! b', 'the character "!" has no meaning in SQL', '1:3'],
  ['a \\ b', 'the character "\\\\" has no meaning in SQL', '1:3'],
  ['a \0', 'the character "\\u0000" has no meaning in SQL', '1:3'],
  ['\n {', 'the character "{" has no meaning in SQL', '2:2'],
];

t.test('an invalid token is refused at its start', async (t) => {
  for (const [text, message, position] of REFUSED) {
    t.equal(
      refusalOf(() => tokensOf(text)),
      `${position} ${message}`,
      JSON.stringify(text),
    );
  }
});

t.test('tokens count towards the limit of the body', async (t) => {
  const budget = { tokens: 4 };
  const read = (text: string): number => {
    const cursor = new Cursor(text);
    return statementTokens(cursor, nextToken(cursor), budget).length;
  };
  t.equal(read('a, b;'), 4);
  t.equal(budget.tokens, 1);
  const message = 'the body has more than 100000 words, names, literals and signs outside of INSERTs';
  t.equal(
    refusalOf(() => read('a b')),
    `1:3 ${message}`,
  );
});
