/** Reads a file from an address of the web as it arrives. Parquet, which is read from its end, is first copied to a temporary file. */
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { FileHandle, FileSystem } from '../../../io/index.js';
import { fileInput, type Input, streamInput } from './input.js';
import { ImportError } from './row-block.js';

export interface UrlInput {
  readonly input: Input;
  /** Ends the connection, and removes the temporary file. */
  close(): Promise<void>;
}

/** Rejects with ImportError if the address does not answer with a file. */
export async function openUrl(url: string, files: FileSystem, signal: AbortSignal): Promise<UrlInput> {
  const response = await fetch(url, { signal }).catch((error: Error) => {
    if (signal.aborted) throw signal.reason;
    throw new ImportError(`${url} cannot be read: ${reasonOf(error)}`);
  });
  if (!response.ok || response.body === null) {
    await response.body?.cancel();
    throw new ImportError(`${url} cannot be read: HTTP ${response.status} ${response.statusText}`);
  }
  const body = Readable.fromWeb(response.body as ReadableStream<Uint8Array>);
  const stream = Readable.from(named(url, body), { objectMode: true });
  const streamed = await streamInput(url, stream);
  const close = async (): Promise<void> => {
    stream.destroy();
    body.destroy();
  };
  const length = Number(response.headers.get('content-length') ?? Number.NaN);
  const isEncoded = response.headers.get('content-encoding') !== null;
  const byteCount = isEncoded || !Number.isSafeInteger(length) ? null : length;
  const isParquet = Buffer.from(streamed.head.subarray(0, 4)).toString('latin1') === 'PAR1';
  if (!isParquet) return { input: { ...streamed, byteCount }, close };
  try {
    return await copied(url, streamed, files);
  } finally {
    await close();
  }
}

const reasonOf = ({ message, cause }: Error): string => (cause instanceof Error ? cause.message : message);

async function* named(url: string, body: Readable): AsyncGenerator<Uint8Array> {
  let taken = 0;
  try {
    for await (const part of body) {
      taken += part.length;
      yield part;
    }
  } catch (error) {
    throw new ImportError(
      `${url}: the connection ended after ${taken} bytes (${reasonOf(error as Error)}); run the same command again`,
    );
  }
}

async function copied(url: string, { bytes }: Input, files: FileSystem): Promise<UrlInput> {
  const file = path.join(os.tmpdir(), `quarry-import-${process.pid}-${performance.now()}.parquet`);
  const handle: FileHandle = await files.open(file, 'create');
  const close = async (): Promise<void> => {
    await handle.close();
    await files.remove(file);
  };
  try {
    let position = 0;
    for await (const part of bytes()) {
      await handle.writev([part], position);
      position += part.length;
    }
    return { input: await fileInput(url, handle), close };
  } catch (error) {
    await close();
    throw error;
  }
}
