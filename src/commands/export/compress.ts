/** Bytes on their way into a file, compressed. */
import { Readable } from 'node:stream';
import { createGzip, gzipSync } from 'node:zlib';
import { Zstd } from '@hpcc-js/wasm-zstd';
import type { Compression } from './format.js';

/** Of one zstd frame, before it is compressed: frames stand one behind the other, as the format allows. */
const FRAME_BYTES = 2 ** 20;

/** Needs `compression` to be one of whole files: snappy is of pages alone. */
export function compressed(
  parts: AsyncIterable<Uint8Array>,
  compression: Compression,
): AsyncIterable<Uint8Array> {
  switch (compression) {
    case 'gzip':
      return gzipped(parts);
    case 'zstd':
      return zstdFrames(parts);
    default:
      return parts;
  }
}

export type CompressPage = (page: Uint8Array) => Uint8Array;

/** What compresses a page of Parquet. */
export async function gzipAndZstd(): Promise<Readonly<Record<'GZIP' | 'ZSTD', CompressPage>>> {
  const zstd = await Zstd.load();
  return { GZIP: (page) => gzipSync(page), ZSTD: (page) => zstd.compress(page) };
}

async function* gzipped(parts: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const source = Readable.from(parts, { objectMode: false });
  const gzip = createGzip();
  source.on('error', (error) => gzip.destroy(error));
  try {
    yield* source.pipe(gzip);
  } finally {
    source.destroy();
    gzip.destroy();
  }
}

async function* zstdFrames(parts: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const zstd = await Zstd.load();
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  let framesMade = 0;
  const frame = (): Uint8Array => {
    const bytes = zstd.compress(Buffer.concat(waiting));
    waiting = [];
    waitingBytes = 0;
    framesMade++;
    return bytes;
  };
  for await (const part of parts) {
    waiting.push(part);
    waitingBytes += part.length;
    if (waitingBytes >= FRAME_BYTES) yield frame();
  }
  // A file of no rows is one empty frame, and so a valid file.
  if (waitingBytes > 0 || framesMade === 0) yield frame();
}
