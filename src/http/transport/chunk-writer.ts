/**
 * Writes the bytes of a response in chunks, as fast as its connection accepts them.
 * Invariant: `write` resolves when the connection has accepted its bytes or the client has disconnected, so the caller's memory
 * bounds what waits.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Response, WRITE_BYTES_MAX } from './uws.js';

/** Bytes that are written in one turn of the event loop if the connection does not have to be waited for. */
const TURN_BYTES = 2 ** 20;

/** An answer that is being sent while it is made. */
export interface SentStream {
  /** Rows that were made so far; null = they are not counted. */
  readonly rowCount: number | null;
  /** Seconds since the connection last accepted bytes; 0 = it accepts them. */
  readonly blockedSeconds: number;
  /** The client has disconnected. */
  leave(): void;
  /** The server stops. Absent = the answer is sent to its end. */
  stop?(): void;
}

export class ChunkWriter {
  readonly #response: Response;
  /** Seconds since the request's head arrived. */
  readonly #seconds: () => number;
  #turnBytes = 0;
  #gone = false;
  /** Set while the connection accepts nothing: resumes writing. */
  #wake: (() => void) | null = null;
  #blockedSeconds = 0;

  constructor(response: Response, seconds: () => number) {
    this.#response = response;
    this.#seconds = seconds;
  }

  /** To be called once before the first `write`. */
  begin(): void {
    this.#response.onWritable(() => {
      this.#goOn();
      return true;
    });
  }

  /** True when the client has disconnected. */
  get isGone(): boolean {
    return this.#gone;
  }

  /** Seconds since the connection last accepted bytes; 0 = it accepts them. */
  get blockedSeconds(): number {
    return this.#wake === null ? 0 : this.#seconds() - this.#blockedSeconds;
  }

  async write(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length && !this.#gone; at += WRITE_BYTES_MAX) {
      const slice = bytes.subarray(at, at + WRITE_BYTES_MAX);
      this.#turnBytes += slice.length;
      const isFree = this.#send(slice);
      if (isFree && this.#turnBytes < TURN_BYTES) continue;
      await (isFree ? nextTurn() : this.#writable());
      this.#turnBytes = 0;
    }
  }

  /** The client has disconnected: ends `write` at once. */
  leave(): void {
    this.#gone = true;
    this.#goOn();
  }

  /** False: the connection cannot accept more now. */
  #send(slice: Uint8Array): boolean {
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
}
