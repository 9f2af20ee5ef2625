/**
 * Tells the workers that a query was stopped, by a flag in shared memory or by a message.
 * Invariants: number 0 belongs to no query and is never stopped. A number is released only when no worker reads it any more.
 */
import { randomUUID } from 'node:crypto';
import { BroadcastChannel } from 'node:worker_threads';
import { type Exchange, QUERY_SLOTS, type StopMessage, type StopSignals } from '../../protocol/index.js';

export interface QueryStops {
  /** For WorkerStart. */
  readonly signals: StopSignals;
  /** Returns the number of a query. If all are in use, returns 0, and the query cannot be stopped. */
  reserve(): number;
  stop(query: number): void;
  release(query: number): void;
  close(): void;
}

export const queryStops = (exchange: Exchange): QueryStops =>
  exchange === 'shared' ? new StopFlags() : new StopMessages();

/** One shared Int32 per query. */
export class StopFlags implements QueryStops {
  readonly signals = new SharedArrayBuffer(QUERY_SLOTS * Int32Array.BYTES_PER_ELEMENT);
  readonly #flags = new Int32Array(this.signals);
  readonly #free: number[] = [];
  #next = 1;

  reserve(): number {
    return this.#free.pop() ?? (this.#next < QUERY_SLOTS ? this.#next++ : 0);
  }

  stop(query: number): void {
    if (query !== 0) Atomics.store(this.#flags, query, 1);
  }

  release(query: number): void {
    if (query === 0) return;
    Atomics.store(this.#flags, query, 0);
    this.#free.push(query);
  }

  close(): void {}
}

/** Messages to all workers. Numbers are not used again, so that a late message stops no other query. */
export class StopMessages implements QueryStops {
  readonly signals: string = `quarry ${randomUUID()}`;
  readonly #channel = new BroadcastChannel(this.signals);
  readonly #stopped = new Set<number>();
  #last = 0;
  #isClosed = false;

  constructor() {
    this.#channel.unref();
  }

  reserve(): number {
    return ++this.#last;
  }

  stop(query: number): void {
    if (query === 0 || this.#stopped.has(query)) return;
    this.#stopped.add(query);
    this.#send({ query, is: 'stopped' });
  }

  release(query: number): void {
    if (this.#stopped.delete(query)) this.#send({ query, is: 'ended' });
  }

  #send(message: StopMessage): void {
    if (!this.#isClosed) this.#channel.postMessage(message);
  }

  close(): void {
    this.#isClosed = true;
    this.#channel.close();
  }
}
