/**
 * The target of an export: standard output, or a file that gets its name when it is complete and on disk.
 * Invariant: until then the bytes are in FILE.part, which is removed when the export fails.
 */
import path from 'node:path';
import type { FileSystem } from '../../io/index.js';
import type { Output } from '../progress.js';

/** Bytes of one write to the disk. */
const WRITE_BYTES = 2 ** 20;

/** The reader of standard output closed it. This is not a failure of the command. */
export class ReaderGoneError extends Error {
  override name = 'ReaderGoneError';
}

/** Returns the number of bytes written. Rejects with the error of `parts` or of the disk. */
export async function writeFile(
  files: FileSystem,
  file: string,
  parts: AsyncIterable<Uint8Array>,
  force: boolean,
): Promise<number> {
  const part = `${file}.part`;
  await refuseExisting(files, file, force);
  const handle = await files.open(part, 'create');
  try {
    let position = 0;
    try {
      for await (const bytes of gathered(parts)) {
        await handle.writev([bytes], position);
        position += bytes.length;
      }
      await handle.dataSync();
    } finally {
      await handle.close();
    }
    // Another process may have created the file meanwhile.
    await refuseExisting(files, file, force);
    await files.rename(part, file);
    await files.syncDir(path.dirname(file));
    return position;
  } catch (error) {
    await files.remove(part).catch(() => {});
    throw explained(error, file);
  }
}

/** Rejects if the file exists and must not be replaced. */
export async function refuseExisting(files: FileSystem, file: string, force: boolean): Promise<void> {
  if (!force && (await files.exists(file)))
    throw new Error(`${file} exists already: use --force to replace it`);
}

function explained(error: unknown, file: string): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  const full = code === 'ENOSPC' || code === 'EDQUOT';
  return full ? new Error(`the disk is full: ${file} was not written (${message})`, { cause: error }) : error;
}

/** Joins small parts into larger ones. */
async function* gathered(parts: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  for await (const part of parts) {
    waiting.push(part);
    waitingBytes += part.length;
    if (waitingBytes < WRITE_BYTES) continue;
    yield Buffer.concat(waiting);
    waiting = [];
    waitingBytes = 0;
  }
  if (waitingBytes > 0) yield Buffer.concat(waiting);
}

/** Returns the number of bytes written; waits for each write. Rejects with ReaderGoneError or the error of `parts`. */
export async function writeOutput(out: Output, parts: AsyncIterable<Uint8Array>): Promise<number> {
  let bytes = 0;
  // The stream emits 'error' in addition to the callback of the failed write.
  const ignore = (): void => {};
  out.on('error', ignore);
  try {
    for await (const part of parts) {
      await written(out, part);
      bytes += part.length;
    }
    return bytes;
  } finally {
    out.removeListener('error', ignore);
  }
}

function written(out: Output, part: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    out.write(part, (error) => {
      if (error === null || error === undefined) resolve();
      else if ((error as NodeJS.ErrnoException).code === 'EPIPE')
        reject(new ReaderGoneError('the reader closed the output'));
      else reject(error);
    });
  });
}
