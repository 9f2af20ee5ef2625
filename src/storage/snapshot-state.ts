/**
 * Where one segment stands between checkpoints: whether a snapshot file holds just its content, and whether a
 * running checkpoint still has to copy it.
 * Invariants: while a copy is due, rows that stood when the checkpoint began are not altered before the copy is
 * made (copy on write); appends behind them are free. `file` is set only while the segment equals that file.
 */
import type { SnapshotFileEntry } from '../format/index.js';

export class SnapshotState {
  #file: SnapshotFileEntry | null = null;
  #changeCount = 0;
  #copy: (() => void) | null = null;
  #forgotten = false;

  /** The snapshot file that holds this segment as it is, or null. */
  get file(): SnapshotFileEntry | null {
    return this.#file;
  }

  /** Goes up with every change; tells whether a written file is still the segment's content. */
  get changeCount(): number {
    return this.#changeCount;
  }

  /** A checkpoint began: `copy` must run before the present rows are altered. */
  copyIsDue(copy: () => void): void {
    this.#copy = copy;
  }

  /** Makes the copy if it is still due. */
  copyNow(): void {
    const copy = this.#copy;
    this.#copy = null;
    copy?.();
  }

  /** The segment goes away: a copy that is due is not made any more, and no file of it is wanted. */
  forget(): void {
    this.#copy = null;
    this.#forgotten = true;
  }

  get forgotten(): boolean {
    return this.#forgotten;
  }

  /** To be called before a row that stands is altered or moved. */
  beforeChange(): void {
    if (this.#copy !== null) this.copyNow();
    this.appended();
  }

  /** To be called when rows were added behind the others. */
  appended(): void {
    this.#changeCount++;
    this.#file = null;
  }

  /** `file` holds the segment as it was when changeCount was `changeCount`. */
  written(file: SnapshotFileEntry, changeCount: number): void {
    if (changeCount === this.#changeCount) this.#file = file;
  }
  /** The file may not be on disk: the next checkpoint writes another one. */
  fileIsLost(): void {
    this.#file = null;
  }
}
