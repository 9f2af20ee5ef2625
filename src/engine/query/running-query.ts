/**
 * One running query: its memory limit, its time limit and its cancellation.
 * Invariants: if the query ends without an answer (time limit, client gone, error of a worker), the workers stop at their next
 * check of its stop flag. The flag's slot is released when the last worker has answered.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Cancellation, QuarryError } from '../../base/index.js';
import type { QuerySpill } from '../../exec/index.js';
import type { WorkerQueryLimits } from '../../protocol/index.js';
import type { QueryFacts, QueryProgress } from '../api.js';
import type { WorkerApi } from '../workers/worker-client.js';
import type { WorkerClients } from '../workers/worker-clients.js';

/** Time for which the main thread works on one query before it lets other work run. */
const TURN_MS = 5;
/** The client asked for it or has disconnected, or the query was stopped by its number. */
const CANCELLED = 'the query was cancelled';

export interface QueryLimits {
  /** Milliseconds from the request to the answer. A longer query is stopped with 9005. */
  readonly timeoutMs: number;
  /** The memory limit of a query that does not wait for memory. */
  readonly smallBytes: () => number;
  /** Reserves the memory of a query and resolves with its limit when the query may start; `leaveBytes` releases it. */
  readonly enterBytes: () => Promise<number>;
  readonly leaveBytes: (bytes: number) => void;
  /** Called when the query has released memory on the main thread. */
  readonly collectGarbage: () => void;
  /** LSN of the last record that was sent to the workers. */
  readonly lsnSent: () => number;
}

/** What a query waits for. */
type Wait = NonNullable<QueryProgress['waitsFor']>;

export class RunningQuery {
  #bytesMax: number | null = null;
  #reservedBytes: number | null = null;
  /** The files of the main thread. */
  readonly spill: QuerySpill;
  readonly #workers: WorkerClients;
  readonly #limits: QueryLimits;
  readonly #cancellation: Cancellation | null;
  readonly #slot: number;
  readonly #tooLong: string;
  readonly #endMs: number;
  readonly #timer: NodeJS.Timeout;
  /** Reject what the query waits for. */
  readonly #rejects = new Set<(error: Error) => void>();
  #stopped: QuarryError | null = null;
  /** Workers that have not answered yet. */
  #pendingCount = 0;
  /** When its turn on this thread began. */
  #turnMs = 0;
  #ended = false;
  readonly #endings: (() => void)[] = [];
  readonly #waitsMs = { memory: 0, slot: 0, version: 0 };
  #waitsFor: Wait | null = null;
  #lsn: number | null = null;

