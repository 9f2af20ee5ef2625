/**
 * One request from its head to its answer.
 * Invariants: a request gets one answer or, when its client went away, none; memory of its body is given back
 * once; after the answer the response is never touched again, except to read away what the client still sends.
 *
 *   receiving -> working -> over        the usual way
 *   working -> sending -> over          rows that are sent while they are made (answer-stream.ts); an answer that cannot be
 *                                       finished closes the connection before its last chunk, so that nobody takes it
 *                                       for a whole one
 *   receiving -> streaming -> over      a body of lines (line-stream.ts); refused before it answered: back to receiving
 *   receiving -> reading-away -> over   refused while the body is still coming: the answer is sent at once, and the
 *                                       rest is read (bounded) before the connection is closed, since closing with
 *                                       unread bytes resets the connection and may take the answer with it
 */
import { type HangUp, QuarryError } from '../base/index.js';
import { type Admitted, type BodyLength, type Told, tooLong } from './admission.js';
import { type Answer, type Ending, errorAnswer, successAnswer, writeAnswer, writeHead } from './answer.js';
import { AnswerStream } from './answer-stream.js';
import { isAdministrative } from './audit.js';
import { BodyReader, type ByteBudget } from './body.js';
import type { HandlerRunner } from './call.js';
import type { Caller } from './caller.js';
import type { BodyDecoder } from './decode.js';
import type { Endpoint } from './endpoints.js';
import type { Members, StreamedAnswer } from './handlers/handler.js';
import type { Bound } from './limits.js';
import { LineStream, type StreamEnd } from './line-stream.js';
import type { Metrics } from './metrics.js';
import { LINES_TYPE } from './part-answer.js';
import { PartRunner } from './part-runner.js';
import type { RateFigures } from './rate-window.js';
import type { RequestLog } from './request-log.js';
import { RequestNotes } from './request-notes.js';
import type { Response } from './uws.js';

/** What the requests of one server share. */
export interface Site {
  readonly runner: HandlerRunner;
  /** Milliseconds of a clock that never goes back, with fractions. */
  readonly elapsedMs: () => number;
  readonly log: RequestLog;
  readonly metrics: Metrics;
  readonly budget: ByteBudget;
  readonly decoder: BodyDecoder;
  /** Those that wait for bytes of a body, or read them away, or wait for their client to take some. */
  readonly waiting: Set<Exchange>;
  readonly bodySecondsMax: number;
  readonly stallSecondsMax: number;
  /** True once the server closes: every answer closes its connection. */
  closing: boolean;
  openCount: number;
  /** Called whenever a request is over. */
  closed(): void;
}

export interface RequestHead {
  readonly requestId: string;
  /** To be asked for the client's address in the turn in which the head is handled. */
  readonly peer: { readonly address: string };
  /** HEAD: the answer goes without its body. */
  readonly bodyless: boolean;
  readonly length: BodyLength;
}

const TOO_MANY_BODIES = 'too many bodies at once';
const READ_AWAY_BYTES_MAX = 64 * 2 ** 20;
const READ_AWAY_MS_MAX = 5_000;

export class Exchange implements HangUp, Told {
  readonly #site: Site;
  readonly #response: Response;
  readonly #head: RequestHead;
  readonly #startedMs: number;
  #phase: 'receiving' | 'working' | 'sending' | 'streaming' | 'reading-away' | 'over' = 'receiving';
  readonly #notes: RequestNotes;
  #bound: Bound | null = null;
  #body: BodyReader | null = null;
  #stream: AnswerStream | null = null;
  #lines: LineStream | null = null;
  #onHangUp: (() => void) | null = null;
  #hasHungUp = false;
  #readAwayBytes = 0;
  #readAwayUntilMs = 0;

  constructor(site: Site, response: Response, head: RequestHead) {
    this.#site = site;
    this.#response = response;
    this.#head = head;
    this.#startedMs = site.elapsedMs();
    this.#notes = new RequestNotes(head.requestId, site.log.tellsAll ? head.peer.address : '');
    site.openCount++;
  }

  found(endpoint: Endpoint): void {
    const notes = this.#notes;
    notes.found(endpoint);
    if (notes.client === '' && isAdministrative(endpoint)) notes.client = this.#head.peer.address;
  }

