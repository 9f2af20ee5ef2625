/**
 * How far a start has come with the log that it reads back.
 * Invariant: `bytesDone` never falls, and is `bytes` when all is read: room that was prepared for records that never came
 * is passed over at once.
 */
import type { LogEntry, LogFileSize } from '../../wal/index.js';

export class ReplayProgress {
  #files: readonly LogFileSize[] = [];
  #fileIndex = 0;
  #bytesBefore = 0;
  #bytes = 0;
  #bytesDone = 0;
  #recordCount = 0;

  /** Of the files that are read; 0 before it is known. */
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

  /** A record went to the lanes; in the order in which they are read. */
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
