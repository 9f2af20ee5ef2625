/** Codes of number keys of any range, by hash. Integers beyond 2^53 have tables of their own. */
import { grownWithin } from '../../../base/index.js';
import type { ExactVector, FloatVector, Vector, WideIntegers } from '../../../vector/index.js';
import { isSafe } from '../../../vector/index.js';
import { WideTable } from '../../aggregate/groups/group-wide-table.js';
import type { QueryRun } from '../../query-run.js';
import type { ColumnFilter } from '../../scan/column-filter.js';
import type { KeyCodes } from './key-codes.js';
import { integerFilter } from './key-filter.js';
import { MissingCode } from './key-missing.js';
import { NumberSlots, wordsOf } from './key-slots.js';

const WIDE_MIN = 64;

export class HashedCodes implements KeyCodes {
  readonly #vector: ExactVector | FloatVector;
  readonly #missing: MissingCode;
  readonly #run: QueryRun;
  readonly #slots: NumberSlots;
  #wide: WideTable | null = null;
  /** The codes of the integers in `wide`. */
  #wideCodes: Uint32Array<ArrayBuffer> = new Uint32Array(0);
  #wideCount = 0;

  /** Throws 9006. */
  constructor(vector: ExactVector | FloatVector, nullsEqual: boolean, run: QueryRun) {
    this.#vector = vector;
    this.#missing = new MissingCode(nullsEqual);
    this.#run = run;
    this.#slots = new NumberSlots(vector.count, run);
  }

  add(from: number, to: number, codes: Int32Array): void {
    const { numbers, valid } = this.#vector;
    const slots = this.#slots;
    slots.reserve(from, to);
    if (numbers === null) {
      this.#addWide(from, to, codes);
      return;
    }
    const words = wordsOf(numbers);
    for (let row = from; row < to; row++) {
      if (valid !== null && valid[row] === 0) codes[row] = this.#missing.add(row);
      else codes[row] = slots.add(numbers, words, row, row);
    }
  }

  #addWide(from: number, to: number, codes: Int32Array): void {
    const { wide, valid } = this.#vector as { wide: WideIntegers; valid: Uint8Array | null };
    this.#run.reserve((to - from) * 8);
    const numbers = safeNumbers(wide, from, to);
    const words = wordsOf(numbers);
    for (let row = from; row < to; row++) {
      if (valid !== null && valid[row] === 0) codes[row] = this.#missing.add(row);
      else if (isSafe(wide[row])) codes[row] = this.#slots.add(numbers, words, row - from, row);
      else codes[row] = this.#addLarge(wide[row], row);
    }
    this.#run.release((to - from) * 8);
  }

  /** The code of an integer beyond 2^53; a new one gets row + 1. */
  #addLarge(value: bigint, row: number): number {
    this.#wide ??= new WideTable(this.#run);
    const found = this.#wide.add(value);
    if (found === this.#wideCount) {
      this.#wideCodes = grownWithin(this.#run, this.#wideCodes, found + 1, WIDE_MIN);
      this.#wideCodes[found] = row + 1;
      this.#wideCount++;
    }
    return this.#wideCodes[found];
  }

  find(vector: Vector, codes: Int32Array): void {
    const { numbers, count } = vector as ExactVector | FloatVector;
    if (numbers === null) this.#findWide(vector as ExactVector, codes);
    else this.#slots.find(numbers, count, codes);
    this.#missing.find(vector, codes);
  }

  filter(): ColumnFilter | null {
    return this.#vector.kind === 'exact' ? integerFilter(this.#vector, this.#run) : null;
  }

  #findWide({ wide, count }: ExactVector, codes: Int32Array): void {
    const values = wide as WideIntegers;
    this.#slots.find(safeNumbers(values, 0, count), count, codes);
    for (let row = 0; row < count; row++) {
      if (isSafe(values[row])) continue;
      const found = this.#wide === null ? -1 : this.#wide.find(values[row]);
      codes[row] = found < 0 ? 0 : this.#wideCodes[found];
    }
  }
}

/** The safe integers of rows [from, to); others are 0. */
function safeNumbers(wide: WideIntegers, from: number, to: number): Float64Array {
  const numbers = new Float64Array(to - from);
  for (let row = from; row < to; row++) if (isSafe(wide[row])) numbers[row - from] = Number(wide[row]);
  return numbers;
}
