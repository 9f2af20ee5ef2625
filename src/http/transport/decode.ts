/**
 * Decodes the Content-Encoding of whole bodies. The length of the result and the number of bodies at a time are
 * limited, because a body of a few kilobytes may decode to megabytes.
 */
import { type BrotliOptions, brotliDecompress, gunzip, type ZlibOptions } from 'node:zlib';
import { QuarryError } from '../../base/index.js';
import { decodeZstd, ZstdFault } from './zstd.js';

export type Compression = 'gzip' | 'br' | 'zstd';
export type Encoding = 'identity' | Compression;

export type Decoded = (error: QuarryError | null, bytes: Uint8Array<ArrayBuffer>) => void;

/** Half of libuv's threads, which the log also uses. */
const DECODES_MAX = 2;

export interface EncodedBody {
  readonly encoding: Compression;
  readonly bytes: Uint8Array;
  readonly bytesMax: number;
}

/** Decodes bodies in order of arrival. A body is decoded even if its client has disconnected. */
export class BodyDecoder {
  #runningCount = 0;
  readonly #waiting: (() => void)[] = [];

  decode({ encoding, bytes, bytesMax }: EncodedBody, done: Decoded): void {
    const begin = (): void => {
      this.#runningCount++;
      decodeBody(encoding, bytes, bytesMax, (error, decoded) => {
        this.#runningCount--;
        // `done` reserves memory for the result before the next body is decoded.
        done(error, decoded);
        this.#waiting.shift()?.();
      });
    };
    if (this.#runningCount < DECODES_MAX) begin();
    else this.#waiting.push(begin);
  }
}

/** Fails with 1507 if the result is too long, 1503 if the bytes are not valid in the encoding. zstd is decoded a block per turn. */
export function decodeBody(encoding: Compression, bytes: Uint8Array, bytesMax: number, done: Decoded): void {
  const refuse = (isTooLong: boolean): void => {
    const refusal = isTooLong
      ? new QuarryError(1507, `the body is larger than ${bytesMax} bytes once decoded`)
      : new QuarryError(1503, `the body cannot be decoded as ${encoding}`);
    done(refusal, new Uint8Array(0));
  };
  if (encoding === 'zstd') {
    decodeZstd(bytes, bytesMax).then(
      (result) => (result === null ? refuse(true) : done(null, new Uint8Array(result))),
      (error) => {
        if (!(error instanceof ZstdFault)) throw error;
        refuse(false);
      },
    );
    return;
  }
  const options: ZlibOptions & BrotliOptions = { maxOutputLength: bytesMax };
  const finish = (error: Error | null, result: Buffer): void => {
    if (error === null) done(null, new Uint8Array(result));
    else refuse((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE');
  };
  if (encoding === 'gzip') gunzip(bytes, options, finish);
  else brotliDecompress(bytes, options, finish);
}
