/**
 * Whether something that pays when it succeeds and costs when it fails is worth another attempt: after some failures in
 * a row it is left out for a number of times that doubles with each further one, up to a bound; a success forgets them.
 */
const FAILURES_FREE = 2;
const LEFT_OUT_MAX = 256;

export class Attempts {
  #failureCount = 0;
  #leftOut = 0;

  /** Whether to attempt now; asked once each time. */
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
