/** Puts the groups of a shard in the order of partitions and in shared memory, and reads partitions of it. In slices. */
import { inSlices, invariant, type MemoryAccount, type Task } from '../../base/index.js';
import {
  type AggregateState,
  GROUP_PARTITIONS,
  type GroupPartial,
  type PartitionedGroups,
  type PartitionedState,
  type SelectPlan,
} from '../../ir/index.js';
import {
  allocateShared,
  hashKeys,
  type SharedColumn,
  type SharedMemory,
  scatterArray,
  scatterColumn,
  sharedArray,
  sharedRows,
  type TextNumbers,
} from '../../vector/index.js';

type StateOf<Holds extends AggregateState['holds']> = Extract<AggregateState, { holds: Holds }>;

/** The shift that leaves the partition of a hash. Its other bits are used by the merge of a partition. */
const PARTITION_SHIFT = 32 - Math.log2(GROUP_PARTITIONS);

/** Whether workers can merge the plan's groups: equal groups have equal keys, and are finished one by one. */
export const isPartitionable = ({ grouping, distinct }: SelectPlan): boolean =>
  grouping !== null && grouping.keys.length > 0 && !grouping.perEntity && !distinct;

/** Whether the states have groups: those of a single group may be of other kinds. */
export const haveGroups = (partials: readonly GroupPartial[]): boolean =>
  partials.every(({ states }) => states.every(({ holds }) => holds !== 'bits' && holds !== 'texts'));

/**
 * The plan must be partitionable, and the states must have groups. The memory of the result stays reserved in `account`; on an error, all of it may stay
 * reserved. Throws 9006.
 */
export function* partitionGroups(
  { groupCount, keys, states }: GroupPartial,
  account: MemoryAccount,
  allocate = allocateShared,
): Task<PartitionedGroups> {
  const memory: SharedMemory = { account, allocate };
  const hashes = yield* hashKeys(keys, groupCount, account);
  const order = yield* partitionOrder(hashes, account);
  const scattered: SharedColumn[] = [];
  for (const key of keys) scattered.push(yield* scatterColumn(key, order.to, memory));
  // Aggregates of the same values share their state, and those of columns without missing values their counts.
  const known = new Map<AggregateState, PartitionedState>();
  const counts: ScatteredCounts = new Map();
  const partitioned: PartitionedState[] = [];
  for (const state of states) {
    const found = known.get(state) ?? (yield* partitionState(state, order, counts, memory));
    known.set(state, found);
    partitioned.push(found);
  }
  account.release(hashes.byteLength + order.to.byteLength);
  return { groupCount, starts: order.starts, keys: scattered, states: partitioned };
}

interface PartitionOrder {
  /** As in PartitionedGroups. */
  readonly starts: Uint32Array;
  /** By group: its new number. */
  readonly to: Uint32Array;
  /** By group: the hash of its keys, which gives its partition when shifted right by PARTITION_SHIFT. */
  readonly hashes: Uint32Array;
}

function* partitionOrder(hashes: Uint32Array, memory: MemoryAccount): Task<PartitionOrder> {
  const starts = new Uint32Array(GROUP_PARTITIONS + 1);
  yield* inSlices(hashes.length, (from, to) => {
    for (let group = from; group < to; group++) starts[(hashes[group] >>> PARTITION_SHIFT) + 1]++;
  });
  for (let partition = 0; partition < GROUP_PARTITIONS; partition++)
    starts[partition + 1] += starts[partition];
  const next = starts.slice();
  const numbers = memory.u32(hashes.length);
  yield* inSlices(hashes.length, (from, to) => {
    for (let group = from; group < to; group++) numbers[group] = next[hashes[group] >>> PARTITION_SHIFT]++;
  });
  return { starts, to: numbers, hashes };
}

/** By counts of the groups of a shard: the same counts in the order of partitions. */
type ScatteredCounts = Map<Float64Array, Float64Array>;

function* scatterCounts(
  counts: Float64Array,
  to: Uint32Array,
  scattered: ScatteredCounts,
  memory: SharedMemory,
): Task<Float64Array> {
  const found = scattered.get(counts) ?? (yield* scatterArray(counts, to, to.length, memory));
  scattered.set(counts, found);
  return found;
}

function* partitionState(
  state: AggregateState,
  order: PartitionOrder,
  scattered: ScatteredCounts,
  memory: SharedMemory,
): Task<PartitionedState> {
  const { to } = order;
  switch (state.holds) {
    case 'count':
      return { holds: 'count', counts: yield* scatterCounts(state.counts, to, scattered, memory) };
    case 'sum':
    case 'squares': {
      const counts = yield* scatterCounts(state.counts, to, scattered, memory);
      const sums = yield* scatterColumn(state.sums, to, memory);
      if (state.holds === 'sum') return { holds: 'sum', counts, sums };
      return { holds: 'squares', counts, sums, squares: yield* scatterColumn(state.squares, to, memory) };
    }
    case 'extreme':
      return { holds: 'extreme', values: yield* scatterColumn(state.values, to, memory) };
    case 'values':
      return yield* partitionValues(state, order, memory);
    case 'runs':
      return yield* partitionRuns(state, order, memory);
    default:
      invariant(false, `${state.holds} are of a single group`);
  }
}

