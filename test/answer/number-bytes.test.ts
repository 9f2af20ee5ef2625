import t from 'tap';
import { ByteWriter } from '../../src/answer/byte-writer.js';
import {
  putDate,
  putDateTime,
  putDecimal,
  putFloat,
  putInteger,
  putScaled,
  putWideDecimal,
  putWideScaled,
} from '../../src/answer/number-bytes.js';
import { Prng } from '../../src/base/index.js';
import { daysFromCivil, formatDate, formatDateTime } from '../../src/schema/index.js';

const SEED = 61;
t.comment(`seed ${SEED}`);

const SAFE_MAX = Number.MAX_SAFE_INTEGER;

/** The first value whose text differs from the expected one, or null. */
function firstWrong<T>(
  put: (out: ByteWriter, value: T) => void,
  values: Iterable<T>,
  wanted: (value: T) => string,
): string | null {
  const out = new ByteWriter();
  for (const value of values) {
    put(out, value);
    const found = Buffer.from(out.take()).toString();
    if (found !== wanted(value)) return `${value}: ${found} instead of ${wanted(value)}`;
  }
  return null;
}

/** Integers of every length, and the neighbors of powers of ten and two. */
function* integers(prng: Prng): Generator<number> {
  for (let exponent = 0; exponent <= 15; exponent++) {
    for (const near of [-1, 0, 1]) yield* [10 ** exponent + near, -(10 ** exponent) - near];
  }
  for (let exponent = 0; exponent < 53; exponent++) yield* [2 ** exponent, 1 - 2 ** (exponent + 1)];
  for (let count = 0; count < 5_000; count++) {
    const value = Math.floor(prng.unit() * 10 ** prng.between(0, 15));
    yield prng.chance(0.5) ? value : -value;
  }
  yield* [SAFE_MAX, -SAFE_MAX];
}

t.test('integers keep every digit', async (t) => {
  t.equal(firstWrong(putInteger, integers(new Prng(SEED)), String), null);
});

t.test('decimals are exact at every scale', async (t) => {
  for (let scale = 0; scale <= 38; scale++) {
    const wanted = (value: number): string => {
      const digits = String(Math.abs(value)).padStart(scale + 1, '0');
      const fraction = digits.slice(digits.length - scale).replace(/0+$/, '');
      const whole = digits.slice(0, digits.length - scale);
      return `${value < 0 ? '-' : ''}${whole}.${scale === 0 ? '0' : fraction || '0'}`;
    };
    const values = [...integers(new Prng(SEED + scale))];
    const put = (out: ByteWriter, value: number): void => putDecimal(out, value, scale);
    const putWide = (out: ByteWriter, value: number): void => putWideDecimal(out, BigInt(value), scale);
    t.equal(firstWrong(put, values, wanted), null, `scale ${scale}`);
    t.equal(firstWrong(putWide, values, wanted), null, `scale ${scale}, wide`);
  }
});

t.test('decimals of PostgreSQL have all digits of their scale', async (t) => {
  for (let scale = 0; scale <= 38; scale++) {
    const wanted = (value: number): string => {
      const digits = String(Math.abs(value)).padStart(scale + 1, '0');
      const whole = digits.slice(0, digits.length - scale);
      return `${value < 0 ? '-' : ''}${whole}${scale === 0 ? '' : `.${digits.slice(-scale)}`}`;
    };
    const values = [...integers(new Prng(SEED + scale))];
    const put = (out: ByteWriter, value: number): void => putScaled(out, value, scale);
    const putWide = (out: ByteWriter, value: number): void => putWideScaled(out, BigInt(value), scale);
    t.equal(firstWrong(put, values, wanted), null, `scale ${scale}`);
    t.equal(firstWrong(putWide, values, wanted), null, `scale ${scale}, wide`);
  }
});

t.test(
  'floats are the shortest texts that parse to the same double, and never look like integers',
  async (t) => {
    const prng = new Prng(SEED);
    const bits = new DataView(new ArrayBuffer(8));
    function* doubles(): Generator<number> {
      for (let count = 0; count < 20_000; count++) {
        yield Math.round(prng.unit() * 10 ** prng.between(0, 15)) / 10 ** prng.between(0, 9);
        yield (prng.unit() - 0.5) * 10 ** prng.between(-8, 11);
        // The next double after a decimal of few digits has another text.
        bits.setFloat64(0, prng.below(1e6) / 1e3);
        bits.setUint32(4, bits.getUint32(4) + prng.between(-2, 2));
        yield bits.getFloat64(0);
        bits.setUint32(0, prng.u32());
        bits.setUint32(4, prng.u32());
        if (Number.isFinite(bits.getFloat64(0))) yield bits.getFloat64(0);
      }
      yield* [0, -0, 1e21, 1e20, -1e21, 999_999_999.5, 1e9, 1e-6, 1e-7, 1.5e-6, 0.3, 0.1 + 0.2];
    }
    const wanted = (value: number): string => (/[.e]/.test(String(value)) ? String(value) : `${value}.0`);
    t.equal(firstWrong(putFloat, doubles(), wanted), null);
  },
);

t.test('dates and datetimes equal those of the calendar in all four-digit years', async (t) => {
  const [from, to] = [daysFromCivil(0, 1, 1), daysFromCivil(10_000, 1, 1)];
  function* days(): Generator<number> {
    for (let day = from; day < to; day += 37) yield day;
    for (let year = 0; year < 10_000; year += 7) {
      for (const [month, day] of [
        [1, 1],
        [2, 28],
        [3, 1],
        [12, 31],
      ] as const)
        yield daysFromCivil(year, month, day);
    }
  }
  t.equal(firstWrong(putDate, days(), formatDate), null);
  const prng = new Prng(SEED);
  const seconds = Array.from(
    { length: 20_000 },
    () => prng.between(from, to - 1) * 86_400 + prng.below(86_400),
  );
  t.equal(firstWrong(putDateTime, [...seconds, 0, -1, 86_399], formatDateTime), null);
});
