/**
 * The FileSystem port on the machine's own disk; with lock.ts the only importer of node:fs.
 * Invariants: a write that resolves has written every byte; errors are the system's own, with their `code`; nothing is synced
 * without a request, except by `writeFile`.
 */
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import type { FileHandle, FileSystem } from './file-system.js';
import { createNodeScratch, readScratch } from './node-scratch-file.js';
import type { ScratchFile, ScratchReader } from './scratch-file.js';
import { SpareHandles } from './spare-handles.js';

const FLAGS = { read: 'r', 'read-write': 'r+', create: 'w+' } as const;

const fdatasync = promisify(fs.fdatasync);
const fsync = promisify(fs.fsync);
const ftruncate = promisify(fs.ftruncate);
const fstat = promisify(fs.fstat);

/** One writev(2); returns the number of bytes written, which may be less than given. */
function writevAt(fd: number, parts: readonly Uint8Array[], position: number): Promise<number> {
  return new Promise((resolve, reject) => {
    fs.writev(fd, parts as Uint8Array[], position, (error, count) =>
      error ? reject(error) : resolve(count),
    );
  });
}

function readAt(fd: number, into: Uint8Array, position: number): Promise<number> {
  return new Promise((resolve, reject) => {
    fs.read(fd, into, 0, into.byteLength, position, (error, count) =>
      error ? reject(error) : resolve(count),
    );
  });
}

/** Returns `parts` without their first `count` bytes. */
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
  readonly #handles: SpareHandles;

  constructor(fd: number, handles: SpareHandles) {
    this.#fd = fd;
    this.#handles = handles;
  }

  async writev(parts: readonly Uint8Array[], position: number): Promise<void> {
    let rest = partsAfter(parts, 0);
    let at = position;
    while (rest.length > 0) {
      const count = await writevAt(this.#fd, rest, at);
      if (count === 0) throw Object.assign(new Error('a write wrote no bytes'), { code: 'EIO' });
      rest = partsAfter(rest, count);
      at += count;
    }
  }

  async read(into: Uint8Array, position: number): Promise<number> {
    let total = 0;
    while (total < into.byteLength) {
      const count = await readAt(this.#fd, into.subarray(total), position + total);
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
    return this.#handles.close(this.#fd);
  }
}

const isAbsent = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/** A folder that this process may not open or sync was not created by it. */
const isForeign = (error: unknown): boolean =>
  ['EACCES', 'EPERM', 'EROFS', 'EINVAL'].includes((error as NodeJS.ErrnoException).code ?? '');

export class NodeFileSystem implements FileSystem {
  readonly #handles: SpareHandles;

  /** `spareHandles` are kept open in reserve; see SpareHandles. */
  constructor(spareHandles = 0) {
    this.#handles = new SpareHandles(spareHandles);
  }

  async open(file: string, mode: 'read' | 'read-write' | 'create'): Promise<FileHandle> {
    return new NodeFileHandle(await this.#handles.open(file, FLAGS[mode], 0o644), this.#handles);
  }

  async readFile(file: string): Promise<Uint8Array> {
    const handle = await this.open(file, 'read');
    try {
      const bytes = new Uint8Array(await handle.size());
      return bytes.subarray(0, await handle.read(bytes, 0));
    } finally {
      await handle.close();
    }
  }

  async writeFile(file: string, bytes: Uint8Array, mode?: number): Promise<void> {
    const fd = await this.#handles.open(file, 'w', mode ?? 0o644);
    try {
      // The mode given at creation is restricted by the umask and ignored for an existing file.
      if (mode !== undefined) await promisify(fs.fchmod)(fd, mode);
      await new NodeFileHandle(fd, this.#handles).writev([bytes], 0);
      await fdatasync(fd);
    } finally {
      await this.#handles.close(fd);
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
      const read = (): Promise<string[]> => fs.promises.readdir(dir);
      return (await this.#handles.whileOpen(read, () => fs.readdirSync(dir))).sort();
    } catch (error) {
      if (isAbsent(error)) return [];
      throw error;
    }
  }

  async makeDir(dir: string): Promise<void> {
    const missing: string[] = [];
    let there = path.resolve(dir);
    for (; !(await this.exists(there)); there = path.dirname(there)) missing.unshift(there);
    await fs.promises.mkdir(there, { recursive: true });
    // Its creator may have ended, or failed, before its name was durable.
    await this.syncDir(path.dirname(there)).catch((error) => {
      if (!isForeign(error)) throw error;
    });
    for (const made of missing) {
      // Not recursive: on a disk that rejects writes Node would then report ENOENT.
      await fs.promises.mkdir(made).catch((error) => {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      });
      await this.syncDir(path.dirname(made));
    }
  }

  async removeDir(dir: string): Promise<void> {
    try {
      await fs.promises.rmdir(dir);
    } catch (error) {
      // Some systems report EEXIST for a folder that is not empty.
      if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? ''))
        throw error;
    }
  }

  async syncDir(dir: string): Promise<void> {
    const fd = await this.#handles.open(dir, 'r', 0);
    try {
      await fsync(fd);
    } finally {
      await this.#handles.close(fd);
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

  createScratch(file: string): ScratchFile {
    return createNodeScratch(file);
  }

  scratchOf(handle: number): ScratchReader {
    return { read: (into, position) => readScratch(handle, into, position) };
  }
}
