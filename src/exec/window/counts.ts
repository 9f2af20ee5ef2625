/** COUNT over frames, by differences of running counts. */
import { inSlices, type MemoryAccount, type Task } from '../../base/index.js';
import type { Vector } from '../../vector/index.js';
import type { Frames } from './frames.js';
import type { WindowLayout } from './layout.js';

/**
 * By position, the number of rows before it that have a value; one more element than positions. null = all have one. Its
 * memory stays reserved. Throws 9006.
 */
export function* runningCounts(
  { valid }: Vector,
  { count, order }: WindowLayout,
  memory: MemoryAccount,
): Task<Uint32Array | null> {
  if (valid === null) return null;
  const counts = memory.u32(count + 1);
  yield* inSlices(count, (from, to) => {
    for (let at = from; at < to; at++) counts[at + 1] = counts[at] + valid[order[at]];
  });
  return counts;
}

/** The number of values in [start, end). */
function countWithin(counts: Uint32Array | null, start: number, end: number): number {
  if (end <= start) return 0;
  return counts === null ? end - start : counts[end] - counts[start];
}

/** The number of values in the frame of a position. */
export function countInFrame(counts: Uint32Array | null, frames: Frames, at: number): number {
  let values = 0;
  for (const { starts, ends } of frames) values += countWithin(counts, starts[at], ends[at]);
  return values;
}

/** `value` null = COUNT(*). The memory of the result stays reserved. Throws 9006. */
export function* countColumn(
  value: Vector | null,
  frames: Frames,
  layout: WindowLayout,
  memory: MemoryAccount,
): Task<Vector> {
  const { count } = layout;
  const scratch = memory.child();
  const counts = value === null ? null : yield* runningCounts(value, layout, scratch);
  memory.reserve(count * 8);
  const numbers = new Float64Array(count);
  for (const { starts, ends } of frames) {
    yield* inSlices(count, (from, to) => {
      for (let at = from; at < to; at++) numbers[at] += countWithin(counts, starts[at], ends[at]);
    });
  }
  scratch.releaseAll();
  return { kind: 'exact', count, valid: null, numbers, wide: null };
}
