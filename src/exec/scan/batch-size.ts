/**
 * The row limit of the next batch. If few batches fill a time slice (for example with thousands of CASE branches),
 * the next batches get smaller, so that no step takes much longer than a slice; then they grow again.
 */
import { BATCH_ROWS_MAX } from './row-batches.js';

/** With fewer rows the fixed cost of a batch would dominate. */
const ROWS_MIN = 128;
/** At most this many batches in a slice count as few. */
const FEW = 3;

export class BatchSize {
  #rows = BATCH_ROWS_MAX;
  /** Batches since the last slice ended. */
  #batches = 0;

  /** Resets the size; the first batch gets at most `firstRows` rows. */
  startWith(firstRows: number): void {
    this.#rows = Math.min(firstRows, BATCH_ROWS_MAX);
  }

  next(): number {
    const rows = this.#rows;
    this.#batches++;
    this.#rows = Math.min(rows * 2, BATCH_ROWS_MAX);
    return rows;
  }

  /** Ends a slice: shrinks the next batch if the slice held few batches. */
  rest(): void {
    // The size has doubled since the last batch.
    const shift = this.#batches === 1 ? 3 : this.#batches > 0 && this.#batches <= FEW ? 2 : 0;
    if (this.#rows > ROWS_MIN) this.#rows = Math.max(ROWS_MIN, this.#rows >>> shift);
    this.#batches = 0;
  }
}
