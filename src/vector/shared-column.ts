/**
 * Columns in shared memory whose rows were reordered, and ranges of their rows as vectors. A column of many different
 * texts stores the text of each row, so that a range has only its own texts; other texts are stored by code.
 */
import { inSlices, type MemoryAccount, SLICE_TEXTS, type Task } from '../base/index.js';
import { integersOf, type SharedIntegers, shareIntegers } from './shared-integers.js';
import type { WireVector } from './wire.js';

/** `wide` integers are those of an exact vector with `wide`. */
export type SharedColumn =
  | WireVector
  | {
      readonly kind: 'wide';
      readonly count: number;
      readonly valid: Uint8Array | null;
      readonly integers: SharedIntegers;
    };

type WireText = Extract<WireVector, { readonly kind: 'text' }>;

/** Texts are stored by code if there are at least this many rows per text. */
const ROWS_PER_TEXT_MIN = 4;
/** Offsets of texts are u32. */
const TEXT_BYTES_MAX = 2 ** 32 - 1;
const WORD_BYTES = 8;
/** Bytes of a bigint without its words. */
const BIGINT_BYTES = 32;

type SharedArray = Uint8Array | Uint32Array | Float64Array;

/** Where shared columns are stored. */
export interface SharedMemory {
  readonly account: MemoryAccount;
  /** Returns bytes with arbitrary contents at the start of a buffer of shared memory. */
  readonly allocate: (byteCount: number) => Uint8Array;
}

export const allocateShared: SharedMemory['allocate'] = (byteCount) =>
  new Uint8Array(new SharedArrayBuffer(byteCount));

/** A zeroed array of the type of `like` in shared memory. Throws 9006. */
export function sharedArray<A extends SharedArray>(
  like: A,
  length: number,
  { account, allocate }: SharedMemory,
): A {
  account.reserve(length * like.BYTES_PER_ELEMENT);
  const { buffer } = allocate(length * like.BYTES_PER_ELEMENT).fill(0);
  const create = like.constructor as new (buffer: ArrayBufferLike, from: number, length: number) => A;
  return new create(buffer, 0, length);
}

/** Element to[i] of the result is values[i], for i below `count`. Throws 9006. */
export function* scatterArray<A extends SharedArray>(
  values: A,
  to: Uint32Array,
  count: number,
  memory: SharedMemory,
): Task<A> {
  const scattered = sharedArray(values, count, memory);
  yield* inSlices(count, (from, end) => scatter(values, to, from, end, scattered));
  return scattered;
}

function scatter(values: SharedArray, to: Uint32Array, from: number, end: number, out: SharedArray): void {
  for (let index = from; index < end; index++) out[to[index]] = values[index];
}

/** Row to[r] of the result is row r of `wire`; `to` is a permutation of its rows. Throws 9006. */
export function* scatterColumn(wire: WireVector, to: Uint32Array, memory: SharedMemory): Task<SharedColumn> {
  const { count } = wire;
  const valid = wire.valid === null ? null : yield* scatterArray(wire.valid, to, count, memory);
  switch (wire.kind) {
    case 'exact': {
      if (wire.wide !== null) {
        const integers = shareIntegers(wire.wide, to, (bytes) => {
          memory.account.reserve(bytes);
          return memory.allocate(bytes);
        });
        return { kind: 'wide', count, valid, integers };
      }
      const numbers = yield* scatterArray(wire.numbers as Float64Array, to, count, memory);
      return { kind: 'exact', count, valid, numbers, wide: null };
    }
    case 'float':
      return { ...wire, valid, numbers: yield* scatterArray(wire.numbers, to, count, memory) };
    case 'boolean':
      return { ...wire, valid, bits: yield* scatterArray(wire.bits, to, count, memory) };
    case 'text':
      return yield* scatterTexts(wire, valid, to, memory);
  }
}

