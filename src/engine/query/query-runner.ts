/**
 * How queries are let run: with a seat, at one version, behind the gate where that needs it.
 * Invariants: who waits for the gate has a seat, and nobody behind the gate waits for one; a query that waited is refused
 * when the model that it was bound to has shrunk meanwhile.
 */
import { QuarryError } from '../../base/index.js';
import type { DimensionKey } from '../../storage/index.js';
import type { Asking } from '../api.js';
import type { LaneSet } from '../workers/worker-clients.js';
import type { DataVersions } from '../write/data-versions.js';
import { QuerySeats } from './concurrency-slots.js';
import { type QueryLimits, RunningQuery } from './running-query.js';
import type { ReadGate } from './write-barrier.js';

/** Aggregations, extractions and SELECTs that are worked on at once. */
const SEATS = 4;
/** SELECTs that turned out to take long which are worked on at once: others find seats beside them. */
const LONG_SEATS = 2;
/** Rows that have changed since will soon change again: a query of several rounds goes behind the gate at once. */
const QUIET_MS = 1_000;

export interface QueryRunnerParts {
  readonly lanes: LaneSet;
  readonly gate: ReadGate;
  readonly versions: DataVersions;
  readonly limits: QueryLimits;
  /** How long a query may hold records back; then it is stopped. */
  readonly heldMsMax: number;
  /** Grows when a column or dimension of the database is deleted or altered; -1 = there is no such database. */
  readonly shrinkVersion: (databaseId: number) => number;
  /** Milliseconds of a clock that never goes back. */
  readonly elapsedMs: () => number;
}

/** To be called after each further wait: throws 9004 when the model has shrunk. */
export type CheckModel = () => void;

/** The seat of one query, held or not. */
export class Seat {
  readonly #seats: QuerySeats;
  #isHeld = false;

  constructor(seats: QuerySeats) {
    this.#seats = seats;
  }

  /** Rejects with 9005 when the query is stopped before it has one. */
  async enter(query: RunningQuery): Promise<void> {
    await query.entered(this.#seats.enter(), () => this.#seats.leave());
    this.#isHeld = true;
  }

  leave(): void {
    if (this.#isHeld) this.#seats.leave();
    this.#isHeld = false;
  }
}

export class QueryRunner {
  readonly #parts: QueryRunnerParts;
  readonly #seats = new QuerySeats(SEATS);
  readonly #longSeats = new QuerySeats(LONG_SEATS);

  constructor(parts: QueryRunnerParts) {
    this.#parts = parts;
  }

  /** Runs a query that needs no seat. */
  async run<T>({ cancellation }: Asking, work: (query: RunningQuery) => Promise<T>): Promise<T> {
    const { lanes, limits } = this.#parts;
    const query = new RunningQuery(lanes, limits, cancellation);
    try {
      return await work(query);
    } finally {
      query.end();
    }
  }

  /** Runs a query about these dimensions when it has a seat. */
  seated<T>(
    dimensions: readonly DimensionKey[],
    asking: Asking,
    work: (query: RunningQuery, checkModel: CheckModel, seat: Seat) => Promise<T>,
  ): Promise<T> {
    const { shrinkVersion } = this.#parts;
    const shrinks = dimensions.map(({ databaseId }) => shrinkVersion(databaseId));
    const checkModel = (): void => {
      if (dimensions.every(({ databaseId }, index) => shrinkVersion(databaseId) === shrinks[index])) return;
      throw new QuarryError(9004, 'a column or dimension was deleted or altered while the query waited');
    };
    return this.run(asking, async (query) => {
      const seat = new Seat(this.#seats);
      await seat.enter(query);
      try {
        checkModel();
        return await work(query, checkModel, seat);
      } finally {
        seat.leave();
      }
    });
  }

  /**
   * What `work` gives, all of it read at one version: run freely where nothing has changed for a while, and once more behind
   * the gate when something did meanwhile. To be called with a seat.
   */
  async atOneVersion<T>(
    dimensions: readonly DimensionKey[],
    query: RunningQuery,
    checkModel: CheckModel,
    work: () => Promise<T>,
  ): Promise<T> {
    const { versions, elapsedMs } = this.#parts;
    const quietMs = elapsedMs() - QUIET_MS;
    if (dimensions.every((dimension) => versions.changedMs(dimension) < quietMs)) {
      const before = dimensions.map((dimension) => versions.of(dimension));
      const answer = await work();
      if (dimensions.every((dimension, index) => versions.of(dimension) === before[index])) return answer;
    }
    return this.behindGate(query, () => {
      checkModel();
      return work();
    });
  }

  /**
   * Runs `work` while no record is sent to the lanes. To be called with a seat. Rejects with 9005 when records had to wait
   * for it too long.
   */
  async behindGate<T>(query: RunningQuery, work: () => Promise<T>): Promise<T> {
    const { gate } = this.#parts;
    const leave = (): void => gate.leave();
    await query.entered(gate.enter(), leave);
    const watching = this.#watch(query);
    try {
      return await work();
    } finally {
      clearInterval(watching);
      leave();
    }
  }

  /**
   * As `behindGate`, for work that is known to take long: few of that are let at once, and what waits for its turn leaves its
   * seat to others. Not to be called behind the gate.
   */
  async longBehindGate<T>(
    query: RunningQuery,
    seat: Seat,
    checkModel: CheckModel,
    work: () => Promise<T>,
  ): Promise<T> {
    seat.leave();
    const turn = new Seat(this.#longSeats);
    await turn.enter(query);
    try {
      await seat.enter(query);
      return await this.behindGate(query, () => {
        checkModel();
        return work();
      });
    } finally {
      turn.leave();
    }
  }

  /** Stops the query when it holds records back too long. */
  #watch(query: RunningQuery): NodeJS.Timeout {
    const { gate, heldMsMax, elapsedMs } = this.#parts;
    let heldSinceMs = Number.POSITIVE_INFINITY;
    return setInterval(() => {
      // Records that wait once wait until the queries inside have left.
      if (gate.holdsWrites) heldSinceMs = Math.min(heldSinceMs, elapsedMs());
      if (elapsedMs() - heldSinceMs > heldMsMax) {
        query.stop(`writes waited for the query for more than ${heldMsMax / 1_000} s`);
      }
    }, heldMsMax / 20);
  }
}
