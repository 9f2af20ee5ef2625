/** Where answers go: standard output, or a file that a prompt was told to write to. */
import type { FileHandle, FileSystem } from '../../io/index.js';
import { writeOutput } from '../export/target.js';
import type { Output } from '../progress.js';

export interface Outlet {
  /** Takes the next part when this one is written. Rejects with ReaderGoneError, or what the disk says. */
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

/** Empties the file, or makes it. */
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

export async function* textParts(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
