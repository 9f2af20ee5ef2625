/**
 * How many rows the next batch has at most. Where few batches fill a slice, as with thousands of branches, the next ones have
 * fewer rows, so that no step is much longer than a slice, and then grow again.
 */
import { BATCH_ROWS_MAX } from './row-batches.js';

/** With fewer rows what a batch costs by itself would count. */
const ROWS_MIN = 128;
/** Batches of a slice that are few. */
const FEW = 3;

export class BatchSize {
  #rows = BATCH_ROWS_MAX;
  /** Batches since the last slice ended. */
  #batches = 0;

  /** As from the beginning, with so many rows at first. */
  startWith(firstRows: number): void {
    this.#rows = Math.min(firstRows, BATCH_ROWS_MAX);
  }

  next(): number {
    const rows = this.#rows;
    this.#batches++;
    this.#rows = Math.min(rows * 2, BATCH_ROWS_MAX);
    return rows;
  }

  /** A slice ended. */
  rest(): void {
    // The last batch had half of what the next one would have.
    const shift = this.#batches === 1 ? 3 : this.#batches > 0 && this.#batches <= FEW ? 2 : 0;
    if (this.#rows > ROWS_MIN) this.#rows = Math.max(ROWS_MIN, this.#rows >>> shift);
    this.#batches = 0;
  }
}
