/**
 * Temporary files of queries as a port. They are read and written synchronously, because an operator works in slices of its
 * thread, and nothing in them outlives the process.
 * Rules: every method throws the system's error (with its `code`: ENOSPC, EIO, ...). A file has no name while it is open, where
 * the system allows that, so that a process that dies leaves nothing behind.
 */
export interface ScratchReader {
  /** Returns the number of bytes read into `into` from `position`; fewer than requested only at the end of the file. */
  read(into: Uint8Array, position: number): number;
}

export interface ScratchFile extends ScratchReader {
  /** The number by which other threads of this process read the file while it is open. */
  readonly handle: number;
  /** Writes all of `bytes` from byte `position`. */
  write(bytes: Uint8Array, position: number): void;
  /** Closes and removes the file; does nothing if it is closed. */
  close(): void;
}
