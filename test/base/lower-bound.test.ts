import t from 'tap';
import { lowerBound, nextLowerBound, Prng } from '../../src/base/index.js';

const SEED = 41;

t.test('the result is the first number that is not below the value, or the end of the range', async (t) => {
  const prng = new Prng(SEED);
  for (let round = 0; round < 2_000; round++) {
    const length = prng.below(20);
    const ascending = Uint32Array.from({ length }, () => prng.below(30)).sort();
    const from = prng.below(length + 1);
    const to = prng.between(from, length);
    const value = prng.below(32);
    let expected = from;
    while (expected < to && ascending[expected] < value) expected++;
    t.equal(
      lowerBound(ascending, value, from, to),
      expected,
      `seed ${SEED}: [${ascending}] ${value} ${from} ${to}`,
    );
  }
});

t.test('the next one is the same, up to the end', async (t) => {
  const prng = new Prng(SEED);
  for (let round = 0; round < 2_000; round++) {
    const length = prng.below(60);
    const ascending = Uint32Array.from({ length }, () => prng.below(90)).sort();
    const [from, value] = [prng.below(length + 1), prng.below(92)];
    const expected = lowerBound(ascending, value, from);
    t.equal(
      nextLowerBound(ascending, value, from),
      expected,
      `seed ${SEED}: [${ascending}] ${value} ${from}`,
    );
  }
});

t.test('numbers beyond 2^31 are unsigned', async (t) => {
  t.equal(lowerBound(Uint32Array.of(1, 2 ** 31, 2 ** 32 - 1), 2 ** 32 - 1), 2);
});
