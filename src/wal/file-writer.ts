/**
 * Writes groups of records to one log file after another, and syncs them.
 * Invariants: calls do not overlap; a file is started after all of its predecessor was synced; a named log file has a
 * synced header; the syncedLsn of a record is correct when its bytes are written.
 */
import { Histogram, SECONDS_BOUNDS } from '../base/index.js';
import { encodeLogFileHeader, frameBytes, frameRecord, type PreparedPayload } from '../format/index.js';
import type { FileSystem } from '../io/index.js';
import { logFilePath } from './names.js';
import type { SpareFile } from './spare-files.js';

/** The file that records are written to, made from a spare. */
export interface LogFile {
  readonly spare: SpareFile;
  readonly firstLsn: number;
  readonly logId: bigint;
  /** End of the appended records, and of the written ones. */
  appendAt: number;
  writeAt: number;
  /** A new file was requested before this one was full: the rest of its prepared space is freed. */
  endsEarly: boolean;
}

/** A file that receives no more records. */
export interface ClosedFile {
  readonly path: string;
  /** LSN after the LSN of its last record. */
  readonly endLsn: number;
  /** The end of its records; absent for files of an earlier process. */
  readonly bytes?: number;
}

export interface FileWriterOptions {
  readonly fs: FileSystem;
  readonly dir: string;
  /** The LSN of the next record. */
  readonly nextLsn: number;
  /** The checkpoint LSN that is written into each record. */
  readonly checkpointLsn: number;
  readonly monotonicMs: () => number;
  readonly onClosed: (file: ClosedFile) => void;
}

/** Histogram bounds: records that one sync makes durable. */
const GROUP_BOUNDS: readonly number[] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024];

export class FileWriter {
  readonly #options: FileWriterOptions;
  #active: LogFile | null = null;
  #activePath = '';
  #lsnWritten: number;
  #lsnDurable: number;
  /** The checkpoint LSN of the durable manifest; it is written into all later records. */
  checkpointLsn: number;
  #fsyncCount = 0;
  readonly #fsyncSeconds = new Histogram(SECONDS_BOUNDS);
  readonly #groupRecords = new Histogram(GROUP_BOUNDS);
  #bytesWritten = 0;
  #recordCount = 0;

  constructor(options: FileWriterOptions) {
    this.#options = options;
    this.#lsnWritten = options.nextLsn - 1;
    this.#lsnDurable = options.nextLsn - 1;
    this.checkpointLsn = options.checkpointLsn;
  }

  /** The first LSN of the current file; Infinity while there is none. */
  get firstLsn(): number {
    return this.#active?.firstLsn ?? Number.POSITIVE_INFINITY;
  }
  get hasFile(): boolean {
    return this.#active !== null;
  }
  get lsnWritten(): number {
    return this.#lsnWritten;
  }
  get lsnDurable(): number {
    return this.#lsnDurable;
  }
  /** See LogTimes. */
  get times() {
    return { fsyncSeconds: this.#fsyncSeconds.stats, groupRecords: this.#groupRecords.stats };
  }
  get counts() {
    return {
      fsyncCount: this.#fsyncCount,
      bytesWritten: this.#bytesWritten,
      recordCount: this.#recordCount,
    };
  }

  /** Writes records to `file`, and starts the file first unless the last call wrote to it. */
  async write(file: LogFile, firstLsn: number, records: readonly PreparedPayload[]): Promise<void> {
    if (file !== this.#active) await this.#begin(file);
    const parts: Uint8Array[] = [];
    let bytes = 0;
    const state = { syncedLsn: this.#lsnDurable, checkpointLsn: this.checkpointLsn };
    for (let index = 0; index < records.length; index++) {
      parts.push(...frameRecord(records[index], firstLsn + index, file.logId, state));
      bytes += frameBytes(records[index].payload.byteLength);
    }
    await file.spare.handle.writev(parts, file.writeAt);
    file.writeAt += bytes;
    this.#lsnWritten = firstLsn + records.length - 1;
    this.#bytesWritten += bytes;
    this.#recordCount += records.length;
  }

  /** Makes everything written durable. */
  async sync(): Promise<void> {
    if (this.#active === null || this.#lsnDurable === this.#lsnWritten) return;
    const lsn = this.#lsnWritten;
    const startMs = this.#options.monotonicMs();
    await this.#active.spare.handle.dataSync();
    this.#fsyncSeconds.observe((this.#options.monotonicMs() - startMs) / 1_000);
    this.#groupRecords.observe(lsn - this.#lsnDurable);
    this.#fsyncCount++;
    this.#lsnDurable = lsn;
  }

  /** Closes the file without a sync. */
  async close(): Promise<void> {
    const file = this.#active;
    this.#active = null;
    await file?.spare.handle.close();
    if (file !== null && this.#lsnDurable === this.#lsnWritten) this.#reportClosed(file);
  }

  /** Writes the header of a file and renames the file; both are durable before its first record is written. */
  async #begin(file: LogFile): Promise<void> {
    const { fs, dir } = this.#options;
    if (this.#active !== null) {
      await this.sync();
      const { handle } = this.#active.spare;
      if (this.#active.endsEarly) await handle.truncate(this.#active.writeAt);
      await handle.close();
      this.#reportClosed(this.#active);
    }
    const path = logFilePath(dir, file.firstLsn);
    await file.spare.handle.writev([encodeLogFileHeader(file.logId, file.firstLsn)], 0);
    await file.spare.handle.dataSync();
    await fs.rename(file.spare.path, path);
    await fs.syncDir(dir);
    this.#active = file;
    this.#activePath = path;
  }

  #reportClosed({ writeAt }: LogFile): void {
    this.#options.onClosed({ path: this.#activePath, endLsn: this.#lsnWritten + 1, bytes: writeAt });
  }
}
