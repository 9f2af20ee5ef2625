/**
 * Decodes the Content-Encoding of whole bodies, gzip or br. The length of the result and the number of bodies at a time are
 * limited, because a body of a few kilobytes may decode to megabytes.
 */
import { type BrotliOptions, brotliDecompress, gunzip, type ZlibOptions } from 'node:zlib';
import { QuarryError } from '../../base/index.js';

export type Encoding = 'identity' | 'gzip' | 'br';

export type Decoded = (error: QuarryError | null, bytes: Uint8Array<ArrayBuffer>) => void;

/** Half of libuv's threads, which the log also uses. */
const DECODES_MAX = 2;

export interface EncodedBody {
  readonly encoding: 'gzip' | 'br';
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

/** Decodes off the main thread. Fails with 1507 if the result is too long, 1503 if the bytes are not valid in the encoding. */
export function decodeBody(
  encoding: 'gzip' | 'br',
  bytes: Uint8Array,
  bytesMax: number,
  done: Decoded,
): void {
  const options: ZlibOptions & BrotliOptions = { maxOutputLength: bytesMax };
  const finish = (error: Error | null, result: Buffer): void => {
    if (error === null) {
      done(null, new Uint8Array(result));
      return;
    }
    const tooLong = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    const refusal = tooLong
      ? new QuarryError(1507, `the body is larger than ${bytesMax} bytes once decoded`)
      : new QuarryError(1503, `the body cannot be decoded as ${encoding}`);
    done(refusal, new Uint8Array(0));
  };
  if (encoding === 'gzip') gunzip(bytes, options, finish);
  else brotliDecompress(bytes, options, finish);
}