  identified(caller: Caller): void {
    this.#notes.caller = caller;
  }

  /** Told before the answer: what bounds requests of this kind. */
  bounded(bound: Bound): void {
    this.#bound = bound;
  }

  get hasHungUp(): boolean {
    return this.#hasHungUp;
  }

  onHangUp(act: (() => void) | null): void {
    this.#onHangUp = act;
  }

  /** Takes the body of an admitted request and runs its handler. To be called while the head is handled. */
  receive(admitted: Admitted): void {
    const { length } = this.#head;
    if (admitted.inLines) {
      this.#receiveLines(admitted);
      return;
    }
    if (length.kind === 'none') {
      this.#response.onAborted(() => this.#abort());
      this.#run(admitted, new Uint8Array(0));
      return;
    }
    const { bodyBytesMax } = admitted.endpoint;
    const declaredBytes = length.kind === 'declared' ? length.bytes : null;
    const body = new BodyReader(this.#site.budget, declaredBytes, bodyBytesMax);
    this.#body = body;
    this.#attach((chunk, last) => {
      const outcome = body.add(chunk);
      if (outcome === 'too-long') this.#refuseEarly(tooLong(bodyBytesMax), last);
      else if (outcome === 'no-room') this.#refuseEarly(new QuarryError(9003, TOO_MANY_BODIES), last);
      else if (last) this.#decode(admitted, body.bytes());
    });
  }

  /** Takes the body in parts, and answers each. */
  #receiveLines(admitted: Admitted): void {
    const site = this.#site;
    const response = this.#response;
    const notes = this.#notes;
    const { runner, log } = site;
    const parts = new PartRunner({ runner, log, admitted, hangUp: this, notes });
    const lines = new LineStream({
      site,
      response,
      encoding: admitted.encoding,
      apply: (part, text) => parts.apply(part, text),
      told: (error) => this.#toldError(error),
      writeHead: () =>
        writeHead(response, { status: 200, contentType: LINES_TYPE }, notes.requestId, this.#figures()),
    });
    this.#lines = lines;
    this.#phase = 'streaming';
    if (this.#head.length.kind === 'none') response.onAborted(() => this.#abort());
    else this.#attach((chunk, last) => lines.add(chunk, last));
    site.waiting.add(this);
    if (this.#head.length.kind === 'none') lines.add(new ArrayBuffer(0), true);
    void lines.run().then((end) => this.#endLines(end));
  }

  #endLines(end: StreamEnd): void {
    const { waiting, metrics } = this.#site;
    if (typeof end === 'object') {
      this.#phase = 'receiving';
      if (end.complete) waiting.delete(this);
      this.#refuseEarly(end.refusal, end.complete);
      return;
    }
    this.#phase = 'over';
    waiting.delete(this);
    if (end === 'answered') this.#note(200);
    else metrics.received(this.#lines?.byteLength ?? 0);
    this.#release();
  }

  /** Answers with an error before anything of the body was read. To be called while the head is handled. */
  refuse(error: unknown): void {
    const bodyIsTooLong = error instanceof QuarryError && error.code === 1507;
    if (bodyIsTooLong && this.#head.length.kind === 'declared') {
      this.#attach(() => undefined);
      this.#refuseEarly(error, false);
    } else this.#answer(this.#errorAnswer(error));
  }

  /** Answers with something that is not of the JSON interface. */
  answerPlainly(endpoint: string, answer: Answer): void {
    this.#notes.endpointName = endpoint;
    this.#answer(answer);
  }

  /** The same for an answer that takes time. To be called while the head is handled. */
  answerLater(endpoint: string, answer: Promise<Answer>): void {
    this.#notes.endpointName = endpoint;
    this.#phase = 'working';
    this.#response.onAborted(() => this.#abort());
    answer.then(
      (ready) => this.#answer(ready),
      (error) => this.#answer(this.#errorAnswer(error)),
    );
  }

  /** Called every few seconds while the request stands in `waiting`. */
  tick(): void {
    const nowMs = this.#site.elapsedMs();
    if (this.#phase === 'reading-away') {
      if (nowMs > this.#readAwayUntilMs) this.#response.close();
    } else if (this.#phase === 'sending') this.#tickStream();
    else if (this.#phase === 'streaming') this.#lines?.tick();
    else if (nowMs - this.#startedMs > this.#site.bodySecondsMax * 1000) {
      const text = `the body was not complete after ${this.#site.bodySecondsMax} s`;
      this.#refuseEarly(new QuarryError(1503, text), false);
    } else {
      this.#restartTime();
    }
  }

  #tickStream(): void {
    const seconds = this.#stream?.blockedSeconds ?? 0;
    if (seconds > this.#site.stallSecondsMax) this.#response.close();
    else if (seconds > 0) this.#restartTime();
  }

  /** Starts uWebSockets' own, much shorter time again: slow clients get all of ours. */
  #restartTime(): void {
    this.#response.pause();
    this.#response.resume();
  }

  #attach(onBytes: (chunk: ArrayBuffer, last: boolean) => void): void {
    const { waiting } = this.#site;
    waiting.add(this);
    this.#response.onAborted(() => this.#abort());
    this.#response.onData((chunk, last) => {
      if (last && this.#phase !== 'streaming') waiting.delete(this);
      if (this.#phase === 'receiving' || this.#phase === 'streaming') onBytes(chunk, last);
      else if (this.#phase === 'reading-away') this.#readAway(chunk.byteLength, last);
    });
  }

  #readAway(byteLength: number, last: boolean): void {
    this.#readAwayBytes += byteLength;
    if (!last && this.#readAwayBytes <= READ_AWAY_BYTES_MAX) return;
    // The answer may have been written in this very turn: it is sent at the turn's end, and closing would drop it.
    setImmediate(() => {
      if (this.#phase === 'reading-away') this.#response.close();
    });
  }

  #decode(admitted: Admitted, bytes: Uint8Array<ArrayBuffer>): void {
    this.#phase = 'working';
    const { encoding, endpoint } = admitted;
    if (encoding === 'identity') {
      this.#run(admitted, bytes);
      return;
    }
    this.#site.decoder.decode({ encoding, bytes, bytesMax: endpoint.bodyBytesMax }, (error, decoded) => {
      if (this.#phase === 'over') this.#release();
      else if (error !== null) this.#answer(this.#errorAnswer(error));
      else if (this.#body?.hold(decoded.byteLength) === true) this.#run(admitted, decoded);
      else this.#answer(errorAnswer(new QuarryError(9003, TOO_MANY_BODIES)));
    });
  }

  #run(admitted: Admitted, body: Uint8Array<ArrayBuffer>): void {
    this.#phase = 'working';
    const notes = this.#notes;
    notes.text = body.length === 0 ? admitted.pathName : body;
    notes.begunMs = this.#site.elapsedMs();
    let given: Members | StreamedAnswer | Promise<Members | StreamedAnswer>;
    try {
      given = this.#site.runner.run(admitted, body, this, notes);
    } catch (error) {
      this.#answer(this.#errorAnswer(error));
      return;
    }
    if (given instanceof Promise) {
      given.then(
        (ready) => this.#succeed(ready),
        (error) => this.#answer(this.#errorAnswer(error)),
      );
    } else this.#succeed(given);
  }

  #succeed(given: Members | StreamedAnswer): void {
    if (typeof given === 'string') this.#answer(successAnswer(given, this.#seconds()));
    else void this.#answerRows(new AnswerStream(this.#response, given.rows, () => this.#seconds()));
  }

  async #answerRows(stream: AnswerStream): Promise<void> {
    this.#stream = stream;
    // The client may have gone before there was a stream to leave.
    if (this.#phase === 'over') stream.leave();
    try {
      const { bytes, whole } = await stream.begin();
      if (this.#phase !== 'over') await this.#sendRows(stream, bytes, whole);
      this.#release();
    } catch (error) {
      if (this.#phase === 'sending') this.#cut(error);
      else this.#answer(this.#errorAnswer(error));
    }
  }

  /** Resolves when all was sent, or when the client went away. */
  async #sendRows(stream: AnswerStream, first: Uint8Array, whole: boolean): Promise<void> {
    const head = { status: 200, contentType: stream.contentType };
    const response = this.#response;
    this.#phase = 'sending';
    if (!whole) {
      this.#site.waiting.add(this);
      response.cork(() => writeHead(response, head, this.#head.requestId, this.#figures()));
      if (!(await stream.send(first))) return;
      this.#site.waiting.delete(this);
    }
    this.#phase = 'over';
    response.cork(() => {
      if (whole) {
        writeHead(response, head, this.#head.requestId, this.#figures());
        response.end(first, this.#site.closing);
      } else response.end();
    });
    this.#note(head.status);
  }

  /** Ends an answer of which the client already has a part, so that it is seen not to be whole. */
  #cut(error: unknown): void {
    const { log, metrics, waiting } = this.#site;
    if (error instanceof QuarryError) this.#notes.code = error.code;
    log.cutOff(this.#notes, error);
    this.#noteSlow(null);
    this.#phase = 'over';
    waiting.delete(this);
    metrics.cutOff();
    this.#response.close();
    this.#release();
  }

  #figures(): RateFigures | null {
    return this.#bound?.window.figures(this.#site.elapsedMs()) ?? null;
  }

  /** Refuses while the body is coming; `complete` = its last byte is here. */
  #refuseEarly(error: QuarryError, complete: boolean): void {
    this.#answer(errorAnswer(error), complete ? 'keep' : 'keep-reading');
  }

  #errorAnswer(error: unknown): Answer {
    return errorAnswer(this.#toldError(error));
  }

  #toldError(error: unknown): QuarryError {
    if (error instanceof QuarryError) return error;
    this.#site.log.unexpected(this.#notes, error);
    return new QuarryError(1);
  }

  /** Sends the answer unless the client went away, and ends the request. */
  #answer(answer: Answer, wanted: Ending = 'keep'): void {
    this.#notes.code = answer.code ?? null;
    this.#site.log.audit(this.#notes, answer.status);
    if (this.#phase === 'over') {
      this.#release();
      return;
    }
    let ending = wanted;
    if (this.#head.length.kind === 'broken' || this.#head.length.kind === 'endless') ending = 'broken';
    else if (this.#site.closing && ending === 'keep') ending = 'close';
    this.#phase = ending === 'keep-reading' ? 'reading-away' : 'over';
    this.#readAwayUntilMs = this.#site.elapsedMs() + READ_AWAY_MS_MAX;
    const { requestId, bodyless } = this.#head;
    writeAnswer(this.#response, answer, requestId, this.#figures(), bodyless, ending);
    this.#note(answer.status);
    this.#release();
  }

  #abort(): void {
    const { waiting, metrics } = this.#site;
    const phase = this.#phase;
    this.#phase = 'over';
    this.#hasHungUp = true;
    waiting.delete(this);
    this.#onHangUp?.();
    this.#stream?.leave();
    this.#lines?.leave();
    if (phase !== 'reading-away' && phase !== 'over') {
      metrics.aborted();
      this.#noteSlow(null);
    }
    // While it works, the handler still holds the body: its end releases it.
    if (phase === 'receiving') this.#release();
  }

  #note(status: number): void {
    const { log, metrics } = this.#site;
    const seconds = this.#seconds();
    metrics.answered(this.#notes.endpointName, this.#notes.databaseId, status, seconds);
    metrics.received(this.#body?.byteLength ?? this.#lines?.byteLength ?? 0);
    log.answered(this.#notes, status, seconds);
    this.#noteSlow(status);
  }

  /** `status`: null = the client went away, or its answer was cut off. */
  #noteSlow(status: number | null): void {
    const { log, metrics, elapsedMs } = this.#site;
    const { begunMs } = this.#notes;
    if (begunMs === null || !log.isSlow(this.#notes, elapsedMs() - begunMs)) return;
    this.#notes.rowCount ??= this.#stream?.rowCount ?? null;
    metrics.slow();
    log.slow(this.#notes, status, this.#seconds());
  }

  #release(): void {
    this.#body?.release();
    this.#body = null;
    this.#site.openCount--;
    this.#site.closed();
  }

  #seconds(): number {
    return (this.#site.elapsedMs() - this.#startedMs) / 1000;
  }
}
