/**
 * Rows as bytes, for receivers that share no memory with the sender. Little-endian; every array starts at a multiple of
 * 8 bytes and is padded with zeros.
 *        0    4 magic
 *        4    4 version
 *        8    4 byteCount    of the whole
 *       12    4 crc32        CRC-32 (zlib) over [16, byteCount)
 *       16    4 rowCount
 *       20    4 columnCount
 *       24      columns
 * column
 *        0    4 kind         index in KINDS
 *        4    4 flags        the arrays that follow, in the order of FLAGS
 *        8    4 textCount
 *       12    4 textBytes    of all texts
 *       16      valid, numbers, integers of 64 or 128 bits, bits, codes, offsets and bytes of texts, hashes
 */
import { crc32 } from 'node:zlib';
import { invariant, QuarryError } from '../base/index.js';
import type { WideIntegers } from './vector.js';
import { are64 } from './wide-integers.js';
import type { WireVector } from './wire.js';

const MAGIC = 0x42_52_51_01;
const VERSION = 1;
const HEAD_BYTES = 24;
const COLUMN_HEAD_BYTES = 16;
const CRC_AT = 12;
/** The checksum covers everything from here on. */
const CHECKED_FROM = 16;
/** Exclusive: byteCount has 32 bits. */
const BYTES_MAX = 2 ** 32;
const WIDE_BITS = 128;
const WIDE_BYTES = WIDE_BITS / 8;

const KINDS = ['exact', 'float', 'boolean', 'text'] as const;
const FLAGS = {
  ...{ valid: 1, numbers: 2, integers64: 4, integers128: 8 },
  ...{ codes: 16, hashes: 32, distinct: 64 },
} as const;

/** Rows of a sender. */
export interface RowsOfColumns {
  readonly count: number;
  readonly columns: readonly WireVector[];
}

type Bytes = Uint8Array<ArrayBufferLike>;
type Numbers = Uint8Array | Uint32Array | Float64Array | BigInt64Array;

const aligned = (bytes: number): number => Math.ceil(bytes / 8) * 8;

/** The bytes of the rows, in memory of their own. Throws 9006 if they take 4 GiB or more. */
export function bytesOfRows({ count, columns }: RowsOfColumns): Uint8Array<ArrayBuffer> {
  const encoded = columns.map((column) => encodeColumn(column, count));
  const byteCount = encoded.flat().reduce((sum, array) => sum + aligned(array.byteLength), HEAD_BYTES);
  if (byteCount >= BYTES_MAX) throw new QuarryError(9006, 'rows of the query take 4 GiB or more in one part');
  const bytes = new Uint8Array(byteCount);
  let at = HEAD_BYTES;
  for (const array of encoded.flat()) {
    bytes.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), at);
    at += aligned(array.byteLength);
  }
  new Uint32Array(bytes.buffer, 0, HEAD_BYTES / 4).set([MAGIC, VERSION, byteCount, 0, count, columns.length]);
  new DataView(bytes.buffer).setUint32(CRC_AT, crc32(bytes.subarray(CHECKED_FROM)), true);
  return bytes;
}

/** The head and the arrays of a column. */
function encodeColumn(column: WireVector, count: number): Numbers[] {
  invariant(column.count === count, 'the columns of rows have one value per row');
  const arrays: Numbers[] = [];
  let flags = 0;
  const add = (array: Numbers | null, length: number, flag: number): void => {
    if (array === null) return;
    flags |= flag;
    arrays.push(array.subarray(0, length));
  };
  let [textCount, textBytes] = [0, 0];
  add(column.valid, count, FLAGS.valid);
  if (column.kind === 'boolean') add(column.bits, count, 0);
  else if (column.kind !== 'text') add(column.numbers, count, FLAGS.numbers);
  if (column.kind === 'exact' && column.wide !== null) {
    if (are64(column.wide)) add(column.wide, count, FLAGS.integers64);
    else add(encodeIntegers(column.wide, count), count * 2, FLAGS.integers128);
  }
  if (column.kind === 'text') {
    textCount = column.offsets.length - 1;
    textBytes = column.offsets[textCount];
    add(column.codes, count, FLAGS.codes);
    add(column.offsets, textCount + 1, column.distinct ? FLAGS.distinct : 0);
    add(column.bytes, textBytes, 0);
    add(column.hashes ?? null, textCount, FLAGS.hashes);
  }
  return [Uint32Array.of(KINDS.indexOf(column.kind), flags, textCount, textBytes), ...arrays];
}

/** The lower and upper 64 bits of each integer, in turn. */
function encodeIntegers(integers: WideIntegers, count: number): BigInt64Array {
  const halves = new BigInt64Array(count * 2);
  for (let row = 0; row < count; row++) {
    const integer = integers[row];
    invariant(BigInt.asIntN(WIDE_BITS, integer) === integer, 'integers have at most 128 bits');
    halves[row * 2] = BigInt.asIntN(64, integer);
    halves[row * 2 + 1] = integer >> 64n;
  }
  return halves;
}

/** The bytes are not rows in this version of the format, or are damaged. */
export class RowBytesError extends Error {
  override name = 'RowBytesError';
}

function check(holds: boolean, reason: string): asserts holds {
  if (!holds) throw new RowBytesError(`received rows are damaged: ${reason}`);
}

