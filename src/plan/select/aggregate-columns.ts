/**
 * Computes aggregate columns of merged groups: merges the shards' states exactly and computes the results. In slices.
 */
import { inSlices, invariant, type MemoryAccount, SLICE_TEXTS, type Task } from '../../base/index.js';
import { type Aggregate, type AggregateState, isOfAllValues, isOfSquares } from '../../ir/index.js';
import {
  compareRows,
  fromWire,
  type SqlType,
  unitsOf,
  type Vector,
  vectorKindOf,
} from '../../vector/index.js';
import { collectedColumn } from './collected-columns.js';
import { joinColumns, rowsOrMissing } from './columns.js';
import type { MergedGroups } from './group-merge.js';
import { GroupSums, integerReader } from './group-sums.js';
import { avgColumn, countColumn, deviationColumn, meanColumn, sumColumn } from './measures.js';
import { percentileColumn, percentilesOfRuns } from './percentiles.js';
import {
  comparableRuns,
  distinctBits,
  distinctCount,
  eachGroup,
  listOfBits,
  listOfRuns,
} from './sorted-runs.js';
import { countStateTexts, distinctValues, joinValues, listOfTexts } from './value-states.js';

/** The kind of state that shards return for an aggregate. */
export function stateOf({ function: name, distinct }: Aggregate): AggregateState['holds'] {
  if (name === 'min' || name === 'max') return 'extreme';
  if (distinct || isOfAllValues(name)) return 'values';
  if (name === 'count') return 'count';
  return isOfSquares(name) ? 'squares' : 'sum';
}

const isOfValues = ({ holds }: AggregateState): boolean =>
  holds === 'texts' || holds === 'runs' || holds === 'bits';

type StateOf<Holds extends AggregateState['holds']> = Extract<AggregateState, { holds: Holds }>;

/**
 * One value per group; states[p] is the state of partial p. Also takes its temporary memory from the budget. Throws
 * 6000, 9006.
 */
export function* aggregateColumn(
  aggregate: Aggregate,
  states: readonly AggregateState[],
  groups: MergedGroups,
  budget: MemoryAccount,
): Task<Vector> {
  const holds = stateOf(aggregate);
  invariant(
    states.every((state) => state.holds === holds || (holds === 'values' && isOfValues(state))),
    `groups hold ${holds} for ${aggregate.function}`,
  );
  switch (holds) {
    case 'count':
      return countColumn(yield* addCounts(states as readonly StateOf<'count'>[], groups, budget));
    case 'extreme':
      return yield* extremes(aggregate, states as readonly StateOf<'extreme'>[], groups, budget);
    case 'values':
      return yield* ofCollected(aggregate, states as readonly CollectedState[], groups, budget);
    default:
      return yield* ofMoments(aggregate, states as readonly StateOf<'sum' | 'squares'>[], groups, budget);
  }
}

function* addCounts(
  states: readonly { readonly counts: Float64Array }[],
  { count, numbers, starts }: MergedGroups,
  budget: MemoryAccount,
): Task<Float64Array> {
  budget.reserve(count * 8);
  const added = new Float64Array(count);
  for (const [partial, { counts }] of states.entries()) {
    const start = starts[partial];
    yield* inSlices(counts.length, (from, to) => {
      for (let group = from; group < to; group++) added[numbers[start + group]] += counts[group];
    });
  }
  return added;
}

function* ofMoments(
  aggregate: Aggregate,
  states: readonly StateOf<'sum' | 'squares'>[],
  groups: MergedGroups,
  budget: MemoryAccount,
): Task<Vector> {
  const counts = yield* addCounts(states, groups, budget);
  const sums = new GroupSums(groups.count, budget);
  for (const [partial, state] of states.entries()) {
    yield* addSums(sums, fromWire(state.sums), state.counts, partial, groups);
  }
  if (!isOfSquares(aggregate.function)) return yield* ofSums(aggregate, counts, sums, null, budget);
  const squares = new GroupSums(groups.count, budget);
  for (const [partial, state] of states.entries()) {
    if (state.holds !== 'squares') continue;
    yield* addSums(squares, fromWire(state.squares), state.counts, partial, groups);
  }
  return yield* ofSums(aggregate, counts, sums, squares, budget);
}

