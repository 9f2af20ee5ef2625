/** What the sessions of the port do, for pg_stat_activity. A key sees its own sessions, the master key all of its database. */
import type { Clock } from '../../base/index.js';
import type { TransactionState } from '../protocol/messages.js';
import type { DatabaseContext } from '../session/queries/select.js';

/** Longer statements are cut, as in PostgreSQL. */
const QUERY_LENGTH_MAX = 1_024;
/** The first half of a surrogate pair at the end of a text that was cut, which JSON of PostgreSQL refuses. */
const HALF_CHARACTER = /[\ud800-\udbff]$/;

/** The running or last statement of one session. */
export class Activity {
  readonly startedMs: number;
  readonly #clock: Pick<Clock, 'nowMs'>;
  #isActive = false;
  #query = '';
  #queryStartedMs: number | null = null;
  #stateChangedMs: number;

  constructor(clock: Pick<Clock, 'nowMs'>) {
    this.#clock = clock;
    this.startedMs = clock.nowMs();
    this.#stateChangedMs = this.startedMs;
  }

  begin(text: string): void {
    this.#isActive = true;
    this.#query = text.slice(0, QUERY_LENGTH_MAX).replace(HALF_CHARACTER, '');
    this.#queryStartedMs = this.#clock.nowMs();
    this.#stateChangedMs = this.#queryStartedMs;
  }

  end(): void {
    this.#isActive = false;
    this.#stateChangedMs = this.#clock.nowMs();
  }

  /** The columns that depend on the statement. */
  columns(transaction: TransactionState): Readonly<Record<string, string | null>> {
    return {
      backend_start: timeText(this.startedMs),
      query_start: timeText(this.#queryStartedMs),
      state_change: timeText(this.#stateChangedMs),
      state: this.#isActive ? 'active' : IDLE_STATES[transaction],
      query: this.#query,
    };
  }
}

const IDLE_STATES: Readonly<Record<TransactionState, string>> = {
  I: 'idle',
  T: 'idle in transaction',
  E: 'idle in transaction (aborted)',
};

const timeText = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

/** A session that the caller may see and end. */
export interface VisibleSession {
  readonly processId: number;
  /** The columns of its row in pg_stat_activity, except those that are equal in all rows. */
  row(): Readonly<Record<string, string | number | null>>;
  /** Cancels its statement. */
  cancel(): void;
  /** Closes its connection. */
  terminate(): void;
}

/** The sessions that the caller of a context may see. */
export type VisibleSessions = (context: DatabaseContext) => readonly VisibleSession[];
