import t from 'tap';
import { INT64_MAX, INT64_MIN, Prng } from '../../src/base/index.js';
import { formatDecimal, scaleDecimal } from '../../src/schema/index.js';

const SEED = 77;
t.comment(`seed ${SEED}`);

t.test('a scaled decimal is written without trailing zeros and parses to itself', async (t) => {
  const prng = new Prng(SEED);
  const extremes = [0n, 1n, -1n, 10n, INT64_MAX, INT64_MIN, 900_000n, -1_500n];
  for (let round = 0; round < 5_000; round++) {
    const places = prng.between(1, 20);
    const value =
      round < extremes.length
        ? extremes[round]
        : BigInt.asIntN(64, ((BigInt(prng.u32()) << 32n) | BigInt(prng.u32())) >> BigInt(prng.below(64)));
    const text = formatDecimal(value, places);
    if (/\.\d*0$/.test(text)) t.fail(`${text} ends in a zero`);
    const scaled = scaleDecimal(text, places);
    if (!('value' in scaled) || scaled.value !== value) t.fail(`${value} at ${places} places: ${text}`);
  }
  t.equal(formatDecimal(1_000_001_123n, 3), '1000001.123');
  t.equal(formatDecimal(900_000n, 3), '900');
});

t.test('exponents and leading or trailing zeros do not matter, and no digit is rounded', async (t) => {
  t.strictSame(scaleDecimal('1.5e3', 2), { value: 150_000n });
  t.strictSame(scaleDecimal('1500E-3', 1), { value: 15n });
  t.strictSame(scaleDecimal('-0.000', 3), { value: 0n });
  t.strictSame(scaleDecimal('2.5000', 1), { value: 25n });
  t.strictSame(scaleDecimal('0.125', 2), { reason: 'too-many-places' });
  t.strictSame(scaleDecimal('1e-7', 6), { reason: 'too-many-places' });
  t.strictSame(scaleDecimal('92233720368547758.07', 2), { value: INT64_MAX });
  t.strictSame(scaleDecimal('92233720368547758.08', 2), { reason: 'out-of-range' });
  t.strictSame(scaleDecimal('-92233720368547758.08', 2), { value: INT64_MIN });
  t.strictSame(scaleDecimal('1e400', 2), { reason: 'out-of-range' });
  t.strictSame(scaleDecimal('1e-99999999999', 2), { reason: 'too-many-places' });
  for (const text of ['', '.5', '1.', '1e', 'NaN', '0x10', '1 ']) {
    t.strictSame(scaleDecimal(text, 2), { reason: 'not-a-number' }, text);
  }
});
