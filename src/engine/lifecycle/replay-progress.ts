/**
 * Progress of the log replay at the start.
 * Invariant: `bytesDone` never falls, and equals `bytes` at the end: preallocated space without records counts as read.
 */
import type { LogEntry, LogFileSize } from '../../wal/index.js';

export class ReplayProgress {
  #files: readonly LogFileSize[] = [];
  #fileIndex = 0;
  #bytesBefore = 0;
  #bytes = 0;
  #bytesDone = 0;
  #recordCount = 0;

  /** Total size of the files to read; 0 before it is known. */
  get bytes(): number {
    return this.#bytes;
  }
  get bytesDone(): number {
    return this.#bytesDone;
  }
  get recordCount(): number {
    return this.#recordCount;
  }

  begin(files: readonly LogFileSize[]): void {
    this.#files = files;
    this.#bytes = files.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Notes that a record was sent to the workers. Calls are in the order of reading. */
  at({ file, offset }: LogEntry): void {
    while (this.#fileIndex < this.#files.length && this.#files[this.#fileIndex].path !== file) {
      this.#bytesBefore += this.#files[this.#fileIndex].bytes;
      this.#fileIndex++;
    }
    this.#bytesDone = this.#bytesBefore + offset;
    this.#recordCount++;
  }

  end(): void {
    this.#bytesDone = this.#bytes;
  }
}
