/**
 * The file system as a port: everything durable goes through it, so that tests can put a faulty disk in its place.
 * Rules: every method rejects with the system's error (its `code` is kept: ENOSPC, EIO, ...); paths are absolute;
 * a created, renamed or removed name is durable only after `syncDir` of its folder; opening with `create` makes a
 * file or empties the one that is there, for reading and writing.
 */
export interface FileHandle {
  /** Writes all of `parts`, one behind the other, from byte `position`; repeats short writes until done. */
  writev(parts: readonly Uint8Array[], position: number): Promise<void>;
  /** Bytes read into `into` from `position`; less than asked only at the end of the file. */
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
  /** Names in a folder, sorted; an absent folder has none. */
  list(dir: string): Promise<string[]>;
  /** Makes the folder and its missing parents, where they are missing; their names are durable, also where one was there. */
  makeDir(dir: string): Promise<void>;
  /** Removes an empty folder; does nothing when it is absent or holds something. */
  removeDir(dir: string): Promise<void>;
  syncDir(dir: string): Promise<void>;
  exists(path: string): Promise<boolean>;
}
