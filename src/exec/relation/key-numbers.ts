/** Codes of number keys of any range, by hash. Integers beyond 2^53 have tables of their own. */
import { grownWithin } from '../../base/index.js';
import type { ExactVector, FloatVector, Vector } from '../../vector/index.js';
import { isSafe } from '../../vector/index.js';
import type { QueryRun } from '../query-run.js';
import { WideTable } from '../select/group-wide-table.js';
import type { KeyCodes } from './key-codes.js';
import { MissingCode } from './key-missing.js';
import { NumberSlots } from './key-slots.js';

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
    run.reserve(vector.numbers === null ? vector.count * 8 : 0);
    this.#slots = new NumberSlots(vector.numbers ?? safeNumbers(vector as ExactVector), vector.count, run);
  }

  add(from: number, to: number, codes: Int32Array): void {
    const { numbers, valid } = this.#vector;
    const slots = this.#slots;
    slots.reserve(from, to);
    for (let row = from; row < to; row++) {
      if (valid !== null && valid[row] === 0) codes[row] = this.#missing.add(row);
      else codes[row] = numbers === null ? this.#addWide(row) : slots.add(row);
    }
  }

  #addWide(row: number): number {
    const value = ((this.#vector as ExactVector).wide as readonly bigint[])[row];
    if (isSafe(value)) return this.#slots.add(row);
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
    this.#slots.find(numbers ?? safeNumbers(vector as ExactVector), count, codes);
    if (numbers === null) this.#findWide(vector as ExactVector, codes);
    this.#missing.find(vector, codes);
  }

  #findWide({ wide, count }: ExactVector, codes: Int32Array): void {
    for (let row = 0; row < count; row++) {
      const value = (wide as readonly bigint[])[row];
      if (isSafe(value)) continue;
      const found = this.#wide === null ? -1 : this.#wide.find(value);
      codes[row] = found < 0 ? 0 : this.#wideCodes[found];
    }
  }
}

/** The safe integers of a vector of bigints; others are 0. */
function safeNumbers({ wide, count }: ExactVector): Float64Array {
  const numbers = new Float64Array(count);
  for (let row = 0; row < count; row++) {
    const value = (wide as readonly bigint[])[row];
    if (isSafe(value)) numbers[row] = Number(value);
  }
  return numbers;
}
