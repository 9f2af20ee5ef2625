/** The code of missing key values. */
import type { Vector } from '../../../vector/index.js';

export class MissingCode {
  readonly #areEqual: boolean;
  #code = 0;

  /** `areEqual`: missing values equal each other; otherwise they equal nothing. */
  constructor(areEqual: boolean) {
    this.#areEqual = areEqual;
  }

  /** Adds a row without a value and returns its code. */
  add(row: number): number {
    if (this.#areEqual && this.#code === 0) this.#code = row + 1;
    return this.#code;
  }

  /** Overwrites the codes of rows without a value. */
  find({ valid, count }: Vector, codes: Int32Array): void {
    if (valid === null) return;
    const code = this.#code;
    for (let row = 0; row < count; row++) if (valid[row] === 0) codes[row] = code;
  }
}
