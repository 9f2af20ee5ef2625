/** Cooperative tasks; a long aggregation yields between slices. */
import t, { type Test } from 'tap';
import { inSlices, Prng, runToEnd, SLICE_ENTRIES, type Task } from '../../src/base/index.js';
import type { AggregatePlan, Metric, RoundPartial, TopLevel, ValueCounts } from '../../src/ir/index.js';
import { Aggregation } from '../../src/plan/index.js';
import { collidingTexts } from '../support/ingest/colliding.js';

const SEED = 832_040;
t.comment(`seed ${SEED}`);

const ENOUGH = 2 ** 32;

/** The result of sliced work, and the number of its yields. */
function countYields<T>(work: Task<T>): { readonly value: T; readonly yields: number } {
  for (let yields = 0; ; yields++) {
    const step = work.next();
    if (step.done === true) return { value: step.value, yields };
  }
}

t.test('a loop is divided into consecutive slices, and yields only between them', async (t) => {
  for (const count of [0, 1, 9, 10, 11, 20, 25]) {
    const seen: [number, number][] = [];
    const { yields } = countYields(inSlices(count, (from, to) => seen.push([from, to]), 10));
    t.equal(yields, Math.max(0, Math.ceil(count / 10) - 1));
    let end = 0;
    for (const [from, to] of seen) {
      t.equal(from, end);
      t.ok(to > from && to - from <= 10);
      end = to;
    }
    t.equal(end, count);
  }
});

t.test('work that is stopped between two slices does no more', async (t) => {
  let done = 0;
  const work = inSlices(100, () => done++, 10);
  work.next();
  work.next();
  work.return();
  t.equal(runToEnd(work), undefined);
  t.equal(done, 2);
});

const level = (limit: number): TopLevel => ({
  source: { from: 'attribute', columnId: 1, kind: 'i64' },
  tests: [],
  type: 'integer',
  decimalPlaces: null,
  limit,
  minQuantity: 1,
});

function planOf(levels: readonly TopLevel[], metric: Metric | null): AggregatePlan {
  const { source, tests, type, decimalPlaces } = level(1);
  return {
    databaseId: 1,
    dimensionId: 2,
    entities: null,
    levels,
    metric: metric === null ? null : { source, tests, type, decimalPlaces, metric, buckets: null },
  };
}

/** `count` distinct integers in random order, the values of groups 0 to groupKeyCount - 1 in rotation. */
function integers(prng: Prng, count: number, groupKeyCount: number): ValueCounts {
  const words = new Uint32Array(2 * count);
  for (let index = 0; index < count; index++) words[2 * index] = Math.imul(index, 0x9e3779b1);
  return {
    answers: 'values',
    values: { kind: 'i64', words },
    counts: Float64Array.from({ length: count }, () => prng.between(1, 1_000)),
    groupKeys:
      groupKeyCount === 1 ? null : Uint32Array.from({ length: count }, (_, index) => index % groupKeyCount),
    restMax: 0,
  };
}

/** The number of yields of each call that adds partials, and of the answer. */
function yieldsOf(
  t: Test,
  plan: AggregatePlan,
  rounds: readonly (readonly RoundPartial[])[],
): readonly number[] {
  const [sliced, whole] = [new Aggregation(plan, ENOUGH), new Aggregation(plan, ENOUGH)];
  const yields = rounds.map((partials) => {
    whole.take(partials);
    return countYields(sliced.takeSliced(partials)).yields;
  });
  const answer = countYields(sliced.answerSliced());
  t.strictSame(answer.value, whole.answer());
  return [...yields, answer.yields];
}

t.test('small inputs are merged without a yield', async (t) => {
  const prng = new Prng(SEED);
  const pair = [integers(prng, 1_024, 1), integers(prng, 1_024, 1)];
  t.strictSame(yieldsOf(t, planOf([level(1_000)], null), [pair]), [0, 0]);
  t.strictSame(yieldsOf(t, planOf([], 'median'), [pair]), [0, 0]);
});

/** The least number of yields of `loops` sliced loops over `entryCount` entries. */
const slicesOf = (entryCount: number, loops: number): number =>
  loops * Math.floor(entryCount / SLICE_ENTRIES - 1);

t.test('many values are merged and chosen from in slices', async (t) => {
  const prng = new Prng(SEED);
  const pair = [integers(prng, 200_000, 1), integers(prng, 150_000, 1)];
  const [top] = yieldsOf(t, planOf([level(10)], null), [pair]);
  // Joined (2), hashed, sorted in two passes of two loops, added up, listed, selected (2).
  t.ok(top >= slicesOf(350_000, 7) + slicesOf(200_000, 3), `${top} yields for the top values`);
  const [distinct] = yieldsOf(t, planOf([], 'count-distinct'), [pair]);
  t.ok(distinct >= slicesOf(350_000, 9), `${distinct} yields for the distinct values`);
  const [median] = yieldsOf(t, planOf([], 'median'), [pair]);
  t.ok(median >= slicesOf(350_000, 9) + slicesOf(200_000, 3), `${median} yields for the median`);
});

t.test('values of one hash are merged in slices', async (t) => {
  const prng = new Prng(SEED);
  const words = collidingTexts(100_000);
  const one = integers(prng, 100_000, 1);
  const pair = [one, one].map((counts): ValueCounts => ({ ...counts, values: { kind: 'i64', words } }));
  const [plain] = yieldsOf(t, planOf([level(10)], null), [[one, one]]);
  const [colliding] = yieldsOf(t, planOf([level(10)], null), [pair]);
  t.ok(colliding > 2 * plain, `${colliding} yields instead of ${plain}`);
});

t.test('many groups are selected, measured and answered in slices', async (t) => {
  const prng = new Prng(SEED);
  const outer = [integers(prng, 1_000, 1)];
  const inner = [integers(prng, 200_000, 1_000)];
  const plan = planOf([level(1_000), level(200)], 'avg');
  const groupKeys = Uint32Array.from({ length: 200_000 }, (_, index) => index);
  const sums = Array.from(groupKeys, (groupKey) => BigInt(groupKey));
  const moments: RoundPartial = {
    answers: 'moments',
    groupKeys,
    counts: new Float64Array(200_000).fill(1),
    sums,
    squares: null,
    least: null,
    greatest: null,
  };
  const [first, second, metric, answer] = yieldsOf(t, plan, [outer, inner, [moments]]);
  t.equal(first, 0);
  t.ok(second >= slicesOf(200_000, 8), `${second} yields for the second level`);
  t.ok(metric >= slicesOf(200_000, 6), `${metric} yields for the metric`);
  t.ok(answer >= slicesOf(200_000, 2), `${answer} yields for the answer`);
});

t.test('the round does not change until all results have been taken', async (t) => {
  const aggregation = new Aggregation(planOf([level(10)], null), ENOUGH);
  const { round } = aggregation;
  const work = aggregation.takeSliced([
    integers(new Prng(SEED), 100_000, 1),
    integers(new Prng(SEED), 100_000, 1),
  ]);
  t.notOk(work.next().done);
  t.equal(aggregation.round, round);
  runToEnd(work);
  t.equal(aggregation.round, null);
});
