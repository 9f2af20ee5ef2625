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
import { BodyReader, type ByteBudget } from './body.js';
import type { HandlerRunner } from './call.js';
import type { Caller } from './caller.js';
import type { BodyDecoder } from './decode.js';
import type { Endpoint } from './endpoints.js';
import type { Members, StreamedAnswer } from './handlers/handler.js';
import type { Bound } from './limits.js';
import { LineStream, type StreamEnd } from './line-stream.js';
import { PartRunner } from './part-runner.js';
import { type ReportNeeds, RequestReport } from './request-report.js';
import type { Response } from './uws.js';

/** What the requests of one server share. */
export interface Site extends ReportNeeds {
  readonly runner: HandlerRunner;
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
  readonly #report: RequestReport;
  #phase: 'receiving' | 'working' | 'sending' | 'streaming' | 'reading-away' | 'over' = 'receiving';
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
    this.#report = new RequestReport(site, head.requestId, head.peer);
    site.openCount++;
  }

  found(endpoint: Endpoint): void {
    this.#report.found(endpoint);
  }

  identified(caller: Caller): void {
    this.#report.notes.caller = caller;
  }

  /** Told before the answer: what bounds requests of this kind. */
  bounded(bound: Bound): void {
    this.#report.bound = bound;
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
    const report = this.#report;
    const { notes } = report;
    const { runner, log } = site;
    const parts = new PartRunner({ runner, log, admitted, hangUp: this, notes });
    const lines = new LineStream({
      site,
      response,
      encoding: admitted.encoding,
      apply: (part, text) => parts.apply(part, text),
      told: (error) => report.errorOf(error),
      refused: (part, error) => report.partRefused(part, error),
      writeHead: (head) => writeHead(response, head, notes.requestId, report.figures),
      answer: (answer) => {
        const ending = site.closing ? 'close' : 'keep';
        writeAnswer(response, answer, notes.requestId, report.figures, false, ending);
      },
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
    if (end.is === 'refused') {
      this.#phase = 'receiving';
      if (end.isComplete) waiting.delete(this);
      this.#refuseEarly(end.refusal, end.isComplete);
      return;
    }
    if (end.is === 'answered') {
      this.#report.notes.code = end.head.code ?? null;
      this.#note(end.head.status);
    } else metrics.received(this.#lines?.byteLength ?? 0);
    if (end.is === 'cut-off') {
      metrics.cutOff();
      this.#closeUnfinished(end.isComplete);
    } else {
      this.#phase = 'over';
      waiting.delete(this);
    }
    this.#release();
  }

  /** Closes the connection once the client has sent its body: closing it with unread bytes would discard the answer. */
  #closeUnfinished(isComplete: boolean): void {
    this.#phase = 'reading-away';
    this.#readAwayUntilMs = this.#site.elapsedMs() + READ_AWAY_MS_MAX;
    if (isComplete) this.#readAway(0, true);
  }

  /** Answers with an error before anything of the body was read. To be called while the head is handled. */
  refuse(error: unknown): void {
    const bodyIsTooLong = error instanceof QuarryError && error.code === 1507;
    if (bodyIsTooLong && this.#head.length.kind === 'declared') {
      this.#attach(() => undefined);
      this.#refuseEarly(error, false);
    } else this.#answer(this.#report.errorAnswer(error));
  }

  /** Answers with something that is not of the JSON interface. */
  answerPlainly(endpoint: string, answer: Answer): void {
    this.#report.notes.endpointName = endpoint;
    this.#answer(answer);
  }

  /** The same for an answer that takes time. To be called while the head is handled. */
  answerLater(endpoint: string, answer: Promise<Answer>): void {
    this.#report.notes.endpointName = endpoint;
    this.#phase = 'working';
    this.#response.onAborted(() => this.#abort());
    answer.then(
      (ready) => this.#answer(ready),
      (error) => this.#answer(this.#report.errorAnswer(error)),
    );
  }

  /** Called every few seconds while the request stands in `waiting`. */
  tick(): void {
    const nowMs = this.#site.elapsedMs();
    if (this.#phase === 'reading-away') {
      if (nowMs > this.#readAwayUntilMs) this.#response.close();
    } else if (this.#phase === 'sending') this.#tickStream();
    else if (this.#phase === 'streaming') this.#lines?.tick();
    else if (nowMs - this.#report.startedMs > this.#site.bodySecondsMax * 1000) {
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
      else if (error !== null) this.#answer(this.#report.errorAnswer(error));
      else if (this.#body?.hold(decoded.byteLength) === true) this.#run(admitted, decoded);
      else this.#answer(errorAnswer(new QuarryError(9003, TOO_MANY_BODIES)));
    });
  }

  #run(admitted: Admitted, body: Uint8Array<ArrayBuffer>): void {
    this.#phase = 'working';
    const { notes } = this.#report;
    notes.text = body.length === 0 ? admitted.pathName : body;
    this.#report.begun();
    let given: Members | StreamedAnswer | Promise<Members | StreamedAnswer>;
    try {
      given = this.#site.runner.run(admitted, body, this, notes);
    } catch (error) {
      this.#answer(this.#report.errorAnswer(error));
      return;
    }
    if (given instanceof Promise) {
      given.then(
        (ready) => this.#succeed(ready),
        (error) => this.#answer(this.#report.errorAnswer(error)),
      );
    } else this.#succeed(given);
  }

  #succeed(given: Members | StreamedAnswer): void {
    if (typeof given === 'string') this.#answer(successAnswer(given, this.#report.seconds));
    else void this.#answerRows(new AnswerStream(this.#response, given.rows, () => this.#report.seconds));
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
      else this.#answer(this.#report.errorAnswer(error));
    }
  }

  /** Resolves when all was sent, or when the client went away. */
  async #sendRows(stream: AnswerStream, first: Uint8Array, whole: boolean): Promise<void> {
    const head = { status: 200, contentType: stream.contentType };
    const response = this.#response;
    this.#phase = 'sending';
    if (!whole) {
      this.#site.waiting.add(this);
      response.cork(() => writeHead(response, head, this.#head.requestId, this.#report.figures));
      if (!(await stream.send(first))) return;
      this.#site.waiting.delete(this);
    }
    this.#phase = 'over';
    response.cork(() => {
      if (whole) {
        writeHead(response, head, this.#head.requestId, this.#report.figures);
        response.end(first, this.#site.closing);
      } else response.end();
    });
    this.#note(head.status);
  }

  /** Ends an answer of which the client already has a part, so that it is seen not to be whole. */
  #cut(error: unknown): void {
    this.#report.cutOff(error, this.#rowCount);
    this.#phase = 'over';
    this.#site.waiting.delete(this);
    this.#response.close();
    this.#release();
  }

  /** Refuses while the body is coming; `complete` = its last byte is here. */
  #refuseEarly(error: QuarryError, complete: boolean): void {
    this.#answer(errorAnswer(error), complete ? 'keep' : 'keep-reading');
  }

  /** Sends the answer unless the client went away, and ends the request. */
  #answer(answer: Answer, wanted: Ending = 'keep'): void {
    this.#report.decided(answer);
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
    writeAnswer(this.#response, answer, requestId, this.#report.figures, bodyless, ending);
    this.#note(answer.status);
    this.#release();
  }

  #abort(): void {
    const phase = this.#phase;
    this.#phase = 'over';
    this.#hasHungUp = true;
    this.#site.waiting.delete(this);
    this.#onHangUp?.();
    this.#stream?.leave();
    this.#lines?.leave();
    if (phase !== 'reading-away' && phase !== 'over') this.#report.left(this.#rowCount);
    // While it works, the handler still holds the body: its end releases it.
    if (phase === 'receiving') this.#release();
  }

  #note(status: number): void {
    const bodyBytes = this.#body?.byteLength ?? this.#lines?.byteLength ?? 0;
    this.#report.answered(status, bodyBytes, this.#rowCount);
  }

  get #rowCount(): number | null {
    return this.#stream?.rowCount ?? null;
  }

  #release(): void {
    this.#body?.release();
    this.#body = null;
    this.#site.openCount--;
    this.#site.closed();
  }
}
