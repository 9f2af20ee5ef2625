import t from 'tap';
import { QuarryError } from '../../../../src/base/index.js';
import type { Expression } from '../../../../src/ir/index.js';
import { constantOf } from '../../../../src/sql/bind/expressions/build.js';
import { castTo, commonType, unify } from '../../../../src/sql/bind/expressions/coerce.js';
import { sameType, typeName } from '../../../../src/sql/bind/expressions/types.js';
import type { SqlType } from '../../../../src/vector/index.js';
import { expressionErrors } from '../../../support/expression-check.js';
import { expressionText } from '../../../support/expression-text.js';

const POSITION = { line: 2, column: 7 };

const TYPES: readonly SqlType[] = [
  { type: 'integer' },
  { type: 'decimal', scale: 0 },
  { type: 'decimal', scale: 2 },
  { type: 'decimal', scale: 38 },
  { type: 'float' },
  { type: 'text' },
  { type: 'boolean' },
  { type: 'date' },
  { type: 'datetime' },
];

/** The common type by the rules, written independently of the implementation. */
function expected(a: SqlType, b: SqlType): string | null {
  const [left, right] = [typeName(a), typeName(b)];
  if (left === right) return left;
  const kinds = [a.type, b.type];
  const numbers = ['integer', 'decimal', 'float'];
  if (kinds.every((kind) => numbers.includes(kind))) {
    if (kinds.includes('float')) return 'float';
    return `decimal(${Math.max(...[a, b].map((type) => (type.type === 'decimal' ? type.scale : 0)))})`;
  }
  return kinds.every((kind) => kind === 'date' || kind === 'datetime') ? 'datetime' : null;
}

const inputOf = (type: SqlType, input: number): Expression => ({ op: 'input', type, input });

function refusal(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    if (error instanceof QuarryError && error.code === 6000) return error.moreInfo;
    throw error;
  }
  return null;
}

t.test('two types have the common type that the rules define, or none', async (t) => {
  for (const a of TYPES) {
    for (const b of TYPES) {
      const [left, right] = [inputOf(a, 0), inputOf(b, 1)];
      const label = `${typeName(a)} and ${typeName(b)}`;
      const type = expected(a, b);
      if (type === null) {
        const message = `${label} have no common type; CAST one of them to the other's type`;
        t.strictSame(
          refusal(() => commonType(left, right, POSITION)),
          { message, ...POSITION },
        );
        continue;
      }
      t.equal(typeName(commonType(left, right, POSITION)), type, label);
      const { members } = unify([left, right], POSITION);
      for (const member of members) {
        t.equal(typeName(member.type), type);
        t.strictSame(expressionErrors(member, [a, b]), [], label);
      }
    }
  }
});

t.test('only lossless conversions are implicit casts', async (t) => {
  const widens = (from: string, to: string): boolean =>
    from === to || expected(parse(from), parse(to)) === to;
  const parse = (name: string): SqlType => TYPES.find((type) => typeName(type) === name) as SqlType;
  for (const from of TYPES) {
    for (const to of TYPES) {
      const input = inputOf(from, 0);
      const label = `${typeName(from)} to ${typeName(to)}`;
      const message = `${typeName(from)} and ${typeName(to)} have no common type; CAST one of them to the other's type`;
      if (!widens(typeName(from), typeName(to))) {
        t.strictSame(
          refusal(() => castTo(input, to, POSITION)),
          { message, ...POSITION },
          label,
        );
        continue;
      }
      const made = castTo(input, to, POSITION);
      t.ok(sameType(made.type, to), label);
      if (sameType(from, to)) t.equal(made, input);
      else t.strictSame(made, { op: 'cast', type: to, of: input, lenient: false }, label);
    }
  }
});

t.test('NULL takes every type, and is text without a context', async (t) => {
  const missing = constantOf({ type: 'text' }, null);
  for (const type of TYPES) {
    t.ok(sameType(commonType(missing, inputOf(type, 0), POSITION), type));
    t.strictSame(castTo(missing, type, POSITION), constantOf(type, null));
  }
  t.equal(commonType(missing, missing, POSITION).type, 'text');
  t.equal(commonType(missing, constantOf({ type: 'date' }, null), POSITION).type, 'date');
});

t.test('a text literal takes the type of the other operand', async (t) => {
  const cases: readonly (readonly [string, string, string])[] = [
    ['19', 'integer', '19:integer'],
    [' 19 ', 'decimal(2)', '1900:decimal(2)'],
    ['1.5', 'integer', '15:decimal(1)'],
    ['1.555', 'decimal(2)', '1555:decimal(3)'],
    ['1e2', 'integer', '100:float'],
    ['0.1', 'float', '0.1:float'],
    ['Abc', 'text', '"Abc":text'],
    ['True', 'boolean', 'true'],
    ['0', 'boolean', 'false'],
    ['YES', 'boolean', 'true'],
    ['2017-07-17', 'date', '17364:date'],
    ['2017-07-17', 'datetime', '1500249600:datetime'],
    ['2017-07-17T01:00:00+01:00', 'date', '1500249600:datetime'],
  ];
  for (const [text, beside, made] of cases) {
    const type = TYPES.find((candidate) => typeName(candidate) === beside) as SqlType;
    const { members } = unify([inputOf(type, 0), constantOf({ type: 'text' }, text)], POSITION);
    t.equal(expressionText(members[1]), made, `${text} beside ${beside}`);
  }
});

t.test('a text literal that is not a value of that type is refused', async (t) => {
  for (const type of TYPES) {
    if (type.type === 'text') continue;
    for (const text of [
      '',
      'x',
      '1.2.3',
      '--1',
      '2017-13-01',
      '2017-07-17T25:00',
      '1'.repeat(1_000),
      'yess',
    ]) {
      const label = text.length > 80 ? `"${'1'.repeat(80)}…"` : JSON.stringify(text);
      t.strictSame(
        refusal(() => commonType(inputOf(type, 0), constantOf({ type: 'text' }, text), POSITION)),
        { message: `${label} cannot be read as ${typeName(type)}`, ...POSITION },
      );
    }
  }
});

t.test('0 and 1 are truth values next to others', async (t) => {
  const truth = inputOf({ type: 'boolean' }, 0);
  const integers = ['1', '0'].map((digit) => constantOf({ type: 'integer' }, BigInt(digit)));
  for (const members of [
    [truth, ...integers],
    [...integers, truth],
  ]) {
    const { type, members: made } = unify(members, POSITION);
    t.equal(type.type, 'boolean');
    t.strictSame(made.map(expressionText).sort(), ['#0', 'false', 'true']);
  }
});

t.test('a constant that would lose digits, or have too many, is refused', async (t) => {
  const decimal = (scale: number): SqlType => ({ type: 'decimal', scale });
  t.strictSame(
    refusal(() => castTo(constantOf({ type: 'integer' }, 10n), decimal(37), POSITION)),
    { message: 'the number has more than 38 digits as decimal(37)', ...POSITION },
  );
  t.strictSame(
    refusal(() => castTo(constantOf(decimal(2), 105n), decimal(1), POSITION)),
    { message: 'the number loses digits as decimal(1)', ...POSITION },
  );
  t.strictSame(castTo(constantOf(decimal(2), 110n), decimal(1), POSITION), constantOf(decimal(1), 11n));
  t.strictSame(
    castTo(constantOf(decimal(2), 900_719_925_474_099_310n), { type: 'float' }, POSITION),
    constantOf({ type: 'float' }, Number('9007199254740993.1')),
  );
});
