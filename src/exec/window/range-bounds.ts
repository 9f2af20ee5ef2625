/**
 * Bounds of frames by the distance of the order key (RANGE with an offset). The bound of a row is that of its group of
 * peers; as keys ascend within a partition, so do the bounds, and each is found by moving on from the one before.
 * Missing keys are peers of each other, and beyond every distance of other keys.
 */
import { inSlices, invariant, type MemoryAccount, QuarryError, type Task } from '../../base/index.js';
import { addUnits } from '../../expression/index.js';
import type { Constant, FrameBound } from '../../ir/index.js';
import { SECONDS_PER_DAY } from '../../schema/index.js';
import { isSafe, scaleOf, type Vector, type VectorOrder, type WideIntegers } from '../../vector/index.js';
import type { WindowLayout } from './layout.js';

/** Bytes of a bigint and the element that refers to it. */
const WIDE_BYTES = 40;

type OffsetBound = Extract<FrameBound, { readonly at: 'preceding' | 'following' }>;

/**
 * By group, the index of the group at whose first position the frame starts or, for side `end`, ends (exclusive). Its
 * memory stays reserved. Throws 9006.
 */
export function* groupsInRange(
  bound: OffsetBound,
  side: 'start' | 'end',
  layout: WindowLayout,
  order: VectorOrder,
  memory: MemoryAccount,
): Task<Uint32Array> {
  const { vector } = order;
  const offset = offsetOf(bound.offset, vector);
  const { months } = bound;
  const isExact = vector.kind === 'exact';
  const isWide = isExact && (vector.numbers === null || (typeof offset === 'bigint' && !isSafe(offset)));
  const groupCount = layout.groups.length - 1;
  const targets = memory.u32(groupCount);
  if (isWide) {
    memory.reserve(groupCount * WIDE_BYTES);
    const keys = yield* wideKeys(order, layout);
    const distance = BigInt(offset) * (bound.at === 'preceding' ? -1n : 1n);
    yield* findTargets(keys, (key) => key + distance, side, layout, order, targets);
  } else {
    memory.reserve(groupCount * 8);
    const keys = yield* numberKeys(order, layout);
    const sign = bound.at === 'preceding' ? -1 : 1;
    const distance = Number(offset) * sign;
    const boundOf =
      months === undefined
        ? (key: number) => key + distance
        : movedByMonths(months.of, months.count * sign, distance, order.descending);
    yield* findTargets(keys, boundOf, side, layout, order, targets);
  }
  return targets;
}

const addMonths = addUnits('month');

/**
 * Adds months and then a distance to keys that are dates, negated if they descend. A bound outside the years 0000 to 9999 is beyond all
 * keys. Later keys have no earlier bounds, although days that a month does not have become its last day.
 */
function movedByMonths(
  of: 'date' | 'datetime',
  months: number,
  distance: number,
  descending: boolean,
): (key: number) => number {
  const unit = of === 'date' ? SECONDS_PER_DAY : 1;
  const sign = descending ? -1 : 1;
  return (key) => {
    try {
      const moved = addMonths(months * sign, key * sign * unit) / unit + distance * sign;
      return moved * sign;
    } catch (error) {
      if (!(error instanceof QuarryError)) throw error;
      return months < 0 ? -Infinity : Infinity;
    }
  };
}

/** The offset in the stored form of the key. */
function offsetOf({ value, type }: Constant, vector: Vector): bigint | number {
  invariant(typeof value === 'bigint' || typeof value === 'number', 'the offset of a range is a number');
  invariant(value >= 0, 'the offset of a range is not negative');
  if (vector.kind !== 'float') return value;
  return Number(value) / 10 ** scaleOf(type);
}

/** The row of the group's first position. */
const rowOf = ({ order, groups }: WindowLayout, group: number): number => order[groups[group]];

/** By group, the keys, negated if they descend; arbitrary if missing. */
function* numberKeys({ vector, descending }: VectorOrder, layout: WindowLayout): Task<Float64Array> {
  invariant(vector.kind === 'exact' || vector.kind === 'float', 'the key of a range is a number');
  const numbers = vector.numbers as Float64Array;
  const keys = new Float64Array(layout.groups.length - 1);
  yield* inSlices(keys.length, (from, to) => {
    for (let group = from; group < to; group++) {
      const key = numbers[rowOf(layout, group)];
      keys[group] = descending ? -key : key;
    }
  });
  return keys;
}

function* wideKeys({ vector, descending }: VectorOrder, layout: WindowLayout): Task<readonly bigint[]> {
  invariant(vector.kind === 'exact', 'the key of a range is exact');
  const { numbers, wide } = vector;
  const keys: bigint[] = [];
  yield* inSlices(layout.groups.length - 1, (from, to) => {
    for (let group = from; group < to; group++) {
      const row = rowOf(layout, group);
      const key = numbers === null ? (wide as WideIntegers)[row] : BigInt(numbers[row]);
      keys.push(descending ? -key : key);
    }
  });
  return keys;
}

/** Finds the targets; `boundOf` returns the key of the bound of a row with this key. */
function* findTargets<Key extends number | bigint>(
  keys: ArrayLike<Key>,
  boundOf: (key: Key) => Key,
  side: 'start' | 'end',
  layout: WindowLayout,
  { vector: { valid }, missingFirst }: VectorOrder,
  targets: Uint32Array,
): Task<void> {
  const { firstGroups } = layout;
  const isMissing = (group: number): boolean => valid !== null && valid[rowOf(layout, group)] === 0;
  const isStart = side === 'start';
  let partition = -1;
  // The groups of the partition with values, and the first whose key is not before the last bound.
  let [first, end, at] = [0, 0, 0];
  yield* inSlices(keys.length, (from, to) => {
    for (let group = from; group < to; group++) {
      if (group === firstGroups[partition + 1]) {
        partition++;
        [first, end] = [group, firstGroups[partition + 1]];
        if (missingFirst && isMissing(first)) first++;
        else if (!missingFirst && isMissing(end - 1)) end--;
        at = first;
      }
      if (group < first || group >= end) {
        targets[group] = isStart ? group : group + 1;
        continue;
      }
      const bound = boundOf(keys[group]);
      if (isStart) while (at < end && keys[at] < bound) at++;
      else while (at < end && keys[at] <= bound) at++;
      targets[group] = at;
    }
  });
}
