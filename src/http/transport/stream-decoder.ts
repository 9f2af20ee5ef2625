/**
 * Content-Encoding of a body that is taken part by part: gzip and br as they come, off the main thread.
 * Invariants: no more is decoded than is taken, but for one piece of DECODED_BYTES; what was decoded before a fault is
 * given before it is told.
 */
import { createBrotliDecompress, createGunzip } from 'node:zlib';

/** A piece of decoded bytes, at most. */
const DECODED_BYTES = 64 * 1024;
/** What a decoder holds of what it has decoded, to refer to it, and to spare. */
export const DECODER_BYTES = { gzip: 128 * 1024, br: 17 * 2 ** 20 } as const;

export interface Decoding {
  /** `chunk` is the taker's. */
  bytes(chunk: Uint8Array): void;
  /** All that was written is decoded, or waits to be taken. */
  drained(): void;
  end(): void;
  /** The bytes are not so encoded, or end too early. */
  fault(): void;
}

export class StreamDecoder {
  readonly #stream: ReturnType<typeof createGunzip> | ReturnType<typeof createBrotliDecompress>;
  readonly #decoding: Decoding;
  #waitingBytes = 0;

  constructor(encoding: 'gzip' | 'br', decoding: Decoding) {
    this.#decoding = decoding;
    // Nothing waits inside the stream that is not asked for: a fault would take it away.
    const options = { chunkSize: DECODED_BYTES, readableHighWaterMark: 1 };
    this.#stream = encoding === 'gzip' ? createGunzip(options) : createBrotliDecompress(options);
    this.#stream.on('data', (chunk: Uint8Array) => decoding.bytes(chunk));
    this.#stream.on('end', () => decoding.end());
    this.#stream.on('error', () => decoding.fault());
  }

  /** Bytes that were written and are not decoded yet. */
  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  /** Copies `chunk`. */
  write(chunk: Uint8Array): void {
    const bytes = chunk.length;
    if (bytes === 0) return;
    this.#waitingBytes += bytes;
    this.#stream.write(new Uint8Array(chunk), (error) => {
      this.#waitingBytes -= bytes;
      if (!error) this.#decoding.drained();
    });
  }

  end(): void {
    this.#stream.end();
  }

  /** Whether decoded bytes are given. */
  flow(wanted: boolean): void {
    if (wanted) this.#stream.resume();
    else this.#stream.pause();
  }

  /** Gives nothing more. */
  close(): void {
    this.#stream.removeAllListeners('data');
    this.#stream.removeAllListeners('end');
    this.#stream.destroy();
  }
}
