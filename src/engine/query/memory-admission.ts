/**
 * Lets a query start when the process has memory for its work, and tells how much it may use.
 * Invariants: queries start in the order of their arrival, and a query beside no other always starts.
 */

/** The memory limit of a query that starts beside others with `reservedBytes`; null = it must wait. */
export type QueryBytes = (reservedBytes: number) => number | null;

export class MemoryAdmission {
  readonly #queryBytes: QueryBytes;
  #reservedBytes = 0;
  readonly #waiting: ((bytes: number) => void)[] = [];

  constructor(queryBytes: QueryBytes) {
    this.#queryBytes = queryBytes;
  }

  /** Resolves with the memory limit of the caller when it may start. The caller must call `leave` with that number. */
  enter(): Promise<number> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#startWaiting();
    });
  }

  leave(bytes: number): void {
    this.#reservedBytes -= bytes;
    this.#startWaiting();
  }

  #startWaiting(): void {
    while (this.#waiting.length > 0) {
      const bytes = this.#queryBytes(this.#reservedBytes);
      if (bytes === null) return;
      this.#reservedBytes += bytes;
      this.#waiting.shift()?.(bytes);
    }
  }
}
