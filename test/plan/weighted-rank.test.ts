import t from 'tap';
import { INT64_MAX, INT64_MIN, Prng, runToEnd } from '../../src/base/index.js';
import { RankFinder } from '../../src/plan/weighted-rank.js';

const SEED = 264_575;
t.comment(`seed ${SEED}`);

const wordsOf = (values: readonly bigint[]): Uint32Array =>
  new Uint32Array(BigInt64Array.from(values).buffer);

const integerAt = (words: Uint32Array, index: number): bigint =>
  BigInt.asIntN(64, (BigInt(words[2 * index + 1]) << 32n) | BigInt(words[2 * index]));

t.test('the values at a rank equal those of the sorted list', async (t) => {
  const prng = new Prng(SEED);
  for (const size of [1, 2, 31, 33, 2_000]) {
    for (const shift of [0n, 20n, 50n]) {
      const distinct = new Set<bigint>([INT64_MIN, INT64_MAX, 0n, -1n]);
      while (distinct.size < size + 4) {
        distinct.add(BigInt.asIntN(64, (BigInt(prng.u32()) * BigInt(prng.between(-3, 3))) << shift));
        if (prng.chance(0.5)) distinct.add(BigInt(prng.between(-size, size)));
      }
      const values = [...distinct].slice(prng.below(5)).slice(0, size);
      const words = wordsOf(values);
      const counts = Float64Array.from(values, () => prng.between(1, 4));
      const finder = new RankFinder({ words, counts }, size);
      const all = values.flatMap((value, index) => Array<bigint>(counts[index]).fill(value));
      all.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
      const set = Uint32Array.from(values.keys());
      const ranks = [0, all.length - 1, ...Array.from({ length: 60 }, () => prng.below(all.length))];
      const wrong = ranks.filter((rank) => {
        const [low, high] = runToEnd(finder.pairAt(set, rank));
        const next = all[Math.min(rank + 1, all.length - 1)];
        return integerAt(words, low) !== all[rank] || integerAt(words, high) !== next;
      });
      t.strictSame(wrong, [], `${size} values shifted by ${shift}`);
    }
  }
});

t.test('values outside the set are not counted', async (t) => {
  const words = wordsOf([5n, 1n, 9n, 7n, 3n]);
  const finder = new RankFinder({ words, counts: Float64Array.of(1, 100, 1, 1, 100) }, 5);
  const pair = runToEnd(finder.pairAt(Uint32Array.of(3, 0, 2), 1));
  t.strictSame(
    pair.map((value) => integerAt(words, value)),
    [7n, 9n],
  );
});

t.test('counts of billions are added exactly', async (t) => {
  const words = wordsOf([2n, 1n]);
  const finder = new RankFinder({ words, counts: Float64Array.of(2 ** 51, 2 ** 52) }, 2);
  const at = (rank: number): bigint[] =>
    runToEnd(finder.pairAt(Uint32Array.of(0, 1), rank)).map((value) => integerAt(words, value));
  t.strictSame(at(2 ** 52 - 2), [1n, 1n]);
  t.strictSame(at(2 ** 52 - 1), [1n, 2n]);
  t.strictSame(at(2 ** 52), [2n, 2n]);
  t.throws(() => at(2 ** 51 + 2 ** 52), { name: 'InvariantError' });
});
