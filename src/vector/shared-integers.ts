/**
 * Integers of any length in shared memory.
 * Layout  value v is words[v x width, (v + 1) x width), least significant first, as a two's complement, times
 *         2^(64 x shift). Sums of doubles are multiples of a large power of two, so that few words remain.
 */
import type { WideIntegers } from './vector.js';
import { are64, halvesOf } from './wide-integers.js';

export interface SharedIntegers {
  readonly shift: number;
  readonly width: number;
  readonly words: BigUint64Array;
}

const WORD_BITS = 64;

/** Number i of the result is values[i] at position to[i]. `allocate`: see SharedMemory. */
export function shareIntegers(
  values: WideIntegers,
  to: Uint32Array,
  allocate: (byteCount: number) => Uint8Array,
): SharedIntegers {
  const { shift, width } = are64(values) ? { shift: 0, width: 1 } : layoutOf(values);
  const bytes = values.length * width * BigUint64Array.BYTES_PER_ELEMENT;
  const words = new BigUint64Array(allocate(bytes).buffer, 0, bytes / BigUint64Array.BYTES_PER_ELEMENT);
  if (are64(values)) {
    scatter64(values, to, words);
    return { shift, width, words };
  }
  const [dropped, step] = [BigInt(shift * WORD_BITS), BigInt(WORD_BITS)];
  for (let index = 0; index < values.length; index++) {
    let rest = values[index] >> dropped;
    // An element takes the lower 64 bits.
    for (let at = to[index] * width, end = at + width; at < end; at++, rest >>= step) words[at] = rest;
  }
  return { shift, width, words };
}

function scatter64(values: BigInt64Array<ArrayBufferLike>, to: Uint32Array, words: BigUint64Array): void {
  const from = halvesOf(values);
  const halves = new Int32Array(words.buffer);
  for (let index = 0; index < values.length; index++) {
    halves[to[index] * 2] = from[index * 2];
    halves[to[index] * 2 + 1] = from[index * 2 + 1];
  }
}

/** The words that all values need. */
function layoutOf(values: readonly bigint[]): { readonly shift: number; readonly width: number } {
  let shift = -1;
  let width = 1;
  for (const value of values) {
    if (value === 0n) continue;
    if (shift === -1) shift = zeroWords(value);
    if (shift > 0 && BigInt.asUintN(shift * WORD_BITS, value) !== 0n) {
      const lower = zeroWords(value);
      width += shift - lower;
      shift = lower;
    }
    while (BigInt.asIntN((shift + width) * WORD_BITS, value) !== value) width++;
  }
  return { shift: Math.max(0, shift), width };
}

/** The number of lower words that are 0; the value is not 0. */
function zeroWords(value: bigint): number {
  let count = 0;
  while (BigInt.asUintN((count + 1) * WORD_BITS, value) === 0n) count++;
  return count;
}

/** Values [from, to); those of 64 bits stay in shared memory. */
export function integersOf({ shift, width, words }: SharedIntegers, from: number, to: number): WideIntegers {
  if (shift === 0 && width === 1) {
    return new BigInt64Array(words.buffer, words.byteOffset + from * 8, to - from);
  }
  const values: bigint[] = new Array(to - from);
  const [dropped, step] = [BigInt(shift * WORD_BITS), BigInt(WORD_BITS)];
  for (let index = from; index < to; index++) {
    let at = (index + 1) * width - 1;
    let value = BigInt.asIntN(WORD_BITS, words[at]);
    for (const first = index * width; at > first; ) value = (value << step) | words[--at];
    values[index - from] = value << dropped;
  }
  return values;
}