function* addSums(
  sums: GroupSums,
  added: Vector,
  counts: Float64Array,
  partial: number,
  { numbers, starts }: MergedGroups,
): Task<void> {
  const read = integerReader(added);
  const start = starts[partial];
  yield* inSlices(counts.length, (from, to) => {
    for (let group = from; group < to; group++) {
      if (counts[group] > 0) sums.add(numbers[start + group], read(group));
    }
  });
}

function ofSums(
  aggregate: Aggregate,
  counts: Float64Array,
  sums: GroupSums,
  squares: GroupSums | null,
  budget: MemoryAccount,
): Task<Vector> {
  const of = typeOf(aggregate);
  if (squares !== null) return deviationColumn(aggregate.function, of, counts, sums, squares, budget);
  if (aggregate.function === 'avg') return avgColumn(of, counts, sums, budget);
  if (aggregate.function === 'mean') return meanColumn(of, aggregate.type, counts, sums, budget);
  return sumColumn(of, counts, sums, budget);
}

function typeOf({ of, function: name }: Aggregate): SqlType {
  invariant(of !== null, `${name} has an operand`);
  return of.type;
}

/** DISTINCT makes no difference for extremes. */
function* extremes(
  aggregate: Aggregate,
  states: readonly StateOf<'extreme'>[],
  { count, numbers }: MergedGroups,
  budget: MemoryAccount,
): Task<Vector> {
  const parts = states.map(({ values }) => fromWire(values));
  const values = yield* joinColumns(parts, typeOf(aggregate), budget);
  invariant(values.count === numbers.length, 'every group has an extreme');
  budget.reserve(count * 5);
  // 0 = none yet, else a row of `values` plus 1.
  const best = new Uint32Array(count);
  const sign = aggregate.function === 'min' ? 1 : -1;
  yield* inSlices(
    values.count,
    (from, to) => keepBest(values, sign, numbers, from, to, best),
    values.kind === 'text' ? SLICE_TEXTS : undefined,
  );
  return yield* rowsOrMissing(values, best, budget);
}

function keepBest(
  values: Vector,
  sign: number,
  numbers: Uint32Array,
  from: number,
  to: number,
  best: Uint32Array,
): void {
  const { valid } = values;
  for (let row = from; row < to; row++) {
    if (valid !== null && valid[row] === 0) continue;
    const group = numbers[row];
    const stored = best[group];
    if (stored === 0 || compareRows(values, row, values, stored - 1) * sign < 0) best[group] = row + 1;
  }
}

type CollectedState = StateOf<'values' | 'texts' | 'runs' | 'bits'>;

const isRuns = (state: AggregateState): state is StateOf<'runs'> => state.holds === 'runs';
const isBits = (state: AggregateState): state is StateOf<'bits'> => state.holds === 'bits';

function* ofCollected(
  aggregate: Aggregate,
  states: readonly CollectedState[],
  merged: MergedGroups,
  budget: MemoryAccount,
): Task<Vector> {
  const merges = aggregate.function === 'count' || aggregate.function === 'percentile';
  if (merges && states.length > 0 && states.every(isRuns))
    return yield* ofRuns(aggregate, states, merged, budget);
  if (aggregate.function === 'count' && states.length > 0 && states.every(isBits)) {
    return countColumn(Float64Array.of(yield* distinctBits(states)));
  }
  const lists: StateOf<'values' | 'texts'>[] = [];
  for (const state of states) {
    if (state.holds === 'runs') lists.push(yield* listOfRuns(state, budget));
    else if (state.holds === 'bits') lists.push(yield* listOfBits(state, budget));
    else lists.push(state);
  }
  return yield* ofValues(aggregate, lists, merged, budget);
}

