/**
 * Decides whether an optional fast path, which costs time when it fails, is worth another attempt. After a few failures in a row
 * the path is skipped; the number of skipped calls doubles with each further failure, up to a limit. A success resets the count.
 */
const FAILURES_FREE = 2;
const LEFT_OUT_MAX = 256;

export class Attempts {
  #failureCount = 0;
  #leftOut = 0;

  /** Returns whether to attempt the path now; call once per request. */
  allows(): boolean {
    if (this.#leftOut === 0) return true;
    this.#leftOut--;
    return false;
  }

  succeeded(): void {
    this.#failureCount = 0;
  }

  failed(): void {
    this.#failureCount++;
    const excess = this.#failureCount - FAILURES_FREE;
    if (excess > 0) this.#leftOut = Math.min(LEFT_OUT_MAX, 2 ** excess);
  }
}
