/** Key words: the indexes of the key values of a row, side by side in 64 bits (see dense-plan.ts). */
import type { QueryMemory } from '../../query-memory.js';
import type { QueryRun } from '../../query-run.js';
import type { Allocate } from './allocations.js';
import type { Block } from './block.js';
import type { DenseKey } from './dense-plan.js';
import type { SegmentColumns } from './segment-columns.js';
import { ValueNumbers } from './value-numbers.js';

/** Writes the key word (u64) of each row of the block, selected or not, to `words`. */
function writeKeyWords(
  keys: readonly DenseKey[],
  columns: SegmentColumns,
  { from, rows }: Block,
  memory: QueryMemory,
  words: number,
): void {
  memory.u32.fill(0, words / 4, words / 4 + rows * 2);
  for (const key of keys) {
    if (key.form !== 'number') addKey(key, columns, from, rows, memory, words);
  }
}

/** Writes the key words of stored columns, some of which have numbered values. */
export class StoredKeys {
  readonly #keys: readonly DenseKey[];
  readonly #columns: SegmentColumns;
  readonly #memory: QueryMemory;
  /** By key; null = its indexes are offsets. */
  readonly numbers: readonly (ValueNumbers | null)[];

  constructor(
    keys: readonly DenseKey[],
    columns: SegmentColumns,
    memory: QueryMemory,
    run: QueryRun,
    at: Allocate,
  ) {
    this.#keys = keys;
    this.#columns = columns;
    this.#memory = memory;
    this.numbers = keys.map(({ columnId, form }) =>
      form === 'number' ? new ValueNumbers(columnId, memory, run, at) : null,
    );
  }

  /** See DenseInput. */
  write(block: Block, words: number): boolean {
    writeKeyWords(this.#keys, this.#columns, block, this.#memory, words);
    return this.#keys.every((key, index) => {
      const numbers = this.numbers[index];
      if (numbers === null) return true;
      if (!numbers.add(this.#columns, block)) return false;
      addNumbers(numbers.numbers, key.shift, block.rows, this.#memory, words);
      return true;
    });
  }
}

/** Adds the indexes of numbered values, i32, to the key words of `rows` rows; number -1 is the missing value. */
export const addNumbers = (
  numbers: number,
  shift: number,
  rows: number,
  { kernels }: QueryMemory,
  words: number,
): void => kernels.addKeysI32(numbers, rows, -1n, shift, words);

export function addKey(
  { columnId, form, least, shift }: Pick<DenseKey, 'columnId' | 'form' | 'least' | 'shift'>,
  columns: SegmentColumns,
  from: number,
  rows: number,
  { kernels }: QueryMemory,
  words: number,
): void {
  const { stored, isFull, values, validity } = columns.column(columnId);
  if (stored === null) return;
  const { kind, width } = stored;
  const shifted = (index: number): bigint => BigInt.asIntN(64, BigInt(index) << BigInt(shift));
  const valid = validity + from / 8;
  if (kind === 'bits') {
    kernels.addKeysBits(values + from / 8, rows, shifted(2), shifted(1), words);
    if (!isFull) kernels.addKeysBits(valid, rows, 0n, shifted(-1), words);
    return;
  }
  // Index i is the value least + i - 1; codes start at 1, so code 0 has index 0.
  const before = form === 'word' ? 0 : least - 1;
  const at = values + from * (kind === 'i32' ? 4 : width);
  const isCode = kind === 'code';
  if (kind === 'i32' || width === 4) kernels.addKeysI32(at, rows, BigInt(before), shift, words);
  else if (width === 8) kernels.addKeysI64(at, rows, BigInt(before), shift, words);
  else if (width === 2) kernels[isCode ? 'addKeysU16' : 'addKeysI16'](at, rows, BigInt(before), shift, words);
  else kernels[isCode ? 'addKeysU8' : 'addKeysI8'](at, rows, BigInt(before), shift, words);
  // A missing integer is stored as 0, which must have index 0.
  if (!isCode && !isFull) kernels.addKeysBits(valid, rows, 0n, shifted(before), words);
}

/** Writes the indexes of a key in the key words from element `at` of `words` on to `indexes`, and returns them. */
export function indexesOfKey(
  { shift, bits }: Pick<DenseKey, 'shift' | 'bits'>,
  words: Uint32Array,
  at: number,
  indexes: Float64Array,
): Float64Array {
  const { length: count } = indexes;
  if (shift >= 32) {
    const size = 2 ** bits;
    for (let word = 0; word < count; word++)
      indexes[word] = (words[at + word * 2 + 1] >>> (shift - 32)) % size;
    return indexes;
  }
  const lowBits = Math.min(bits, 32 - shift);
  const lowMask = lowBits === 32 ? -1 : (1 << lowBits) - 1;
  const highMask = bits - lowBits >= 32 ? -1 : (1 << (bits - lowBits)) - 1;
  const highFactor = 2 ** lowBits;
  for (let word = 0, from = at; word < count; word++, from += 2) {
    indexes[word] =
      (((words[from] >>> shift) & lowMask) >>> 0) + ((words[from + 1] & highMask) >>> 0) * highFactor;
  }
  return indexes;
}
