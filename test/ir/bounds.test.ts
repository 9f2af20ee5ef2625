import t from 'tap';
import { INT64_MAX, INT64_MIN, Prng } from '../../src/base/index.js';
import { numberBound } from '../../src/ir/bounds.js';

/** Computes floor and ceil of text x 10^places with big integers. */
function slowBound(text: string, places: number): readonly [bigint, bigint] {
  const [mantissa, exponent = '0'] = text.split('e');
  const [whole, fraction = ''] = mantissa.split('.');
  const shift = Number(exponent) + places - fraction.length;
  const digits = BigInt(whole + fraction);
  const over = shift >= 0 ? digits * 10n ** BigInt(shift) : digits;
  const under = shift >= 0 ? 1n : 10n ** BigInt(-shift);
  const towardsZero = over / under;
  if (towardsZero * under === over) return [towardsZero, towardsZero];
  return over < 0n ? [towardsZero - 1n, towardsZero] : [towardsZero, towardsZero + 1n];
}

t.test('bounds of numbers are exact floors and ceilings, seed 9', async (t) => {
  const prng = new Prng(9);
  const digits = (count: number): string => Array.from({ length: count }, () => prng.below(10)).join('');
  for (let round = 0; round < 3000; round++) {
    const sign = prng.chance(0.5) ? '-' : '';
    const fraction = prng.chance(0.6) ? `.${digits(prng.between(1, 24))}` : '';
    const exponent = prng.chance(0.3) ? `e${prng.between(-25, 25)}` : '';
    // A leading zero avoids "-.5", which the JSON grammar does not allow.
    const text = `${sign}${prng.chance(0.3) ? '0' : `${prng.between(1, 9)}${digits(prng.below(22))}`}${fraction}${exponent}`;
    const places = prng.pick([0, 1, 3, 20]);
    const [floor, ceil] = slowBound(text, places);
    const expected =
      floor > INT64_MAX
        ? { floor: INT64_MAX, ceil: INT64_MAX + 1n }
        : ceil < INT64_MIN
          ? { floor: INT64_MIN - 1n, ceil: INT64_MIN }
          : { floor, ceil };
    t.strictSame(numberBound(text, places), expected, `${text} at ${places} places`);
  }
});

t.test('a text that is not a number has no bound', async (t) => {
  for (const text of ['', ' 1', '1 ', '+1', '.5', '1.', '0x10', 'NaN', 'Infinity', '1_000', '١', '1,5']) {
    t.equal(numberBound(text, 0), null, text);
  }
});
