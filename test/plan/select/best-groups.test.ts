import t from 'tap';
import { Prng, runToEnd } from '../../../src/base/index.js';
import type { GroupPartial, SelectPlan } from '../../../src/ir/index.js';
import { bestOf, finishFirstGroups } from '../../../src/plan/index.js';
import { fromWire, toWire, valueAt, vectorOf } from '../../../src/vector/index.js';
import { COUNT_ROWS } from '../../support/aggregates.js';

const SEED = 577_215;
t.comment(`seed ${SEED}`);

const ENOUGH = 2 ** 30;
const INTEGER = { type: 'integer' } as const;
const input = (index: number) => ({ op: 'input', type: INTEGER, input: index }) as const;
const PLAN: SelectPlan = {
  ...{ databaseId: 1, dimensionId: 2, condition: null, filter: null, events: null, joins: [] },
  inputs: [{ from: 'attribute', type: INTEGER, columnId: 3, kind: 'i64' }],
  ...{ feeds: [], having: null, distinct: false, offset: 0, limit: 10 },
  grouping: { keys: [input(0)], perEntity: false, aggregates: [COUNT_ROWS] },
  outputs: [0, 1].map((index) => ({ name: String(index), type: INTEGER, of: input(index) })),
  order: [{ of: input(1), descending: true }],
};

type Counts = ReadonlyMap<number, number>;

/** The partial of a shard that returns all groups with a count above the `best`th. */
function partialOf(counts: Counts, best: number): GroupPartial {
  const sorted = [...counts.values()].sort((a, b) => b - a);
  const restMax = sorted.length <= best ? 0 : sorted[best - 1];
  const named = [...counts].filter(([, count]) => count > restMax);
  const keys = named.map(([value]) => BigInt(value));
  return {
    groupCount: named.length,
    keys: [toWire(vectorOf(INTEGER, keys))],
    states: [{ holds: 'count', counts: Float64Array.from(named, ([, count]) => count) }],
    restMax,
  };
}

function wantedTop(shards: readonly Counts[], wanted: number): number[][] {
  const sums = new Map<number, number>();
  for (const shard of shards) {
    for (const [value, count] of shard) sums.set(value, (sums.get(value) ?? 0) + count);
  }
  return [...sums].sort(([a, left], [b, right]) => right - left || a - b).slice(0, wanted);
}

t.test('a certain result is the first of all groups, with their total counts', async (t) => {
  const prng = new Prng(SEED);
  let certain = 0;
  let open = 0;
  for (let round = 0; round < 3_000; round++) {
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
    const plan = { ...PLAN, limit: prng.between(1, 8) };
    const partials = shards.map((counts) => partialOf(counts, prng.between(1, 30)));
    const table = runToEnd(finishFirstGroups(plan, partials, ENOUGH));
    if (table === null) {
      open++;
      continue;
    }
    certain++;
    const { columns, rowCount } = table;
    const found = Array.from({ length: rowCount }, (_, row) =>
      columns.map((column) => Number(valueAt(column, row))),
    );
    const wanted = wantedTop(shards, plan.limit);
    if (JSON.stringify(found) !== JSON.stringify(wanted)) {
      t.fail(`round ${round}: ${JSON.stringify(found)} instead of ${JSON.stringify(wanted)}`);
      return;
    }
  }
  t.comment(`${certain} certain, ${open} not`);
  t.ok(certain > 300 && open > 300, 'both results occur');
});

t.test('partials that omit nothing are always certain', async (t) => {
  const partials = [new Map([[1, 2]]), new Map([[2, 2]])].map((counts) => partialOf(counts, 10));
  t.equal(fromWire(partials[0].keys[0]).count, 1);
  t.equal(runToEnd(finishFirstGroups({ ...PLAN, limit: 1 }, partials, ENOUGH))?.rowCount, 1);
  t.equal(runToEnd(finishFirstGroups(PLAN, [], ENOUGH))?.rowCount, 0, 'partials without groups are certain');
});

t.test('several times the number of needed groups is requested, if the plan is led by counts', async (t) => {
  t.equal(bestOf(PLAN), 1_024);
  t.equal(bestOf({ ...PLAN, offset: 500, limit: 500 }), 4_000);
  t.equal(bestOf({ ...PLAN, limit: null }), null);
  t.equal(bestOf({ ...PLAN, limit: 1_000_000 }), null, 'shards have hardly more groups');
  t.equal(bestOf({ ...PLAN, order: [] }), null);
  t.equal(bestOf({ ...PLAN, order: [{ of: input(1), descending: false }] }), null);
  t.equal(bestOf({ ...PLAN, order: [{ of: input(0), descending: true }] }), null);
  t.equal(bestOf({ ...PLAN, distinct: true }), null);
  const having = { op: 'is-null', type: { type: 'boolean' }, of: input(0), negated: true } as const;
  t.equal(bestOf({ ...PLAN, having }), null);
  const grouping = PLAN.grouping as NonNullable<SelectPlan['grouping']>;
  t.equal(bestOf({ ...PLAN, grouping: { ...grouping, perEntity: true } }), null);
  t.equal(
    bestOf({ ...PLAN, grouping: { ...grouping, aggregates: [{ ...COUNT_ROWS, of: input(0) }] } }),
    null,
  );
  t.equal(bestOf({ ...PLAN, grouping: null }), null);
});
