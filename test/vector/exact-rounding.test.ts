import t from 'tap';
import { Prng } from '../../src/base/index.js';
import {
  nearest,
  nearestRootOfUnits,
  roundedQuotient,
  UNIT_BITS,
  unitsOf,
} from '../../src/vector/exact-rounding.js';

const SEED = 161_803;
t.comment(`seed ${SEED}`);

/** Any finite double, from random bits. */
function anyDouble(prng: Prng): number {
  const words = new Uint32Array([prng.u32(), prng.u32()]);
  const [double] = new Float64Array(words.buffer);
  return Number.isFinite(double) ? double : anyDouble(prng);
}

const EDGES = [
  0,
  5e-324,
  1e-323,
  2.2250738585072014e-308,
  2.225073858507201e-308,
  1,
  0.1,
  2 ** 53,
  Number.MAX_VALUE,
];

function someDouble(prng: Prng): number {
  const double = prng.pick([prng.pick(EDGES), anyDouble(prng), prng.between(-9, 9), prng.unit()]);
  return prng.chance(0.5) ? double : -double;
}

/**
 * Twice the units halfway between a double and the adjacent doubles. Above the greatest double, infinity begins there.
 */
function neighbours(double: number): { below: bigint; above: bigint; isEven: boolean } {
  const bits = new BigInt64Array(new Float64Array([Math.abs(double)]).buffer);
  const units = (of: bigint): bigint => {
    if (of < 0n) return -1n;
    if (of === 0x7ff0000000000000n) return 1n << BigInt(UNIT_BITS + 1_024);
    return unitsOf(new Float64Array(new BigInt64Array([of]).buffer)[0]);
  };
  const [own, less, more] = [units(bits[0]), units(bits[0] - 1n), units(bits[0] + 1n)];
  return { below: own + less, above: own + more, isEven: bits[0] % 2n === 0n };
}

/** Whether `double` is nearest to numerator / denominator units. */
function isNearest(double: number, numerator: bigint, denominator: bigint): boolean {
  if (!Number.isFinite(double)) {
    const { above } = neighbours(Number.MAX_VALUE);
    return (numerator < 0n ? -numerator : numerator) * 2n >= above * denominator;
  }
  if (double !== 0 && double < 0 !== numerator < 0n) return false;
  const twice = (numerator < 0n ? -numerator : numerator) * 2n;
  const { below, above, isEven } = neighbours(double);
  const [low, high] = [below * denominator, above * denominator];
  return isEven ? twice >= low && twice <= high : twice > low && twice < high;
}

t.test('every double is a whole number of units, and the nearest double to it', async (t) => {
  const prng = new Prng(SEED);
  for (let round = 0; round < 2_000; round++) {
    const double = someDouble(prng);
    if (nearest(unitsOf(double), 1n, -UNIT_BITS) !== double + 0) t.fail(`${double}`);
  }
  t.equal(unitsOf(5e-324), 1n);
  t.equal(unitsOf(-1), -(1n << 1_074n));
  t.equal(unitsOf(Number.MAX_VALUE), ((1n << 53n) - 1n) << BigInt(1_074 + 971));
});

t.test('quotients are rounded once, halves to the even double, over the whole range', async (t) => {
  const prng = new Prng(SEED);
  for (let round = 0; round < 4_000; round++) {
    const sum = unitsOf(someDouble(prng)) + unitsOf(someDouble(prng)) + BigInt(prng.below(3));
    const divisor = prng.pick([1n, 2n, 3n, BigInt(1 + prng.below(2 ** 31)), 10n ** 30n + 1n]);
    const double = nearest(sum, divisor, -UNIT_BITS);
    if (!isNearest(double, sum, divisor)) t.fail(`${sum} / ${divisor} is not ${double}`);
  }
  t.equal(nearest(1n, 3n), 1 / 3);
  t.equal(nearest(0n, 7n), 0);
  t.equal(nearest(unitsOf(Number.MAX_VALUE) * 2n, 1n, -UNIT_BITS), Number.POSITIVE_INFINITY);
  t.equal(nearest(-unitsOf(Number.MAX_VALUE) * 2n, 1n, -UNIT_BITS), Number.NEGATIVE_INFINITY);
});

t.test('numbers halfway between two doubles are rounded to the even one', async (t) => {
  const prng = new Prng(SEED);
  for (let round = 0; round < 1_000; round++) {
    const double = Math.abs(someDouble(prng));
    const { above } = neighbours(double);
    for (const [numerator, what] of [
      [above, 'half'],
      [above * 2n + 1n, 'more'],
      [above * 2n - 1n, 'less'],
    ] as const) {
      const denominator = what === 'half' ? 2n : 4n;
      if (!isNearest(nearest(numerator, denominator, -UNIT_BITS), numerator, denominator))
        t.fail(`${double} ${what}`);
    }
  }
});

t.test('roots are rounded once, including roots below the normal doubles', async (t) => {
  const prng = new Prng(SEED);
  for (let round = 0; round < 2_000; round++) {
    const units = unitsOf(Math.abs(someDouble(prng)));
    const square = units * units + BigInt(prng.below(2)) * BigInt(prng.below(1_000));
    const divisor = prng.pick([1n, 2n, 4n, BigInt(1 + prng.below(2 ** 31))]);
    const double = nearestRootOfUnits(square, divisor, -UNIT_BITS);
    const { below, above, isEven } = neighbours(Number.isFinite(double) ? double : Number.MAX_VALUE);
    if (!Number.isFinite(double)) {
      if (4n * square < above * above * divisor) t.fail(`root of ${square} / ${divisor} is not infinite`);
      continue;
    }
    const [low, high] = [below < 0n ? -1n : below * below * divisor, above * above * divisor];
    const isRight = isEven
      ? 4n * square >= low && 4n * square <= high
      : 4n * square > low && 4n * square < high;
    if (!isRight) t.fail(`the root of ${square} / ${divisor} is not ${double}`);
  }
  t.equal(nearestRootOfUnits(2n, 1n), Math.SQRT2);
  t.equal(nearestRootOfUnits(0n, 5n), 0);
  t.equal(nearestRootOfUnits(1n, 4n, -UNIT_BITS), 0, 'half of the least double');
  t.equal(nearestRootOfUnits(1n, 3n, -UNIT_BITS), 5e-324, 'more than half of it');
  t.equal(nearestRootOfUnits(9n, 4n, -UNIT_BITS), 1e-323, 'one and a half times it');
});

t.test('quotients are rounded to whole numbers, halves away from zero', async (t) => {
  const cases = [
    [5n, 2n, 3n],
    [-5n, 2n, -3n],
    [7n, 3n, 2n],
    [-7n, 3n, -2n],
    [8n, 3n, 3n],
    [0n, 9n, 0n],
  ] as const;
  for (const [numerator, denominator, whole] of cases)
    t.equal(roundedQuotient(numerator, denominator), whole);
});
