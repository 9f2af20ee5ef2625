/**
 * The frames of rows: by position, the first position of the frame and the end (exclusive). A frame is empty if its end
 * is not above its start. Both ascend with the position, also from one partition to the next.
 */
import { inSlices, invariant, type MemoryAccount, type Task } from '../../base/index.js';
import type { FrameBound, WindowFrame } from '../../ir/index.js';
import type { VectorOrder } from '../../vector/index.js';
import { eachPartition, type WindowLayout } from './layout.js';
import { groupsInRange } from './range-bounds.js';

export interface Frames {
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
}

/** The first position of a frame, or the position after its last one. */
export type Side = 'start' | 'end';

/** `order` are the keys that order the partitions. The frames' memory stays reserved. Throws 9006. */
export function* framesOf(
  { mode, start, end }: WindowFrame,
  layout: WindowLayout,
  order: readonly VectorOrder[],
  memory: MemoryAccount,
): Task<Frames> {
  const starts = yield* boundsOf(start, mode, 'start', layout, order, memory);
  const ends = yield* boundsOf(end, mode, 'end', layout, order, memory);
  return { starts, ends };
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
