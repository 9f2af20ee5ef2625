import t from 'tap';
import { Prng, runToEnd } from '../../src/base/index.js';
import type { TopLevel, ValueCounts } from '../../src/ir/index.js';
import { bestOf, isCertain } from '../../src/plan/best-values.js';
import { mergeMemory } from '../../src/plan/merge-memory.js';
import { topValues } from '../../src/plan/top-values.js';
import { mergeCounts } from '../../src/plan/value-merge.js';

const SEED = 577_215;
t.comment(`seed ${SEED}`);

type Counts = ReadonlyMap<number, number>;

const level = (limit: number, minQuantity: number): TopLevel => ({
  source: { from: 'attribute', columnId: 1, kind: 'i64' },
  tests: [],
  limit,
  minQuantity,
  type: 'integer',
  decimalPlaces: null,
});

/** The partial of a shard that returns all values with a count above the `best`th. */
function partialOf(counts: Counts, best: number): ValueCounts {
  const sorted = [...counts.values()].sort((a, b) => b - a);
  const restMax = sorted.length <= best ? 0 : sorted[best - 1];
  const named = [...counts].filter(([, count]) => count > restMax);
  return {
    answers: 'values',
    values: { kind: 'i64', words: Uint32Array.from(named.flatMap(([value]) => [value, 0])) },
    counts: Float64Array.from(named, ([, count]) => count),
    groupKeys: null,
    restMax,
  };
}

function wantedTop(shards: readonly Counts[], { limit, minQuantity }: TopLevel): [string, number][] {
  const sums = new Map<string, number>();
  for (const shard of shards) {
    for (const [value, count] of shard) sums.set(String(value), (sums.get(String(value)) ?? 0) + count);
  }
  return [...sums]
    .filter(([, count]) => count >= minQuantity)
    .sort(([a, left], [b, right]) => right - left || (a < b ? -1 : 1))
    .slice(0, limit);
}

t.test('a certain result is the top of all values, with their total quantities', async (t) => {
  const prng = new Prng(SEED);
  let certain = 0;
  let open = 0;
  for (let round = 0; round < 4_000; round++) {
    const valueCount = prng.between(1, 60);
    const steep = prng.pick([1, 1, 4, 30]);
    const shards = Array.from({ length: prng.pick([1, 2, 3, 7]) }, () => {
      const counts = new Map<number, number>();
      for (let value = 0; value < valueCount; value++) {
        const count = prng.below(3 + Math.floor((steep * 20) / (1 + value)));
        if (count > 0) counts.set(value, count);
      }
      return counts;
    });
    const requested = level(prng.between(1, 8), prng.pick([1, 1, 1, 5, 40]));
    const partials = shards.map((counts) => partialOf(counts, prng.between(1, 30)));
    const budget = mergeMemory(2 ** 30);
    const counted = runToEnd(mergeCounts(partials, budget));
    const rows = runToEnd(topValues(requested, counted, 1, 0, budget));
    if (!runToEnd(isCertain(requested, partials, counted, rows, budget))) {
      open++;
      continue;
    }
    certain++;
    const found = rows.texts.map((text, index) => [text, rows.quantities[index]]);
    const wanted = wantedTop(shards, requested);
    if (JSON.stringify(found) !== JSON.stringify(wanted)) {
      t.fail(`round ${round}: ${JSON.stringify(found)} instead of ${JSON.stringify(wanted)}`);
      return;
    }
  }
  t.comment(`${certain} certain, ${open} not`);
  t.ok(certain > 500 && open > 500, 'both results occur');
});

t.test('partials that omit nothing are always certain', async (t) => {
  const partials = [new Map([[1, 2]]), new Map([[2, 2]])].map((counts) => partialOf(counts, 10));
  const budget = mergeMemory(2 ** 20);
  const requested = level(1, 1);
  const counted = runToEnd(mergeCounts(partials, budget));
  t.ok(
    runToEnd(
      isCertain(requested, partials, counted, runToEnd(topValues(requested, counted, 1, 0, budget)), budget),
    ),
  );
  t.ok(
    runToEnd(isCertain(requested, [], null, runToEnd(topValues(requested, null, 1, 0, budget)), budget)),
    'partials without values are certain',
  );
});

t.test('several times the number of needed values is requested from a shard', async (t) => {
  t.equal(bestOf(level(1, 1)), 1_024);
  t.equal(bestOf(level(1_000, 1)), 4_000);
});
