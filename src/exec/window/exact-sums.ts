/**
 * SUM and AVG of exact values over frames, by differences of running sums, which are exact.
 * Layout  a running sum is low + high x 2^32 with 0 <= low < 2^32, or low alone while all are safe integers; `wide` for
 *         values beyond the safe integers.
 */
import { inSlices, type MemoryAccount, QuarryError, type Task } from '../../base/index.js';
import {
  DIGITS_MAX,
  decimalMean,
  type ExactVector,
  exactMean,
  fewMillionths,
  formOf,
  isSafe,
  MEAN_UNIT,
  type SqlType,
  type Vector,
  type WideIntegers,
} from '../../vector/index.js';
import { countInFrame, runningCounts } from './counts.js';
import type { Frames } from './frames.js';
import type { WindowLayout } from './layout.js';

const HIGH_WEIGHT = 2 ** 32;
const WIDE_BYTES = 48;
const SUM_END = 10n ** BigInt(DIGITS_MAX);
/** Positions per slice of loops that make bigints. */
const SLICE_WIDE = 4_096;

/** Element p has the sum of the values before position p. */
interface RunningSums {
  readonly low: Float64Array;
  readonly high: Float64Array | null;
  readonly wide: readonly bigint[] | null;
}

/** The sums of frames with their numbers of values. */
interface FrameSums {
  readonly sums: RunningSums;
  readonly counts: Uint32Array | null;
  readonly frames: Frames;
  readonly count: number;
}

/** The memory of the result stays reserved. Throws 6000 for sums of more than DIGITS_MAX digits, 9006. */
export function* exactSumColumn(
  value: ExactVector,
  frames: Frames,
  layout: WindowLayout,
  memory: MemoryAccount,
): Task<Vector> {
  const scratch = memory.child();
  const of = yield* frameSums(value, frames, layout, scratch);
  const result = (yield* safeSums(of, memory)) ?? (yield* wideSums(of, memory, (sum) => sum));
  scratch.releaseAll();
  return result;
}

/** AVG as a decimal with `scale` places. The memory of the result stays reserved. Throws 6000 like exactSumColumn, 9006. */
export function* decimalMeanColumn(
  value: ExactVector,
  type: SqlType,
  scale: number,
  layout: WindowLayout,
  { frames, memory }: { readonly frames: Frames; readonly memory: MemoryAccount },
): Task<Vector> {
  const scratch = memory.child();
  const of = yield* frameSums(value, frames, layout, scratch);
  const form = formOf(type);
  const result = yield* wideSums(of, memory, (sum, values) => decimalMean(sum, BigInt(values), form, scale));
  scratch.releaseAll();
  return result;
}

/** AVG in millionths, as a float. The memory of the result stays reserved. Throws 9006. */
export function* exactMeanColumn(
  value: ExactVector,
  type: SqlType,
  frames: Frames,
  layout: WindowLayout,
  memory: MemoryAccount,
): Task<Vector> {
  const { count } = layout;
  const scratch = memory.child();
  const of = yield* frameSums(value, frames, layout, scratch);
  const form = formOf(type);
  const unit = isSafe(form.unit) ? Number(form.unit) : Number.POSITIVE_INFINITY;
  memory.reserve(count * 9);
  const numbers = new Float64Array(count);
  const valid = new Uint8Array(count);
  yield* inSlices(count, (from, to) => {
    for (let at = from; at < to; at++) {
      const values = countInFrame(of.counts, frames, at);
      if (values === 0) continue;
      valid[at] = 1;
      const sum = safeSum(of, at);
      const millionths = Number.isSafeInteger(sum) ? fewMillionths(sum, values * unit) : null;
      numbers[at] =
        millionths === null ? exactMean(wideSum(of, at), BigInt(values), form) : millionths / MEAN_UNIT;
    }
  });
  scratch.releaseAll();
  return { kind: 'float', count, valid: validOrNull(valid), numbers };
}

function* frameSums(
  value: ExactVector,
  frames: Frames,
  layout: WindowLayout,
  memory: MemoryAccount,
): Task<FrameSums> {
  const counts = yield* runningCounts(value, layout, memory);
  const sums = yield* runningSums(value, layout, memory);
  return { sums, counts, frames, count: layout.count };
}

function* runningSums(value: ExactVector, layout: WindowLayout, memory: MemoryAccount): Task<RunningSums> {
  const { count, order } = layout;
  const { numbers, wide, valid } = value;
  if (numbers === null) {
    memory.reserve((count + 1) * WIDE_BYTES);
    return { low: new Float64Array(0), high: null, wide: yield* runningWide(wide ?? [], valid, order) };
  }
  memory.reserve((count + 1) * 8);
  const low = new Float64Array(count + 1);
  let isSafeSum = true;
  yield* inSlices(count, (from, to) => {
    isSafeSum &&= addSafe(numbers, valid, order, low, from, to);
  });
  if (isSafeSum) return { low, high: null, wide: null };
  memory.reserve((count + 1) * 8);
  const high = new Float64Array(count + 1);
  low[0] = 0;
  yield* inSlices(count, (from, to) => addSplit(numbers, valid, order, low, high, from, to));
  return { low, high, wide: null };
}

