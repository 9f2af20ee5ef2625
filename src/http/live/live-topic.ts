/**
 * An answer that one or more clients with the same rights follow. It is computed again when what it reads has changed and a client
 * waits for it: at most once per shortest `min-interval` of these clients, and with pauses as long as the last evaluation, so that
 * a slow query takes half of a worker's time at most.
 * Invariants: at most one evaluation runs. An answer has a higher LSN than the one before, unless it depends on the time. Readers
 * get an answer only if it differs from the last one that they got.
 */
import { hash } from 'node:crypto';
import { type Cancellation, QuarryError } from '../../base/index.js';
import type { Evaluation, LiveSource } from '../endpoints/handlers/handler.js';
import { retryAfterOf, successAnswer } from '../transport/answer.js';
import { LiveEvent, type ReserveMemory } from './live-event.js';
import type { LiveReader, RenewedCall } from './live-reader.js';

/** Dates have whole seconds, so an answer that depends on the time changes at most this often. */
const TIME_STEP_MS = 1_000;
/** Such an answer takes at most a tenth of a worker's time. */
const TIME_STEP_PART = 10;
/** Pause after an evaluation that failed; it doubles up to the maximum. */
const RETRY_MS = 500;
const RETRY_MS_MAX = 30_000;
/** So many evaluations in a row during which the model changed are a temporary error. */
const STALE_MAX = 5;

export interface LiveTopicDependencies {
  readonly reserve: ReserveMemory;
  readonly elapsedMs: () => number;
}

/** Ends an evaluation that no reader waits for any more. */
class Stop implements Cancellation {
  isCancelled = false;
  #act: (() => void) | null = null;

  onCancel(act: (() => void) | null): void {
    this.#act = act;
  }

  cancel(): void {
    this.isCancelled = true;
    this.#act?.();
  }
}

/** The newest answer. */
interface Latest {
  readonly evaluation: Omit<Evaluation, 'members'>;
  readonly event: LiveEvent;
  readonly digest: string;
  /** The lowest LSN from which the answer is known to have been the same. */
  readonly sinceLsn: number;
  readonly number: number;
}

export class LiveTopic {
  readonly readers = new Set<LiveReader>();
  readonly #source: LiveSource;
  readonly #dependencies: LiveTopicDependencies;
  #latest: Latest | null = null;
  #running: Promise<void> | null = null;
  #stop: Stop | null = null;
  #beganMs = Number.NEGATIVE_INFINITY;
  #endedMs = Number.NEGATIVE_INFINITY;
  #failureCount = 0;
  /** Evaluations in a row whose model changed meanwhile. */
  #staleCount = 0;
  #timer: NodeJS.Timeout | undefined;
  /** The timer waits for the next evaluation. */
  #isPlanned = false;
  #isScheduled = false;

  constructor(source: LiveSource, dependencies: LiveTopicDependencies) {
    this.#source = source;
    this.#dependencies = dependencies;
  }

