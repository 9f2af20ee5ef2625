/**
 * Key words of batches of vectors: the numbers of the key values of a row, side by side in 64 bits.
 * Layout  integers and codes take 32 bits each, booleans 2. When the next key does not fit, the word so far is numbered
 *         and takes 32 bits of the next word.
 */
import {
  exactVector64,
  type SqlType,
  type Vector,
  vectorKindOf,
  type WireVector,
} from '../../../vector/index.js';
import type { QueryMemory } from '../../query-memory.js';
import type { QueryRun } from '../../query-run.js';
import type { ValueCodes } from '../groups/group-codes.js';
import { valueCodes } from '../groups/group-value-codes.js';
import type { Allocate } from './allocations.js';
import { type Block, DENSE_BLOCK_ROWS, FIELD_BYTES } from './block.js';
import { addKey, addNumbers, indexesOfKey } from './key-words.js';
import type { SegmentColumns } from './segment-columns.js';
import { ValueNumbers, WordNumbers } from './value-numbers.js';

const WORD_BITS = 64;
const NUMBER_BITS = 32;
const BOOLEAN_BITS = 2;

/** A key in the key word, at bit `shift`. */
type Part = {
  readonly key: number;
  readonly columnId: number;
  readonly shift: number;
  readonly bits: number;
} & (
  | { readonly kind: 'number'; readonly numbers: ValueNumbers }
  | { readonly kind: 'code'; readonly codes: ValueCodes; readonly codesAt: number }
  | { readonly kind: 'bits' }
);

/** Numbers the words so far. */
interface Fold {
  readonly kind: 'fold';
  readonly words: WordNumbers;
  readonly numbersAt: number;
}

export class VectorKeys {
  readonly #columns: SegmentColumns;
  readonly #memory: QueryMemory;
  readonly #steps: readonly (Part | Fold)[];
  readonly #codes: Uint32Array;

  /** Key k has column `firstColumnId` + k; `rowsMax`: the largest number of rows of a batch. */
  constructor(
    types: readonly SqlType[],
    firstColumnId: number,
    columns: SegmentColumns,
    { memory, run, at, rowsMax }: { memory: QueryMemory; run: QueryRun; at: Allocate; rowsMax: number },
  ) {
    this.#columns = columns;
    this.#memory = memory;
    this.#codes = new Uint32Array(rowsMax);
    const steps: (Part | Fold)[] = [];
    let shift = 0;
    types.forEach((type, key) => {
      const kind = vectorKindOf(type);
      const bits = kind === 'boolean' ? BOOLEAN_BITS : NUMBER_BITS;
      if (shift + bits > WORD_BITS) {
        steps.push({
          kind: 'fold',
          words: new WordNumbers(memory, run),
          numbersAt: at(DENSE_BLOCK_ROWS * 4),
        });
        shift = NUMBER_BITS;
      }
      const columnId = firstColumnId + key;
      const common = { key, columnId, shift, bits };
      if (kind === 'boolean') steps.push({ ...common, kind: 'bits' });
      else if (kind === 'exact') {
        steps.push({ ...common, kind: 'number', numbers: new ValueNumbers(columnId, memory, run, at) });
      } else steps.push({ ...common, kind: 'code', codes: valueCodes(type, run), codesAt: at(rowsMax * 4) });
      shift += bits;
    });
    this.#steps = steps;
  }

  /** Makes the vectors of a batch the keys. Throws 9006. */
  put(vectors: readonly Vector[]): void {
    for (const step of this.#steps) {
      if (step.kind === 'fold') continue;
      const vector = vectors[step.key];
      if (step.kind !== 'code') this.#columns.put(step.columnId, vector);
      else {
        const { codes, shift } = step.codes.code(vector, this.#codes);
        const { u32 } = this.#memory;
        const first = step.codesAt / 4;
        u32.set(codes.subarray(0, vector.count), first);
        if (shift === 1) for (let row = 0; row < vector.count; row++) u32[first + row]++;
      }
    }
  }

  /** See DenseInput. */
  write(block: Block, words: number): boolean {
    const { from, rows } = block;
    const memory = this.#memory;
    const clear = (): unknown => memory.u32.fill(0, words / 4, words / 4 + rows * 2);
    clear();
    for (const step of this.#steps) {
      if (step.kind === 'fold') {
        if (!step.words.find(words, 0, rows, step.numbersAt)) return false;
        clear();
        addNumbers(step.numbersAt, 0, rows, memory, words);
      } else if (step.kind === 'number') {
        if (!step.numbers.add(this.#columns, block)) return false;
        addNumbers(step.numbers.numbers, step.shift, rows, memory, words);
      } else if (step.kind === 'code') {
        memory.kernels.addKeysI32(step.codesAt + from * 4, rows, 0n, step.shift, words);
      } else addKey({ ...step, form: 'offset', least: 0 }, this.#columns, from, rows, memory, words);
    }
    return true;
  }

  /** The keys of `count` key words from `words` on. Their memory is reserved in `run`. Throws 9006. */
  vectors(words: number, count: number, run: QueryRun): WireVector[] {
    let source = this.#memory.u32.subarray(words / 4, words / 4 + count * 2);
    const vectors: WireVector[] = [];
    for (const step of [...this.#steps].reverse()) {
      if (step.kind === 'fold') source = this.#folded(step, source, count);
      else vectors[step.key] = keyVector(step, indexesOfKey(step, source, 0, new Float64Array(count)), run);
    }
    return vectors;
  }

  /** The words whose numbers are in the lower half of `source`. */
  #folded({ words }: Fold, source: Uint32Array, count: number): Uint32Array<ArrayBuffer> {
    const { u32 } = this.#memory;
    const unfolded = new Uint32Array(count * 2);
    const first = words.words / 4;
    for (let row = 0; row < count; row++) {
      // Index n + 1 is number n.
      const at = first + (source[row * 2] - 1) * (FIELD_BYTES / 4);
      unfolded[row * 2] = u32[at];
      unfolded[row * 2 + 1] = u32[at + 1];
    }
    return unfolded;
  }
}

function keyVector(part: Part, indexes: Float64Array, run: QueryRun): WireVector {
  const count = indexes.length;
  if (part.kind === 'code') return part.codes.values(Uint32Array.from(indexes), run);
  run.reserve(count * 9);
  const valid = indexes.includes(0) ? Uint8Array.from(indexes, (index) => (index === 0 ? 0 : 1)) : null;
  if (part.kind === 'number') return exactVector64(valid, part.numbers.valuesOf(indexes));
  return { kind: 'boolean', count, valid, bits: Uint8Array.from(indexes, (index) => (index === 2 ? 1 : 0)) };
}