function* partitionValues(
  { groups, counts, values }: StateOf<'values'>,
  { hashes, to }: PartitionOrder,
  memory: SharedMemory,
): Task<PartitionedState> {
  const { count } = values;
  const ofValues = memory.account.u32(count);
  const newGroups = memory.account.u32(count);
  yield* inSlices(count, (from, end) => {
    for (let value = from; value < end; value++) {
      const group = groups === null ? 0 : groups[value];
      ofValues[value] = hashes[group];
      newGroups[value] = to[group];
    }
  });
  const order = yield* partitionOrder(ofValues, memory.account);
  const result: PartitionedState = {
    holds: 'values',
    starts: order.starts,
    groups: yield* scatterArray(newGroups, order.to, count, memory),
    counts: counts === null ? null : yield* scatterArray(counts, order.to, count, memory),
    values: yield* scatterColumn(values, order.to, memory),
  };
  memory.account.release(count * 4 * 3);
  return result;
}

function* partitionRuns(
  { starts, values, areOrdered }: StateOf<'runs'>,
  { to }: PartitionOrder,
  memory: SharedMemory,
): Task<PartitionedState> {
  const groupCount = to.length;
  const ends = sharedArray(starts, groupCount + 1, memory);
  for (let group = 0; group < groupCount; group++) ends[to[group] + 1] = starts[group + 1] - starts[group];
  for (let group = 0; group < groupCount; group++) ends[group + 1] += ends[group];
  const moved = sharedArray(values, ends[groupCount], memory);
  yield* inSlices(
    groupCount,
    (from, end) => {
      for (let group = from; group < end; group++)
        moved.set(values.subarray(starts[group], starts[group + 1]), ends[to[group]]);
    },
    RUNS_PER_SLICE,
  );
  return { holds: 'runs', starts: ends, values: moved, areOrdered };
}

const RUNS_PER_SLICE = 64;

/** Texts of columns that were numbered together. */
export type NumberedTexts = ReadonlyMap<SharedColumn, TextNumbers>;

/** The groups of partitions [from, to). Throws 9006. */
export function groupsOfPartitions(
  { starts, keys, states }: PartitionedGroups,
  from: number,
  to: number,
  texts: NumberedTexts,
  memory: MemoryAccount,
): GroupPartial {
  const first = starts[from];
  const end = starts[to];
  const rows = (column: SharedColumn) => sharedRows(column, first, end, texts.get(column), memory);
  const stateOf = (state: PartitionedState): AggregateState => {
    switch (state.holds) {
      case 'count':
        return { holds: 'count', counts: state.counts.subarray(first, end) };
      case 'sum':
        return { holds: 'sum', counts: state.counts.subarray(first, end), sums: rows(state.sums) };
      case 'squares': {
        const counts = state.counts.subarray(first, end);
        return { holds: 'squares', counts, sums: rows(state.sums), squares: rows(state.squares) };
      }
      case 'extreme':
        return { holds: 'extreme', values: rows(state.values) };
      case 'runs':
        return { ...state, starts: state.starts.subarray(first, end + 1) };
      case 'values':
        return valuesOf(state, from, to, first, texts, memory);
    }
  };
  // Aggregates of the same values share their state.
  const known = new Map<PartitionedState, AggregateState>();
  const found = states.map((state) => {
    const own = known.get(state) ?? stateOf(state);
    known.set(state, own);
    return own;
  });
  return { groupCount: end - first, keys: keys.map(rows), states: found };
}

/** All groups. Throws 9006. */
export const allGroups = (groups: PartitionedGroups, memory: MemoryAccount): GroupPartial =>
  groupsOfPartitions(groups, 0, GROUP_PARTITIONS, new Map(), memory);

function valuesOf(
  { starts, groups, counts, values }: Extract<PartitionedState, { holds: 'values' }>,
  from: number,
  to: number,
  firstGroup: number,
  texts: NumberedTexts,
  memory: MemoryAccount,
): AggregateState {
  const [first, end] = [starts[from], starts[to]];
  memory.reserve((end - first) * 4);
  const own = groups.slice(first, end);
  for (let value = 0; value < own.length; value++) own[value] -= firstGroup;
  return {
    holds: 'values',
    groups: own,
    counts: counts?.subarray(first, end) ?? null,
    values: sharedRows(values, first, end, texts.get(values), memory),
  };
}
