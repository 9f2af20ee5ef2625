/** The pairs of rows with equal keys, in chunks of at most BATCH_ROWS_MAX pairs. */
import { BATCH_ROWS_MAX } from '../scan/row-batches.js';
import { NO_ROW } from './join-batch.js';

export class Candidates {
  readonly leftRows = new Uint32Array(BATCH_ROWS_MAX);
  readonly rightRows = new Int32Array(BATCH_ROWS_MAX);
  /** The next right row of a key, plus 1; null = keys are unique. */
  readonly #next: Int32Array | null;
  #codes: Int32Array = new Int32Array(0);
  #count = 0;
  /** Whether left rows without a candidate get a pair with NO_ROW. */
  #isOuter = false;
  /** Rows that need no further candidate. */
  #done: Uint8Array | null = null;
  /** The next pair: this left row, and the right row whose number plus 1 this is; 0 = the row's first. */
  #row = 0;
  #candidate = 0;

  constructor(next: Int32Array | null) {
    this.#next = next;
  }

  /** Starts with the rows that have these codes. No candidates follow for a row once done[row] is 1. */
  start(codes: Int32Array, count: number, isOuter: boolean, done: Uint8Array | null): void {
    this.#codes = codes;
    this.#count = count;
    this.#isOuter = isOuter;
    this.#done = done;
    this.#row = 0;
    this.#candidate = 0;
  }

  /** Writes the next pairs to `leftRows` and `rightRows` and returns their number; 0 = there are no more. */
  fill(): number {
    const { leftRows, rightRows } = this;
    const [codes, count, next, done] = [this.#codes, this.#count, this.#next, this.#done];
    let row = this.#row;
    let candidate = this.#candidate;
    let size = 0;
    while (size < BATCH_ROWS_MAX && row < count) {
      if (done !== null && done[row] === 1) candidate = 0;
      else if (candidate === 0) candidate = codes[row];
      if (candidate !== 0) {
        leftRows[size] = row;
        rightRows[size++] = candidate - 1;
        candidate = next === null ? 0 : next[candidate - 1];
      } else if (this.#isOuter) {
        leftRows[size] = row;
        rightRows[size++] = NO_ROW;
      }
      if (candidate === 0) row++;
    }
    this.#row = row;
    this.#candidate = candidate;
    return size;
  }
}
