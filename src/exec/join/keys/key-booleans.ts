/** Codes of boolean keys. */
import type { BooleanVector, Vector } from '../../../vector/index.js';
import type { KeyCodes } from './key-codes.js';
import { MissingCode } from './key-missing.js';

export class BooleanCodes implements KeyCodes {
  readonly #vector: BooleanVector;
  readonly #missing: MissingCode;
  /** The codes of false and true. */
  readonly #codes = new Int32Array(2);

  constructor(vector: BooleanVector, nullsEqual: boolean) {
    this.#vector = vector;
    this.#missing = new MissingCode(nullsEqual);
  }

  add(from: number, to: number, codes: Int32Array): void {
    const { bits, valid } = this.#vector;
    const own = this.#codes;
    for (let row = from; row < to; row++) {
      if (valid !== null && valid[row] === 0) {
        codes[row] = this.#missing.add(row);
        continue;
      }
      const bit = bits[row];
      if (own[bit] === 0) own[bit] = row + 1;
      codes[row] = own[bit];
    }
  }

  find(vector: Vector, codes: Int32Array): void {
    const { bits, count } = vector as BooleanVector;
    const own = this.#codes;
    for (let row = 0; row < count; row++) codes[row] = own[bits[row]];
    this.#missing.find(vector, codes);
  }

  filter(): null {
    return null;
  }
}
