import t from 'tap';
import { Prng, runToEnd } from '../../../src/base/index.js';
import { distinctBits, distinctCount, type Run, valueAtRank } from '../../../src/plan/select/sorted-runs.js';

const SEED = Date.now() % 1_000_000;
t.comment(`seed ${SEED}`);

/** `count` runs within arrays that contain other values around them. */
function generateRuns(prng: Prng, count: number, range: number): Run[] {
  return Array.from({ length: count }, () => {
    const length = prng.pick([0, 1, 5, 40, 300]);
    const [before, after] = [prng.below(3), prng.below(3)];
    const values = Float64Array.from({ length }, () => prng.below(range)).sort();
    const all = new Float64Array(before + length + after).fill(-1);
    all.set(values, before);
    return { values: all, from: before, to: before + length };
  });
}

const valuesOf = (runs: readonly Run[]): number[] =>
  runs.flatMap(({ values, from, to }) => [...values.subarray(from, to)]).sort((a, b) => a - b);

t.test(
  'the value at each rank of several sorted runs equals that of all values sorted together',
  async (t) => {
    const prng = new Prng(SEED);
    for (let round = 0; round < 60; round++) {
      const runs = generateRuns(prng, prng.between(1, 6), prng.pick([1, 3, 50, 100_000]));
      const sorted = valuesOf(runs);
      t.strictSame(
        sorted.map((_, rank) => valueAtRank(runs, rank)),
        sorted,
      );
      t.equal(distinctCount(runs), new Set(sorted).size);
    }
  },
);

t.test('bits of several ranges are counted once', async (t) => {
  const prng = new Prng(SEED);
  t.equal(runToEnd(distinctBits([])), 0);
  for (let round = 0; round < 40; round++) {
    const different = new Set<number>();
    const states = Array.from({ length: prng.between(1, 4) }, () => {
      const least = prng.between(-20, 20) * 32;
      const words = new Uint32Array(prng.between(1, 30));
      for (let value = least; value < least + words.length * 32; value++) {
        if (!prng.chance(0.2)) continue;
        different.add(value);
        words[(value - least) >> 5] |= 1 << ((value - least) & 31);
      }
      return { holds: 'bits', least, words } as const;
    });
    t.equal(runToEnd(distinctBits(states)), different.size);
  }
});
