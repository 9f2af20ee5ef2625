/**
 * Decodes the Content-Encoding of a line body as its bytes arrive: gzip and br off the main thread, zstd a block per turn.
 * Invariants: at most one chunk of DECODED_BYTES is decoded ahead of its consumer. The bytes that were decoded before a fault
 * are delivered before `fault` is called.
 */
import type { Duplex } from 'node:stream';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import type { Compression } from './decode.js';
import { BLOCK_BYTES_MAX, createZstdDecompress } from './zstd.js';

/** Largest chunk of decoded bytes. */
const DECODED_BYTES = 64 * 1024;
/** Memory of a decoder: its window of decoded bytes, and some reserve. */
export const DECODER_BYTES: Readonly<Record<Compression, number>> = {
  gzip: 128 * 1024,
  br: 17 * 2 ** 20,
  zstd: 8 * 2 ** 20 + 6 * BLOCK_BYTES_MAX,
};

const STREAMS: Readonly<Record<Compression, (options: { chunkSize: number }) => Duplex>> = {
  gzip: createGunzip,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};

export interface Decoding {
  /** The callee owns `chunk`. */
  bytes(chunk: Uint8Array): void;
  /** All written bytes are decoded, or wait for the consumer. */
  drained(): void;
  end(): void;
  /** The bytes are not valid in this encoding, or end too early. */
  fault(): void;
}

export class StreamDecoder {
  readonly #stream: Duplex;
  readonly #decoding: Decoding;
  #waitingBytes = 0;

  constructor(encoding: Compression, decoding: Decoding) {
    this.#decoding = decoding;
    // The stream must not buffer decoded bytes: a fault would discard them.
    const options = { chunkSize: DECODED_BYTES, readableHighWaterMark: 1 };
    this.#stream = STREAMS[encoding](options);
    this.#stream.on('data', (chunk: Uint8Array) => decoding.bytes(chunk));
    this.#stream.on('end', () => decoding.end());
    this.#stream.on('error', () => decoding.fault());
  }

  /** Bytes that were written but are not decoded yet. */
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

  /** Starts or stops the delivery of decoded bytes. */
  flow(wanted: boolean): void {
    if (wanted) this.#stream.resume();
    else this.#stream.pause();
  }

  /** Ends the delivery of bytes and of the end. */
  close(): void {
    this.#stream.removeAllListeners('data');
    this.#stream.removeAllListeners('end');
    this.#stream.destroy();
  }
}
