/**
 * Lets queries of several rounds read one LSN: while one is inside, from its first round to its last merge, durable records
 * of all databases wait before they are sent to the lanes. Only those queries enter whose rows have just changed.
 * Invariants: records pass in the order in which they came; a query enters only when no record waits, so neither
 * starves the other: a record waits for the queries that run, a query for the records that wait.
 */
export class ReadGate {
  #readers = 0;
  readonly #writes: (() => void)[] = [];
  readonly #entering: (() => void)[] = [];
  readonly #clearing: (() => void)[] = [];

  /** Whether records wait for the queries inside. */
  get holdsWrites(): boolean {
    return this.#writes.length > 0;
  }

  /** Runs `pass` now, or when the queries that run have left. It must not throw. */
  write(pass: () => void): void {
    if (this.#readers === 0 && this.#writes.length === 0) pass();
    else this.#writes.push(pass);
  }

  /** Resolves when the caller has entered; `leave` must follow. */
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
