/**
 * Reads a line body, decodes it and splits it into parts, which are applied one after the other. The answer has a line for
 * each part.
 * Invariants
 *   A complete answer with status 200 means that every line was applied. The answers of parts are withheld until the body
 *   has ended or they have HELD_BYTES_MAX bytes, and the refusals up to then determine the status. A later refusal that
 *   requires another status is the last line of the answer: the connection is closed before the end of the answer.
 *   A complete part is applied even if its client has disconnected. An incomplete part is not applied.
 *   One part is applied at a time, and reading is paused while the next part is complete. A client that sends faster than
 *   parts are applied, or that does not read the answer, has to wait. At most PAUSED_BYTES_MAX of the bytes that still arrive are
 *   kept; more end the body with 9003. An error that ends the body early is reported in a last line, as the result of the part at
 *   which it occurred: neither that part nor any later part was applied.
 */
import { QuarryError } from '../../base/index.js';
import type { Members } from '../endpoints/handlers/handler.js';
import type { Answer, AnswerHead } from './answer.js';
import { TOO_MANY_BODIES } from './body.js';
import type { Compression, Encoding } from './decode.js';
import {
  decisiveRefusal,
  lineAnswerHead,
  lineTooLong,
  type PartPosition,
  partError,
  partSuccess,
} from './part-answer.js';
import type { BodyPart, PartSource } from './part-source.js';
import type { RecordLines } from './record-lines.js';
import type { ServerContext } from './server-context.js';
import { DECODER_BYTES, StreamDecoder } from './stream-decoder.js';
import { type Response, WRITE_BYTES_MAX } from './uws.js';

/** State and services that the line bodies of one server share. */
export type StreamContext = Readonly<
  Pick<ServerContext, 'budget' | 'elapsedMs' | 'bodySecondsMax' | 'stallSecondsMax' | 'closing'>
>;

export interface LineStreamDependencies {
  readonly server: StreamContext;
  readonly response: Response;
  readonly encoding: Encoding;
  /** Divides the body. */
  readonly parts: PartSource;
  /** Makes lines of a body of records; null = the body has lines. */
  readonly records: RecordLines | null;
  /** Applies a part that has text. Copies the text before it returns. */
  readonly apply: (part: BodyPart, text: Uint8Array<ArrayBuffer>) => Promise<Members>;
  /** The error as the client sees it. */
  readonly errorOf: (error: unknown) => QuarryError;
  /** Called for each refusal, in the order of parts. */
  readonly refused: (part: PartPosition, error: QuarryError) => void;
  /** Writes status and headers of an answer that is sent in chunks. */
  readonly writeHead: (head: AnswerHead) => void;
  /** Sends the answer to a body that has ended. */
  readonly answer: (answer: Answer) => void;
}

/**
 * The end of a line body.
 *   answered  the whole answer was sent, with the status of `head`
 *   left      the client has disconnected
 *   cut-off   the answer ends with a refusal that requires another status: the connection must be closed
 *   refused   nothing was answered yet
 * `isComplete`: the last byte of the body was received.
 */
export type StreamEnd =
  | { readonly is: 'answered'; readonly head: AnswerHead }
  | { readonly is: 'left' }
  | { readonly is: 'cut-off'; readonly isComplete: boolean }
  | { readonly is: 'refused'; readonly refusal: QuarryError; readonly isComplete: boolean };

/** Limit of the bytes of withheld answers. */
export const WITHHELD_BYTES_MAX = 256 * 1024;

/** Reading continues while at most this number of bytes wait to be split into parts. */
const AHEAD_BYTES_MAX = 2 ** 20;

/** Bytes that are kept in spite of a pause: AHEAD_BYTES_MAX, and what uWebSockets may read in the turn of the pause. */
export const PAUSED_BYTES_MAX = 2 * 2 ** 20;

const TOO_FAST = 'the body arrives faster than its lines are inserted, and reading it could not be paused';

export class LineStream {
  readonly #dependencies: LineStreamDependencies;
  readonly #parts: PartSource;
  readonly #decoder: StreamDecoder | null;
  #decoderBytes = 0;
  #byteLength = 0;
  #heardMs: number;
  #isReading = true;
  /** The last byte of the body was received. */
  #isComplete = false;
  /** The decoder has delivered its last bytes. */
  #isOver = false;
  #fault: QuarryError | null = null;
  #hasLeft = false;
  /** Withheld answers, and the bytes that are reserved for them. */
  #withheld: string[] = [];
  #withheldBytes = 0;
  /** The refusal that determines the status; null = nothing was refused. */
  #refusal: QuarryError | null = null;
  /** Status and headers that were sent; null = the answers are withheld. */
  #head: AnswerHead | null = null;
  /** Only the end of the answer was not sent yet. */
  #isEnding = false;
  #wake: (() => void) | null = null;
  /** Time since which the connection accepts nothing; null = it accepts bytes. */
  #blockedMs: number | null = null;

  constructor(dependencies: LineStreamDependencies) {
    this.#dependencies = dependencies;
    const { server, encoding, parts } = dependencies;
    this.#parts = parts;
    this.#heardMs = server.elapsedMs();
    this.#decoder = encoding === 'identity' ? null : this.#makeDecoder(encoding);
  }

