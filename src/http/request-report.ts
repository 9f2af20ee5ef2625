/**
 * What one request tells the log, the audit and the metrics of how it went.
 * Invariant: the text of what was no refusal is logged, and goes nowhere else.
 */
import { QuarryError } from '../base/index.js';
import { type Answer, errorAnswer } from './answer.js';
import { isAdministrative } from './audit.js';
import type { Endpoint } from './endpoints.js';
import type { Bound } from './limits.js';
import type { Metrics } from './metrics.js';
import type { PartPosition } from './part-answer.js';
import type { RateFigures } from './rate-window.js';
import type { RequestLog } from './request-log.js';
import { RequestNotes } from './request-notes.js';

export interface ReportNeeds {
  /** Milliseconds of a clock that never goes back, with fractions. */
  readonly elapsedMs: () => number;
  readonly log: RequestLog;
  readonly metrics: Metrics;
}

export class RequestReport {
  readonly notes: RequestNotes;
  readonly startedMs: number;
  /** Of requests of this kind; null = nothing does, or it is not known yet. */
  bound: Bound | null = null;
  readonly #needs: ReportNeeds;
  readonly #peer: { readonly address: string };
  #hasRefusedPart = false;

  constructor(needs: ReportNeeds, requestId: string, peer: { readonly address: string }) {
    this.#needs = needs;
    this.#peer = peer;
    this.startedMs = needs.elapsedMs();
    this.notes = new RequestNotes(requestId, needs.log.tellsAll ? peer.address : '');
  }

  /** Since the request's head. */
  get seconds(): number {
    return (this.#needs.elapsedMs() - this.startedMs) / 1000;
  }

  /** Of what bounds it, as its answer tells them. */
  get figures(): RateFigures | null {
    return this.bound?.window.figures(this.#needs.elapsedMs()) ?? null;
  }

  found(endpoint: Endpoint): void {
    const { notes } = this;
    notes.found(endpoint);
    if (notes.client === '' && isAdministrative(endpoint)) notes.client = this.#peer.address;
  }

  /** The work on the whole request begins. */
  begun(): void {
    this.notes.begunMs = this.#needs.elapsedMs();
  }

  /** As the client is told of it. */
  errorOf(error: unknown): QuarryError {
    if (error instanceof QuarryError) return error;
    this.#needs.log.unexpected(this.notes, error);
    return new QuarryError(1);
  }

  errorAnswer(error: unknown): Answer {
    return errorAnswer(this.errorOf(error));
  }

  /** It is decided what is answered, whether or not anybody is there to take it. */
  decided({ status, code }: Answer): void {
    this.notes.code = code ?? null;
    this.#needs.log.audit(this.notes, status);
  }

  /** `rowCount`: of rows that were sent while they were made; null = there were none. */
  answered(status: number, bodyBytes: number, rowCount: number | null): void {
    const { log, metrics } = this.#needs;
    const { notes, seconds } = this;
    metrics.answered(notes.endpointName, notes.databaseId, status, seconds);
    metrics.received(bodyBytes);
    log.answered(notes, status, seconds);
    this.#slow(status, rowCount);
  }

  /** A part of the request's line body was refused. The first one is logged. */
  partRefused(part: PartPosition, error: QuarryError): void {
    const { log, metrics, elapsedMs } = this.#needs;
    metrics.partRefused(error.code);
    if (!this.#hasRefusedPart) log.partRefused(this.notes, part, error, elapsedMs());
    this.#hasRefusedPart = true;
  }

  /** The client went away before it had all of the answer. */
  left(rowCount: number | null): void {
    this.#needs.metrics.aborted();
    this.#slow(null, rowCount);
  }

  /** The answer could not be finished. */
  cutOff(error: unknown, rowCount: number | null): void {
    const { log, metrics } = this.#needs;
    if (error instanceof QuarryError) this.notes.code = error.code;
    log.cutOff(this.notes, error);
    this.#slow(null, rowCount);
    metrics.cutOff();
  }

  /** `status`: null = the client went away, or its answer was cut off. */
  #slow(status: number | null, rowCount: number | null): void {
    const { log, metrics, elapsedMs } = this.#needs;
    const { notes } = this;
    if (notes.begunMs === null || !log.isSlow(notes, elapsedMs() - notes.begunMs)) return;
    notes.rowCount ??= rowCount;
    metrics.slow();
    log.slow(notes, status, this.seconds);
  }
}
