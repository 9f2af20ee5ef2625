/**
 * Lets queries of several rounds read one LSN. While a query is inside the barrier, from its first round to its last merge,
 * durable records of all databases wait before they are sent to the workers. Only queries of recently changed rows enter.
 * Invariants: records pass in their order of arrival. A query enters only when no record waits, so neither side starves: a
 * record waits for the queries inside, a query for the waiting records.
 */
export class WriteBarrier {
  #readers = 0;
  readonly #writes: (() => void)[] = [];
  readonly #entering: (() => void)[] = [];
  readonly #clearing: (() => void)[] = [];

  /** Whether records wait for the queries inside. */
  get holdsWrites(): boolean {
    return this.#writes.length > 0;
  }

  /** Runs `pass` now, or after the queries inside have left. `pass` must not throw. */
  write(pass: () => void): void {
    if (this.#readers === 0 && this.#writes.length === 0) pass();
    else this.#writes.push(pass);
  }

  /** Resolves when the caller has entered. The caller must call `leave` afterwards. */
  async enter(): Promise<void> {
    while (this.#writes.length > 0) await new Promise<void>((resolve) => this.#entering.push(resolve));
    this.#readers++;
  }

  leave(): void {
    if (--this.#readers > 0) return;
    for (const pass of this.#writes.splice(0)) pass();
    for (const resolve of [...this.#entering.splice(0), ...this.#clearing.splice(0)]) resolve();
  }

  /** Resolves when no record waits. */
  async cleared(): Promise<void> {
    while (this.#writes.length > 0) await new Promise<void>((resolve) => this.#clearing.push(resolve));
  }
}
