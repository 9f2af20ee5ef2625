import t from 'tap';
import { Prng, QuarryError } from '../../src/base/index.js';
import { readScript } from '../../src/sql/index.js';
import { SqlGenerator } from '../support/sql/generated-sql.js';
import { SqlPrinter } from '../support/sql/printed-sql.js';
import { refusalOf, scriptText } from '../support/sql/sql-tree-text.js';

const SEED = 90_210;
const GENERATED_COUNT = 600;
const MUTANT_COUNT = 1_500;

const printed = (text: string): string => scriptText(readScript(text));

t.test('a body has one or several statements, and one ; may follow the last', async (t) => {
  t.equal(printed('SELECT 1'), 'reads: select 1');
  t.equal(printed(' \n SELECT 1 ; \n'), 'reads: select 1');
  t.equal(
    printed("SELECT ';'; -- ;\nEXPLAIN SELECT [;] /* ; */;"),
    "reads: select ';'; explain plan select [;]",
  );
  t.equal(
    printed('INSERT INTO t (a) VALUES (1); DELETE FROM t;UPDATE t SET a = 1\n;INSERT INTO t (a) VALUES (2)'),
    'writes: insert into [t] ([a]) values (1); delete from [t]; update [t] set [a] = 1; insert into [t] ([a]) values (2)',
  );
});

const MIXED = 'a body is all SELECTs or all writes; this statement is of the other kind';
const REFUSED: readonly (readonly [string, number, number, string])[] = [
  ['', 1, 1, 'the body contains no statement'],
  [' \n -- nothing', 2, 12, 'the body contains no statement'],
  [';', 1, 1, 'the statement before this ; is empty'],
  ['SELECT 1;\n ;', 2, 2, 'the statement before this ; is empty'],
  ['SELECT 1;\nDELETE FROM t', 2, 1, MIXED],
  ['DELETE FROM t;\n\n EXPLAIN SELECT 1', 3, 2, MIXED],
  ['INSERT INTO t (a) VALUES (1); SELECT', 1, 31, MIXED],
  [
    "SELECT '\n';SELECT\n\n a b c;",
    4,
    6,
    'found "c" where a comma, the next clause or the end of the statement is expected',
  ],
  [
    "INSERT INTO t (a) VALUES ('🙂');\nDELETE FROM t WHERE 'ü' = = 1",
    2,
    27,
    'found "=" where a column, a value or an expression is expected',
  ],
];

t.test(
  'an empty body, an empty statement and a mixture are refused, with positions in the whole body',
  async (t) => {
    for (const [text, line, column, message] of REFUSED) {
      t.equal(
        refusalOf(() => readScript(text)),
        `${line}:${column} ${message}`,
        JSON.stringify(text),
      );
    }
  },
);

t.test('a body has at most 100 statements', async (t) => {
  t.doesNotThrow(() => readScript('SELECT 1;'.repeat(100)));
  for (const count of [101, 500_000]) {
    const text = 'SELECT 1;\n'.repeat(count);
    t.equal(
      refusalOf(() => readScript(text)),
      '101:1 a body has at most 100 statements',
    );
  }
});

t.test('trees printed in many ways parse to themselves, with every position', async (t) => {
  let sameCount = 0;
  for (let seed = SEED; seed < SEED + GENERATED_COUNT; seed++) {
    const random = new Prng(seed);
    const printer = new SqlPrinter(random);
    const written = printer.script(new SqlGenerator(random).script());
    try {
      const read = readScript(printer.text);
      // Comparing as text is a hundred times as fast, so only differing texts are compared in detail.
      if (JSON.stringify(read) === JSON.stringify(written)) sameCount++;
      else if (t.strictSame(read, written, `seed ${seed}: ${printer.text}`)) sameCount++;
    } catch (error) {
      t.fail(`seed ${seed}: ${String(error)}: ${printer.text}`);
    }
  }
  t.equal(sameCount, GENERATED_COUNT);
});

const WORDS = [
  ...[
    'SELECT',
    'DISTINCT',
    'FROM',
    'WHERE',
    'GROUP',
    'BY',
    'ORDER',
    'HAVING',
    'JOIN',
    'LEFT',
    'OUTER',
    'INNER',
    'ON',
  ],
  ...[
    'AS',
    'ASC',
    'DESC',
    'NULLS',
    'LAST',
    'LIMIT',
    'OFFSET',
    'FETCH',
    'NEXT',
    'ROWS',
    'ONLY',
    'TOP',
    'UNION',
    'ALL',
  ],
  ...[
    'NOT',
    'AND',
    'OR',
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
  ],
  ...[
    'CAST',
    'EXTRACT',
    'POSITION',
    'SUBSTRING',
    'TRIM',
    'FOR',
    'DATE',
    'INTERVAL',
    'EXISTS',
    'OVER',
    'WITH',
    'a',
  ],
  ...[
    'EXPLAIN',
    'ANALYZE',
    'INSERT',
    'INTO',
    'VALUES',
    'UPDATE',
    'SET',
    'DELETE',
    'DATEPART',
    'CURRENT_DATE',
  ],
  ...[
    '(',
    ')',
    ',',
    '.',
    '*',
    '+',
    '-',
    '/',
    '%',
    '||',
    '<>',
    '=',
    ';',
    "'x'",
    '"y"',
    '[z]',
    '1',
    '1.5e3',
    '1.',
  ],
  ...['--', '/*', '*/', "'", '"', '[', ']', '@', '`', '!', '|', '\0', '🙂', '\ud800', '\u00a0'],
];
const TOKEN = /\s+|[\p{L}\p{N}_]+|'[^']*'|./gsu;

