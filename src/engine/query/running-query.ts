/**
 * One query on its way: its bounds, its time, and who waits for it.
 * Invariants: when it ends without an answer (time over, client gone, a lane refused) the lanes stop working on it at
 * their next look at its flag; its slot goes back when the last of them has answered.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Cancellation, QuarryError } from '../../base/index.js';
import type { WorkerQueryLimits } from '../../protocol/index.js';
import type { LaneApi } from '../workers/worker-client.js';
import type { LaneSet } from '../workers/worker-clients.js';

/** How long the main thread may work on one query before it turns to others. */
const TURN_MS = 5;

export interface QueryLimits {
  /** Milliseconds from asking to the answer; what takes longer gets 9005. */
  readonly timeoutMs: number;
  /** Memory of one query beside the data: on all lanes together, and as much on the main thread. */
  readonly bytesMax: number;
}

export class RunningQuery {
  readonly #lanes: LaneSet;
  readonly #cancellation: Cancellation | null;
  readonly #bounds: WorkerQueryLimits;
  readonly #tooLong: string;
  readonly #endMs: number;
  readonly #timer: NodeJS.Timeout;
  #reject: ((error: Error) => void) | null = null;
  #stopped: QuarryError | null = null;
  /** Lanes that have not answered yet. */
  #asked = 0;
  /** When its turn on this thread began. */
  #turnMs = 0;
  #ended = false;

  /** `end` must be called at last. */
  constructor(lanes: LaneSet, limits: QueryLimits, cancellation: Cancellation | null) {
    this.#lanes = lanes;
    this.#cancellation = cancellation;
    const bytesMax = Math.floor(limits.bytesMax / lanes.all.length);
    this.#bounds = { slot: lanes.stopFlags.take(), bytesMax };
    this.#tooLong = `the query took more than ${limits.timeoutMs / 1_000} s`;
    this.#endMs = performance.now() + limits.timeoutMs;
    this.#timer = setTimeout(() => this.stop(this.#tooLong), limits.timeoutMs);
    if (cancellation?.isCancelled === true) this.stop('the client has gone');
    else cancellation?.onCancel(() => this.stop('the client has gone'));
  }

  /** Ends the query with 9005 as soon as it looks. */
  stop(why: string): void {
    this.#stopped ??= new QuarryError(9005, why);
    this.#lanes.stopFlags.stop(this.#bounds.slot);
    this.#reject?.(this.#stopped);
  }

  /**
   * One request to every lane in this turn: all of them answer at the same LSN. Rejects with 9004 for a lane that is
   * down, 9005, and what a lane refuses it with. To be called again only when the call before has settled.
   */
  ask<T>(send: (lane: LaneApi, bounds: WorkerQueryLimits) => Promise<T>): Promise<T[]> {
    return this.#lanes.ask(
      new Promise<T[]>((resolve, reject) => {
        if (this.#stopped !== null) {
          reject(this.#stopped);
          return;
        }
        this.#reject = reject;
        const { all } = this.#lanes;
        const answers: T[] = new Array(all.length);
        let missing = all.length;
        all.forEach((lane, index) => {
          this.#asked++;
          send(lane, this.#bounds).then(
            (answer) => {
              answers[index] = answer;
              if (--missing === 0) resolve(answers);
              this.#answered();
            },
            (error) => {
              reject(error);
              this.#lanes.stopFlags.stop(this.#bounds.slot);
              this.#answered();
            },
          );
        });
      }),
    );
  }

  /** Throws 9005 when the query was stopped or its time is over, which no timer tells a thread that is busy. */
  check(): void {
    if (performance.now() >= this.#endMs) this.stop(this.#tooLong);
    if (this.#stopped !== null) throw this.#stopped;
  }

  /**
   * What the work gives: long work of the main thread, run slice by slice, with the turn given to others in between.
   * Rejects with 9005 between two slices, and with what the work throws.
   */
  async inSlices<T>(work: Iterator<unknown, T>): Promise<T> {
    for (this.#turnMs = performance.now(); ; ) {
      this.check();
      const { done, value } = work.next();
      if (done === true) return value;
      if (performance.now() - this.#turnMs >= TURN_MS) await this.turn();
    }
  }

  /** Gives the turn to others when this query has had it for a while. Rejects with 9005. */
  async turn(): Promise<void> {
    this.check();
    if (performance.now() - this.#turnMs < TURN_MS) return;
    await nextTurn();
    this.#turnMs = performance.now();
  }

  /**
   * Waits for a place that `leave` gives back: rejects with 9005 when the query is stopped before it has one, and leaves
   * the place as soon as it comes.
   */
  async entered(entering: Promise<void>, leave: () => void): Promise<void> {
    try {
      await new Promise<void>((resolve, reject) => {
        this.#reject = reject;
        if (this.#stopped !== null) reject(this.#stopped);
        entering.then(resolve, reject);
      });
    } catch (error) {
      entering.then(leave, () => {});
      throw error;
    }
  }

  end(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
    this.#cancellation?.onCancel(null);
    this.#giveBack();
  }

  #answered(): void {
    this.#asked--;
    this.#giveBack();
  }

  #giveBack(): void {
    if (this.#ended && this.#asked === 0) this.#lanes.stopFlags.giveBack(this.#bounds.slot);
  }
}
