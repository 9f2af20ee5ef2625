import t from 'tap';
import { Prng, runToEnd } from '../../src/base/index.js';
import { mergeMemory } from '../../src/plan/merge-memory.js';
import { sortByKey } from '../../src/plan/radix-sort.js';

const SEED = 360_555;
t.comment(`seed ${SEED}`);

t.test(
  'numbers are sorted by the lowest bits of their keys, and numbers with equal keys keep their order',
  async (t) => {
    const prng = new Prng(SEED);
    for (const bitCount of [1, 11, 12, 22, 32]) {
      for (const count of [0, 1, 3_000]) {
        const range = 2 ** prng.between(0, bitCount);
        const pairs = Array.from({ length: count }, (_, entry) => ({ key: prng.below(range), entry }));
        const sorted = runToEnd(
          sortByKey(
            {
              keys: Uint32Array.from(pairs, ({ key }) => key),
              entries: Uint32Array.from(pairs, ({ entry }) => entry),
            },
            bitCount,
            mergeMemory(count * 8),
          ),
        );
        const expected = pairs.toSorted((a, b) => a.key - b.key || a.entry - b.entry);
        t.strictSame(
          expected.map((_, index) => ({ key: sorted.keys[index], entry: sorted.entries[index] })),
          expected,
          `${count} keys below ${range}`,
        );
      }
    }
  },
);

t.test('sorting by zero bits changes nothing', async (t) => {
  const pairs = { keys: Uint32Array.of(3, 1), entries: Uint32Array.of(0, 1) };
  t.equal(runToEnd(sortByKey(pairs, 0, mergeMemory(100))), pairs);
});

t.test('the task reserves no more memory than the limit', async (t) => {
  const pairs = { keys: new Uint32Array(10), entries: new Uint32Array(10) };
  t.throws(() => runToEnd(sortByKey(pairs, 1, mergeMemory(79))), { code: 9006 });
});
