/**
 * Sends an answer of rows as fast as its client accepts it.
 *   Nothing is sent before the first FIRST_BYTES or the end of the stream: an answer that fails until then is an ordinary error,
 *   and an answer that ends until then has a Content-Length. Longer answers are sent in chunks.
 *   The stream is not read while the connection has unsent bytes, so memory does not grow.
 * Invariant: a stream is always begun and then either read to its end or canceled, so its producer always ends.
 */
import type { RowStream } from '../../answer/index.js';
import { ROW_TYPES } from './accept.js';
import { ChunkWriter, type SentStream } from './chunk-writer.js';
import type { Response } from './uws.js';

/** Longer answers are sent before they are complete. */
const FIRST_BYTES = 64 * 1024;

const encoder = new TextEncoder();

export interface FirstBytes {
  readonly bytes: Uint8Array;
  /** The stream has no more bytes. */
  readonly isWhole: boolean;
}

export class AnswerStream implements SentStream {
  readonly contentType: string;
  readonly #writer: ChunkWriter;
  readonly #rows: RowStream;
  readonly #seconds: () => number;
  #begun = false;
  #stage: 'before' | 'parts' | 'after' = 'before';

  /** `seconds`: time since the request's head arrived. */
  constructor(response: Response, rows: RowStream, seconds: () => number) {
    this.#writer = new ChunkWriter(response, seconds);
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
    const writer = this.#writer;
    writer.begin();
    for (let part: Uint8Array | null = first; part !== null && !writer.isGone; part = await this.#next()) {
      await writer.write(part);
      this.#rows.done?.(part);
    }
    return !writer.isGone;
  }

  /** The client has disconnected: stops the producer and ends `send` at once. */
  leave(): void {
    this.#writer.leave();
    const { parts } = this.#rows;
    // A generator that was never started would not run its `finally` blocks.
    if (!this.#begun) parts.next().catch(() => {});
    this.#begun = true;
    parts.return().catch(() => {});
  }

  get blockedSeconds(): number {
    return this.#writer.blockedSeconds;
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
