/**
 * The life of one HTTP request, from its checked head to its answer: receive the body, run the handler, send the answer.
 * Invariants: a request gets one answer, or none if its client disconnected; memory of its body is released once; after the
 * answer the response is not used again, except to read the rest of what the client sends.
 *
 *   receiving -> working -> over        the normal case
 *   working -> sending -> over          a streamed answer (answer-stream.ts); if it cannot be finished, the connection is
 *                                       closed before the last chunk, so that no client takes the answer for complete
 *   receiving -> streaming -> over      a line body (line-stream.ts); refused before anything was answered: receiving again
 *   receiving -> reading-away -> over   refused before the body has ended: the answer is sent at once, and a limited amount of
 *                                       the rest is read before the connection is closed. Closing a connection with unread
 *                                       bytes resets it, and the client may lose the answer.
 */
import { type Cancellation, QuarryError } from '../../base/index.js';
import { type AdmittedRequest, tooLong } from '../auth/admission.js';
import type { DatabaseAnswer } from '../endpoints/handlers/handler.js';
import { bodyIdempotencyIdOf } from '../endpoints/idempotency.js';
import { EVENTS_HEAD, EventStream } from '../live/event-stream.js';
import type { LiveEvents } from '../live/live-event.js';
import { RequestReport } from '../observability/request-report.js';
import { type Answer, type Ending, sendAnswer, successAnswer, writeHead } from './answer.js';
import { AnswerStream } from './answer-stream.js';
import { BodyReader, TOO_MANY_BODIES } from './body.js';
import type { SentStream } from './chunk-writer.js';
import type { Encoding } from './decode.js';
import { lineStreamOf } from './line-request.js';
import type { LineStream } from './line-stream.js';
import type { BodyRules, BodyWork, RequestHead, ServerContext } from './server-context.js';
import type { Response } from './uws.js';

const READ_AWAY_BYTES_MAX = 64 * 2 ** 20;
const READ_AWAY_MS_MAX = 5_000;

export class HttpRequest implements Cancellation {
  readonly report: RequestReport;
  readonly #server: ServerContext;
  readonly #response: Response;
  readonly #head: RequestHead;
  #phase: 'receiving' | 'working' | 'sending' | 'streaming' | 'reading-away' | 'over' = 'receiving';
  #body: BodyReader | null = null;
  /** The body is being read, and its last byte has not arrived. */
  #isReading = false;
  /** Ends the wait for the body: with an error, or with null when the client has disconnected. */
  #stopReceiving: ((error: QuarryError | null) => void) | null = null;
  #stream: SentStream | null = null;
  #lines: LineStream | null = null;
  #onCancel: (() => void) | null = null;
  #isCancelled = false;
  #readAwayBytes = 0;
  #readAwayUntilMs = 0;

  constructor(server: ServerContext, response: Response, head: RequestHead) {
    this.#server = server;
    this.#response = response;
    this.#head = head;
    this.report = new RequestReport(server, head.requestId, head.peer);
    server.openCount++;
  }

  /** True when the client has disconnected. */
  get isCancelled(): boolean {
    return this.#isCancelled;
  }

  onCancel(act: (() => void) | null): void {
    this.#onCancel = act;
  }

