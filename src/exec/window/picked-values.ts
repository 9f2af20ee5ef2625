/**
 * Window functions that return a value of another row: LAG, LEAD, FIRST_VALUE, LAST_VALUE, NTH_VALUE; and NTILE, which
 * like them reads its argument row by row. A value is read when its row is returned.
 */
import { inSlices, invariant, type MemoryAccount, QuarryError, type Task } from '../../base/index.js';
import { concat, gather, type SqlType, type Vector, type WideIntegers } from '../../vector/index.js';
import { type ColumnRows, VALUE_BYTES } from '../relation/row-batches.js';
import type { Frames } from './frames.js';
import { eachPartition, type WindowLayout } from './layout.js';

/** Stands for a missing value among row numbers. */
export const NO_ROW = 0xffff_ffff;

/** Position p of the result has row rows[p] of `source`, or is missing. */
export function pickedRows(source: Vector, rows: Uint32Array): ColumnRows {
  return (from, to) => {
    const count = to - from;
    const picked = rows.slice(from, to);
    let valid: Uint8Array | null = null;
    for (let index = 0; index < count; index++) {
      if (picked[index] !== NO_ROW) continue;
      valid ??= new Uint8Array(count).fill(1);
      valid[index] = 0;
      picked[index] = 0;
    }
    const values = gather(source, picked, count);
    if (valid === null) return values;
    const ofValues = values.valid;
    if (ofValues !== null) for (let index = 0; index < count; index++) valid[index] &= ofValues[index];
    return { ...values, valid };
  };
}

/** Reads integers row by row; null = missing. Integers beyond the safe ones are rounded. */
function integersOf(vector: Vector): (row: number) => number | null {
  invariant(vector.kind === 'exact', 'the argument is an integer');
  const { valid, numbers, wide } = vector;
  const at = (row: number): number => (numbers === null ? Number((wide as WideIntegers)[row]) : numbers[row]);
  return (row) => (valid !== null && valid[row] === 0 ? null : at(row));
}

export interface ShiftedArguments {
  readonly value: Vector;
  /** null = 1. */
  readonly offset: Vector | null;
  /** The result if there is no such row; null = missing. */
  readonly otherwise: Vector | null;
}

/** LAG (`sign` -1) and LEAD (1). The memory of the rows stays reserved. Throws 9006. */
export function* shiftedColumn(
  { value, offset, otherwise }: ShiftedArguments,
  type: SqlType,
  sign: number,
  layout: WindowLayout,
  memory: MemoryAccount,
): Task<ColumnRows> {
  const { count, order, partitions } = layout;
  const rows = memory.u32(count);
  const offsetOf = offset === null ? null : integersOf(offset);
  yield* inSlices(count, (from, to) =>
    eachPartition(layout, from, to, (partition, first, end) => {
      const [low, high] = [partitions[partition], partitions[partition + 1]];
      for (let at = first; at < end; at++) {
        const distance = offsetOf === null ? 1 : offsetOf(order[at]);
        const from = distance === null ? -1 : at + sign * distance;
        if (distance !== null && from >= low && from < high) rows[at] = order[from];
        else if (distance === null || otherwise === null) rows[at] = NO_ROW;
        else rows[at] = count + order[at];
      }
    }),
  );
  if (otherwise === null) return pickedRows(value, rows);
  memory.reserve(count * 2 * VALUE_BYTES);
  return pickedRows(concat([value, otherwise], type), rows);
}

/** The first or last value of each frame. The memory of the rows stays reserved. Throws 9006. */
export function* edgeColumn(
  value: Vector,
  isFirst: boolean,
  frames: Frames,
  { count, order }: WindowLayout,
  memory: MemoryAccount,
): Task<ColumnRows> {
  const rows = memory.u32(count).fill(NO_ROW);
  // The last range that is not empty decides.
  const ranges = isFirst ? [...frames].reverse() : frames;
  for (const { starts, ends } of ranges) {
    yield* inSlices(count, (from, to) => {
      for (let at = from; at < to; at++) {
        if (starts[at] < ends[at]) rows[at] = order[isFirst ? starts[at] : ends[at] - 1];
      }
    });
  }
  return pickedRows(value, rows);
}

/** The nth value of each frame. The memory of the rows stays reserved. Throws 6000, 9006. */
export function* nthColumn(
  value: Vector,
  n: Vector,
  frames: Frames,
  { count, order }: WindowLayout,
  memory: MemoryAccount,
): Task<ColumnRows> {
  const rows = memory.u32(count);
  const nOf = integersOf(n);
  yield* inSlices(count, (from, to) => {
    for (let at = from; at < to; at++) {
      const nth = nOf(order[at]);
      if (nth !== null && nth <= 0) throw refusal('The second argument of NTH_VALUE must be greater than 0.');
      const position = nth === null ? null : nthPosition(frames, at, nth);
      rows[at] = position === null ? NO_ROW : order[position];
    }
  });
  return pickedRows(value, rows);
}

/** null = the frame has fewer rows. */
function nthPosition(frames: Frames, at: number, nth: number): number | null {
  let left = nth;
  for (const { starts, ends } of frames) {
    const position = starts[at] + left - 1;
    if (position < ends[at]) return position;
    left -= Math.max(ends[at] - starts[at], 0);
  }
  return null;
}

const refusal = (message: string): QuarryError => new QuarryError(6000, message, { message });

/** The buckets of one partition, of sizes that differ by at most one, larger ones first. */
interface Buckets {
  /** Position of the first row that has a bucket. */
  readonly first: number;
  readonly size: number;
  /** The number of buckets with one row more. */
  readonly larger: number;
}

/** NTILE. The number of buckets is that of the partition's first row for which it is not missing. Throws 6000, 9006. */
export function* ntileColumn(argument: Vector, layout: WindowLayout, memory: MemoryAccount): Task<Vector> {
  const { count, order, partitions } = layout;
  memory.reserve(count * VALUE_BYTES);
  const numbers = new Float64Array(count);
  const valid = new Uint8Array(count);
  const bucketsOf = integersOf(argument);
  let missing = 0;
  let buckets: Buckets | null = null;
  yield* inSlices(count, (from, to) =>
    eachPartition(layout, from, to, (partition, first, end) => {
      if (first === partitions[partition]) buckets = null;
      const rows = partitions[partition + 1] - partitions[partition];
      for (let at = first; at < end; at++) {
        if (buckets === null) {
          const bucketCount = bucketsOf(order[at]);
          if (bucketCount === null) {
            missing++;
            continue;
          }
          buckets = bucketsFrom(at, rows, bucketCount);
        }
        numbers[at] = bucketOf(at, buckets);
        valid[at] = 1;
      }
    }),
  );
  return { kind: 'exact', count, valid: missing === 0 ? null : valid, numbers, wide: null };
}

function bucketsFrom(first: number, rows: number, bucketCount: number): Buckets {
  if (bucketCount <= 0) throw refusal('The argument of NTILE must be greater than 0.');
  const size = Math.floor(rows / bucketCount);
  return { first, size, larger: rows - size * bucketCount };
}

function bucketOf(position: number, { first, size, larger }: Buckets): number {
  const row = position - first;
  const inLarger = larger * (size + 1);
  if (row < inLarger) return Math.floor(row / (size + 1)) + 1;
  return larger + Math.floor((row - inLarger) / size) + 1;
}
