/**
 * One client that follows an answer. The connection asks for the next event when it has accepted the last one, so a slow client
 * gets the newest answer, however many there were meanwhile.
 * Invariant: after the end, which is the last event, `next` resolves with null.
 */
import type { Cancellation, QuarryError } from '../../base/index.js';
import type { DatabaseCall } from '../endpoints/handlers/handler.js';
import { LiveEvent, type LiveEvents } from './live-event.js';
import type { LiveParameters } from './live-parameters.js';

/** Why a stream ends before its client leaves. */
export type EndReason = 'key' | 'query' | 'shutdown';

/** A call for one evaluation. */
export interface RenewedCall {
  readonly call: DatabaseCall;
  /** The error of an evaluation that was stopped by an operator, instead of the one that it failed with. */
  readonly errorOf: (error: unknown) => unknown;
  /** Reports the evaluation to log and metrics. `error`: what it failed with; null = it did not fail. */
  readonly report: (milliseconds: number, error: unknown) => void;
  /** To be called after the evaluation in every case. */
  readonly end: () => void;
}

/** The call of the reader's request, authorized again on the newest catalog. Throws the errors of authorization. */
export type RenewCall = (cancellation: Cancellation) => RenewedCall;

export interface LiveReaderDependencies {
  readonly renew: RenewCall;
  readonly parameters: LiveParameters;
  readonly elapsedMs: () => number;
  /** Called when the reader waits for an event. */
  readonly onWait: () => void;
  /** Called once, when the reader needs no more events. */
  readonly onLeave: () => void;
}

export class LiveReader implements LiveEvents {
  readonly renew: RenewCall;
  readonly minIntervalMs: number;
  /** Number of the last answer that the client has; 0 = none. */
  answerNumber = 0;
  readonly #dependencies: LiveReaderDependencies;
  #lastMs = Number.NEGATIVE_INFINITY;
  #resolve: ((event: LiveEvent | null) => void) | null = null;
  #notice: LiveEvent | null = null;
  #isOver = false;

  constructor(dependencies: LiveReaderDependencies) {
    this.#dependencies = dependencies;
    this.renew = dependencies.renew;
    this.minIntervalMs = dependencies.parameters.minIntervalMs;
  }

  get isWaiting(): boolean {
    return this.#resolve !== null;
  }

  /** When the reader may get an answer again. */
  get dueMs(): number {
    return this.#lastMs + this.minIntervalMs;
  }

  next(): Promise<LiveEvent | null> {
    if (this.#notice !== null || this.#isOver) {
      const notice = this.#notice;
      this.#notice = null;
      return Promise.resolve(notice);
    }
    return new Promise((resolve) => {
      this.#resolve = resolve;
      this.#dependencies.onWait();
    });
  }

  /** Gives an answer to a reader that waits. */
  answer(event: LiveEvent, number: number): void {
    this.answerNumber = number;
    this.#lastMs = this.#dependencies.elapsedMs();
    this.#give(event.retain());
  }

  /** Gives a notice now, or before the next answer. A newer notice replaces one that was not sent yet. */
  tell(notice: LiveEvent): void {
    if (this.#isOver) return;
    if (this.isWaiting) this.#give(notice);
    else this.#notice = notice;
  }

  /** Shows proxies that the connection is alive, unless there is something else to send. */
  comment(): void {
    if (this.isWaiting) this.#give(LiveEvent.comment());
  }

  end(reason: EndReason, { code, message }: Pick<QuarryError, 'code' | 'message'>): void {
    this.tell(LiveEvent.ofNotice('end', { reason, code, message }));
    this.#close();
  }

  stop(): void {
    this.end('shutdown', { code: 9004, message: 'the server is stopping' });
  }

  leave(): void {
    this.#notice = null;
    this.#close();
    this.#give(null);
  }

  #close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#dependencies.onLeave();
  }

  #give(event: LiveEvent | null): void {
    const resolve = this.#resolve;
    this.#resolve = null;
    resolve?.(event);
  }
}