  /** Serves a request whose head was admitted. To be called while the head is handled. Never rejects. */
  async serve(admitted: AdmittedRequest): Promise<void> {
    this.#response.onAborted(() => this.#abort());
    try {
      if (admitted.inLines) await this.#serveLines(admitted);
      else {
        const { context, encoding } = admitted;
        const body = await this.#receiveBody({ encoding, bytesMax: context.endpoint.bodyBytesMax });
        if (body !== null) await this.#send(await this.#runHandler(admitted, body));
      }
    } catch (error) {
      if (this.#phase === 'sending') this.#cutOff(error);
      else this.#answer(this.report.errorAnswer(error));
    }
    this.#release();
  }

  /** Receives the body and answers with what `work` makes of it. To be called while the head is handled. Never rejects. */
  async serveBody(rules: BodyRules, work: BodyWork): Promise<void> {
    this.#response.onAborted(() => this.#abort());
    try {
      const body = await this.#receiveBody(rules);
      if (body !== null) {
        this.#phase = 'working';
        this.#answer(await work.answer(body));
      }
    } catch (error) {
      this.#answer(work.refusal(this.report.errorOf(error), this.#phase !== 'receiving'));
    }
    this.#release();
  }

  /** Reserves memory for data made from the body, until the request is over. Throws 9003. */
  reserve(bytes: number): void {
    if (this.#body?.hold(bytes) === false) throw new QuarryError(9003, TOO_MANY_BODIES);
  }

  /**
   * Answers with an error of the head's checks. To be called while the head is handled. `answerOf`: the form of the answer; that
   * of the interface if it is left out.
   */
  refuse(
    error: unknown,
    answerOf: (error: QuarryError) => Answer = (known) => this.report.errorAnswer(known),
  ): void {
    const isTooLong = error instanceof QuarryError && error.code === 1507;
    if (isTooLong && this.#head.length.kind === 'declared') {
      this.#response.onAborted(() => this.#abort());
      this.#readBody(() => undefined);
    }
    this.#answer(answerOf(this.report.errorOf(error)));
    this.#release();
  }

  /** Answers with a document that is not part of the JSON interface. */
  answerPlainly(endpoint: string, answer: Answer): void {
    this.report.notes.endpointName = endpoint;
    this.#answer(answer);
    this.#release();
  }

  /** Like `answerPlainly`, for an answer that takes time. To be called while the head is handled. Never rejects. */
  async answerLater(endpoint: string, answer: Promise<Answer>): Promise<void> {
    this.report.notes.endpointName = endpoint;
    this.#phase = 'working';
    this.#response.onAborted(() => this.#abort());
    try {
      this.#answer(await answer);
    } catch (error) {
      this.#answer(this.report.errorAnswer(error));
    }
    this.#release();
  }

  /** Called every few seconds while the request is in `waiting`. */
  tick(): void {
    const nowMs = this.#server.elapsedMs();
    if (this.#phase === 'reading-away') {
      if (nowMs > this.#readAwayUntilMs) this.#response.close();
    } else if (this.#phase === 'sending') this.#tickStream();
    else if (this.#phase === 'streaming') this.#lines?.tick();
    else if (nowMs - this.report.startedMs > this.#server.bodySecondsMax * 1000) {
      const text = `the body was not complete after ${this.#server.bodySecondsMax} s`;
      this.#stopReceiving?.(new QuarryError(1503, text));
    } else {
      this.#restartTimeout();
    }
  }

  #tickStream(): void {
    if (this.#server.closing) this.#stream?.stop?.();
    const seconds = this.#stream?.blockedSeconds ?? 0;
    if (seconds > this.#server.stallSecondsMax) this.#response.close();
    else if (seconds > 0) this.#restartTimeout();
  }

  /** Restarts uWebSockets' own, much shorter timeout, so that only our timeout limits slow clients. */
  #restartTimeout(): void {
    this.#response.pause();
    this.#response.resume();
  }

  /** The decoded body; null = the client has disconnected. Rejects with 1503, 1507 and 9003. */
  async #receiveBody({ encoding, bytesMax }: BodyRules): Promise<Uint8Array<ArrayBuffer> | null> {
    const { length } = this.#head;
    if (length.kind === 'none') return new Uint8Array(0);
    const declaredBytes = length.kind === 'declared' ? length.bytes : null;
    const body = new BodyReader(this.#server.budget, declaredBytes, bytesMax);
    this.#body = body;
    const error = await new Promise<QuarryError | null>((resolve) => {
      this.#stopReceiving = resolve;
      this.#readBody((chunk, last) => {
        const outcome = body.add(chunk);
        if (outcome === 'too-long') resolve(tooLong(bytesMax));
        else if (outcome === 'no-capacity') resolve(new QuarryError(9003, TOO_MANY_BODIES));
        else if (last) resolve(null);
      });
    });
    this.#stopReceiving = null;
    if (this.#phase === 'over') return null;
    if (error !== null) throw error;
    this.#phase = 'working';
    return encoding === 'identity' ? body.bytes() : this.#decode(body, encoding, bytesMax);
  }

  /** Rejects with 1503, 1507 and 9003. */
  async #decode(
    body: BodyReader,
    encoding: Exclude<Encoding, 'identity'>,
    bytesMax: number,
  ): Promise<Uint8Array<ArrayBuffer> | null> {
    const decoded = await new Promise<Uint8Array<ArrayBuffer>>((resolve, reject) => {
      this.#server.decoder.decode({ encoding, bytes: body.bytes(), bytesMax }, (error, bytes) => {
        if (error === null) resolve(bytes);
        else if (this.#phase === 'over') resolve(new Uint8Array(0));
        else reject(error);
      });
    });
    if (this.#phase === 'over') return null;
    if (!body.hold(decoded.byteLength)) throw new QuarryError(9003, TOO_MANY_BODIES);
    return decoded;
  }

  #runHandler(
    admitted: AdmittedRequest,
    body: Uint8Array<ArrayBuffer>,
  ): DatabaseAnswer | Promise<DatabaseAnswer> {
    this.#phase = 'working';
    const { notes } = this.report;
    notes.text = body.length === 0 ? admitted.pathName : body;
    const cancellation = this.report.begun(this, (error) => {
      if (this.#phase === 'sending') this.#cutOff(error);
    });
    const { bodyScope } = admitted;
    const named =
      bodyScope === null ? admitted : { ...admitted, idempotencyId: bodyIdempotencyIdOf(bodyScope, 1, body) };
    return this.#server.runner.run(named, body, cancellation, notes);
  }

  async #send(result: DatabaseAnswer): Promise<void> {
    if (typeof result === 'string') this.#answer(successAnswer(result, this.report.seconds));
    else if ('events' in result) await this.#sendEvents(result.events);
    else await this.#sendRows(new AnswerStream(this.#response, result.rows, () => this.report.seconds));
  }

  /** Resolves when all rows were sent, or when the client has disconnected. */
  async #sendRows(stream: AnswerStream): Promise<void> {
    this.#stream = stream;
    // The client may have disconnected before there was a stream to leave.
    if (this.#phase === 'over') stream.leave();
    const { bytes, isWhole: whole } = await stream.begin();
    if (this.#phase === 'over') return;
    const head = { status: 200, contentType: stream.contentType };
    const response = this.#response;
    const { requestId } = this.#head;
    this.#phase = 'sending';
    if (!whole) {
      this.#server.waiting.add(this);
      response.cork(() => writeHead(response, head, requestId, this.report.rate));
      if (!(await stream.send(bytes))) return;
      this.#server.waiting.delete(this);
    }
    this.#phase = 'over';
    response.cork(() => {
      if (whole) {
        writeHead(response, head, requestId, this.report.rate);
        response.end(bytes, this.#server.closing);
      } else response.end();
    });
    this.#note(head.status);
  }

  /** Resolves when the stream has ended, or when the client has disconnected. The answer is noted when it begins. */
  async #sendEvents(events: LiveEvents): Promise<void> {
    const response = this.#response;
    const stream = new EventStream(response, events, () => this.report.seconds);
    this.#stream = stream;
    if (this.#phase === 'over') return stream.leave();
    this.#phase = 'sending';
    this.#server.waiting.add(this);
    response.cork(() => writeHead(response, EVENTS_HEAD, this.#head.requestId, this.report.rate));
    this.#note(EVENTS_HEAD.status);
    if (!(await stream.send())) return;
    this.#server.waiting.delete(this);
    this.#phase = 'over';
    response.cork(() => response.end());
  }

  /** Ends a streamed answer so that the client sees that it is not complete. */
  #cutOff(error: unknown): void {
    this.report.cutOff(error, this.#rowCount);
    this.#phase = 'over';
    this.#server.waiting.delete(this);
    this.#response.close();
  }

  /** Applies a line body part by part. Rejects with the error that refused it before anything was answered. */
  async #serveLines(admitted: AdmittedRequest): Promise<void> {
    const server = this.#server;
    const response = this.#response;
    const { report } = this;
    const { notes } = report;
    const { waiting, metrics } = server;
    const lines = lineStreamOf({ server, response, report, admitted, cancellation: this });
    this.#lines = lines;
    this.#phase = 'streaming';
    if (this.#head.length.kind !== 'none') this.#readBody((chunk, last) => lines.add(chunk, last));
    waiting.add(this);
    if (this.#head.length.kind === 'none') lines.add(new ArrayBuffer(0), true);
    const end = await lines.run();
    if (end.is === 'refused') {
      this.#phase = 'receiving';
      if (end.isComplete) waiting.delete(this);
      throw end.refusal;
    }
    if (end.is === 'answered') {
      notes.code = end.head.code ?? null;
      this.#note(end.head.status);
    } else metrics.received(lines.byteLength);
    if (end.is === 'cut-off') {
      metrics.cutOff();
      this.#closeUnfinished(end.isComplete);
    } else {
      this.#phase = 'over';
      waiting.delete(this);
    }
  }

  /** Closes the connection once the client has sent its body: see the head of this file. */
  #closeUnfinished(isComplete: boolean): void {
    this.#phase = 'reading-away';
    this.#readAwayUntilMs = this.#server.elapsedMs() + READ_AWAY_MS_MAX;
    if (isComplete) this.#readAway(0, true);
  }

  /** Passes the bytes of the body to `onBytes` until they are no longer needed. */
  #readBody(onBytes: (chunk: ArrayBuffer, last: boolean) => void): void {
    const { waiting } = this.#server;
    waiting.add(this);
    this.#isReading = true;
    this.#response.onData((chunk, last) => {
      if (last) this.#isReading = false;
      if (last && this.#phase !== 'streaming') waiting.delete(this);
      if (this.#phase === 'receiving' || this.#phase === 'streaming') onBytes(chunk, last);
      else if (this.#phase === 'reading-away') this.#readAway(chunk.byteLength, last);
    });
  }

  #readAway(byteLength: number, last: boolean): void {
    this.#readAwayBytes += byteLength;
    if (!last && this.#readAwayBytes <= READ_AWAY_BYTES_MAX) return;
    // The answer may have been written in this turn: it is sent at the turn's end, and closing would drop it.
    setImmediate(() => {
      if (this.#phase === 'reading-away') this.#response.close();
    });
  }

  /** Sends the answer unless the client has disconnected. */
  #answer(answer: Answer): void {
    this.report.decided(answer);
    if (this.#phase === 'over') return;
    if (answer.isWithheld === true) {
      this.#phase = 'over';
      this.#response.close();
      this.#note(answer.status);
      return;
    }
    const ending = this.#ending();
    this.#phase = ending === 'keep-reading' ? 'reading-away' : 'over';
    this.#readAwayUntilMs = this.#server.elapsedMs() + READ_AWAY_MS_MAX;
    const { requestId, bodyless } = this.#head;
    sendAnswer(this.#response, answer, { requestId, rate: this.report.rate, bodyless, ending });
    this.#note(answer.status);
  }

  #ending(): Ending {
    const { kind } = this.#head.length;
    if (kind === 'broken' || kind === 'endless') return 'broken';
    if (this.#phase === 'receiving' && this.#isReading) return 'keep-reading';
    return this.#server.closing ? 'close' : 'keep';
  }

  #abort(): void {
    const phase = this.#phase;
    this.#phase = 'over';
    this.#isCancelled = true;
    this.#server.waiting.delete(this);
    this.#onCancel?.();
    this.#stopReceiving?.(null);
    this.#stream?.leave();
    this.#lines?.leave();
    const isNoted = phase === 'reading-away' || phase === 'over' || this.#stream instanceof EventStream;
    if (!isNoted) this.report.aborted(this.#rowCount);
  }

  #note(status: number): void {
    const bodyBytes = this.#body?.byteLength ?? this.#lines?.byteLength ?? 0;
    this.report.answered(status, bodyBytes, this.#rowCount);
  }

  get #rowCount(): number | null {
    return this.#stream?.rowCount ?? null;
  }

  /** Ends the request in every case. */
  #release(): void {
    this.#body?.release();
    this.#body = null;
    this.report.over();
    this.#server.openCount--;
    this.#server.closed();
  }
}
