/** Compresses a stream of bytes. */
import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { Zstd } from '@hpcc-js/wasm-zstd';
import type { Compression } from './format.js';

/** Uncompressed bytes of one zstd frame; a file is a sequence of frames, as the format allows. */
const FRAME_BYTES = 2 ** 20;

/** Compresses a whole file. `compression` must not be snappy, which is for Parquet pages only. */
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
  // A file without rows is one empty frame, so that it is valid.
  if (waitingBytes > 0 || framesMade === 0) yield frame();
}
