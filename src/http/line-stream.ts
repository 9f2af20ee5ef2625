/**
 * A body of lines on its way: read, decoded and split into parts, which are applied one after the other, each with a line
 * of the answer when it is done.
 * Invariants
 *   A part is applied when it is whole, also when its client has gone by then; what the client sent of the next one is not.
 *   One part is applied at a time, and reading rests while the next one is whole: a client that is faster than its parts,
 *   or takes nothing of the answer, waits, and no memory grows.
 *   What ends a stream early is told in a last line, for the part that it met: neither that part nor any behind it was applied.
 */
import { QuarryError } from '../base/index.js';
import type { ByteBudget } from './body.js';
import { type BodyPart, BodyParts } from './body-parts.js';
import type { Encoding } from './decode.js';
import type { Members } from './handlers/handler.js';
import { lineTooLong, partError, partSuccess } from './part-answer.js';
import { DECODER_BYTES, StreamDecoder } from './stream-decoder.js';
import type { Response } from './uws.js';

/** What streams of one server share. */
export interface StreamSite {
  readonly budget: ByteBudget;
  readonly elapsedMs: () => number;
  readonly bodySecondsMax: number;
  readonly stallSecondsMax: number;
  readonly closing: boolean;
}

export interface LineStreamNeeds {
  readonly site: StreamSite;
  readonly response: Response;
  readonly encoding: Encoding;
  /** Applies a part that has text; copies it before it returns. */
  readonly apply: (part: BodyPart, text: Uint8Array<ArrayBuffer>) => Promise<Members>;
  /** What the client is told of an error. */
  readonly told: (error: unknown) => QuarryError;
  /** Writes status and headers. */
  readonly writeHead: () => void;
}

/** How a stream ended: answered, left by its client, or refused before anything was answered. */
export type StreamEnd = 'answered' | 'left' | { readonly refusal: QuarryError; readonly complete: boolean };

const NO_ROOM = 'too many bodies at once';

export class LineStream {
  readonly #needs: LineStreamNeeds;
  readonly #parts: BodyParts;
  readonly #decoder: StreamDecoder | null;
  #decoderBytes = 0;
  #byteLength = 0;
  #heardMs: number;
  #isReading = true;
  /** The body's last byte has come. */
  #isComplete = false;
  /** Nothing more comes out of it. */
  #isOver = false;
  #fault: QuarryError | null = null;
  #hasLeft = false;
  #hasBegun = false;
  /** What is left is the answer's end. */
  #isEnding = false;
  #wake: (() => void) | null = null;
  /** Since when the connection takes nothing; null = it does. */
  #blockedMs: number | null = null;

  constructor(needs: LineStreamNeeds) {
    this.#needs = needs;
    const { site, encoding } = needs;
    this.#parts = new BodyParts(site.budget);
    this.#heardMs = site.elapsedMs();
    this.#decoder = encoding === 'identity' ? null : this.#makeDecoder(encoding);
  }

  /** Bytes of the body as they came. */
  get byteLength(): number {
    return this.#byteLength;
  }

