/**
 * Limits the number of concurrent queries that take memory on the main thread; further queries wait in a queue. Without the
 * limit, the rounds of many queries would alternate, so that all of them finish late and hold memory at the same time.
 */
export class ConcurrencySlots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /** Resolves when the caller has a slot, in the order of calls. The caller must call `leave` afterwards. */
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
