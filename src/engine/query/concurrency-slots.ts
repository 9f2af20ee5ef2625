/**
 * How many queries of the kind that takes memory on the main thread are worked on at once; others wait for their turn.
 * Rounds of many queries that take turns would all end late, and together take more memory than one may.
 */
export class QuerySeats {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /** Resolves, in the order of calls, when the caller has a seat; `leave` must follow. */
  enter(): Promise<void> {
    if (this.#free > 0) {
      this.#free--;
      return Promise.resolve();
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free++;
    else next();
  }
}
