/**
 * Sends an answer of rows as fast as its client accepts it.
 *   Nothing is sent before the first FIRST_BYTES or the end of the stream: an answer that fails until then is an ordinary error,
 *   and an answer that ends until then has a Content-Length. Longer answers are sent in chunks.
 *   The stream is not read while the connection has unsent bytes, so memory does not grow.
 * Invariant: a stream is always begun and then either read to its end or canceled, so its producer always ends.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RowStream } from '../../answer/index.js';
import { ROW_TYPES } from './accept.js';
import { type Response, WRITE_BYTES_MAX } from './uws.js';

/** Longer answers are sent before they are complete. */
const FIRST_BYTES = 64 * 1024;
/** Bytes that are sent in one turn of the event loop if neither the stream nor the connection has to be waited for. */
const TURN_BYTES = 2 ** 20;

const encoder = new TextEncoder();

export interface FirstBytes {
  readonly bytes: Uint8Array;
  /** The stream has no more bytes. */
  readonly isWhole: boolean;
}

export class AnswerStream {
  readonly contentType: string;
  readonly #response: Response;
  readonly #rows: RowStream;
  readonly #seconds: () => number;
  #begun = false;
  #stage: 'before' | 'parts' | 'after' = 'before';
  #gone = false;
  /** Set while the connection accepts nothing: resumes sending. */
  #wake: (() => void) | null = null;
  #blockedSeconds = 0;

  /** `seconds`: time since the request's head arrived. */
  constructor(response: Response, rows: RowStream, seconds: () => number) {
    this.#response = response;
    this.#rows = rows;
    this.#seconds = seconds;
    this.contentType = ROW_TYPES[rows.format];
  }

  /** Rows produced so far; null = not counted. */
  get rowCount(): number | null {
    return this.#rows.rowCount?.() ?? null;
  }

  /** Rejects with the error of the stream. */
  async begin(): Promise<FirstBytes> {
    const parts: Uint8Array[] = [];
    for (let byteCount = 0; byteCount < FIRST_BYTES; ) {
      const part = await this.#next();
      if (part === null) return { bytes: this.#joined(parts), isWhole: true };
      parts.push(part);
      byteCount += part.length;
    }
    return { bytes: this.#joined(parts), isWhole: false };
  }

  #joined(parts: readonly Uint8Array[]): Uint8Array {
    const bytes = Buffer.concat(parts);
    for (const part of parts) this.#rows.done?.(part);
    return bytes;
  }

  /** Sends the bytes of `begin` and all after them, but not the end of the answer. False: the client has disconnected. */
  async send(first: Uint8Array): Promise<boolean> {
    this.#response.onWritable(() => {
      this.#goOn();
      return true;
    });
    let turnBytes = 0;
    for (let part: Uint8Array | null = first; part !== null && !this.#gone; part = await this.#next()) {
      for (let at = 0; at < part.length && !this.#gone; at += WRITE_BYTES_MAX) {
        const slice = part.subarray(at, at + WRITE_BYTES_MAX);
        turnBytes += slice.length;
        const isFree = this.#write(slice);
        if (isFree && turnBytes < TURN_BYTES) continue;
        await (isFree ? nextTurn() : this.#writable());
        turnBytes = 0;
      }
      this.#rows.done?.(part);
    }
    return !this.#gone;
  }

  /** The client has disconnected: stops the producer and ends `send` at once. */
  leave(): void {
    this.#gone = true;
    this.#goOn();
    const { parts } = this.#rows;
    // A generator that was never started would not run its `finally` blocks.
    if (!this.#begun) parts.next().catch(() => {});
    this.#begun = true;
    parts.return().catch(() => {});
  }

  /** Seconds since the connection last accepted bytes; 0 = it accepts them. */
  get blockedSeconds(): number {
    return this.#wake === null ? 0 : this.#seconds() - this.#blockedSeconds;
  }

  /** False: the connection cannot accept more now. */
  #write(slice: Uint8Array): boolean {
    let isAccepted = true;
    this.#response.cork(() => {
      isAccepted = this.#response.write(slice);
    });
    return isAccepted;
  }

  #writable(): Promise<void> {
    this.#blockedSeconds = this.#seconds();
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #goOn(): void {
    this.#wake?.();
    this.#wake = null;
  }

  /** The next bytes, including the JSON around the rows; null after the last. */
  async #next(): Promise<Uint8Array | null> {
    const { format, parts } = this.#rows;
    if (this.#stage === 'before') {
      this.#stage = 'parts';
      if (format === 'json') return encoder.encode('{"status":"success",');
    }
    if (this.#stage === 'after') return null;
    this.#begun = true;
    const { done, value } = await parts.next();
    if (done !== true) return value;
    this.#stage = 'after';
    return format === 'json' ? encoder.encode(`,"took":${this.#seconds().toFixed(6)}}`) : null;
  }
}
