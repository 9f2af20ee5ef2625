/**
 * The state of one segment between checkpoints: whether a snapshot file has exactly its contents, and whether a running
 * checkpoint still has to copy it.
 * Invariants: while a copy is pending, rows that existed when the checkpoint began are not modified before the copy is made (copy
 * on write); appends after them need no copy. `file` is set only while the segment equals that file.
 */
import type { SnapshotFileEntry } from '../format/index.js';

export class SnapshotState {
  #file: SnapshotFileEntry | null = null;
  #changeCount = 0;
  #copy: (() => void) | null = null;
  #forgotten = false;

  /** The snapshot file with the present contents of this segment, or null. */
  get file(): SnapshotFileEntry | null {
    return this.#file;
  }

  /** Incremented by every change; shows whether a written file still matches the segment. */
  get changeCount(): number {
    return this.#changeCount;
  }

  /** Called when a checkpoint begins: `copy` must run before the present rows are modified. */
  copyIsDue(copy: () => void): void {
    this.#copy = copy;
  }

  /** Makes the copy if it is still pending. */
  copyNow(): void {
    const copy = this.#copy;
    this.#copy = null;
    copy?.();
  }

  /** Called when the segment is dropped: cancels a pending copy and rejects files of the segment. */
  forget(): void {
    this.#copy = null;
    this.#forgotten = true;
  }

  get forgotten(): boolean {
    return this.#forgotten;
  }

  /** Call before an existing row is modified or moved. */
  beforeChange(): void {
    if (this.#copy !== null) this.copyNow();
    this.appended();
  }

  /** Call after rows were appended. */
  appended(): void {
    this.#changeCount++;
    this.#file = null;
  }

  /** Records that `file` has the contents of the segment as of `changeCount`. */
  written(file: SnapshotFileEntry, changeCount: number): void {
    if (changeCount === this.#changeCount) this.#file = file;
  }
  /** The file may not be on disk: the next checkpoint writes a new one. */
  fileIsLost(): void {
    this.#file = null;
  }
}