function* ofRuns(
  aggregate: Aggregate,
  states: readonly StateOf<'runs'>[],
  merged: MergedGroups,
  budget: MemoryAccount,
): Task<Vector> {
  budget.reserve(merged.count * 8);
  if (aggregate.function === 'count') {
    const counts = new Float64Array(merged.count);
    const comparable = comparableRuns(states, budget);
    yield* eachGroup(comparable, merged, budget, (group, runs) => {
      counts[group] = distinctCount(runs);
    });
    return countColumn(counts);
  }
  invariant(aggregate.fraction !== null, 'a percentile has a fraction');
  return yield* percentilesOfRuns(typeOf(aggregate), aggregate.fraction, states, merged, budget);
}

function* ofValues(
  aggregate: Aggregate,
  states: readonly StateOf<'values' | 'texts'>[],
  merged: MergedGroups,
  budget: MemoryAccount,
): Task<Vector> {
  const type = typeOf(aggregate);
  if (aggregate.function === 'count' && merged.count === 1 && vectorKindOf(type) === 'text') {
    const different = yield* countStateTexts(type, states, budget);
    return countColumn(Float64Array.of(different));
  }
  const lists: StateOf<'values'>[] = [];
  for (const state of states) {
    lists.push(state.holds === 'values' ? state : yield* listOfTexts(state.texts, budget));
  }
  const joined = yield* joinValues(type, lists, merged, budget);
  const { values, groups } = joined;
  if (isOfAllValues(aggregate.function)) {
    const entries = aggregate.distinct
      ? yield* distinctValues(joined, merged.count, budget)
      : yield* allEntries(values.count, budget);
    const isUnweighted = joined.counts === null || aggregate.distinct;
    budget.reserve(isUnweighted ? values.count * 8 : 0);
    const counts = isUnweighted ? new Float64Array(values.count).fill(1) : joined.counts;
    const weighed = { values, entries, groups, counts: counts as Float64Array };
    if (aggregate.function !== 'percentile') {
      return yield* collectedColumn(aggregate, weighed, merged.count, budget);
    }
    invariant(aggregate.fraction !== null, 'a percentile has a fraction');
    return yield* percentileColumn(type, aggregate.fraction, weighed, merged.count, budget);
  }
  const distinct = yield* distinctValues(joined, merged.count, budget);
  const counts = yield* countEntries(distinct, groups, merged.count, budget);
  if (aggregate.function === 'count') return countColumn(counts);
  return yield* distinctMoments(aggregate, values, distinct, groups, counts, budget);
}

function* allEntries(count: number, budget: MemoryAccount): Task<Uint32Array> {
  budget.reserve(count * 4);
  const entries = new Uint32Array(count);
  yield* inSlices(count, (from, to) => {
    for (let entry = from; entry < to; entry++) entries[entry] = entry;
  });
  return entries;
}

function* countEntries(
  entries: Uint32Array,
  groups: Uint32Array,
  groupCount: number,
  budget: MemoryAccount,
): Task<Float64Array> {
  budget.reserve(groupCount * 8);
  const counts = new Float64Array(groupCount);
  yield* inSlices(entries.length, (from, to) => {
    for (let index = from; index < to; index++) counts[groups[entries[index]]]++;
  });
  return counts;
}

function* distinctMoments(
  aggregate: Aggregate,
  values: Vector,
  entries: Uint32Array,
  groups: Uint32Array,
  counts: Float64Array,
  budget: MemoryAccount,
): Task<Vector> {
  const sums = new GroupSums(counts.length, budget);
  const squares = isOfSquares(aggregate.function) ? new GroupSums(counts.length, budget) : null;
  const read = values.kind === 'float' ? unitReader(values.numbers) : integerReader(values);
  yield* inSlices(
    entries.length,
    (from, to) => {
      for (let index = from; index < to; index++) {
        const entry = entries[index];
        sums.add(groups[entry], read(entry));
        squares?.addSquare(groups[entry], read(entry));
      }
    },
    SLICE_TEXTS,
  );
  return yield* ofSums(aggregate, counts, sums, squares, budget);
}

const unitReader =
  (numbers: Float64Array) =>
  (row: number): bigint =>
    unitsOf(numbers[row]);
