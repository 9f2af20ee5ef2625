/** Counters of Postgres sessions since the start of the server. */

/** How a statement ended: `refused` by an error in it or by a limit; `stopped` by cancellation; `failed` by a bug. */
type Outcome = 'answered' | 'refused' | 'stopped' | 'failed';

/** SQLSTATEs: query_canceled, internal_error. */
const STOPPED = '57014';
const FAILED = 'XX000';

export class PostgresCounters {
  readonly #statements: Record<Outcome, number> = { answered: 0, refused: 0, stopped: 0, failed: 0 };
  #refusedConnectionCount = 0;

  /** Statements by outcome, without those whose client disconnected. */
  get statements(): Readonly<Record<Outcome, number>> {
    return this.#statements;
  }

  /** Connections that were refused before their session started. */
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