function* scatterTexts(
  wire: WireText,
  valid: Uint8Array | null,
  to: Uint32Array,
  memory: SharedMemory,
): Task<SharedColumn> {
  const { count, codes, offsets, bytes, hashes = null } = wire;
  const size = offsets.length - 1;
  let length = 0;
  for (let row = 0; row < count; row++) length += lengthOf(wire, row);
  if (codes !== null && (size * ROWS_PER_TEXT_MIN <= count || length > TEXT_BYTES_MAX)) {
    const own = sharedArray(offsets, offsets.length, memory);
    own.set(offsets);
    const ownBytes = sharedArray(bytes, offsets[size], memory);
    ownBytes.set(bytes.subarray(0, offsets[size]));
    const ownCodes = yield* scatterArray(codes, to, count, memory);
    const ownHashes = hashes === null ? null : sharedArray(hashes, size, memory);
    if (hashes !== null) ownHashes?.set(hashes);
    return { ...wire, valid, codes: ownCodes, offsets: own, bytes: ownBytes, hashes: ownHashes };
  }
  const ends = sharedArray(offsets, count + 1, memory);
  for (let row = 0; row < count; row++) ends[to[row] + 1] = lengthOf(wire, row);
  for (let row = 0; row < count; row++) ends[row + 1] += ends[row];
  const ownBytes = sharedArray(bytes, length, memory);
  yield* inSlices(count, (from, end) => scatterBytes(wire, to, from, end, ends, ownBytes), SLICE_TEXTS);
  const ofRows = hashes === null ? null : yield* hashesOfRows(hashes, codes, to, memory);
  return {
    ...{ kind: 'text', count, valid, codes: null, offsets: ends, bytes: ownBytes, distinct: false },
    hashes: ofRows,
  };
}

function* hashesOfRows(
  hashes: Uint32Array,
  codes: Uint32Array | null,
  to: Uint32Array,
  memory: SharedMemory,
): Task<Uint32Array> {
  const count = to.length;
  if (codes === null) return yield* scatterArray(hashes, to, count, memory);
  const scattered = sharedArray(hashes, count, memory);
  yield* inSlices(count, (from, end) => {
    for (let row = from; row < end; row++) scattered[to[row]] = hashes[codes[row]];
  });
  return scattered;
}

/** Copies the text of each row r in [from, end) to offset ends[to[r]]. */
function scatterBytes(
  { codes, valid, offsets, bytes }: WireText,
  to: Uint32Array,
  from: number,
  end: number,
  ends: Uint32Array,
  copied: Uint8Array,
): void {
  for (let row = from; row < end; row++) {
    if (valid !== null && valid[row] === 0) continue;
    const code = codes === null ? row : codes[row];
    let out = ends[to[row]];
    for (let at = offsets[code], stop = offsets[code + 1]; at < stop; at++) copied[out++] = bytes[at];
  }
}

function lengthOf({ codes, offsets, valid }: WireText, row: number): number {
  if (valid !== null && valid[row] === 0) return 0;
  const code = codes === null ? row : codes[row];
  return offsets[code + 1] - offsets[code];
}

/** The texts of several columns, numbered together: code c of a column has text codes[c] of these. */
export interface TextNumbers {
  readonly offsets: Uint32Array;
  readonly bytes: Uint8Array;
  readonly codes: Uint32Array;
}

/**
 * Rows [from, to). A column of codes takes its texts from `numbers`, or has its own without them. Throws 9006.
 */
export function sharedRows(
  column: SharedColumn,
  from: number,
  to: number,
  numbers: TextNumbers | undefined,
  memory: MemoryAccount,
): WireVector {
  const count = to - from;
  const valid = column.valid?.subarray(from, to) ?? null;
  switch (column.kind) {
    case 'wide':
      memory.reserve(count * (column.integers.width * WORD_BYTES + BIGINT_BYTES));
      return { kind: 'exact', count, valid, numbers: null, wide: integersOf(column.integers, from, to) };
    case 'exact':
      return { ...column, count, valid, numbers: column.numbers?.subarray(from, to) ?? null };
    case 'float':
      return { ...column, count, valid, numbers: column.numbers.subarray(from, to) };
    case 'boolean':
      return { ...column, count, valid, bits: column.bits.subarray(from, to) };
    case 'text':
      return { ...textsOfRows(column, from, to, numbers, memory), count, valid };
  }
}

function textsOfRows(
  column: WireText,
  from: number,
  to: number,
  numbers: TextNumbers | undefined,
  memory: MemoryAccount,
): WireText {
  const { codes, offsets, bytes } = column;
  memory.reserve((to - from) * 4);
  if (codes === null) {
    const start = offsets[from];
    const own = offsets.slice(from, to + 1);
    for (let text = 0; text < own.length; text++) own[text] -= start;
    const hashes = column.hashes?.subarray(from, to) ?? null;
    return { ...column, offsets: own, bytes: bytes.subarray(start, offsets[to]), hashes };
  }
  const range = codes.subarray(from, to);
  if (numbers === undefined) return { ...column, codes: range };
  const own = new Uint32Array(range.length);
  for (let row = 0; row < own.length; row++) own[row] = numbers.codes[range[row]];
  const { offsets: ofTexts, bytes: bytesOfTexts } = numbers;
  return { ...column, codes: own, offsets: ofTexts, bytes: bytesOfTexts, distinct: true, hashes: null };
}
