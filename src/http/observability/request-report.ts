/**
 * Reports one request to the log, the audit and the metrics.
 * Invariant: the text of an unexpected error is logged and goes nowhere else.
 */

import { type Cancellation, QuarryError } from '../../base/index.js';
import type { Quarantined } from '../../ingest/index.js';
import type { RequestObserver } from '../auth/authorize.js';
import type { Caller } from '../auth/caller.js';
import type { Endpoint } from '../endpoints/endpoints.js';
import type { RateLimit } from '../limits/limits.js';
import type { RateStatus } from '../limits/rate-window.js';
import { type Answer, errorAnswer } from '../transport/answer.js';
import type { PartPosition } from '../transport/part-answer.js';
import { isAdministrative } from './audit.js';
import type { Metrics } from './metrics.js';
import type { RequestLog } from './request-log.js';
import { RequestNotes } from './request-notes.js';
import type { QueryRequest, RunningQueries } from './running-queries.js';

export interface ReportDependencies {
  /** Milliseconds of a monotonic clock, with fractions. */
  readonly elapsedMs: () => number;
  readonly log: RequestLog;
  readonly metrics: Metrics;
  readonly queries: RunningQueries;
}

export class RequestReport implements RequestObserver {
  readonly notes: RequestNotes;
  readonly startedMs: number;
  /** The rate limit of the request; null = it has none, or it is not known yet. */
  #limit: RateLimit | null = null;
  readonly #dependencies: ReportDependencies;
  readonly #peer: { readonly address: string };
  #hasRefusedPart = false;
  /** The request as a query that is being evaluated; null = it is none. */
  #running: QueryRequest | null = null;

  constructor(dependencies: ReportDependencies, requestId: string, peer: { readonly address: string }) {
    this.#dependencies = dependencies;
    this.#peer = peer;
    this.startedMs = dependencies.elapsedMs();
    this.notes = new RequestNotes(requestId, dependencies.log.tellsAll ? peer.address : '');
  }

  /** Seconds since the request's head arrived. */
  get seconds(): number {
    return (this.#dependencies.elapsedMs() - this.startedMs) / 1000;
  }

  /** The status of the rate limit for the answer's headers. */
  get rate(): RateStatus | null {
    return this.#limit?.window.status(this.#dependencies.elapsedMs()) ?? null;
  }

  identified(caller: Caller): void {
    this.notes.caller = caller;
  }

  limited(limit: RateLimit): void {
    this.#limit = limit;
  }

  found(endpoint: Endpoint): void {
    const { notes } = this;
    notes.found(endpoint);
    if (notes.client === '' && isAdministrative(endpoint)) notes.client = this.#peer.address;
  }

  /**
   * The handler begins to work on the whole request. `client`: is cancelled when the client disconnects; `onStop`: called when an
   * operator stops the request. Returns the cancellation for the handler.
   */
  begun(client: Cancellation, onStop: (error: QuarryError) => void): Cancellation {
    const { elapsedMs, queries } = this.#dependencies;
    this.notes.begunMs = elapsedMs();
    this.#running = queries.begin('http', this.notes, { cancellation: client, onStop });
    return this.#running ?? client;
  }

  /** The request is over in every case. */
  over(): void {
    this.#dependencies.queries.end(this.#running);
  }

  /** The error as the client sees it. */
  errorOf(thrown: unknown): QuarryError {
    const error = this.#running?.errorOf(thrown) ?? thrown;
    if (error instanceof QuarryError) return error;
    this.#dependencies.log.unexpected(this.notes, error);
    return new QuarryError(1);
  }

  errorAnswer(error: unknown): Answer {
    return errorAnswer(this.errorOf(error));
  }

  /** The answer is decided, whether or not the client is still there. */
  decided({ status, code }: Answer): void {
    this.notes.code = code ?? null;
    this.#dependencies.log.audit(this.notes, status);
  }

  /** The answer was sent. `rowCount`: rows of a streamed answer; null = it was not streamed. */
  answered(status: number, bodyBytes: number, rowCount: number | null): void {
    const { log, metrics } = this.#dependencies;
    const { notes, seconds } = this;
    metrics.answered(notes.endpointName, notes.databaseId, status, seconds);
    metrics.received(bodyBytes);
    log.answered(notes, status, seconds);
    this.#slow(status, rowCount);
  }

  /** A part of the request's line body was refused. The first one is logged. */
  partRefused(part: PartPosition, error: QuarryError): void {
    const { log, metrics, elapsedMs } = this.#dependencies;
    metrics.partRefused(error.code);
    if (!this.#hasRefusedPart) log.partRefused(this.notes, part, error, elapsedMs());
    this.#hasRefusedPart = true;
  }

  /** Lines of a part were kept in a quarantine. The first such part of a request is logged. */
  partQuarantined(part: PartPosition, quarantined: Quarantined): void {
    const { log, metrics, elapsedMs } = this.#dependencies;
    metrics.linesQuarantined(quarantined.codes);
    if (!this.#hasRefusedPart) log.partQuarantined(this.notes, part, quarantined, elapsedMs());
    this.#hasRefusedPart = true;
  }

  /** The client disconnected before it had the whole answer. */
  aborted(rowCount: number | null): void {
    this.#dependencies.metrics.aborted();
    this.#slow(null, rowCount);
  }

  /** A streamed answer could not be finished. */
  cutOff(thrown: unknown, rowCount: number | null): void {
    const { log, metrics } = this.#dependencies;
    const error = this.#running?.errorOf(thrown) ?? thrown;
    if (error instanceof QuarryError) this.notes.code = error.code;
    log.cutOff(this.notes, error);
    this.#slow(null, rowCount);
    metrics.cutOff();
  }

  /** `status`: null = the client disconnected, or its answer was cut off. */
  #slow(status: number | null, rowCount: number | null): void {
    const { log, metrics, elapsedMs } = this.#dependencies;
    const { notes } = this;
    if (notes.begunMs === null || !log.isSlow(notes, elapsedMs() - notes.begunMs)) return;
    notes.rowCount ??= rowCount;
    metrics.slow();
    log.slow(notes, status, this.seconds);
  }
}

/** Reports an evaluation of a live answer. `error`: what it failed with; null = it did not fail. */
export function reportEvaluation(
  { log, metrics }: Pick<ReportDependencies, 'log' | 'metrics'>,
  notes: RequestNotes,
  milliseconds: number,
  error: unknown,
): void {
  metrics.evaluated();
  if (error instanceof QuarryError) notes.code = error.code;
  else if (error !== null) log.unexpected(notes, error);
  if (!log.isSlow(notes, milliseconds)) return;
  metrics.slow();
  log.slow(notes, error === null ? 200 : null, milliseconds / 1_000);
}