  /** The caller must call `end`. */
  constructor(workers: WorkerClients, limits: QueryLimits, cancellation: Cancellation | null) {
    this.#workers = workers;
    this.#cancellation = cancellation;
    this.#limits = limits;
    this.#slot = workers.stops.reserve();
    workers.spill.beginQuery(this.#slot);
    this.spill = workers.spills.ofQuery(this.#slot);
    this.#tooLong = `the query took more than ${limits.timeoutMs / 1_000} s`;
    this.#endMs = performance.now() + limits.timeoutMs;
    this.#timer = setTimeout(() => this.stop(this.#tooLong), limits.timeoutMs);
    if (cancellation?.isCancelled === true) this.stop(CANCELLED);
    else cancellation?.onCancel(() => this.stop(CANCELLED));
  }

  /** Memory limit in addition to the data: on all workers together, and the same again on the main thread. */
  get bytesMax(): number {
    this.#bytesMax ??= this.#limits.smallBytes();
    return this.#bytesMax;
  }

  /** Waits until there is enough memory for a large query. Rejects with 9005. */
  async reserveMemory(): Promise<void> {
    const { enterBytes, leaveBytes } = this.#limits;
    this.#reservedBytes = await this.entered(enterBytes(), leaveBytes, 'memory');
    this.#bytesMax = this.#reservedBytes;
  }

  /** Makes the query fail with 9005 at its next check. */
  stop(why: string): void {
    this.#stopped ??= new QuarryError(9005, why);
    this.#workers.stops.stop(this.#slot);
    for (const reject of this.#rejects) reject(this.#stopped);
  }

  /**
   * Sends one request to every worker in this turn, so that all of them answer at the same LSN. Rejects with 9004 if a worker
   * is down, with 9005, and with the error of a worker.
   */
  sendAll<T>(send: (worker: WorkerApi, bounds: WorkerQueryLimits) => Promise<T>): Promise<T[]> {
    return this.#workers.orUnavailable(
      this.#stoppable<T[]>((resolve, reject) => {
        if (this.#stopped !== null) return;
        const { all } = this.#workers;
        const bounds = { slot: this.#slot, bytesMax: Math.floor(this.bytesMax / all.length) };
        const answers: T[] = new Array(all.length);
        let missing = all.length;
        all.forEach((worker, index) => {
          this.#pendingCount++;
          send(worker, bounds).then(
            (answer) => {
              answers[index] = answer;
              if (--missing === 0) resolve(answers);
              this.#answered();
            },
            (error) => {
              reject(error);
              this.#workers.stops.stop(this.#slot);
              this.#answered();
            },
          );
        });
      }),
    );
  }

  /** Notes that a request sent in this turn reads rows. If a query reads again, its last read counts. */
  noteRead(): void {
    this.#lsn = this.#limits.lsnSent();
  }

  /** A promise that rejects with 9005 as soon as the query is stopped. */
  async #stoppable<T>(
    begin: (resolve: (value: T) => void, reject: (error: Error) => void) => void,
  ): Promise<T> {
    let rejectIt: ((error: Error) => void) | null = null;
    try {
      return await new Promise<T>((resolve, reject) => {
        rejectIt = reject;
        this.#rejects.add(reject);
        if (this.#stopped !== null) reject(this.#stopped);
        begin(resolve, reject);
      });
    } finally {
      if (rejectIt !== null) this.#rejects.delete(rejectIt);
    }
  }

  /** Throws 9005 if the query was stopped or its time is over. A busy thread needs this check because its timers do not fire. */
  check(): void {
    if (performance.now() >= this.#endMs) this.stop(this.#tooLong);
    if (this.#stopped !== null) throw this.#stopped;
  }

  /**
   * Runs long work of the main thread to its end, in slices of TURN_MS between which other work may run. Rejects with 9005
   * between two slices, and with the errors of the work.
   */
  async inSlices<T>(work: Iterator<unknown, T>): Promise<T> {
    for (this.#turnMs = performance.now(); ; ) {
      this.check();
      const { done, value } = work.next();
      if (done === true) return value;
      if (performance.now() - this.#turnMs >= TURN_MS) await this.turn();
    }
  }

  /** Lets other work run if this query has run for TURN_MS. Rejects with 9005. */
  async turn(): Promise<void> {
    this.check();
    if (performance.now() - this.#turnMs < TURN_MS) return;
    await nextTurn();
    this.#limits.collectGarbage();
    this.#turnMs = performance.now();
  }

  get progress(): QueryProgress {
    return { waitsFor: this.#waitsFor, reservedBytes: this.#reservedBytes ?? 0 };
  }

  /** What the query has waited for and spilled so far. */
  get facts(): QueryFacts {
    const { memory, slot, version } = this.#waitsMs;
    const spilledBytes = this.#workers.spill.queryWrittenBytes(this.#slot);
    return {
      memoryWaitMs: memory,
      slotWaitMs: slot,
      versionWaitMs: version,
      spilledBytes,
      lsn: this.#lsn,
    };
  }

  /**
   * Waits for `entering`. If the query is stopped before, rejects with 9005 and calls `leave` as soon as `entering` resolves.
   * `wait`: what it waits for.
   */
  async entered<T>(entering: Promise<T>, leave: (entered: T) => void, wait: Wait): Promise<T> {
    const begunMs = performance.now();
    this.#waitsFor = wait;
    try {
      return await this.#stoppable<T>((resolve, reject) => entering.then(resolve, reject));
    } catch (error) {
      entering.then(leave, () => {});
      throw error;
    } finally {
      this.#waitsFor = null;
      this.#waitsMs[wait] += performance.now() - begunMs;
    }
  }

  /** Calls `ending` at the end of the query. */
  onEnd(ending: () => void): void {
    this.#endings.push(ending);
  }

  end(): void {
    this.#ended = true;
    for (const ending of this.#endings) ending();
    clearTimeout(this.#timer);
    this.#cancellation?.onCancel(null);
    this.#releaseSlot();
  }

  #answered(): void {
    this.#pendingCount--;
    this.#releaseSlot();
  }

  #releaseSlot(): void {
    if (!this.#ended || this.#pendingCount > 0) return;
    this.#workers.stops.release(this.#slot);
    if (this.#reservedBytes !== null) this.#limits.leaveBytes(this.#reservedBytes);
  }
}
