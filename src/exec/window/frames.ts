/**
 * The frames of rows, as ranges of positions. A frame without EXCLUDE is one range; EXCLUDE divides it into the ranges before and
 * after the excluded rows, between which EXCLUDE TIES has the row itself.
 */
import { inSlices, invariant, type MemoryAccount, type Task } from '../../base/index.js';
import type { FrameBound, FrameExclusion, WindowFrame } from '../../ir/index.js';
import type { VectorOrder } from '../../vector/index.js';
import { eachPartition, type WindowLayout } from './layout.js';
import { groupsInRange } from './range-bounds.js';

/**
 * By position, the first position of the range and the end (exclusive). A range is empty if its end is not above its start. Both
 * ascend with the position, also from one partition to the next.
 */
export interface FrameRange {
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
}

/** The ranges of a frame are disjoint and ascend. */
export type Frames = readonly FrameRange[];

/** The first position of a frame, or the position after its last one. */
export type Side = 'start' | 'end';

/** `order` are the keys that order the partitions. The frames' memory stays reserved. Throws 9006. */
export function* framesOf(
  { mode, start, end, exclude }: WindowFrame,
  layout: WindowLayout,
  order: readonly VectorOrder[],
  memory: MemoryAccount,
): Task<Frames> {
  const starts = yield* boundsOf(start, mode, 'start', layout, order, memory);
  const ends = yield* boundsOf(end, mode, 'end', layout, order, memory);
  const whole = { starts, ends };
  return exclude === undefined ? [whole] : yield* rangesWithout(exclude, whole, layout, memory);
}

function* rangesWithout(
  exclude: FrameExclusion,
  { starts, ends }: FrameRange,
  layout: WindowLayout,
  memory: MemoryAccount,
): Task<Frames> {
  const { count } = layout;
  const before = { starts, ends: memory.u32(count) };
  const after = { starts: memory.u32(count), ends };
  const excludedBounds = exclude === 'current-row' ? rowBounds : groupBounds;
  yield* excludedBounds({ at: 'current' }, 'start', layout, before.ends);
  yield* excludedBounds({ at: 'current' }, 'end', layout, after.starts);
  yield* inSlices(count, (from, to) => {
    for (let at = from; at < to; at++) {
      before.ends[at] = Math.min(before.ends[at], ends[at]);
      after.starts[at] = Math.max(after.starts[at], starts[at]);
    }
  });
  if (exclude !== 'ties') return [before, after];
  const own = { starts: memory.u32(count), ends: memory.u32(count) };
  yield* inSlices(count, (from, to) => {
    for (let at = from; at < to; at++) {
      own.starts[at] = Math.max(at, starts[at]);
      own.ends[at] = Math.min(at + 1, ends[at]);
    }
  });
  return [before, own, after];
}

function* boundsOf(
  bound: FrameBound,
  mode: WindowFrame['mode'],
  side: Side,
  layout: WindowLayout,
  order: readonly VectorOrder[],
  memory: MemoryAccount,
): Task<Uint32Array> {
  const bounds = memory.u32(layout.count);
  if (bound.at === 'first' || bound.at === 'last') {
    const isLast = bound.at === 'last' ? 1 : 0;
    yield* inSlices(layout.count, (from, to) =>
      eachPartition(layout, from, to, (partition, first, end) => {
        setAll(bounds, layout.partitions[partition + isLast], first, end);
      }),
    );
  } else if (mode === 'rows') yield* rowBounds(bound, side, layout, bounds);
  else if (mode === 'groups' || bound.at === 'current') yield* groupBounds(bound, side, layout, bounds);
  else yield* rangeBounds(bound, side, layout, order, bounds, memory);
  return bounds;
}

/** The signed distance of a bound in rows or groups, with the end after the last row or group. */
function distanceOf(bound: FrameBound, side: Side): number {
  const after = side === 'end' ? 1 : 0;
  if (bound.at === 'preceding') return after - countOf(bound.offset.value);
  return bound.at === 'following' ? after + countOf(bound.offset.value) : after;
}

function countOf(value: bigint | number | string | boolean | null): number {
  invariant(typeof value === 'bigint' || typeof value === 'number', 'the offset of a frame is a number');
  invariant(value >= 0, 'the offset of a frame is not negative');
  return Math.min(Number(value), 2 ** 40);
}

function* rowBounds(bound: FrameBound, side: Side, layout: WindowLayout, bounds: Uint32Array): Task<void> {
  const distance = distanceOf(bound, side);
  const { partitions } = layout;
  yield* inSlices(layout.count, (from, to) =>
    eachPartition(layout, from, to, (partition, first, end) => {
      const [low, high] = [partitions[partition], partitions[partition + 1]];
      for (let at = first; at < end; at++) {
        bounds[at] = Math.min(Math.max(at + distance, low), high);
      }
    }),
  );
}

function* groupBounds(bound: FrameBound, side: Side, layout: WindowLayout, bounds: Uint32Array): Task<void> {
  const distance = distanceOf(bound, side);
  const { firstGroups, groups } = layout;
  let partition = 0;
  yield* inSlices(groups.length - 1, (from, to) => {
    for (let group = from; group < to; group++) {
      while (group >= firstGroups[partition + 1]) partition++;
      const wanted = Math.max(group + distance, firstGroups[partition]);
      const bound = groups[Math.min(wanted, firstGroups[partition + 1])];
      setAll(bounds, bound, groups[group], groups[group + 1]);
    }
  });
}

function* rangeBounds(
  bound: FrameBound,
  side: Side,
  layout: WindowLayout,
  order: readonly VectorOrder[],
  bounds: Uint32Array,
  memory: MemoryAccount,
): Task<void> {
  invariant(bound.at === 'preceding' || bound.at === 'following', 'the bound has an offset');
  invariant(order.length === 1, 'a range with an offset has one order key');
  const scratch = memory.child();
  const targets = yield* groupsInRange(bound, side, layout, order[0], scratch);
  const { groups } = layout;
  yield* inSlices(groups.length - 1, (from, to) => {
    for (let group = from; group < to; group++) {
      setAll(bounds, groups[targets[group]], groups[group], groups[group + 1]);
    }
  });
  scratch.releaseAll();
}

/** Plain code: most groups and partitions are short. */
function setAll(bounds: Uint32Array, bound: number, from: number, to: number): void {
  for (let at = from; at < to; at++) bounds[at] = bound;
}
