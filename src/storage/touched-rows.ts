/**
 * The rows of a dimension's shard that were written lately, so that sets of rows that were computed before can be repaired.
 * A position is the number of rows noted so far. Nothing is noted until the first call of `position`.
 */

/** Rows that are remembered at most: 512 KiB. Older ones are forgotten. */
const ROWS_MAX = 131_072;
const ROWS_MIN = 1_024;

export class TouchedRows {
  #rows: Uint32Array | null = null;
  /** The position of the first remembered row, and of the next one. */
  #first = 0;
  #end = 0;

  /** The position after the last row; from now on rows are noted. */
  position(): number {
    this.#rows ??= new Uint32Array(ROWS_MIN);
    return this.#end;
  }

  /** Notes rows that were inserted, changed or deleted. */
  add(rows: Uint32Array): void {
    if (this.#rows === null) return;
    if (rows.length > ROWS_MAX / 2) {
      this.forget();
      return;
    }
    if (this.#end - this.#first + rows.length > this.#rows.length) this.#reserve(this.#rows, rows.length);
    this.#rows.set(rows, this.#end - this.#first);
    this.#end += rows.length;
  }

  /** Notes that any row may have changed or moved. */
  forget(): void {
    if (this.#rows === null) return;
    this.#end++;
    this.#first = this.#end;
  }

  /** The rows noted since `position`, with repetitions; null = not known any more. */
  since(position: number): Uint32Array | null {
    if (this.#rows === null || position < this.#first) return null;
    return this.#rows.subarray(position - this.#first, this.#end - this.#first);
  }

  /** Reserves capacity for more rows: in a longer array, or by forgetting the older half. */
  #reserve(rows: Uint32Array, more: number): void {
    const count = this.#end - this.#first;
    let capacity = rows.length;
    while (capacity < count + more && capacity < ROWS_MAX) capacity *= 2;
    const dropped = count + more > capacity ? count + more - (capacity >> 1) : 0;
    const left = rows.subarray(Math.min(dropped, count), count).slice();
    this.#first = this.#end - left.length;
    if (capacity !== rows.length) this.#rows = new Uint32Array(capacity);
    this.#rows?.set(left, 0);
  }
}
