/** The output of answers: standard output, or a file chosen at the prompt. */
import type { FileHandle, FileSystem } from '../../io/index.js';
import { writeOutput } from '../export/target.js';
import type { Output } from '../progress.js';

export interface Outlet {
  /** Writes the parts one after another. Rejects with ReaderGoneError or the disk's error. */
  write(parts: AsyncIterable<Uint8Array>): Promise<void>;
  close(): Promise<void>;
}

export function standardOutlet(out: Output): Outlet {
  return {
    async write(parts) {
      await writeOutput(out, parts);
    },
    async close() {},
  };
}

/** Creates or truncates the file. */
export async function fileOutlet(files: FileSystem, file: string): Promise<Outlet> {
  const handle: FileHandle = await files.open(file, 'create');
  let position = 0;
  return {
    async write(parts) {
      for await (const part of parts) {
        await handle.writev([part], position);
        position += part.length;
      }
    },
    close: () => handle.close(),
  };
}

export async function* encodedParts(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
