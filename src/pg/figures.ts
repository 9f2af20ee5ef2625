/** What is counted of clients of Postgres since the start of the server. */

/** How a statement ended: `refused` by a fault of its own or by a limit; `failed` by a bug. */
type Outcome = 'answered' | 'refused' | 'stopped' | 'failed';

/** SQLSTATEs: query_canceled, internal_error. */
const STOPPED = '57014';
const FAILED = 'XX000';

export class Figures {
  readonly #statements: Record<Outcome, number> = { answered: 0, refused: 0, stopped: 0, failed: 0 };
  #refusedConnectionCount = 0;

  /** By how they ended; one that its client left is none of them. */
  get statements(): Readonly<Record<Outcome, number>> {
    return this.#statements;
  }

  /** Of connections that were not let in. */
  get refusedConnectionCount(): number {
    return this.#refusedConnectionCount;
  }

  statementAnswered(): void {
    this.#statements.answered++;
  }

  statementRefused(state: string): void {
    if (state === STOPPED) this.#statements.stopped++;
    else if (state === FAILED) this.#statements.failed++;
    else this.#statements.refused++;
  }

  connectionRefused(): void {
    this.#refusedConnectionCount++;
  }
}
