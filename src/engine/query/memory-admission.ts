/**
 * Lets a query start when the process has memory for it, so that every running query may use its whole share.
 * Invariants: queries start in the order of their arrival; one may always start if no other is running, whatever memory the
 * process takes, because writes leave a share free.
 */
export class MemoryAdmission {
  readonly #hasCapacity: (runningCount: number) => boolean;
  #runningCount = 0;
  readonly #waiting: (() => void)[] = [];

  /** `hasCapacity`: whether the process has memory for one more query beside `runningCount` others. */
  constructor(hasCapacity: (runningCount: number) => boolean) {
    this.#hasCapacity = hasCapacity;
  }

  /** Resolves when the caller may start. The caller must call `leave` afterwards. */
  enter(): Promise<void> {
    if (this.#waiting.length === 0 && this.#mayStart()) {
      this.#runningCount++;
      return Promise.resolve();
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  leave(): void {
    this.#runningCount--;
    while (this.#waiting.length > 0 && this.#mayStart()) {
      this.#runningCount++;
      this.#waiting.shift()?.();
    }
  }

  #mayStart(): boolean {
    return this.#runningCount === 0 || this.#hasCapacity(this.#runningCount);
  }
}