  /** Number of received bytes of the body, before decoding. */
  get byteLength(): number {
    return this.#byteLength;
  }

  /** Adds bytes of the body; copies `chunk`. */
  add(chunk: ArrayBuffer, last: boolean): void {
    this.#heardMs = this.#dependencies.server.elapsedMs();
    // After a write that the connection did not accept completely, uWebSockets resumes reading.
    if (!this.#isReading) {
      this.#dependencies.response.pause();
      if (this.#aheadBytes + chunk.byteLength > PAUSED_BYTES_MAX)
        this.#fault ??= new QuarryError(9003, TOO_FAST);
    }
    this.#byteLength += chunk.byteLength;
    this.#isComplete ||= last;
    if (this.#fault === null) this.#read(new Uint8Array(chunk), last);
    this.#flow();
    this.#goOn();
  }

  /** Applies the parts until the end of the body. Rejects only with a bug. */
  async run(): Promise<StreamEnd> {
    try {
      while (await this.#hasNext()) {
        const isConsistent = await this.#answer(await this.#apply(this.#parts.take()));
        if (!isConsistent) return this.#cutOff();
        this.#lookForDisconnect();
      }
      return await this.#finish();
    } finally {
      this.#decoder?.close();
      this.#parts.release();
      this.#dependencies.server.budget.release(this.#decoderBytes + this.#withheldBytes);
    }
  }

  /** Called every few seconds: checks the time limits of reading and sending. */
  tick(): void {
    const { server, response } = this.#dependencies;
    const nowMs = server.elapsedMs();
    if (this.#blockedMs !== null && nowMs - this.#blockedMs > server.stallSecondsMax * 1000) {
      response.close();
      return;
    }
    // Both restart uWebSockets' own, much shorter timeout; a paused connection has none.
    response.pause();
    if (this.#isReading) response.resume();
    const waits = this.#wake !== null && this.#blockedMs === null && !this.#isOver;
    if (!waits) return;
    if (server.closing) this.#goOn();
    else if (this.#isReading && nowMs - this.#heardMs > server.bodySecondsMax * 1000) {
      this.#fail(new QuarryError(1503, `no byte of the body arrived for ${server.bodySecondsMax} s`));
    }
  }

  /** The client has disconnected. */
  leave(): void {
    this.#hasLeft = true;
    this.#goOn();
  }

  #makeDecoder(encoding: Compression): StreamDecoder | null {
    const bytes = DECODER_BYTES[encoding];
    if (!this.#dependencies.server.budget.tryReserve(bytes)) {
      this.#fault = new QuarryError(9003, TOO_MANY_BODIES);
      return null;
    }
    this.#decoderBytes = bytes;
    return new StreamDecoder(encoding, {
      bytes: (chunk) => {
        this.#take(chunk);
        this.#flow();
        this.#goOn();
      },
      drained: () => this.#flow(),
      end: () => {
        this.#end();
        this.#goOn();
      },
      fault: () => this.#fail(new QuarryError(1503, `the body cannot be decoded as ${encoding}`)),
    });
  }

  #read(chunk: Uint8Array, last: boolean): void {
    if (this.#decoder === null) {
      this.#take(chunk);
      if (last) this.#end();
    } else {
      this.#decoder.write(chunk);
      if (last) this.#decoder.end();
    }
  }

  #take(chunk: Uint8Array): void {
    this.#dependencies.records?.change(chunk);
    if (this.#fault === null && !this.#parts.add(chunk)) this.#fault = new QuarryError(9003, TOO_MANY_BODIES);
  }

  #end(): void {
    const problem = this.#dependencies.records?.end() ?? null;
    if (problem !== null) this.#fault ??= new QuarryError(1503, problem);
    else this.#parts.end();
    this.#isOver = true;
  }

