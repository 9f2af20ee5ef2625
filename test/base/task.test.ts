/** Cooperative tasks; a long merge of groups yields between slices. */

import t from 'tap';
import { inSlices, Prng, runToEnd, SLICE_ENTRIES, type Task } from '../../src/base/index.js';
import type { GroupPartial, SelectPlan } from '../../src/ir/index.js';
import { finishGroups } from '../../src/plan/index.js';
import { COUNT_ROWS } from '../support/aggregates.js';

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

/** Groups of `count` different integers from `first` on, each with some rows. */
function groups(prng: Prng, first: number, count: number): GroupPartial {
  const numbers = Float64Array.from({ length: count }, (_, index) => Math.imul(first + index, 0x9e3779b1));
  const counts = Float64Array.from({ length: count }, () => prng.between(1, 1_000));
  return {
    groupCount: count,
    keys: [{ kind: 'exact', count, valid: null, numbers, wide: null }],
    states: [{ holds: 'count', counts }],
  };
}

const INTEGER = { type: 'integer' } as const;
const input = (index: number) => ({ op: 'input', type: INTEGER, input: index }) as const;
const PLAN: SelectPlan = {
  ...{ databaseId: 1, dimensionId: 2, condition: null, filter: null, events: null, joins: [], inputs: [] },
  ...{ feeds: [], having: null, distinct: false, offset: 0, limit: 10 },
  grouping: { keys: [input(0)], perEntity: false, aggregates: [COUNT_ROWS] },
  outputs: [0, 1].map((index) => ({ name: String(index), type: INTEGER, of: input(index) })),
  order: [{ of: input(1), descending: true }],
};

t.test('small results are merged without a yield, large ones in slices', async (t) => {
  const prng = new Prng(SEED);
  const small = [groups(prng, 0, 512), groups(prng, 256, 512)];
  t.equal(countYields(finishGroups(PLAN, small, ENOUGH)).yields, 0);
  const large = [groups(prng, 0, 200_000), groups(prng, 100_000, 150_000)];
  const { value, yields } = countYields(finishGroups(PLAN, large, ENOUGH));
  t.equal(value.rowCount, 10);
  // The keys are joined, hashed, compared and numbered, and the counts added up.
  t.ok(yields >= 5 * Math.floor(350_000 / SLICE_ENTRIES - 1), `${yields} yields`);
});
