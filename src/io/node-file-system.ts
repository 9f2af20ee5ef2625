/**
 * The FileSystem port on the machine's own disk; with lock.ts the only importer of node:fs.
 * Invariants: a write that resolves has written every byte; errors are the system's own, with their `code`;
 * nothing is synced that was not asked for, except by `writeFile`.
 */
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import type { FileHandle, FileSystem } from './file-system.js';

const FLAGS = { read: 'r', 'read-write': 'r+', create: 'w+' } as const;

const open = promisify(fs.open);
const close = promisify(fs.close);
const fdatasync = promisify(fs.fdatasync);
const fsync = promisify(fs.fsync);
const ftruncate = promisify(fs.ftruncate);
const fstat = promisify(fs.fstat);

/** One writev(2); the bytes that it took, which may be fewer than given. */
function writevOnce(fd: number, parts: readonly Uint8Array[], position: number): Promise<number> {
  return new Promise((resolve, reject) => {
    fs.writev(fd, parts as Uint8Array[], position, (error, count) =>
      error ? reject(error) : resolve(count),
    );
  });
}

function readOnce(fd: number, into: Uint8Array, position: number): Promise<number> {
  return new Promise((resolve, reject) => {
    fs.read(fd, into, 0, into.byteLength, position, (error, count) =>
      error ? reject(error) : resolve(count),
    );
  });
}

/** What is left of `parts` behind their first `count` bytes. */
export function partsAfter(parts: readonly Uint8Array[], count: number): Uint8Array[] {
  const rest: Uint8Array[] = [];
  let skip = count;
  for (const part of parts) {
    if (skip >= part.byteLength) skip -= part.byteLength;
    else {
      rest.push(skip > 0 ? part.subarray(skip) : part);
      skip = 0;
    }
  }
  return rest;
}

class NodeFileHandle implements FileHandle {
  readonly #fd: number;

  constructor(fd: number) {
    this.#fd = fd;
  }

  async writev(parts: readonly Uint8Array[], position: number): Promise<void> {
    let rest = partsAfter(parts, 0);
    let at = position;
    while (rest.length > 0) {
      const count = await writevOnce(this.#fd, rest, at);
      if (count === 0) throw Object.assign(new Error('a write took no bytes'), { code: 'EIO' });
      rest = partsAfter(rest, count);
      at += count;
    }
  }

  async read(into: Uint8Array, position: number): Promise<number> {
    let total = 0;
    while (total < into.byteLength) {
      const count = await readOnce(this.#fd, into.subarray(total), position + total);
      if (count === 0) break;
      total += count;
    }
    return total;
  }

  dataSync(): Promise<void> {
    return fdatasync(this.#fd);
  }

  truncate(bytes: number): Promise<void> {
    return ftruncate(this.#fd, bytes);
  }

  async size(): Promise<number> {
    return (await fstat(this.#fd)).size;
  }

  close(): Promise<void> {
    return close(this.#fd);
  }
}

const isAbsent = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

export class NodeFileSystem implements FileSystem {
  async open(file: string, mode: 'read' | 'read-write' | 'create'): Promise<FileHandle> {
    return new NodeFileHandle(await open(file, FLAGS[mode], 0o644));
  }

  readFile(file: string): Promise<Uint8Array> {
    return fs.promises.readFile(file);
  }

  async writeFile(file: string, bytes: Uint8Array, mode?: number): Promise<void> {
    const fd = await open(file, 'w', mode ?? 0o644);
    try {
      // The mode given at creation is narrowed by the umask and ignored for a file that is there already.
      if (mode !== undefined) await promisify(fs.fchmod)(fd, mode);
      await new NodeFileHandle(fd).writev([bytes], 0);
      await fdatasync(fd);
    } finally {
      await close(fd);
    }
  }

  rename(from: string, to: string): Promise<void> {
    return fs.promises.rename(from, to);
  }

  remove(file: string): Promise<void> {
    return fs.promises.unlink(file);
  }

  async list(dir: string): Promise<string[]> {
    try {
      return (await fs.promises.readdir(dir)).sort();
    } catch (error) {
      if (isAbsent(error)) return [];
      throw error;
    }
  }

  async makeDir(dir: string): Promise<void> {
    const whole = path.resolve(dir);
    const firstMade = await fs.promises.mkdir(whole, { recursive: true });
    if (firstMade === undefined) return;
    for (let made = whole; made.length >= firstMade.length; made = path.dirname(made)) {
      await this.syncDir(path.dirname(made));
    }
  }

  async removeDir(dir: string): Promise<void> {
    try {
      await fs.promises.rmdir(dir);
    } catch (error) {
      // Some systems say EEXIST of a folder that is not empty.
      if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? ''))
        throw error;
    }
  }

  async syncDir(dir: string): Promise<void> {
    const fd = await open(dir, 'r');
    try {
      await fsync(fd);
    } finally {
      await close(fd);
    }
  }

  async exists(file: string): Promise<boolean> {
    try {
      await fs.promises.access(file);
      return true;
    } catch (error) {
      if (isAbsent(error)) return false;
      throw error;
    }
  }
}
