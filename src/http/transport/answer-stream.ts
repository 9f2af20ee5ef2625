/**
 * An answer of rows on its way to its client, as fast as the client takes it.
 *   The first FIRST_BYTES are waited for before anything is sent: an answer that fails by then is an error like any other,
 *   and one that ends by then has a length. What is longer goes out in chunks.
 *   Nothing is taken from the stream while the connection has not taken what came before, so nothing piles up here.
 * Invariant: a stream is always begun and then taken to its end or left, so what makes it always ends.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RowStream } from '../../answer/index.js';
import { ROW_TYPES } from './accept.js';
import { type Response, WRITE_BYTES_MAX } from './uws.js';

/** What an answer must have more of to be sent before its end. */
const FIRST_BYTES = 64 * 1024;
/** So much is sent before others get a turn, where nothing is waited for. */
const TURN_BYTES = 2 ** 20;

const encoder = new TextEncoder();

export interface FirstBytes {
  readonly bytes: Uint8Array;
  /** There is nothing behind them. */
  readonly whole: boolean;
}

export class AnswerStream {
  readonly contentType: string;
  readonly #response: Response;
  readonly #rows: RowStream;
  readonly #seconds: () => number;
  #begun = false;
  #stage: 'before' | 'parts' | 'behind' = 'before';
  #gone = false;
  /** Set while the connection takes nothing: goes on. */
  #wake: (() => void) | null = null;
  #blockedSeconds = 0;

  /** `seconds`: since the request came. */
  constructor(response: Response, rows: RowStream, seconds: () => number) {
    this.#response = response;
    this.#rows = rows;
    this.#seconds = seconds;
    this.contentType = ROW_TYPES[rows.format];
  }

  /** Made so far; null where nobody counts. */
  get rowCount(): number | null {
    return this.#rows.rowCount?.() ?? null;
  }

  /** Rejects with what the stream does. */
  async begin(): Promise<FirstBytes> {
    const parts: Uint8Array[] = [];
    for (let byteCount = 0; byteCount < FIRST_BYTES; ) {
      const part = await this.#next();
      if (part === null) return { bytes: this.#joined(parts), whole: true };
      parts.push(part);
      byteCount += part.length;
    }
    return { bytes: this.#joined(parts), whole: false };
  }

  #joined(parts: readonly Uint8Array[]): Uint8Array {
    const bytes = Buffer.concat(parts);
    for (const part of parts) this.#rows.done?.(part);
    return bytes;
  }

  /** Sends what `begin` gave and all behind it, its end aside; status and headers are written. False: the client has gone. */
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

  /** Nobody takes it any more: what makes it stops, and `send` ends at once. */
  leave(): void {
    this.#gone = true;
    this.#goOn();
    const { parts } = this.#rows;
    // A generator that was never asked would not run what gives back what it holds.
    if (!this.#begun) parts.next().catch(() => {});
    this.#begun = true;
    parts.return().catch(() => {});
  }

  /** Seconds since the connection takes nothing; 0 = it does. */
  get blockedSeconds(): number {
    return this.#wake === null ? 0 : this.#seconds() - this.#blockedSeconds;
  }

  /** False: the connection has more than it can send now. */
  #write(slice: Uint8Array): boolean {
    let taken = true;
    this.#response.cork(() => {
      taken = this.#response.write(slice);
    });
    return taken;
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

  /** The next bytes, with what stands around the rows in JSON; null behind the last. */
  async #next(): Promise<Uint8Array | null> {
    const { format, parts } = this.#rows;
    if (this.#stage === 'before') {
      this.#stage = 'parts';
      if (format === 'json') return encoder.encode('{"status":"success",');
    }
    if (this.#stage === 'behind') return null;
    this.#begun = true;
    const { done, value } = await parts.next();
    if (done !== true) return value;
    this.#stage = 'behind';
    return format === 'json' ? encoder.encode(`,"took":${this.#seconds().toFixed(6)}}`) : null;
  }
}
