/**
 * Runs queries with a concurrency slot and at one version of the data, with writes paused where that is necessary.
 * Invariants: a query that waits for the write barrier has a slot, and a query inside the barrier never waits for one. A query
 * that waited is refused if the model that it was bound to has lost a column or dimension meanwhile.
 */
import { QuarryError } from '../../base/index.js';
import type { DimensionKey } from '../../storage/index.js';
import type { QueryOptions } from '../api.js';
import type { WorkerClients } from '../workers/worker-clients.js';
import type { DataVersions } from '../write/data-versions.js';
import { type QueryLimits, RunningQuery } from './running-query.js';
import type { WriteBarrier } from './write-barrier.js';

/** Concurrent aggregations, extractions and SELECTs. */
const QUERY_SLOTS = 4;
/** Concurrent SELECTs that proved to be long. The rest of the slots stays free for others. */
const LONG_QUERY_SLOTS = 2;
/** Rows that changed within this time are likely to change again, so a query of several rounds pauses writes at once. */
const QUIET_MS = 1_000;

export interface QueryRunnerDependencies {
  readonly workers: WorkerClients;
  readonly barrier: WriteBarrier;
  readonly versions: DataVersions;
  readonly limits: QueryLimits;
  /** The limit of the process; see EngineOptions. */
  readonly processBytesMax: number;
  /** Time for which a query may delay records before it is stopped. */
  readonly writeDelayMsMax: number;
  /** Grows when a column or dimension of the database is deleted or altered; -1 = there is no such database. */
  readonly shrinkVersion: (databaseId: number) => number;
  /** A monotonic clock, in milliseconds. */
  readonly elapsedMs: () => number;
}

/** Throws 9004 if the model has lost a column or dimension. The query calls it after each wait. */
export type CheckModel = () => void;

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

/** The concurrency slot of one query. The query may leave and enter it repeatedly. */
export class ConcurrencySlot {
  readonly #slots: ConcurrencySlots;
  #hasSlot = false;

  constructor(slots: ConcurrencySlots) {
    this.#slots = slots;
  }

  /** Rejects with 9005 if the query is stopped before it has a slot. */
  async enter(query: RunningQuery): Promise<void> {
    await query.entered(this.#slots.enter(), () => this.#slots.leave(), 'slot');
    this.#hasSlot = true;
  }

  leave(): void {
    if (this.#hasSlot) this.#slots.leave();
    this.#hasSlot = false;
  }
}

export class QueryRunner {
  readonly #dependencies: QueryRunnerDependencies;
  readonly #slots = new ConcurrencySlots(QUERY_SLOTS);
  readonly #longSlots = new ConcurrencySlots(LONG_QUERY_SLOTS);

  constructor(dependencies: QueryRunnerDependencies) {
    this.#dependencies = dependencies;
  }

  /** Runs a query without a concurrency slot. */
  async run<T>(options: QueryOptions, work: (query: RunningQuery) => Promise<T>): Promise<T> {
    const { workers, limits } = this.#dependencies;
    const { cancellation, onBegin, onEnd } = options;
    const query = new RunningQuery(workers, limits, cancellation);
    onBegin?.(() => query.progress);
    try {
      return await work(query);
    } finally {
      onEnd?.(query.facts);
      query.end();
      limits.collectGarbage();
    }
  }

  /** Waits for a concurrency slot, then runs a query of these dimensions. `spills`: it waits for memory before. */
  withSlot<T>(
    dimensions: readonly DimensionKey[],
    options: QueryOptions,
    work: (query: RunningQuery, checkModel: CheckModel, slot: ConcurrencySlot) => Promise<T>,
    spills = false,
  ): Promise<T> {
    const { shrinkVersion } = this.#dependencies;
    const shrinks = dimensions.map(({ databaseId }) => shrinkVersion(databaseId));
    const checkModel = (): void => {
      if (dimensions.every(({ databaseId }, index) => shrinkVersion(databaseId) === shrinks[index])) return;
      throw new QuarryError(9004, 'a column or dimension was deleted or altered while the query waited');
    };
    return this.run(options, async (query) => {
      // A query that gives up its slot keeps its memory, so it waits for memory first.
      if (spills) await query.reserveMemory();
      const slot = new ConcurrencySlot(this.#slots);
      await slot.enter(query);
      try {
        checkModel();
        return await work(query, checkModel, slot);
      } finally {
        slot.leave();
      }
    });
  }

  /**
   * Runs `work` so that all its reads see one version of the data. If the dimensions have not changed for QUIET_MS, `work`
   * runs without pausing writes; if they change during the run, it runs again with writes paused. The caller needs a slot.
   */
  async atOneVersion<T>(
    dimensions: readonly DimensionKey[],
    query: RunningQuery,
    checkModel: CheckModel,
    work: () => Promise<T>,
  ): Promise<T> {
    const { versions, elapsedMs } = this.#dependencies;
    const quietMs = elapsedMs() - QUIET_MS;
    if (dimensions.every((dimension) => versions.changedMs(dimension) < quietMs)) {
      const before = dimensions.map((dimension) => versions.of(dimension));
      const answer = await work();
      if (dimensions.every((dimension, index) => versions.of(dimension) === before[index])) return answer;
    }
    return this.withWritesPaused(query, () => {
      checkModel();
      return work();
    });
  }

  /**
   * Runs `work` while no record is sent to the workers. The caller needs a slot. Rejects with 9005 if records wait for the
   * query too long.
   */
  async withWritesPaused<T>(query: RunningQuery, work: () => Promise<T>): Promise<T> {
    const { barrier } = this.#dependencies;
    const leave = (): void => barrier.leave();
    await query.entered(barrier.enter(), leave, 'version');
    const watching = this.#watch(query);
    try {
      return await work();
    } finally {
      clearInterval(watching);
      leave();
    }
  }

  /**
   * Like `withWritesPaused`, for work that is known to take long. Only LONG_QUERY_SLOTS of them run concurrently, and a query
   * that waits here gives up its slot meanwhile. Must not be called inside the write barrier.
   */
  async longWithWritesPaused<T>(
    query: RunningQuery,
    slot: ConcurrencySlot,
    checkModel: CheckModel,
    work: () => Promise<T>,
  ): Promise<T> {
    slot.leave();
    const turn = new ConcurrencySlot(this.#longSlots);
    await turn.enter(query);
    try {
      await slot.enter(query);
      return await this.withWritesPaused(query, () => {
        checkModel();
        return work();
      });
    } finally {
      turn.leave();
    }
  }

  /** Stops the query if it delays records for too long. */
  #watch(query: RunningQuery): NodeJS.Timeout {
    const { barrier, writeDelayMsMax, elapsedMs } = this.#dependencies;
    let delayedSinceMs = Number.POSITIVE_INFINITY;
    return setInterval(() => {
      // Records that wait once keep waiting until all queries inside have left.
      if (barrier.holdsWrites) delayedSinceMs = Math.min(delayedSinceMs, elapsedMs());
      if (elapsedMs() - delayedSinceMs > writeDelayMsMax) {
        query.stop(`writes waited for the query for more than ${writeDelayMsMax / 1_000} s`);
      }
    }, writeDelayMsMax / 20);
  }
}