/**
 * The rows of `bytesOfRows`; the arrays are views of the bytes if these start at a multiple of 8, else of a copy.
 * No value of another thread or machine is trusted: throws a RowBytesError unless checksum, sizes and values are right.
 */
export function rowsOfBytes(bytes: Bytes): RowsOfColumns {
  check(bytes.length >= HEAD_BYTES, 'the head is cut off');
  const own = bytes.byteOffset % 8 === 0 ? bytes : bytes.slice();
  const [magic, version, byteCount, crc, count, columnCount] = new Uint32Array(
    own.buffer,
    own.byteOffset,
    HEAD_BYTES / 4,
  );
  check(magic === MAGIC, 'they do not begin as rows');
  check(version === VERSION, `format version ${version}, expected ${VERSION}`);
  check(byteCount === own.length, `${own.length} bytes of ${byteCount}`);
  check(crc === crc32(own.subarray(CHECKED_FROM)), 'the checksum differs');
  check(columnCount <= (own.length - HEAD_BYTES) / COLUMN_HEAD_BYTES, `${columnCount} columns`);
  const reader = new Reader(own, HEAD_BYTES);
  const columns = Array.from({ length: columnCount }, () => decodeColumn(reader, count));
  check(reader.isAtEnd, 'bytes follow the last column');
  return { count, columns };
}

type ArrayType<T> = {
  new (buffer: ArrayBufferLike, at: number, length: number): T;
  readonly BYTES_PER_ELEMENT: number;
};

/** Reads arrays one after the other. */
class Reader {
  readonly #bytes: Bytes;
  #at: number;

  constructor(bytes: Bytes, at: number) {
    this.#bytes = bytes;
    this.#at = at;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  array<T>(type: ArrayType<T>, length: number): T {
    const end = this.#at + aligned(length * type.BYTES_PER_ELEMENT);
    check(end <= this.#bytes.length, 'an array is cut off');
    const array = new type(this.#bytes.buffer, this.#bytes.byteOffset + this.#at, length);
    this.#at = end;
    return array;
  }
}

const ALL_FLAGS = Object.values(FLAGS).reduce((all, flag) => all | flag, 0);

function decodeColumn(reader: Reader, count: number): WireVector {
  const [kindIndex, flags, textCount, textBytes] = reader.array(Uint32Array, COLUMN_HEAD_BYTES / 4);
  check(kindIndex < KINDS.length, `a column of kind ${kindIndex}`);
  check((flags & ~ALL_FLAGS) === 0, `a column with flags ${flags}`);
  const has = (flag: keyof typeof FLAGS): boolean => (flags & FLAGS[flag]) !== 0;
  const kind = KINDS[kindIndex];
  const valid = has('valid') ? zerosAndOnes(reader.array(Uint8Array, count)) : null;
  switch (kind) {
    case 'boolean':
      return { kind, count, valid, bits: zerosAndOnes(reader.array(Uint8Array, count)) };
    case 'float':
      return { kind, count, valid, numbers: finite(reader.array(Float64Array, count)) };
    case 'exact': {
      const numbers = has('numbers') ? safe(reader.array(Float64Array, count)) : null;
      const wide = decodeIntegers(reader, count, has('integers64'), has('integers128'));
      check((numbers === null) !== (wide === null), 'integers in two forms or none');
      return { kind, count, valid, numbers, wide };
    }
    case 'text': {
      const codes = has('codes') ? reader.array(Uint32Array, count) : null;
      const offsets = reader.array(Uint32Array, textCount + 1);
      const bytes = reader.array(Uint8Array, textBytes);
      checkTexts(codes, offsets, textBytes, count);
      const hashes = has('hashes') ? reader.array(Uint32Array, textCount) : null;
      return { kind, count, valid, codes, offsets, bytes, distinct: has('distinct'), hashes };
    }
  }
}

function decodeIntegers(reader: Reader, count: number, has64: boolean, has128: boolean): WideIntegers | null {
  if (has64) return reader.array(BigInt64Array<ArrayBufferLike>, count);
  if (!has128) return null;
  const halves = reader.array(BigInt64Array<ArrayBufferLike>, count * (WIDE_BYTES / 8));
  return Array.from(
    { length: count },
    (_, row) => (halves[row * 2 + 1] << 64n) | BigInt.asUintN(64, halves[row * 2]),
  );
}

/** Texts lie one after the other, and every code has a text. */
function checkTexts(codes: Uint32Array | null, offsets: Uint32Array, textBytes: number, count: number): void {
  const textCount = offsets.length - 1;
  check(offsets[0] === 0 && offsets[textCount] === textBytes, 'texts do not fill their bytes');
  for (let text = 0; text < textCount; text++) check(offsets[text] <= offsets[text + 1], 'texts overlap');
  if (codes === null) check(count <= textCount, 'rows without a text');
  else for (let row = 0; row < count; row++) check(codes[row] < textCount, 'a code without a text');
}

function zerosAndOnes(array: Uint8Array): Uint8Array {
  for (const value of array) check(value <= 1, 'a bit that is neither 0 nor 1');
  return array;
}

function finite(array: Float64Array): Float64Array {
  for (const value of array) check(Number.isFinite(value), 'a number that is not finite');
  return array;
}

function safe(array: Float64Array): Float64Array {
  for (const value of array) check(Number.isSafeInteger(value), 'an integer that is not safe');
  return array;
}
