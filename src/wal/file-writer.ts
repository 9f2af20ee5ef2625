/**
 * Writes groups of records to consecutive log files and syncs them.
 * Invariants: one call at a time; a file is started after its predecessor has been synced completely; a named log file has a
 * synced header; a record's syncedLsn is true when its bytes are passed to the disk.
 */
import { Histogram, SECONDS_BOUNDS } from '../base/index.js';
import { encodeLogFileHeader, frameBytes, frameRecord, type PreparedPayload } from '../format/index.js';
import type { FileSystem } from '../io/index.js';
import { logFilePath } from './names.js';
import type { SpareFile } from './spare-files.js';

/** A file for records, which was a spare file before. */
export interface LogFile {
  readonly spare: SpareFile;
  readonly firstLsn: number;
  readonly logId: bigint;
  /** Offsets of the next record: after all appended records, and after those passed to the disk. */
  appendAt: number;
  writeAt: number;
  /** A new file was requested before this one was full: its remaining prepared space is freed. */
  endsEarly: boolean;
}

/** A file that receives no more records. */
export interface ClosedFile {
  readonly path: string;
  /** The LSN after its last record. */
  readonly endLsn: number;
  /** The end of its records; absent for files of an earlier process. */
  readonly bytes?: number;
}

export interface FileWriterOptions {
  readonly fs: FileSystem;
  readonly dir: string;
  /** The LSN of the next record. */
  readonly nextLsn: number;
  readonly monotonicMs: () => number;
  readonly onClosed: (file: ClosedFile) => void;
}

/** The number of records that one sync makes durable. */
const GROUP_BOUNDS: readonly number[] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024];

export class FileWriter {
  readonly #options: FileWriterOptions;
  #active: LogFile | null = null;
  #activePath = '';
  #lsnWritten: number;
  #lsnDurable: number;
  #fsyncCount = 0;
  readonly #fsyncSeconds = new Histogram(SECONDS_BOUNDS);
  readonly #groupRecords = new Histogram(GROUP_BOUNDS);
  #bytesWritten = 0;
  #recordCount = 0;

  constructor(options: FileWriterOptions) {
    this.#options = options;
    this.#lsnWritten = options.nextLsn - 1;
    this.#lsnDurable = options.nextLsn - 1;
  }

  /** The first LSN of the current file; Infinity if there is none. */
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

  /** Writes records to `file`; starts the file if it is not the one of the previous call. */
  async write(file: LogFile, firstLsn: number, records: readonly PreparedPayload[]): Promise<void> {
    if (file !== this.#active) await this.#begin(file);
    const parts: Uint8Array[] = [];
    let bytes = 0;
    for (let index = 0; index < records.length; index++) {
      parts.push(...frameRecord(records[index], firstLsn + index, file.logId, this.#lsnDurable));
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

  /** Closes the file without syncing it. */
  async close(): Promise<void> {
    const file = this.#active;
    this.#active = null;
    await file?.spare.handle.close();
    if (file !== null && this.#lsnDurable === this.#lsnWritten) this.#tellClosed(file);
  }

  /** Writes a file's header and then gives it its name, both durable before its first record. */
  async #begin(file: LogFile): Promise<void> {
    const { fs, dir } = this.#options;
    if (this.#active !== null) {
      await this.sync();
      const { handle } = this.#active.spare;
      if (this.#active.endsEarly) await handle.truncate(this.#active.writeAt);
      await handle.close();
      this.#tellClosed(this.#active);
    }
    const path = logFilePath(dir, file.firstLsn);
    await file.spare.handle.writev([encodeLogFileHeader(file.logId, file.firstLsn)], 0);
    await file.spare.handle.dataSync();
    await fs.rename(file.spare.path, path);
    await fs.syncDir(dir);
    this.#active = file;
    this.#activePath = path;
  }

  #tellClosed({ writeAt }: LogFile): void {
    this.#options.onClosed({ path: this.#activePath, endLsn: this.#lsnWritten + 1, bytes: writeAt });
  }
}
