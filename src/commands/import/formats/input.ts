/**
 * Reads and decompresses a file or standard input. Gzip and zstd are detected by the first bytes, not by the name.
 * Invariants: bytes are read only on demand, so that memory does not grow with the file; decompressed data passes through
 * in parts, even the data of a decompression bomb.
 */
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { Decompress } from 'fzstd';
import type { FileHandle } from '../../../io/index.js';
import { ImportError } from './row-block.js';

const PART_BYTES = 2 ** 20;
/** Enough for every magic number and to detect the format of a text. */
export const HEAD_BYTES = 2 ** 16;

export interface Input {
  /** The name in messages. */
  readonly name: string;
  /** null = standard input, which can be read only once, from its beginning. */
  readonly file: FileHandle | null;
  /** Size of the file before decompression; null for standard input. */
  readonly byteCount: number | null;
  /** The first HEAD_BYTES bytes, or all. */
  readonly head: Uint8Array;
  /** All bytes from the first; called once. */
  readonly bytes: () => AsyncIterable<Uint8Array>;
  /** Bytes read so far, before decompression. */
  readonly bytesRead: () => number;
}

/** Reads the first HEAD_BYTES bytes. Rejects with the system's error. */
export async function fileInput(name: string, file: FileHandle): Promise<Input> {
  const byteCount = await file.size();
  const head = new Uint8Array(Math.min(HEAD_BYTES, byteCount));
  await file.read(head, 0);
  let taken = 0;
  async function* bytes(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const part = new Uint8Array(PART_BYTES);
      const got = await file.read(part, taken);
      if (got === 0) return;
      taken += got;
      yield part.subarray(0, got);
    }
  }
  return { name, file, byteCount, head, bytes, bytesRead: () => taken };
}

export async function streamInput(name: string, stream: Readable): Promise<Input> {
  const parts = stream.iterator() as AsyncIterator<Buffer | string>;
  const first: Uint8Array[] = [];
  let taken = 0;
  const next = async (): Promise<Uint8Array | null> => {
    const { done, value } = await parts.next();
    return done === true ? null : typeof value === 'string' ? Buffer.from(value) : value;
  };
  for (let length = 0; length < HEAD_BYTES; ) {
    const part = await next();
    if (part === null) break;
    first.push(part);
    length += part.length;
  }
  async function* bytes(): AsyncGenerator<Uint8Array> {
    for (const part of first.splice(0)) {
      taken += part.length;
      yield part;
    }
    for (let part = await next(); part !== null; part = await next()) {
      taken += part.length;
      yield part;
    }
  }
  const head = Buffer.concat(first).subarray(0, HEAD_BYTES);
  return { name, file: null, byteCount: null, head, bytes, bytesRead: () => taken };
}

export type Compression = 'gzip' | 'zstd' | null;

export function compressionOf(head: Uint8Array): Compression {
  if (head[0] === 0x1f && head[1] === 0x8b) return 'gzip';
  // The magic numbers of a frame, and of a skippable frame that may precede it.
  const magic = head.length < 4 ? 0 : new DataView(head.buffer, head.byteOffset).getUint32(0, true);
  return magic === 0xfd2fb528 || (magic & 0xfffffff0) >>> 0 === 0x184d2a50 ? 'zstd' : null;
}

/** The decompressed bytes of `input`. Rejects with ImportError when they are truncated or damaged. */
export function plainBytes(input: Input): AsyncIterable<Uint8Array> {
  const compression = compressionOf(input.head);
  if (compression === null) return input.bytes();
  return named(
    compression === 'gzip' ? gunzip(input.bytes()) : unzstd(input.bytes()),
    input.name,
    compression,
  );
}

async function* named(
  bytes: AsyncIterable<Uint8Array>,
  name: string,
  compression: string,
): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes;
  } catch (error) {
    if (error instanceof UnpackError) {
      throw new ImportError(`${name}: the ${compression} data is truncated or damaged (${error.message})`);
    }
    throw error;
  }
}

class UnpackError extends Error {}

/** Decompresses consecutive gzip members as one text, as RFC 1952 says. */
async function* gunzip(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const source = Readable.from(bytes, { objectMode: false, highWaterMark: PART_BYTES });
  const unzipped = source.pipe(createGunzip({ chunkSize: PART_BYTES }));
  let failure: unknown = null;
  source.on('error', (error) => {
    failure = error;
    unzipped.destroy(error);
  });
  try {
    for await (const part of unzipped) yield part;
  } catch (error) {
    throw failure ?? new UnpackError((error as Error).message);
  } finally {
    source.destroy();
  }
}

/** Input bytes of one fzstd call. Their output is held in memory: a bomb makes 128 KiB of every 4 bytes. */
const ZSTD_STEP_BYTES = 2 ** 12;

async function* unzstd(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const parts: Uint8Array[] = [];
  const unpack = new Decompress((part) => {
    if (part.length > 0) parts.push(part);
  });
  const push = (part: Uint8Array, last: boolean): void => {
    try {
      unpack.push(part, last);
    } catch (error) {
      throw new UnpackError(error instanceof Error ? error.message : String(error));
    }
  };
  for await (const part of bytes) {
    for (let at = 0; at < part.length; at += ZSTD_STEP_BYTES) {
      push(part.subarray(at, at + ZSTD_STEP_BYTES), false);
      yield* parts.splice(0);
    }
  }
  push(new Uint8Array(0), true);
  yield* parts.splice(0);
}
