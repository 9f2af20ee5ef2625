import t from 'tap';
import { Prng, runToEnd, SLICE_TEXTS } from '../../src/base/index.js';
import { mergeSort } from '../../src/plan/merge-sort.js';

const SEED = 480_453;
t.comment(`seed ${SEED}`);

t.test('numbers are sorted by the comparison, and equal numbers keep their order', async (t) => {
  const prng = new Prng(SEED);
  for (const count of [0, 1, 2, 7, 8, 9, 16, 17, 100, SLICE_TEXTS, SLICE_TEXTS + 1, 20_001]) {
    for (const range of [1, 5, 1_000_000]) {
      for (const arrange of ['unchanged', 'ascending', 'descending'] as const) {
        const ranks = Array.from({ length: count }, () => prng.below(range));
        if (arrange !== 'unchanged') ranks.sort((a, b) => (arrange === 'ascending' ? a - b : b - a));
        const items = Uint32Array.from(ranks.keys());
        const compare = (a: number, b: number): number => ranks[a] - ranks[b];
        const sorted = runToEnd(mergeSort(items.slice(), new Uint32Array(count), compare));
        t.strictSame(
          sorted,
          Uint32Array.from([...items].sort(compare)),
          `${count} below ${range} ${arrange}`,
        );
      }
    }
  }
});

t.test('every input order costs at most n log n comparisons', async (t) => {
  const count = 2 ** 16;
  const orders = [(at: number) => at, (at: number) => -at, (at: number) => Math.imul(at, 0x9e3779b1)];
  for (const rankOf of orders) {
    let comparisons = 0;
    const items = Uint32Array.from({ length: count }, (_, at) => at);
    const compare = (a: number, b: number): number => {
      comparisons++;
      return rankOf(a) - rankOf(b);
    };
    runToEnd(mergeSort(items, new Uint32Array(count), compare));
    t.ok(comparisons < count * 18, `${comparisons} comparisons`);
  }
});