/** Returns false if a sum is not a safe integer. */
function addSafe(
  numbers: Float64Array,
  valid: Uint8Array | null,
  order: Uint32Array,
  sums: Float64Array,
  from: number,
  to: number,
): boolean {
  let sum = sums[from];
  for (let at = from; at < to; at++) {
    const row = order[at];
    if (valid === null || valid[row] === 1) {
      sum += numbers[row];
      if (!(sum <= Number.MAX_SAFE_INTEGER && sum >= -Number.MAX_SAFE_INTEGER)) return false;
    }
    sums[at + 1] = sum;
  }
  return true;
}

function addSplit(
  numbers: Float64Array,
  valid: Uint8Array | null,
  order: Uint32Array,
  lows: Float64Array,
  highs: Float64Array,
  from: number,
  to: number,
): void {
  let [low, high] = [lows[from], highs[from]];
  for (let at = from; at < to; at++) {
    const row = order[at];
    if (valid === null || valid[row] === 1) {
      const number = numbers[row];
      const above = Math.floor(number / HIGH_WEIGHT);
      low += number - above * HIGH_WEIGHT;
      high += above;
      if (low >= HIGH_WEIGHT) {
        low -= HIGH_WEIGHT;
        high++;
      }
    }
    lows[at + 1] = low;
    highs[at + 1] = high;
  }
}

function* runningWide(
  values: WideIntegers,
  valid: Uint8Array | null,
  order: Uint32Array,
): Task<readonly bigint[]> {
  const sums = [0n];
  let sum = 0n;
  yield* inSlices(
    order.length,
    (from, to) => {
      for (let at = from; at < to; at++) {
        if (valid === null || valid[order[at]] === 1) sum += values[order[at]];
        sums.push(sum);
      }
    },
    SLICE_WIDE,
  );
  return sums;
}

/** The sum of the frame at a position if it is a safe integer; otherwise a number that is not. */
function safeSum({ sums, frames }: FrameSums, at: number): number {
  let sum = 0;
  for (const { starts, ends } of frames) {
    if (starts[at] >= ends[at]) continue;
    const part = roundedWithin(sums, starts[at], ends[at]);
    if (!Number.isSafeInteger(part)) return Number.NaN;
    sum += part;
  }
  return sum;
}

/** The sum of [start, end), exact if it is a safe integer. */
function roundedWithin({ low, high, wide }: RunningSums, start: number, end: number): number {
  if (wide !== null) return Number(wide[end] - wide[start]);
  const sum = low[end] - low[start];
  return high === null ? sum : (high[end] - high[start]) * HIGH_WEIGHT + sum;
}

function wideSum({ sums, frames }: FrameSums, at: number): bigint {
  let sum = 0n;
  for (const { starts, ends } of frames) {
    if (starts[at] < ends[at]) sum += wideWithin(sums, starts[at], ends[at]);
  }
  return sum;
}

function wideWithin({ low, high, wide }: RunningSums, start: number, end: number): bigint {
  if (wide !== null) return wide[end] - wide[start];
  // A difference of two safe integers may be inexact.
  if (high === null) return BigInt(low[end]) - BigInt(low[start]);
  return BigInt(high[end] - high[start]) * BigInt(HIGH_WEIGHT) + BigInt(low[end] - low[start]);
}

/** null = some sum is not a safe integer. */
function* safeSums(of: FrameSums, memory: MemoryAccount): Task<Vector | null> {
  const { counts, frames, count } = of;
  memory.reserve(count * 9);
  const numbers = new Float64Array(count);
  const valid = new Uint8Array(count);
  let isSafeSum = true;
  yield* inSlices(count, (from, to) => {
    for (let at = from; at < to && isSafeSum; at++) {
      if (countInFrame(counts, frames, at) === 0) continue;
      const sum = safeSum(of, at);
      isSafeSum = Number.isSafeInteger(sum);
      numbers[at] = sum;
      valid[at] = 1;
    }
  });
  if (isSafeSum) return { kind: 'exact', count, valid: validOrNull(valid), numbers, wide: null };
  memory.release(count * 9);
  return null;
}

/** `resultOf` computes a result from the sum and the number of values of a frame. */
function* wideSums(
  of: FrameSums,
  memory: MemoryAccount,
  resultOf: (sum: bigint, values: number) => bigint,
): Task<Vector> {
  const { counts, frames, count } = of;
  memory.reserve(count * (WIDE_BYTES + 1));
  const wide: bigint[] = [];
  const valid = new Uint8Array(count);
  yield* inSlices(
    count,
    (from, to) => {
      for (let at = from; at < to; at++) {
        const values = countInFrame(counts, frames, at);
        const sum = values === 0 ? 0n : resultOf(wideSum(of, at), values);
        if (sum >= SUM_END || sum <= -SUM_END) {
          const message = `A sum has more than ${DIGITS_MAX} digits.`;
          throw new QuarryError(6000, message, { message });
        }
        wide.push(sum);
        valid[at] = values === 0 ? 0 : 1;
      }
    },
    SLICE_WIDE,
  );
  return { kind: 'exact', count, valid: validOrNull(valid), numbers: null, wide };
}

export const validOrNull = (valid: Uint8Array): Uint8Array | null => (valid.includes(0) ? valid : null);
