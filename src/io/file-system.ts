/**
 * The file system as a port: all durable data goes through it, so that tests can substitute a faulty disk.
 * Rules: every method rejects with the system's error (with its `code`: ENOSPC, EIO, ...); paths are absolute; a created, renamed
 * or removed name is durable only after `syncDir` of its folder; opening with `create` creates a file or empties an existing one,
 * for reading and writing.
 */
import type { ScratchFile, ScratchReader } from './scratch-file.js';

export interface FileHandle {
  /** Writes all of `parts`, concatenated, from byte `position`; repeats short writes until done. */
  writev(parts: readonly Uint8Array[], position: number): Promise<void>;
  /** Returns the number of bytes read into `into` from `position`; fewer than requested only at the end of the file. */
  read(into: Uint8Array, position: number): Promise<number>;
  /** fdatasync. */
  dataSync(): Promise<void>;
  truncate(bytes: number): Promise<void>;
  size(): Promise<number>;
  close(): Promise<void>;
}

export interface FileSystem {
  open(path: string, mode: 'read' | 'read-write' | 'create'): Promise<FileHandle>;
  readFile(path: string): Promise<Uint8Array>;
  /** Creates or replaces a whole file and fdatasyncs it; `mode` as in open(2), default 0o644. */
  writeFile(path: string, bytes: Uint8Array, mode?: number): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** The names in a folder, sorted; an absent folder has none. */
  list(dir: string): Promise<string[]>;
  /** Creates the folder and its missing parents; their names are durable, also those of existing folders. */
  makeDir(dir: string): Promise<void>;
  /** Removes an empty folder; does nothing if it is absent or not empty. */
  removeDir(dir: string): Promise<void>;
  syncDir(dir: string): Promise<void>;
  exists(path: string): Promise<boolean>;
  /** Creates a temporary file and, if it is missing, its folder. Synchronous. */
  createScratch(path: string): ScratchFile;
  /** The temporary file that has this handle in another thread of this process. */
  scratchOf(handle: number): ScratchReader;
}
