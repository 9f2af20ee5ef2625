import t from 'tap';
import { Prng } from '../../../../src/base/index.js';
import type { Comparison, Constant, Expression } from '../../../../src/ir/index.js';
import { constantOf } from '../../../../src/sql/bind/expressions/build.js';
import { compared } from '../../../../src/sql/bind/expressions/compare.js';
import { bindScalar } from '../../../../src/sql/bind/expressions/scalar.js';
import type { SqlType } from '../../../../src/vector/index.js';
import { expressionErrors } from '../../../support/expression-check.js';
import { column, compare, number, oneOf, testScope } from '../../../support/sql/sql-nodes.js';

const SEED = 618_033;
t.comment(`seed ${SEED}`);
const POSITION = { line: 1, column: 1 };
const COMPARISONS: readonly Comparison[] = ['=', '<>', '<', '<=', '>', '>='];
const WIDEST = 40n;

/** An exact value in steps of 10^-40, or of seconds. */
function finest(value: bigint, type: SqlType): bigint {
  if (type.type === 'date') return value * 86_400n;
  if (type.type === 'datetime') return value;
  return value * 10n ** (WIDEST - BigInt(type.type === 'decimal' ? type.scale : 0));
}

function holds(comparison: Comparison, left: bigint, right: bigint): boolean {
  switch (comparison) {
    case '=':
      return left === right;
    case '<>':
      return left !== right;
    case '<':
      return left < right;
    case '<=':
      return left <= right;
    case '>':
      return left > right;
    case '>=':
      return left >= right;
  }
}

/** The operand's value in steps of 10^-40 or of seconds, with `input` as the value of input 0. */
function worthOf(expression: Expression, input: bigint): bigint {
  if (expression.op === 'constant') return finest(expression.value as bigint, expression.type);
  if (expression.op === 'cast') return worthOf(expression.of, input);
  if (expression.op !== 'input') throw new Error(`${expression.op} is not an operand of a comparison`);
  return finest(input, expression.type);
}

function answer(expression: Expression, input: bigint): boolean {
  if (expression.op === 'in') {
    const of = worthOf(expression.of, input);
    const found = expression.values.some((value) => finest(value as bigint, expression.of.type) === of);
    return found !== expression.negated;
  }
  if (expression.op !== 'compare') throw new Error(`${expression.op} is not a comparison`);
  return holds(expression.comparison, worthOf(expression.left, input), worthOf(expression.right, input));
}

const exactTypes: readonly SqlType[] = [
  { type: 'integer' },
  ...[0, 1, 2, 7].map((scale): SqlType => ({ type: 'decimal', scale })),
];
const dateTypes: readonly SqlType[] = [{ type: 'date' }, { type: 'datetime' }];

/** Small values, so that equal and neighbouring values are frequent, and the extremes of the stored types. */
function someValue(prng: Prng, type: SqlType): bigint {
  if (type.type === 'date') return BigInt(prng.between(-3, 3));
  if (type.type === 'datetime') return BigInt(prng.between(-3, 3)) * 86_400n + BigInt(prng.between(-1, 1));
  const step = type.type === 'decimal' ? 10n ** BigInt(type.scale) : 1n;
  const ends = [9_223_372_036_854_775_807n, -9_223_372_036_854_775_808n];
  if (prng.below(10) === 0) return prng.pick(ends);
  return BigInt(prng.between(-3, 3)) * step + BigInt(prng.between(-1, 1));
}

t.test(
  'a comparison of exact values of any types gives the same result as comparing the values',
  async (t) => {
    const prng = new Prng(SEED);
    let wrong = 0;
    for (let round = 0; round < 40_000; round++) {
      const types = prng.below(3) === 0 ? dateTypes : exactTypes;
      const type = prng.pick(types);
      const constant: Constant = constantOf(prng.pick(types), 0n);
      const other: Constant = { ...constant, value: someValue(prng, constant.type) };
      const comparison = prng.pick(COMPARISONS);
      const flipped = prng.below(2) === 0;
      const input: Expression = { op: 'input', type, input: 0 };
      const sides: readonly [Expression, Expression] = flipped ? [other, input] : [input, other];
      const bound = compared(comparison, ...sides, POSITION, testScope);
      if (expressionErrors(bound, [type]).length > 0) wrong++;
      const value = someValue(prng, type);
      const values = [finest(value, type), finest(other.value as bigint, other.type)] as const;
      const expected = flipped ? holds(comparison, values[1], values[0]) : holds(comparison, ...values);
      if (answer(bound, value) !== expected) wrong++;
    }
    t.equal(wrong, 0);
  },
);

t.test(
  'a column of exact values is compared in stored form, without a cast, with every constant of its kind',
  async (t) => {
    const prng = new Prng(SEED + 1);
    let cast = 0;
    for (let round = 0; round < 2_000; round++) {
      const types = prng.below(3) === 0 ? dateTypes : exactTypes;
      const type = prng.pick(types);
      const other = prng.pick(types);
      const bound = compared(
        prng.pick(COMPARISONS),
        constantOf(other, someValue(prng, other)),
        { op: 'input', type, input: 0 },
        POSITION,
        testScope,
      );
      const of = bound.op === 'in' ? bound.of : bound.op === 'compare' ? bound.left : bound;
      if (of.op !== 'input') cast++;
    }
    t.equal(cast, 0);
  },
);

t.test('IN gives the same result as its comparisons', async (t) => {
  const prng = new Prng(SEED + 2);
  let wrong = 0;
  for (let round = 0; round < 3_000; round++) {
    const texts = Array.from({ length: prng.between(1, 5) }, () => {
      return `${prng.between(0, 4)}${prng.pick(['', '', '.0', '.5', '.00', '.001'])}`;
    });
    const name = prng.pick(['age', 'salary']);
    const negated = prng.below(2) === 0;
    const set = bindScalar(oneOf(column(name), texts.map(number), negated), testScope);
    const value = BigInt(prng.between(0, 4)) * (name === 'age' ? 1n : 50n);
    const equal = texts.some((text) => {
      return answer(bindScalar(compare(column(name), '=', number(text)), testScope), value);
    });
    if (answer(set, value) !== (equal !== negated)) wrong++;
  }
  t.equal(wrong, 0);
});
