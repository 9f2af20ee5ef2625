import t from 'tap';
import { Prng } from '../../../../src/base/index.js';
import { formatDate, formatDateTime, formatDecimal } from '../../../../src/schema/index.js';
import {
  numberLiteral,
  readBeside,
  readInstant,
  readNumber,
} from '../../../../src/sql/bind/expressions/literals.js';
import { expressionText } from '../../../support/expression-text.js';

const SEED = 141_421;
t.comment(`seed ${SEED}`);

t.test('every digit is kept', async (t) => {
  const prng = new Prng(SEED);
  const wrong: string[] = [];
  for (let round = 0; round < 5_000; round++) {
    const digits = Array.from({ length: prng.between(1, 38) }, () => prng.below(10)).join('');
    const scale = prng.below(digits.length + 1);
    const whole = digits.slice(0, digits.length - scale);
    const text = `${prng.pick(['', '-', '+'])}${whole}.${digits.slice(digits.length - scale)}`;
    const value = text.startsWith('-') ? -BigInt(digits) : BigInt(digits);
    const read = readNumber(text);
    const retained = typeof read !== 'string' && expressionText(read) === `${value}:decimal(${scale})`;
    if (!retained) wrong.push(text);
  }
  t.strictSame(wrong, []);
});

t.test('numbers are integers, decimals or floats by their notation', async (t) => {
  const cases: readonly (readonly [string, string])[] = [
    ['0', '0:integer'],
    ['-0', '0:integer'],
    ['007', '7:integer'],
    [`${'0'.repeat(100_000)}7`, '7:integer'],
    ['5.', '5:decimal(0)'],
    ['.50', '50:decimal(2)'],
    ['1E-3', '0.001:float'],
    ['9'.repeat(38), `${'9'.repeat(38)}:integer`],
    ['1e-999', '0:float'],
  ];
  for (const [text, expected] of cases)
    t.equal(expressionText(numberLiteral(text, { line: 1, column: 1 })), expected);
  for (const text of ['', '.', '-', 'e5', '1e', '1.2.3', '0x10', 'Infinity', 'NaN', ' 1', '1_000', '１']) {
    t.equal(readNumber(text), 'no number', JSON.stringify(text));
  }
  for (const text of ['1'.repeat(39), `0.${'1'.repeat(39)}`, `1${'0'.repeat(3_000_000)}`, '1e309']) {
    t.equal(readNumber(text), 'too many digits', text.slice(0, 50));
  }
});

t.test('datetimes are parsed in all common notations', async (t) => {
  const prng = new Prng(SEED + 1);
  const wrong: string[] = [];
  const check = (text: string, expected: string): void => {
    const read = readInstant(text);
    if (read === null || expressionText(read) !== expected) wrong.push(text);
  };
  for (let round = 0; round < 2_000; round++) {
    const seconds = prng.between(-62_000_000_000, 250_000_000_000);
    const written = formatDateTime(seconds);
    const bare = written.slice(0, -1);
    const blank = bare.replace('T', ' ');
    for (const form of [written, bare, blank, `${bare}.123`, `${blank} +00`, `${bare}-0000`]) {
      check(form, `${seconds}:datetime`);
    }
    check(`${bare}+01:30`, `${seconds - 5_400}:datetime`);
    check(formatDate(Math.floor(seconds / 86_400)), `${Math.floor(seconds / 86_400)}:date`);
  }
  t.strictSame(wrong, []);
});

t.test('an invalid date, time or zone is refused', async (t) => {
  const texts = [
    ...['2017-7-17', '2017-02-29', '17-07-2017', '2017-07-17T', '2017-07-17 24:00', '2017-07-17 10', '10:00'],
    ...[
      '2017-07-17T10:00:60',
      '2017-07-17T10:00+24:00',
      '2017-07-17T10:00:00.1234567890',
      '2017-07-17x10:00',
    ],
    ...['0000-01-01T00:00:00+01:00', '9999-12-31T23:59:59-00:01', 'today', ''],
  ];
  for (const text of texts) t.equal(readInstant(text), null, text);
});

t.test('a text beyond the length limit is not a number', async (t) => {
  t.equal(readBeside('1'.repeat(2_000_000), { type: 'integer' }), null);
  t.equal(readBeside(' '.repeat(2_000_000), { type: 'date' }), null);
  t.equal(readBeside('[1]', { type: 'json' }), null);
});

t.test('a decimal parses back to itself', async (t) => {
  const read = readBeside('-1000001.123', { type: 'float' });
  t.equal(formatDecimal(read?.value as bigint, 3), '-1000001.123');
});
