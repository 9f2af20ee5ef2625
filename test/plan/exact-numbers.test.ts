import t from 'tap';
import { Prng } from '../../src/base/index.js';
import { decimalToken, floatToken, nearestDouble } from '../../src/plan/exact-numbers.js';

const SEED = 316_227;
t.comment(`seed ${SEED}`);

interface Rational {
  readonly top: bigint;
  readonly bottom: bigint;
}

/** A double as a fraction. */
function rationalOf(value: number): Rational {
  let [mantissa, bottom] = [value, 1n];
  while (!Number.isInteger(mantissa)) {
    mantissa *= 2;
    bottom *= 2n;
  }
  return { top: BigInt(mantissa), bottom };
}

const sum = (a: Rational, b: Rational): Rational => ({
  top: a.top * b.bottom + b.top * a.bottom,
  bottom: a.bottom * b.bottom,
});
const compare = (a: Rational, b: Rational): number => {
  const difference = a.top * b.bottom - b.top * a.bottom;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
};

/** The adjacent doubles. */
function neighbours(value: number): readonly [below: number, above: number] {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigInt64(0);
  const at = (moved: bigint): number => {
    view.setBigInt64(0, moved);
    return view.getFloat64(0);
  };
  return value > 0 ? [at(bits - 1n), at(bits + 1n)] : [at(bits + 1n), at(bits - 1n)];
}

function isEven(value: number): boolean {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  return (view.getBigInt64(0) & 1n) === 0n;
}

/**
 * Whether `found` is the double nearest to the value of `versus`, which returns a negative number for a smaller
 * fraction.
 */
function isNearest(found: number, versus: (fraction: Rational) => number): boolean {
  const [below, above] = neighbours(found);
  const half = ({ top, bottom }: Rational): Rational => ({ top, bottom: bottom * 2n });
  const low = versus(half(sum(rationalOf(below), rationalOf(found))));
  const high = versus(half(sum(rationalOf(found), rationalOf(above))));
  if (low === 0 || high === 0) return isEven(found);
  return low < 0 && high > 0;
}

const prng = new Prng(SEED);

/** Often near powers of two, where the distance between doubles changes. */
function positive(): bigint {
  const bits = prng.between(1, 150);
  if (prng.chance(0.3)) return 2n ** BigInt(bits) + BigInt(prng.between(0, 6));
  let value = 1n;
  while (value.toString(2).length < bits) value = (value << 32n) | BigInt(prng.u32());
  return value >> BigInt(value.toString(2).length - bits);
}

t.test('a quotient is rounded once, to the nearest double', async (t) => {
  const wrong: string[] = [];
  for (let round = 0; round < 20_000; round++) {
    const exact = { top: positive() * (prng.chance(0.5) ? -1n : 1n), bottom: positive() };
    const found = nearestDouble(exact.top, exact.bottom);
    if (!isNearest(found, (fraction) => compare(fraction, exact))) {
      wrong.push(`${exact.top} / ${exact.bottom} = ${found}`);
    }
  }
  t.strictSame(wrong, []);
});

t.test(
  'halfway values are rounded to the even double, and slightly greater values are rounded up',
  async (t) => {
    for (const base of [2n ** 53n, 2n ** 63n, 2n ** 100n]) {
      const step = base / 2n ** 52n;
      for (const scale of [1n, 10n, 3n ** 50n]) {
        const half = base + step / 2n;
        t.equal(nearestDouble(half * scale, scale), Number(base), `${half}`);
        t.equal(nearestDouble(half * scale + 1n, scale), Number(base + step));
        t.equal(nearestDouble((half + step) * scale, scale), Number(base + 2n * step));
        t.equal(nearestDouble((half + step) * scale - 1n, scale), Number(base + step));
        t.equal(nearestDouble(-half * scale - 1n, scale), -Number(base + step));
      }
    }
    t.equal(nearestDouble(0n, 10n ** 40n), 0);
  },
);

t.test('a float always has a fraction and never an exponent, and is parsed to the same float', async (t) => {
  const examples: readonly [number, string][] = [
    [0, '0.0'],
    [19, '19.0'],
    [-1.5, '-1.5'],
    [1e21, '1000000000000000000000.0'],
    [1.5e21, '1500000000000000000000.0'],
    [-1.2345e25, '-12345000000000000000000000.0'],
    [1e-7, '0.0000001'],
    [-2.5e-9, '-0.0000000025'],
    [2 ** 66, '73786976294838210000.0'],
    [2 ** 53 + 2, '9007199254740994.0'],
  ];
  for (const [value, token] of examples) t.equal(floatToken(value), token);
  for (let round = 0; round < 5_000; round++) {
    const value = (prng.unit() - 0.5) * 10 ** prng.between(-30, 45);
    const token = floatToken(value);
    if (!/^-?\d+\.\d+$/.test(token) || JSON.parse(token) !== value) t.fail(`${value} is written ${token}`);
  }
});

t.test('a decimal has all its digits, and one zero if it has no fraction', async (t) => {
  t.equal(decimalToken(450_000_330_000n, 3), '450000330.0');
  t.equal(decimalToken(1_000_001_100n, 3), '1000001.1');
  t.equal(decimalToken(0n, 6), '0.0');
  t.equal(decimalToken(-5n, 1), '-0.5');
  t.equal(decimalToken(-700n, 2), '-7.0');
  t.equal(decimalToken(2n ** 70n + 1n, 2), '11805916207174113034.25');
  t.equal(decimalToken(1n, 20), '0.00000000000000000001');
});
