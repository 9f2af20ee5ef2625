/** MIN and MAX over frames: a queue holds the values of the frame that no later value of it replaces, best first. */
import { inSlices, type MemoryAccount, type Task } from '../../base/index.js';
import { rankTexts, rowsInOrder, sortWords, type Vector } from '../../vector/index.js';
import type { ColumnRows } from '../relation/row-batches.js';
import type { FrameRange, Frames } from './frames.js';
import type { WindowLayout } from './layout.js';
import { NO_ROW, pickedRows } from './picked-values.js';

/** The memory of the result stays reserved. Throws 9006. */
export function* extremeColumn(
  value: Vector,
  name: 'min' | 'max',
  frames: Frames,
  layout: WindowLayout,
  memory: MemoryAccount,
): Task<ColumnRows> {
  const { count, order } = layout;
  const rows = memory.u32(count).fill(NO_ROW);
  const scratch = memory.child();
  const numbers = yield* comparable(value, scratch);
  scratch.reserve(count * 8);
  // Ascending, by position.
  const ranks = new Float64Array(count);
  const sign = name === 'min' ? 1 : -1;
  yield* inSlices(count, (from, to) => {
    for (let at = from; at < to; at++) ranks[at] = sign * numbers[order[at]];
  });
  const queue = scratch.u32(count);
  const sources = { ranks, valid: value.valid, order, queue };
  for (const range of frames) {
    yield* eachBest(range, sources, (at, best) => {
      const known = rows[at];
      if (known === NO_ROW || ranks[best] < sign * numbers[known]) rows[at] = order[best];
    });
  }
  scratch.releaseAll();
  return pickedRows(value, rows);
}

interface RankedRows {
  /** By position; the best rank is the least. */
  readonly ranks: Float64Array;
  /** By row. */
  readonly valid: Uint8Array | null;
  readonly order: Uint32Array;
  readonly queue: Uint32Array;
}

/** Calls `found` for each position with the position of the best value in its range, if there is one. */
function* eachBest(
  { starts, ends }: FrameRange,
  { ranks, valid, order, queue }: RankedRows,
  found: (at: number, best: number) => void,
): Task<void> {
  let [head, tail, next] = [0, 0, 0];
  yield* inSlices(order.length, (from, to) => {
    for (let at = from; at < to; at++) {
      const [start, end] = [starts[at], ends[at]];
      if (start >= next) {
        [head, tail, next] = [0, 0, start];
      }
      for (; next < end; next++) {
        if (valid !== null && valid[order[next]] === 0) continue;
        const rank = ranks[next];
        while (tail > head && ranks[queue[tail - 1]] > rank) tail--;
        queue[tail++] = next;
      }
      while (head < tail && queue[head] < start) head++;
      if (head < tail && start < end) found(at, queue[head]);
    }
  });
}

/** By row, numbers that compare like the values; arbitrary if missing. Their memory stays reserved. Throws 9006. */
function* comparable(value: Vector, memory: MemoryAccount): Task<Float64Array | Uint32Array | Uint8Array> {
  if (value.kind === 'boolean') return value.bits;
  if (value.kind === 'float') return value.numbers;
  if (value.kind === 'text') return (yield* rankTexts(value, memory)).ranks;
  if (value.numbers !== null) return value.numbers;
  const { count } = value;
  const words = yield* sortWords([{ vector: value, descending: false, missingFirst: false }], count, memory);
  const order = yield* rowsInOrder(words, count, memory);
  const ranks = memory.u32(count);
  yield* inSlices(count, (from, to) => {
    // Equal values may have different ranks: any of them is the extreme.
    for (let at = from; at < to; at++) ranks[order[at]] = at;
  });
  return ranks;
}