/** `text` with some of its tokens or characters removed, inserted, exchanged or repeated. */
function mutated(random: Prng, text: string): string {
  const parts = random.chance(0.3) ? Array.from(text) : (text.match(TOKEN) ?? []);
  for (let round = random.between(1, 4); round > 0; round--) {
    const [at, other] = [random.below(parts.length), random.below(parts.length)];
    const kind = random.below(6);
    if (kind === 0) parts.splice(at, random.between(1, 3));
    else if (kind === 1) parts.splice(at, 0, ` ${random.pick(WORDS)} `);
    else if (kind === 2) parts[at] = ` ${random.pick(WORDS)} `;
    else if (kind === 3) parts[at] = String.fromCharCode(random.below(256));
    else if (kind === 4) [parts[at], parts[other]] = [parts[other], parts[at]];
    else parts.splice(at, 0, ...parts.slice(other, other + random.below(20)));
  }
  return parts.join('');
}

/** Line `line` of the text, from 1; null if the text has no such line. */
function lineOf(text: string, line: number): string | null {
  let begin = 0;
  for (let passed = 1; passed < line; passed++) {
    begin = text.indexOf('\n', begin) + 1;
    if (begin === 0) return null;
  }
  const end = text.indexOf('\n', begin);
  return end < 0 ? text.slice(begin) : text.slice(begin, end);
}

/** Null if the text was parsed or refused correctly, otherwise a description of the result. */
function misread(text: string): string | null {
  try {
    readScript(text);
    return null;
  } catch (error) {
    if (!(error instanceof QuarryError) || error.code !== 6000) return String(error);
    const { message, line, column } = error.moreInfo as Record<string, unknown>;
    const found = lineOf(text, Number(line));
    if (found === null || message !== error.message) return `${message} at ${line}:${column}`;
    // The code points of a very long line are not counted.
    const width = found.length < 100_000 ? Array.from(found).length : found.length;
    return Number(column) >= 1 && Number(column) <= width + 1 ? null : `${message} at ${line}:${column}`;
  }
}

t.test('a mutated statement is parsed or refused with 6000 at a position inside the text', async (t) => {
  let rightCount = 0;
  for (let seed = SEED; seed < SEED + MUTANT_COUNT; seed++) {
    const random = new Prng(seed);
    const printer = new SqlPrinter(random);
    printer.script(new SqlGenerator(random).script());
    const text = mutated(random, printer.text);
    const wrong = misread(text);
    if (wrong === null) rightCount++;
    else t.fail(`seed ${seed}: ${wrong}: ${JSON.stringify(text)}`);
  }
  t.equal(rightCount, MUTANT_COUNT);
});

t.test('random words and bytes are refused or parsed', async (t) => {
  const random = new Prng(SEED);
  let rightCount = 0;
  for (let round = 0; round < MUTANT_COUNT; round++) {
    const begin = random.pick([
      '',
      'SELECT ',
      'SELECT a FROM t WHERE ',
      'INSERT INTO t (a) VALUES (',
      'UPDATE t SET a = ',
    ]);
    const bytes = random.chance(0.5);
    const text = Array.from({ length: random.between(1, 20) }, () =>
      bytes ? String.fromCharCode(random.below(random.chance(0.9) ? 128 : 65_536)) : `${random.pick(WORDS)} `,
    );
    const wrong = misread(begin + text.join(''));
    if (wrong === null) rightCount++;
    else t.fail(`round ${round}: ${wrong}: ${JSON.stringify(begin + text.join(''))}`);
  }
  t.equal(rightCount, MUTANT_COUNT);
});

const UNITS = [
  ...[
    '(',
    ')',
    '[',
    "'",
    '"',
    '/*',
    '*/',
    '--\n',
    ';',
    'a ',
    'a.',
    '1 ',
    '1',
    '-',
    '- ',
    '+',
    '*',
    ',',
    '\n',
    '🙂',
  ],
  ...[
    'CASE ',
    'WHEN a THEN ',
    'NOT ',
    'SELECT ',
    'FROM ',
    'AS ',
    'GROUP BY ',
    'EXISTS ',
    'a(',
    'a||',
    'a AND ',
    "'',",
  ],
  ...[
    'EXPLAIN ',
    'a,',
    'JOIN a ON b ',
    '(1),',
    'a=1,',
    '"a".',
    '[a]',
    '[]',
    '\u00a0',
    '\0',
    '\ud83d',
    'CAST(',
    'a IN (',
  ],
];

t.test('five megabytes of one repeated token are parsed or refused', async (t) => {
  const bytes = 5 * 2 ** 20;
  const begins = ['', 'SELECT ', 'SELECT a FROM t WHERE ', 'INSERT INTO t (a) VALUES ', 'INSERT INTO t ('];
  for (const [index, unit] of UNITS.entries()) {
    const text = unit.repeat(Math.ceil(bytes / unit.length));
    const begin = begins[index % begins.length];
    t.equal(misread(begin + text), null, JSON.stringify(begin + unit));
  }
});
