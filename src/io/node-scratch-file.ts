/** Temporary files on the machine's own disk. */
import fs from 'node:fs';
import path from 'node:path';
import type { ScratchFile } from './scratch-file.js';

/** See FileSystem.createScratch. */
export function createNodeScratch(file: string): ScratchFile {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  return new NodeScratchFile(file, fs.openSync(file, 'wx+', 0o600));
}

/** See ScratchReader.read; `handle` is a file descriptor of this process. */
export function readScratch(handle: number, into: Uint8Array, position: number): number {
  let total = 0;
  while (total < into.byteLength) {
    const count = fs.readSync(handle, into, total, into.byteLength - total, position + total);
    if (count === 0) break;
    total += count;
  }
  return total;
}

class NodeScratchFile implements ScratchFile {
  readonly handle: number;
  /** The name of the file, while it has one. */
  #name: string | null;
  #isOpen = true;

  constructor(name: string, handle: number) {
    this.handle = handle;
    this.#name = name;
    this.#removeName();
  }

  /** A file that the system does not let go of while it is open is removed when it is closed, or at the next start. */
  #removeName(): void {
    if (this.#name === null) return;
    try {
      fs.unlinkSync(this.#name);
      this.#name = null;
    } catch {
      // The name is removed later.
    }
  }

  write(bytes: Uint8Array, position: number): void {
    for (let done = 0; done < bytes.byteLength; ) {
      const count = fs.writeSync(this.handle, bytes, done, bytes.byteLength - done, position + done);
      if (count === 0) throw Object.assign(new Error('a write wrote no bytes'), { code: 'EIO' });
      done += count;
    }
  }

  read(into: Uint8Array, position: number): number {
    return readScratch(this.handle, into, position);
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    fs.closeSync(this.handle);
    this.#removeName();
  }
}
