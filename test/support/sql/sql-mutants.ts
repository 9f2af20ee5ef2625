/** Texts that are almost SQL, and texts that are built to be deep, long or large. */
import type { Prng } from '../../../src/base/index.js';

const WORDS = [
  ...[
    'SELECT',
    'DISTINCT',
    'FROM',
    'WHERE',
    'GROUP BY',
    'HAVING',
    'ORDER BY',
    'LIMIT',
    'OFFSET',
    'JOIN',
    'LEFT JOIN',
    'ON',
  ],
  ...[
    'AND',
    'OR',
    'NOT',
    'IN',
    'LIKE',
    'ESCAPE',
    'BETWEEN',
    'IS',
    'NULL',
    'CASE',
    'WHEN',
    'THEN',
    'ELSE',
    'END',
    'AS',
    'DESC',
  ],
  ...[
    'UNION',
    'WITH',
    'OVER',
    'EXISTS',
    'VALUES',
    'INSERT INTO',
    'UPDATE',
    'SET',
    'DELETE FROM',
    'EXPLAIN',
    'EXPLAIN ANALYZE',
  ],
  ...[
    'CAST',
    'TRY_CAST',
    'INTERVAL',
    'DATEPART',
    'COUNT',
    'SUM',
    'AVG',
    'MIN',
    'MAX',
    'STDDEV',
    'PERCENTILE',
    'MEDIAN',
  ],
  ...[
    'DATEADD',
    'DATEDIFF',
    'DATE_TRUNC',
    'COALESCE',
    'NULLIF',
    'UPPER',
    'REPLACE',
    'SUBSTRING',
    'LPAD',
    'REPEAT',
    'ROUND',
  ],
  ...[
    'word',
    'n',
    'big',
    'price',
    'flag',
    'day',
    'at',
    'tags',
    '[entity-id]',
    '[clicks.value]',
    '[points.date]',
    'score',
    '*',
  ],
  ...[
    '0',
    '1',
    '-1',
    '1.5',
    '1e308',
    '9223372036854775807',
    '99999999999999999999999999999999999999',
    '1e-320',
    '.5',
    '5.',
  ],
  ...[
    "''",
    "'a'",
    "'%'",
    "'2016-01-01'",
    "'dd'",
    '"word"',
    'TRUE',
    '[',
    ']',
    '(',
    ')',
    ',',
    ';',
    '.',
    '=',
    '<>',
    '<',
    '>=',
  ],
  ...[
    '+',
    '-',
    '*',
    '/',
    '%',
    '||',
    '--',
    '/*',
    '*/',
    '\\',
    '\n',
    '\0',
    '😀',
    'é',
    '@x',
    '#t',
    '$1',
    '?',
    ':a',
    '{',
    '}',
    '`',
  ],
];

const TOKEN = /\[[^\]]*\]|'(?:[^']|'')*'|[A-Za-z_][\w]*|\d+(?:\.\d+)?|\s+|./gsu;

/** The text with some of its words or letters changed. */
export function mutated(prng: Prng, text: string): string {
  const tokens = text.match(TOKEN) ?? [];
  for (let round = prng.pick([0, 1, 1, 1, 2, 3]); round > 0; round--) {
    const at = prng.below(tokens.length + 1);
    switch (prng.below(7)) {
      case 0:
        tokens.splice(at, 1);
        break;
      case 1:
        tokens.splice(at, 0, ` ${prng.pick(WORDS)} `);
        break;
      case 2:
        tokens.splice(at, 1, prng.pick(WORDS));
        break;
      case 3:
        tokens.splice(at, 0, ...tokens.slice(prng.below(tokens.length + 1)).slice(0, prng.between(1, 12)));
        break;
      case 4:
        tokens.splice(at, prng.between(1, 6));
        break;
      case 5: {
        const other = prng.below(tokens.length + 1);
        const [a, b] = [tokens[at] ?? '', tokens[other] ?? ''];
        tokens.splice(at, 1, b);
        tokens.splice(other, 1, a);
        break;
      }
      default: {
        const of = tokens[at] ?? '';
        const cut = prng.below(of.length + 1);
        tokens.splice(
          at,
          1,
          of.slice(0, cut) +
            String.fromCodePoint(prng.pick([0x27, 0x22, 0x5b, 0x28, 0, 0xe9, 0x1f600])) +
            of.slice(cut),
        );
      }
    }
  }
  return tokens.join('');
}

/** A text of random tokens. */
export function wordSalad(prng: Prng): string {
  return `SELECT ${Array.from({ length: prng.between(1, 25) }, () => prng.pick(WORDS)).join(' ')}`;
}