  /** Resolves when there is an answer that has seen the record `lsn`. Rejects with the errors of the query. */
  async current(lsn: number): Promise<void> {
    while (this.#latest === null || (this.#latest.evaluation.lsn < lsn && this.#isOutdated)) {
      if (this.readers.size === 0) return;
      await (this.#running ?? this.#run());
    }
  }

  /** Whether the newest answer is known to be that of the record `lsn`. */
  isAnswerOf(lsn: number): boolean {
    const latest = this.#latest;
    if (latest === null || latest.evaluation.readsTime) return false;
    return latest.sinceLsn <= lsn && lsn <= latest.evaluation.lsn;
  }

  get answerNumber(): number {
    return this.#latest?.number ?? 0;
  }

  /** To be called after records. */
  wake(): void {
    if (!this.#isPlanned) this.schedule();
  }

  /** Decides once, at the end of this turn, what is to be done. */
  schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      this.#decide();
    });
  }

  /** To be called when a reader has left. True = it was the last one. */
  left(): boolean {
    if (this.readers.size > 0) return false;
    clearTimeout(this.#timer);
    this.#stop?.cancel();
    this.#latest?.event.release();
    this.#latest = null;
    return true;
  }

  get #isOutdated(): boolean {
    return this.#outdatedMs <= this.#dependencies.elapsedMs();
  }

  /** When the newest answer may be outdated; -Infinity = it is, Infinity = not before a record. */
  get #outdatedMs(): number {
    const evaluation = this.#latest?.evaluation;
    if (evaluation === undefined || evaluation.changedLsn() > evaluation.lsn) return Number.NEGATIVE_INFINITY;
    if (!evaluation.readsTime) return Number.POSITIVE_INFINITY;
    return this.#endedMs + Math.max(TIME_STEP_MS, (this.#endedMs - this.#beganMs) * TIME_STEP_PART);
  }

  #decide(): void {
    clearTimeout(this.#timer);
    this.#isPlanned = false;
    const waiting = [...this.readers].filter((reader) => reader.isWaiting);
    if (waiting.length === 0 || this.#running !== null) return;
    const nowMs = this.#dependencies.elapsedMs();
    const evaluateMs = Math.max(this.#outdatedMs, this.#evaluableMs(waiting));
    if (evaluateMs <= nowMs) {
      this.#run().catch(() => {});
      return;
    }
    let nextMs = evaluateMs;
    for (const reader of waiting) {
      if (reader.answerNumber === this.answerNumber || this.#latest === null) continue;
      if (reader.dueMs <= nowMs) reader.answer(this.#latest.event, this.#latest.number);
      else nextMs = Math.min(nextMs, reader.dueMs);
    }
    if (nextMs === Number.POSITIVE_INFINITY) return;
    this.#isPlanned = this.#isOutdated;
    this.#timer = setTimeout(() => this.schedule(), Math.ceil(nextMs - nowMs));
  }

  /** When the next evaluation may begin. */
  #evaluableMs(waiting: readonly LiveReader[]): number {
    const minOf = (read: (reader: LiveReader) => number): number =>
      waiting.reduce((least, reader) => Math.min(least, read(reader)), Number.POSITIVE_INFINITY);
    const tookMs = this.#endedMs - this.#beganMs;
    const retryMs =
      this.#failureCount === 0 ? 0 : Math.min(RETRY_MS_MAX, RETRY_MS * 2 ** (this.#failureCount - 1));
    return Math.max(
      minOf(({ dueMs }) => dueMs),
      this.#beganMs + minOf(({ minIntervalMs }) => minIntervalMs),
      this.#endedMs + Math.max(retryMs, Number.isNaN(tookMs) ? 0 : tookMs),
    );
  }

  #run(): Promise<void> {
    this.#beganMs = this.#dependencies.elapsedMs();
    this.#running = this.#evaluate().finally(() => {
      this.#running = null;
      this.#endedMs = this.#dependencies.elapsedMs();
      this.schedule();
    });
    return this.#running;
  }

  async #evaluate(): Promise<void> {
    const stop = new Stop();
    this.#stop = stop;
    const renewed = this.#renewedCall(stop);
    if (renewed === null) return;
    const report = (error: unknown): void =>
      renewed.report(this.#dependencies.elapsedMs() - this.#beganMs, error);
    try {
      const evaluation = await this.#source.evaluate(renewed.call);
      if (stop.isCancelled) return;
      if (evaluation === null) {
        if (++this.#staleCount < STALE_MAX) return;
        this.#staleCount = 0;
        throw new QuarryError(9004, 'the model changed whenever the query ran; try again');
      }
      this.#publish(evaluation);
      this.#staleCount = 0;
      this.#failureCount = 0;
      report(null);
    } catch (thrown) {
      if (stop.isCancelled) return;
      const error = renewed.errorOf(thrown);
      report(error);
      this.#failed(error);
      throw error;
    } finally {
      renewed.end();
    }
  }

  /** The call of a reader that is still authorized; null = there is none. */
  #renewedCall(stop: Stop): RenewedCall | null {
    for (const reader of [...this.readers]) {
      try {
        return reader.renew(stop);
      } catch (error) {
        reader.end('key', knownError(error));
      }
    }
    return null;
  }

  /** Throws 9003. */
  #publish(evaluation: Evaluation): void {
    const before = this.#latest;
    const { members, ...own } = evaluation;
    const digest = hash('sha256', members);
    if (before !== null && before.digest === digest) {
      this.#latest = { ...before, evaluation: own };
      return;
    }
    const { reserve, elapsedMs } = this.#dependencies;
    const answer = successAnswer(members, (elapsedMs() - this.#beganMs) / 1_000);
    this.#latest = {
      evaluation: own,
      event: LiveEvent.ofAnswer(evaluation.lsn, answer.body, reserve),
      digest,
      sinceLsn: Math.min(evaluation.changedLsn(), evaluation.lsn),
      number: this.answerNumber + 1,
    };
    before?.event.release();
  }

  /** Tells the readers: a temporary error once, until it is over; another one ends their streams. */
  #failed(error: unknown): void {
    const known = knownError(error);
    if (retryAfterOf(known) === null) {
      for (const reader of [...this.readers]) reader.end('query', known);
      return;
    }
    this.#failureCount++;
    if (this.#failureCount > 1) return;
    const { code, message } = known;
    for (const reader of this.readers) reader.tell(LiveEvent.ofNotice('delayed', { code, message }));
  }
}

/** The error as clients see it. */
export const knownError = (error: unknown): QuarryError =>
  error instanceof QuarryError ? error : new QuarryError(1);