  #fail(error: QuarryError): void {
    this.#fault ??= error;
    this.#goOn();
  }

  #goOn(): void {
    this.#wake?.();
    this.#wake = null;
  }

  #woken(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  /** Resumes or pauses reading. */
  #flow(): void {
    if (this.#hasLeft || this.#isEnding) return;
    const wanted = this.#fault === null && !this.#parts.hasPart;
    this.#decoder?.flow(wanted);
    const reads = this.#isComplete || (wanted && (this.#decoder?.waitingBytes ?? 0) === 0);
    if (reads === this.#isReading) return;
    this.#isReading = reads;
    if (reads) this.#dependencies.response.resume();
    else this.#dependencies.response.pause();
  }

  /** The number of bytes that have arrived after the part to be applied next. */
  get #aheadBytes(): number {
    return this.#parts.aheadBytes + (this.#decoder?.waitingBytes ?? 0);
  }

  /** While nothing is sent, only reading shows that the client has disconnected: one more chunk is read. */
  #lookForDisconnect(): void {
    const aheadBytes = this.#parts.byteLength + (this.#decoder?.waitingBytes ?? 0);
    if (this.#isReading || this.#head !== null || aheadBytes > AHEAD_BYTES_MAX) return;
    this.#dependencies.response.resume();
  }

  /** Resolves with true when a part is complete, with false when no further part will be applied. */
  async #hasNext(): Promise<boolean> {
    for (;;) {
      if (this.#dependencies.server.closing && !this.#isDone) return false;
      if (this.#parts.hasPart) return true;
      this.#fault ??= this.#parts.fault ?? null;
      if (this.#isDone || this.#hasLeft || this.#fault !== null) return false;
      this.#flow();
      const { coming = null } = this.#parts;
      await (coming === null ? this.#woken() : Promise.race([coming, this.#woken()]));
    }
  }

  /** No part of the body is left to be applied. */
  get #isDone(): boolean {
    return this.#isOver && !this.#parts.hasPart && (this.#parts.coming ?? null) === null;
  }

  /** To be called in the turn in which the part is taken out, because the next received bytes may overwrite it. */
  async #apply(part: BodyPart): Promise<string> {
    const { apply, errorOf } = this.#dependencies;
    try {
      if (part.text === null) throw part.refusal ?? lineTooLong(part);
      const applying = apply(part, part.text);
      this.#flow();
      return partSuccess(part, await applying);
    } catch (error) {
      return this.#refuse(part, errorOf(error));
    }
  }

  #refuse(part: PartPosition, error: QuarryError): string {
    this.#refusal = decisiveRefusal(this.#refusal, error);
    this.#dependencies.refused(part, error);
    return partError(part, error);
  }

  /**
   * Withholds or sends the answer of a part. Resolves when the connection accepts more or the client has disconnected;
   * false = the status that was sent does not match the refusal.
   */
  async #answer(line: string): Promise<boolean> {
    if (this.#head !== null) await this.#write(line);
    else if (!this.#hold(line)) {
      await this.#begin();
      await this.#write(line);
    }
    return this.#head === null || this.#head.status === lineAnswerHead(this.#refusal).status;
  }

  /** Returns false if no more answers can be withheld. */
  #hold(line: string): boolean {
    const bytes = Buffer.byteLength(line);
    if (
      this.#withheldBytes + bytes > WITHHELD_BYTES_MAX ||
      !this.#dependencies.server.budget.tryReserve(bytes)
    )
      return false;
    this.#withheldBytes += bytes;
    this.#withheld.push(line);
    return true;
  }

  /** Sends status, headers and the withheld answers. */
  async #begin(): Promise<void> {
    if (this.#hasLeft) return;
    const { response, writeHead } = this.#dependencies;
    const head = lineAnswerHead(this.#refusal);
    this.#head = head;
    response.cork(() => writeHead(head));
    response.onWritable(() => this.#writable());
    const text = this.#withheld.join('');
    this.#withheld = [];
    await this.#write(text);
    this.#dependencies.server.budget.release(this.#withheldBytes);
    this.#withheldBytes = 0;
  }

  /** Resolves when the connection accepts more, or the client has disconnected. */
  async #write(text: string): Promise<void> {
    const { response, server } = this.#dependencies;
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length && !this.#hasLeft; at += WRITE_BYTES_MAX) {
      let isTaken = true;
      response.cork(() => {
        isTaken = response.write(bytes.subarray(at, at + WRITE_BYTES_MAX));
      });
      if (isTaken) continue;
      this.#blockedMs = server.elapsedMs();
      while (this.#blockedMs !== null && !this.#hasLeft) await this.#woken();
      this.#blockedMs = null;
    }
  }

  #writable(): boolean {
    this.#blockedMs = null;
    this.#goOn();
    return true;
  }

  /** Applies no more parts. Reading continues, so that the connection can be used again or closed. */
  #stopReading(): void {
    this.#isEnding = true;
    if (this.#hasLeft) return;
    // A connection that was not paused must not be resumed, because it would then accept no further request.
    if (!this.#isReading) this.#dependencies.response.resume();
    this.#isReading = true;
  }

  #cutOff(): StreamEnd {
    this.#stopReading();
    return this.#hasLeft ? { is: 'left' } : { is: 'cut-off', isComplete: this.#isComplete };
  }

  async #finish(): Promise<StreamEnd> {
    const { response, server, answer } = this.#dependencies;
    if (!this.#isDone && server.closing) this.#fault ??= new QuarryError(9004, 'the server is stopping');
    this.#stopReading();
    const isComplete = this.#isComplete;
    if (this.#hasLeft) return { is: 'left' };
    if (this.#fault !== null) {
      const isUnanswered = this.#head === null && this.#withheld.length === 0;
      if (isUnanswered) return { is: 'refused', refusal: this.#fault, isComplete };
      const isConsistent = await this.#answer(
        this.#refuse({ ...this.#parts.next, lineCount: 0 }, this.#fault),
      );
      if (!isConsistent) return this.#cutOff();
    }
    if (this.#head === null && isComplete) {
      const head = lineAnswerHead(this.#refusal);
      answer({ ...head, body: this.#withheld.join('') });
      return { is: 'answered', head };
    }
    if (this.#head === null) await this.#begin();
    if (this.#hasLeft || this.#head === null) return { is: 'left' };
    response.cork(() => response.end());
    return { is: 'answered', head: this.#head };
  }
}