const MEGABYTES_5 = 5 * 2 ** 20;
const nested = (open: string, inside: string, close: string, depth: number): string =>
  `${open.repeat(depth)}${inside}${close.repeat(depth)}`;
const listOf = (count: number, of: (index: number) => string, separator = ', '): string =>
  Array.from({ length: count }, (_, index) => of(index)).join(separator);

/** Texts with their descriptions, over a table with the columns of sql-world.ts. */
export function hostileTexts(table: string): readonly (readonly [string, string | Uint8Array])[] {
  const where = (condition: string): string => `SELECT COUNT(*) FROM ${table} WHERE ${condition}`;
  const of = (expression: string): string => `SELECT ${expression} FROM ${table}`;
  return [
    ['parentheses alone', '('.repeat(MEGABYTES_5 - 10)],
    ['parentheses in SELECT', of('('.repeat(MEGABYTES_5 - 100))],
    ['closed parentheses', of(nested('(', 'n', ')', 100_000))],
    ...[10, 63, 64, 65, 200, 5_000].flatMap((depth): [string, string][] => [
      [`${depth} parentheses`, of(nested('(', 'n', ')', depth))],
      [`${depth} NOT`, where(`${'NOT '.repeat(depth)}flag`)],
      [`${depth} minus signs`, of(`${'- '.repeat(depth)}n`)],
      [`${depth} CASE`, of(nested('CASE WHEN flag THEN ', 'n', ' ELSE n END', depth))],
      [`${depth} calls`, of(nested('UPPER(', 'word', ')', depth))],
      [`${depth} COALESCE`, of(nested('COALESCE(n, ', 'n', ')', depth))],
      [`${depth} conditions in parentheses`, where(nested('(n = 1 OR ', 'n = 2', ')', depth))],
      [`${depth} BETWEEN`, where(nested('(', 'n', ' BETWEEN n AND n)', depth))],
      [`${depth} NULLIF`, of(nested('NULLIF(', 'word', ', word)', depth))],
      [
        `${depth} joins`,
        `SELECT 1 FROM ${table} a ${listOf(depth, (index) => `JOIN ${table} j${index} ON a.word = j${index}.[entity-id]`, ' ')}`,
      ],
      [`${depth} statements`, listOf(depth, () => of('COUNT(*)'), '; ')],
    ]),
    ['a long sum', of(listOf(50_000, () => 'n', ' + '))],
    ['a long product', of(listOf(900, () => 'big', ' * '))],
    ['a long text', of(listOf(900, () => 'word', ' || '))],
    ['texts that double', of(nested('REPLACE(', 'word', ", 'a', 'aaaaaaaaaa')", 20))],
    ['texts that grow', of(nested('REPEAT(', 'word', ', 1000)', 10))],
    ['many conditions', where(listOf(20_000, (index) => `n = ${index}`, ' OR '))],
    ['many values', where(`n IN (${listOf(90_000, String)})`)],
    ['many texts', where(`word IN (${listOf(40_000, (index) => `'x${index}'`)})`)],
    ['many items', of(listOf(5_000, () => 'n'))],
    ['many keys', `${of('COUNT(*)')} GROUP BY ${listOf(500, (index) => `n + ${index}`)}`],
    ['many orders', `${of('n')} ORDER BY ${listOf(500, (index) => `n + ${index}`)}`],
    ['many aggregates', of(listOf(1_500, (index) => `SUM(n + ${index})`))],
    ['a pattern of many %', where(`[full-name] LIKE '${'%a'.repeat(5_000)}%'`)],
    ['a pattern of % and _', where(`[full-name] LIKE '${'%_'.repeat(20_000)}z'`)],
    ['a pattern that is long', where(`word LIKE '${'a'.repeat(1_000_000)}'`)],
    ['a giant REPEAT', of(`REPEAT('abc', 2000000000)`)],
    ['a greater REPEAT', of(`REPEAT(word, 99999999999999999999)`)],
    ['a giant REPEAT inside', of(`LENGTH(REPEAT(REPEAT('abc', 100000), 100000))`)],
    ['a giant LPAD', of(`LPAD(word, 2147483647, 'x')`)],
    ['a greater RPAD', of(`RPAD(word, 9223372036854775807, '😀')`)],
    ['a giant SPACE', of('SPACE(4000000000)')],
    [
      'no length',
      of(`LPAD(word, -5, ''), RPAD(word, 10, ''), LEFT(word, -1), SUBSTRING(word, -5, -1), REPEAT(word, -1)`),
    ],
    ['numbers beyond all', of('big * big * big * big')],
    ['sums beyond all', of('SUM(big * big * 9999999999999999999), AVG(big * big * 999), STDDEV(big * big)')],
    ['a number of many digits', of('9'.repeat(100_000))],
    ['a fraction of many digits', of(`0.${'9'.repeat(100_000)}`)],
    ['a giant exponent', of('1e999999999')],
    [
      'floats to their ends',
      of('1e308 * 10, 1e308 + 1e308, EXP(1e10), POWER(1e300, 1e300), LN(0), SQRT(-1), LOG10(-1), 0e0 / 0'),
    ],
    [
      'roundings to their ends',
      of(
        'ROUND(n, 38), ROUND(n, -38), ROUND(big, -38), TRUNC(price, -38), ROUND(1e300, 38), ROUND(1.5, -38)',
      ),
    ],
    [
      'dates to their ends',
      of(`DATEADD('year', 9999, day), DATEADD('second', 9223372036854775807, at), DATEADD('day', big, day)`),
    ],
    ['made dates', of('DATEFROMPARTS(n, n, n), DATEFROMPARTS(big, 1, 1), DATEFROMPARTS(2021, 13, 40)')],
    ['differences to their ends', of(`DATEDIFF('second', '0001-01-01', '9999-12-31'), born - '0001-01-01'`)],
    [
      'casts to their ends',
      of('CAST(big AS decimal(38, 38)), CAST(big AS float), CAST(1e300 AS integer), CAST(word AS date)'),
    ],
    [
      'all groups',
      `SELECT [entity-id], COUNT(*), COUNT(DISTINCT [full-name]) FROM ${table} GROUP BY [entity-id]`,
    ],
    [
      'groups of everything',
      `SELECT COUNT(*) FROM ${table} GROUP BY word, [full-name], n, big, price, flag, day, at, tags`,
    ],
    [
      'a join with itself',
      `SELECT COUNT(*) FROM ${table} a JOIN ${table} b ON a.[entity-id] = b.[entity-id]`,
    ],
    ['a join by another column', `SELECT COUNT(*) FROM ${table} a JOIN ${table} b ON a.n = b.n`],
    ['a join with the same name', `SELECT COUNT(*) FROM ${table} JOIN ${table} ON word = [entity-id]`],
    ['a join in a circle', `SELECT 1 FROM ${table} a JOIN ${table} b ON b.word = b.[entity-id]`],
    ['a giant LIMIT', `${of('n')} LIMIT 99999999999999999999 OFFSET 99999999999999999999`],
    ['the greatest LIMIT', `${of('n')} ORDER BY n LIMIT 9007199254740991 OFFSET 9007199254740991`],
    ['a percentile beyond', of('PERCENTILE(n, 2), PERCENTILE(n, -0.1)')],
    ['a percentile of itself', of('PERCENTILE(n, n)')],
    ['aggregates in aggregates', of('SUM(COUNT(*))')],
    ['comments', `${'/**/'.repeat(40)}x`],
    ['comments before a SELECT', `${'/* a */ -- b\n'.repeat(50_000)}${of('COUNT(*)')}`],
    ['nested comments', `${'/*'.repeat(100_000)}${'*/'.repeat(100_000)} ${of('COUNT(*)')}`],
    ['an open comment', `${of('COUNT(*)')} /*`],
    ['an open text', of("'abc")],
    ['an open name', of('[abc')],
    ['blanks', ' '.repeat(MEGABYTES_5 - 1)],
    ['semicolons', ';'.repeat(1_000_000)],
    ['commas', of(','.repeat(1_000_000))],
    ['quotes', of("'".repeat(1_000_001))],
    ['nothing', ''],
    ['a NUL', '\0'],
    ['NULs in a text', where(`word = 'a\0b'`)],
    ['a lone surrogate', Buffer.from(of("'\ud800'"), 'utf16le')],
    [
      'bytes that are not UTF-8',
      Buffer.from([0x53, 0x45, 0x4c, 0x45, 0x43, 0x54, 0x20, 0x27, 0xff, 0xfe, 0x27]),
    ],
    ['a cut letter', Buffer.from([...Buffer.from(of("'")), 0xf0, 0x9f])],
    ['a byte order mark', `\ufeff${of('COUNT(*)')}`],
    ['__proto__', of('__proto__, constructor, [__proto__.value], toString(n)')],
    ['a table called constructor', 'SELECT * FROM constructor'],
    ['an alias called __proto__', of('n AS __proto__, n AS constructor, n AS [], n AS [result]')],
    [
      'an EXPLAIN of everything',
      `EXPLAIN ANALYZE SELECT word, COUNT(*), MEDIAN(n) FROM ${table} GROUP BY word ORDER BY 2 DESC`,
    ],
  ];
}