  /** Takes bytes of the body; `chunk` is copied. */
  add(chunk: ArrayBuffer, last: boolean): void {
    this.#heardMs = this.#needs.site.elapsedMs();
    // A write that the connection did not take whole lets uWebSockets read again.
    if (!this.#isReading) this.#needs.response.pause();
    this.#byteLength += chunk.byteLength;
    this.#isComplete ||= last;
    if (this.#fault === null) this.#read(new Uint8Array(chunk), last);
    this.#flow();
    this.#goOn();
  }

  /** Applies what comes, to its end. Rejects with a bug only. */
  async run(): Promise<StreamEnd> {
    try {
      while (await this.#hasNext()) await this.#send(await this.#apply(this.#parts.take()));
      return await this.#finish();
    } finally {
      this.#decoder?.close();
      this.#parts.release();
      this.#needs.site.budget.release(this.#decoderBytes);
    }
  }

  /** Called every few seconds: looks at who waits for whom, and since when. */
  tick(): void {
    const { site, response } = this.#needs;
    const nowMs = site.elapsedMs();
    if (this.#blockedMs !== null && nowMs - this.#blockedMs > site.stallSecondsMax * 1000) {
      response.close();
      return;
    }
    // Both start uWebSockets' own, much shorter time again; a connection that rests has none.
    response.pause();
    if (this.#isReading) response.resume();
    const waits = this.#wake !== null && this.#blockedMs === null && !this.#isOver;
    if (!waits) return;
    if (site.closing) this.#goOn();
    else if (this.#isReading && nowMs - this.#heardMs > site.bodySecondsMax * 1000) {
      this.#fail(new QuarryError(1503, `no byte of the body came for ${site.bodySecondsMax} s`));
    }
  }

  /** The client has gone. */
  leave(): void {
    this.#hasLeft = true;
    this.#goOn();
  }

  #makeDecoder(encoding: 'gzip' | 'br'): StreamDecoder | null {
    const bytes = DECODER_BYTES[encoding];
    if (!this.#needs.site.budget.tryReserve(bytes)) {
      this.#fault = new QuarryError(9003, NO_ROOM);
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
    if (this.#fault === null && !this.#parts.add(chunk)) this.#fault = new QuarryError(9003, NO_ROOM);
  }

  #end(): void {
    this.#isOver = true;
    this.#parts.end();
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

  /** Lets bytes come, or not. */
  #flow(): void {
    if (this.#hasLeft || this.#isEnding) return;
    const wanted = this.#fault === null && !this.#parts.hasPart;
    this.#decoder?.flow(wanted);
    const reads = this.#isComplete || (wanted && (this.#decoder?.waitingBytes ?? 0) === 0);
    if (reads === this.#isReading) return;
    this.#isReading = reads;
    if (reads) this.#needs.response.resume();
    else this.#needs.response.pause();
  }

  /** Resolves when a part is whole. False: there is none, or none is to be applied any more. */
  async #hasNext(): Promise<boolean> {
    for (;;) {
      if (this.#needs.site.closing && !this.#isDone) return false;
      if (this.#parts.hasPart) return true;
      if (this.#isOver || this.#hasLeft || this.#fault !== null) return false;
      this.#flow();
      await this.#woken();
    }
  }

  /** Nothing of the body is left to be applied. */
  get #isDone(): boolean {
    return this.#isOver && !this.#parts.hasPart;
  }

  /** To be called in the turn in which the part is taken out: the bytes that come next may overwrite it. */
  async #apply(part: BodyPart): Promise<string> {
    const { apply, told } = this.#needs;
    try {
      if (part.text === null) throw lineTooLong(part);
      const applying = apply(part, part.text);
      this.#flow();
      return partSuccess(part, await applying);
    } catch (error) {
      return partError(part, told(error));
    }
  }

  /** Resolves when the connection takes more, or the client has gone. */
  async #send(line: string): Promise<void> {
    if (this.#hasLeft) return;
    const { response, writeHead, site } = this.#needs;
    let isTaken = true;
    response.cork(() => {
      if (!this.#hasBegun) writeHead();
      isTaken = response.write(line);
    });
    if (!this.#hasBegun) response.onWritable(() => this.#writable());
    this.#hasBegun = true;
    if (isTaken) return;
    this.#blockedMs = site.elapsedMs();
    while (this.#blockedMs !== null && !this.#hasLeft) await this.#woken();
    this.#blockedMs = null;
  }

  #writable(): boolean {
    this.#blockedMs = null;
    this.#goOn();
    return true;
  }

  async #finish(): Promise<StreamEnd> {
    const { response, site, writeHead } = this.#needs;
    if (!this.#isDone && site.closing) this.#fault ??= new QuarryError(9004, 'the server is stopping');
    this.#isEnding = true;
    if (this.#hasLeft) return 'left';
    // What was not paused must not be resumed: its connection would take no request behind this one.
    if (!this.#isReading) response.resume();
    this.#isReading = true;
    if (this.#fault !== null) {
      if (!this.#hasBegun) return { refusal: this.#fault, complete: this.#isComplete };
      await this.#send(partError({ ...this.#parts.next, lineCount: 0 }, this.#fault));
    }
    if (this.#hasLeft) return 'left';
    response.cork(() => {
      if (!this.#hasBegun) writeHead();
      response.end();
    });
    return 'answered';
  }
}
