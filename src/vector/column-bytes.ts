/**
 * A column of rows in a block of bytes (blocks.ts):
 *   head     kind (index in KINDS), flags (the arrays that follow, in the order of FLAGS), textCount, textBytes
 *   arrays   valid, numbers, integers of 64, 128 or more bits, bits, codes, offsets and bytes of texts, hashes
 * Integers of more bits begin with an array of their shift and width (see SharedIntegers).
 */
import { invariant } from '../base/index.js';
import { type BlockReader, type BlockWriter, checkBlock } from './blocks.js';
import { allocateShared } from './shared-column.js';
import { integersOf, shareIntegers } from './shared-integers.js';
import type { WideIntegers } from './vector.js';
import { are64 } from './wide-integers.js';
import type { WireVector } from './wire.js';

export const COLUMN_HEAD_BYTES = 16;

const KINDS = ['exact', 'float', 'boolean', 'text'] as const;
const FLAGS = {
  ...{ valid: 1, numbers: 2, integers64: 4, integers: 8 },
  ...{ codes: 16, hashes: 32, distinct: 64 },
} as const;
const ALL_FLAGS = Object.values(FLAGS).reduce((all, flag) => all | flag, 0);
/** Sums of squares of doubles have about 4,300 bits. */
const WIDTH_MAX = 128;

type Numbers = Parameters<BlockWriter['add']>[0];

/** Writes the first `count` rows, which are all of the column. */
export function writeColumn(writer: BlockWriter, column: WireVector, count: number): void {
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
    else {
      const { shift, width, words } = layOut(column.wide, count);
      invariant(shift + width <= WIDTH_MAX, 'integers are not longer than sums of squares');
      add(Uint32Array.of(shift, width), 2, FLAGS.integers);
      add(words, count * width, 0);
    }
  }
  if (column.kind === 'text') {
    textCount = column.offsets.length - 1;
    textBytes = column.offsets[textCount];
    add(column.codes, count, FLAGS.codes);
    add(column.offsets, textCount + 1, column.distinct ? FLAGS.distinct : 0);
    add(column.bytes, textBytes, 0);
    add(column.hashes ?? null, textCount, FLAGS.hashes);
  }
  writer.add(Uint32Array.of(KINDS.indexOf(column.kind), flags, textCount, textBytes));
  for (const array of arrays) writer.add(array);
}

function layOut(integers: WideIntegers, count: number): ReturnType<typeof shareIntegers> {
  const rows = Uint32Array.from({ length: count }, (_, row) => row);
  return shareIntegers(integers.slice(0, count), rows, allocateShared);
}

/** Throws a BlockError unless the column has `count` rows and all values are valid. */
export function readColumn(reader: BlockReader, count: number): WireVector {
  const [kindIndex, flags, textCount, textBytes] = reader.array(Uint32Array, COLUMN_HEAD_BYTES / 4);
  checkBlock(kindIndex < KINDS.length, `a column of kind ${kindIndex}`);
  checkBlock((flags & ~ALL_FLAGS) === 0, `a column with flags ${flags}`);
  const has = (flag: keyof typeof FLAGS): boolean => (flags & FLAGS[flag]) !== 0;
  const kind = KINDS[kindIndex];
  const valid = has('valid') ? zerosAndOnes(reader.array(Uint8Array, count)) : null;
  switch (kind) {
    case 'boolean':
      return { kind, count, valid, bits: zerosAndOnes(reader.array(Uint8Array, count)) };
    case 'float':
      return { kind, count, valid, numbers: checked(reader.array(Float64Array, count), valid, isDouble) };
    case 'exact': {
      const numbers = has('numbers')
        ? checked(reader.array(Float64Array, count), valid, Number.isSafeInteger)
        : null;
      const wide = readIntegers(reader, count, has('integers64'), has('integers'));
      checkBlock((numbers === null) !== (wide === null), 'integers in two forms or none');
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

function readIntegers(
  reader: BlockReader,
  count: number,
  has64: boolean,
  hasMore: boolean,
): WideIntegers | null {
  if (has64) return reader.array(BigInt64Array<ArrayBufferLike>, count);
  if (!hasMore) return null;
  const [shift, width] = reader.array(Uint32Array, 2);
  checkBlock(width > 0 && shift + width <= WIDTH_MAX, `integers of ${width} words, shifted by ${shift}`);
  return integersOf({ shift, width, words: reader.array(BigUint64Array, count * width) }, 0, count);
}

/** Texts lie one after the other, and every code has a text. */
function checkTexts(codes: Uint32Array | null, offsets: Uint32Array, textBytes: number, count: number): void {
  const textCount = offsets.length - 1;
  checkBlock(offsets[0] === 0 && offsets[textCount] === textBytes, 'texts do not fill their bytes');
  for (let text = 0; text < textCount; text++)
    checkBlock(offsets[text] <= offsets[text + 1], 'texts overlap');
  if (codes === null) checkBlock(count <= textCount, 'rows without a text');
  else for (let row = 0; row < count; row++) checkBlock(codes[row] < textCount, 'a code without a text');
}

function zerosAndOnes(array: Uint8Array): Uint8Array {
  for (const value of array) checkBlock(value <= 1, 'a bit that is neither 0 nor 1');
  return array;
}

const isDouble = (value: number): boolean => Number.isFinite(value);

/** Missing values have arbitrary numbers. */
function checked(
  array: Float64Array,
  valid: Uint8Array | null,
  isAllowed: (value: number) => boolean,
): Float64Array {
  for (let row = 0; row < array.length; row++) {
    if (valid !== null && valid[row] === 0) continue;
    checkBlock(isAllowed(array[row]), 'a number that no column has');
  }
  return array;
}
