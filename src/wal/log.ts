/**
 * Writes the write-ahead log: assigns LSNs to payloads and makes groups of records durable.
 * Invariants (argued in DESIGN.md):
 *   An assigned LSN is written, or the log fails and ends the process.
 *   LSNs increase by 1 without a gap, within files and across them.
 *   The promise `written` of a record settles after those of all earlier records, and only when the record is as durable as
 *   the durability setting promises.
 *   With durability fsync, a group is written after the previous one was synced, and its records state that.
 *   After a failed write or sync, nothing is written, synced or acknowledged any more.
 * The main thread owns the log. The data directory's lock prevents a second log on the same folder.
 */
import { type HistogramStats, invariant, QuarryError } from '../base/index.js';
import {
  frameBytes,
  LOG_FILE_HEADER_BYTES,
  type PreparedPayload,
  preparePayload,
  RECORD_PAYLOAD_BYTES_MAX,
} from '../format/index.js';
import type { FileSystem } from '../io/index.js';
import type { LogArchive } from './archive.js';
import { type ClosedFile, FileWriter, type LogFile } from './file-writer.js';
import { listLogFiles, removeSpares } from './names.js';
import { SpareFiles } from './spare-files.js';

/**
 * When `written` resolves. fsync: after fdatasync. interval: after the write; a sync follows within the interval. none: after the
 * write; synced only when a file is full and at close.
 */
export type Durability = 'fsync' | 'interval' | 'none';

export interface LogOptions {
  readonly fs: FileSystem;
  /** An existing folder. */
  readonly dir: string;
  readonly durability: Durability;
  readonly intervalMs: number;
  /** As LogReplay.repair returned it. */
  readonly nextLsn: number;
  /** LSN of the checkpoint of the durable manifest, which the records to come note; 0 (the default) = none. */
  readonly checkpointLsn?: number;
  /** Sizes of the first files and of the largest ones. */
  readonly firstLogFileBytes?: number;
  readonly logFileBytes?: number;
  /** How long after a full disk the next attempt to prepare a file is made. */
  readonly fullRetryMs?: number;
  /** Receives a copy of every file that gets no more records; `close` closes the archive. */
  readonly archive?: LogArchive | null;
  /** Uniform over all 64-bit numbers; must differ from run to run. */
  readonly random64: () => bigint;
  /** Milliseconds of a monotonic clock, with fractions. */
  readonly monotonicMs: () => number;
  /** Called once, when a write or sync has failed: the process must end without sending any answer. */
  readonly onFatal: (error: Error) => void;
}

export interface Appended {
  readonly lsn: number;
  /** Resolves when the record is as durable as the log promises; rejects when the log failed before that. */
  readonly written: Promise<void>;
}

export interface LogStats {
  readonly lsnAppended: number;
  readonly lsnDurable: number;
  readonly fsyncCount: number;
  readonly bytesWritten: number;
  readonly recordCount: number;
  readonly fileCount: number;
}

/** Durations of syncs, and the number of records that each sync made durable. */
export interface LogTimes {
  readonly fsyncSeconds: HistogramStats;
  readonly groupRecords: HistogramStats;
}

/** Default size of the largest log files: the largest record just fits. */
export const LOG_FILE_BYTES = RECORD_PAYLOAD_BYTES_MAX + 4_096;
const FIRST_LOG_FILE_BYTES = 4 * 2 ** 20;
const FULL_RETRY_MS = 1_000;

interface Settle {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

interface CapacityWaiter extends Settle {
  /** Size of the file that the caller waits for. */
  readonly bytes: number;
}

/** Records that are written and acknowledged together. */
interface Group extends Settle {
  readonly file: LogFile;
  readonly firstLsn: number;
  readonly records: PreparedPayload[];
  readonly written: Promise<void>;
}

export class Log {
  readonly #options: LogOptions;
  readonly #fileBytesMax: number;
  readonly #spares: SpareFiles;
  readonly #writer: FileWriter;
  readonly #closed: ClosedFile[];
  /** The file that receives appends; null before the first one. */
  #tail: LogFile | null = null;
  readonly #queue: Group[] = [];
  #running = false;
  #closing = false;
  #fatal: Error | null = null;
  #nextLsn: number;
  #intervalOver = false;
  #syncWaiters: (Settle & { readonly lsn: number })[] = [];
  #capacityWaiters: CapacityWaiter[] = [];
  readonly #idleWaiters: (() => void)[] = [];
  #timer: NodeJS.Timeout | null = null;

  private constructor(options: LogOptions, closed: ClosedFile[]) {
    const { fs, dir, nextLsn, checkpointLsn = 0, monotonicMs } = options;
    this.#options = options;
    this.#fileBytesMax = options.logFileBytes ?? LOG_FILE_BYTES;
    this.#closed = closed;
    this.#nextLsn = nextLsn;
    const onClosed = (file: ClosedFile): void => {
      closed.push(file);
      options.archive?.add(file);
    };
    this.#writer = new FileWriter({ fs, dir, nextLsn, checkpointLsn, monotonicMs, onClosed });
    this.#spares = new SpareFiles({
      fs,
      dir,
      fileBytesMin: Math.min(options.firstLogFileBytes ?? FIRST_LOG_FILE_BYTES, this.#fileBytesMax),
      fileBytesMax: this.#fileBytesMax,
      retryMs: options.fullRetryMs ?? FULL_RETRY_MS,
      onChange: () => this.#settleCapacity(),
      onFatal: (error) => this.#die(error),
    });
    if (options.durability === 'interval') {
      this.#timer = setInterval(() => this.#onInterval(), options.intervalMs);
      this.#timer.unref();
    }
  }

  /**
   * Opens the log of a folder after its last record. Earlier files are never written again: the first record begins
   * a new one. Resolves when space for a record is prepared, or the disk was found full.
   */
  static async open(options: LogOptions): Promise<Log> {
    const { fs, dir, nextLsn } = options;
    invariant(Number.isSafeInteger(nextLsn) && nextLsn >= 1, `a log cannot continue at LSN ${nextLsn}`);
    await removeSpares(fs, dir);
    // A file that starts at nextLsn contains no record and is replaced when the first one is written.
    const remaining = (await listLogFiles(fs, dir)).filter((file) => file.firstLsn < nextLsn);
    const closed = remaining.map((file, index) => ({
      path: file.path,
      endLsn: remaining[index + 1]?.firstLsn ?? nextLsn,
    }));
    for (const file of closed) options.archive?.add(file);
    const log = new Log(options, closed);
    log.#spares.prepare();
    await log.waitForCapacity(0).catch((error) => {
      if (!(error instanceof QuarryError)) throw error;
    });
    return log;
  }

  /** Whether `append` would accept a payload of this size now. */
  hasCapacity(payloadBytes: number): boolean {
    const bytes = frameBytes(payloadBytes);
    return fits(this.#tail, bytes) || this.#spares.hasFor(LOG_FILE_HEADER_BYTES + bytes);
  }

  /**
   * Resolves when there was space for a payload of this size; check again with hasCapacity, because other callers wait too.
   * Rejects with QuarryError 9002 when the disk is full, and with the fatal error when the log has failed.
   */
  waitForCapacity(payloadBytes: number): Promise<void> {
    if (this.#fatal !== null) return Promise.reject(this.#fatal);
    if (this.hasCapacity(payloadBytes)) return Promise.resolve();
    return this.#spare(LOG_FILE_HEADER_BYTES + frameBytes(payloadBytes));
  }

  /** Resolves when there was a file for `beginFile`. Rejects like `waitForCapacity`. */
  waitForFile(): Promise<void> {
    if (this.#fatal !== null) return Promise.reject(this.#fatal);
    return this.#spare(LOG_FILE_HEADER_BYTES);
  }

  /**
   * Assigns the next LSN to the payload and queues it; the payload must not change any more. Throws QuarryError 9002 when
   * no space is prepared for it; then no LSN was assigned and nothing is written. Throws the fatal error when the log has
   * failed.
   */
  append(payload: Uint8Array): Appended {
    if (this.#fatal !== null) throw this.#fatal;
    invariant(!this.#closing, 'a record was appended to a closed log');
    const bytes = frameBytes(payload.byteLength);
    invariant(
      LOG_FILE_HEADER_BYTES + bytes <= this.#fileBytesMax,
      `a record of ${payload.byteLength} bytes does not fit in a log file of ${this.#fileBytesMax}`,
    );
    const prepared = preparePayload(payload);
    const file = this.#fileFor(bytes);
    const lsn = this.#nextLsn++;
    file.appendAt += bytes;
    const group = this.#groupFor(file, lsn);
    group.records.push(prepared);
    this.#kick();
    return { lsn, written: group.written };
  }

  /**
   * Lets the next record begin a new file, so that the current one can be removed once a snapshot holds its records.
   * Returns false and changes nothing when no file is prepared.
   */
  beginFile(): boolean {
    if (this.#tail === null) return true;
    if (!this.#spares.hasFor(LOG_FILE_HEADER_BYTES)) return false;
    this.#tail.endsEarly = true;
    this.#tail = null;
    return true;
  }

  /** Makes everything appended so far durable, whatever the durability setting. */
  sync(): Promise<void> {
    if (this.#fatal !== null) return Promise.reject(this.#fatal);
    const lsn = this.#nextLsn - 1;
    if (this.#writer.lsnDurable >= lsn) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#syncWaiters.push({ lsn, resolve, reject });
      this.#kick();
    });
  }

  /** Called when the manifest of the checkpoint at `lsn` is durable: the records to come note it. */
  noteCheckpoint(lsn: number): void {
    invariant(lsn < this.#nextLsn, `a checkpoint at LSN ${lsn} holds records that the log does not have`);
    this.#writer.checkpointLsn = lsn;
  }

  /**
   * Removes the files whose records all have a lower LSN and that, if there is an archive, the archive holds. Called when a
   * manifest that needs none of them is durable. The newest file always stays, so that a log that lost records is
   * detected. Resolves with whether the log holds no lower LSN any more.
   */
  async dropBefore(lsn: number): Promise<boolean> {
    const fileCountMin = this.#writer.hasFile ? 0 : 1;
    while (this.#closed.length > fileCountMin && this.#closed[0].endLsn <= lsn) {
      const [file] = this.#closed;
      if (!((await this.#options.archive?.holds(file)) ?? true)) break;
      // A file leaves the list only when it is removed: the next checkpoint tries again.
      await this.#options.fs.remove(file.path);
      this.#closed.shift();
      this.#spares.prepare();
    }
    return this.#writer.firstLsn >= lsn && this.#closed.length === 0;
  }

  stats(): LogStats {
    return {
      ...this.#writer.counts,
      lsnAppended: this.#nextLsn - 1,
      lsnDurable: this.#writer.lsnDurable,
      fileCount: this.#closed.length + (this.#writer.hasFile ? 1 : 0),
    };
  }

  /** Whether the disk is too full for further log files: writes that need one are refused with 9002. */
  get diskIsFull(): boolean {
    return this.#spares.diskIsFull;
  }

  times(): LogTimes {
    return this.#writer.times;
  }

  /** Writes and syncs the queued records, then closes the files. Rejects with the fatal error when the log has failed. */
  async close(): Promise<void> {
    this.#closing = true;
    if (this.#timer !== null) clearInterval(this.#timer);
    try {
      await this.sync();
    } finally {
      await this.#spares.stop();
      for (const waiter of this.#capacityWaiters.splice(0)) waiter.reject(new Error('the log was closed'));
      if (this.#running) await new Promise<void>((resolve) => this.#idleWaiters.push(resolve));
      await this.#writer.close();
      await this.#options.archive?.close();
    }
  }

  #fileFor(bytes: number): LogFile {
    if (fits(this.#tail, bytes)) return this.#tail;
    if (this.#tail !== null) this.#spares.grow();
    const spare = this.#spares.take(LOG_FILE_HEADER_BYTES + bytes);
    if (spare === null) throw diskFull();
    this.#tail = {
      spare,
      firstLsn: this.#nextLsn,
      logId: this.#options.random64(),
      appendAt: LOG_FILE_HEADER_BYTES,
      writeAt: LOG_FILE_HEADER_BYTES,
      endsEarly: false,
    };
    return this.#tail;
  }

  /** Resolves when a file of at least `bytes` bytes was ready. */
  #spare(bytes: number): Promise<void> {
    invariant(bytes <= this.#fileBytesMax, `no log file has ${bytes} bytes`);
    if (this.#spares.hasFor(bytes)) return Promise.resolve();
    if (this.#spares.isFullFor(bytes)) return Promise.reject(diskFull());
    this.#spares.want(bytes);
    return new Promise((resolve, reject) => this.#capacityWaiters.push({ bytes, resolve, reject }));
  }

  /** The last queued group if it goes to the same file, else a new one. */
  #groupFor(file: LogFile, lsn: number): Group {
    const last = this.#queue.at(-1);
    if (last?.file === file) return last;
    let settle!: Settle;
    const written = new Promise<void>((resolve, reject) => {
      settle = { resolve, reject };
    });
    // A caller may ignore `written`; onFatal reports the failure.
    written.catch(() => {});
    const group = { file, firstLsn: lsn, records: [], written, ...settle };
    this.#queue.push(group);
    return group;
  }

  /** Starts the loop that writes groups, after the appends of the current tick. */
  #kick(): void {
    if (this.#running || this.#fatal !== null) return;
    this.#running = true;
    queueMicrotask(() => void this.#run());
  }

  async #run(): Promise<void> {
    try {
      for (let group = this.#queue.shift(); ; group = this.#queue.shift()) {
        if (group !== undefined) await this.#commit(group);
        if (this.#syncWanted()) await this.#sync();
        else if (group === undefined) break;
      }
    } catch (error) {
      this.#die(error as Error);
    }
    this.#running = false;
    for (const resolve of this.#idleWaiters.splice(0)) resolve();
  }

  async #commit(group: Group): Promise<void> {
    try {
      await this.#writer.write(group.file, group.firstLsn, group.records);
      this.#checkAlive();
      if (this.#options.durability === 'fsync') await this.#sync();
      group.resolve();
    } catch (error) {
      group.reject(error as Error);
      throw error;
    }
  }

  #syncWanted(): boolean {
    const { lsnWritten, lsnDurable } = this.#writer;
    if (this.#intervalOver && lsnWritten > lsnDurable) return true;
    return this.#syncWaiters.some((waiter) => waiter.lsn <= lsnWritten);
  }

  async #sync(): Promise<void> {
    await this.#writer.sync();
    this.#checkAlive();
    this.#intervalOver = false;
    const waiting = this.#syncWaiters;
    this.#syncWaiters = waiting.filter((waiter) => waiter.lsn > this.#writer.lsnDurable);
    for (const waiter of waiting) if (waiter.lsn <= this.#writer.lsnDurable) waiter.resolve();
  }

  /** Another part of the log may have failed during the wait for the disk. */
  #checkAlive(): void {
    if (this.#fatal !== null) throw this.#fatal;
  }

  #onInterval(): void {
    if (this.#writer.lsnWritten === this.#writer.lsnDurable) return;
    this.#intervalOver = true;
    this.#kick();
  }

  #settleCapacity(): void {
    const waiting = this.#capacityWaiters;
    this.#capacityWaiters = [];
    for (const waiter of waiting) {
      if (this.#spares.hasFor(waiter.bytes)) waiter.resolve();
      else if (this.#spares.isFullFor(waiter.bytes)) waiter.reject(diskFull());
      else {
        this.#capacityWaiters.push(waiter);
        this.#spares.want(waiter.bytes);
      }
    }
  }

  #die(error: Error): void {
    if (this.#fatal !== null) return;
    this.#fatal = error;
    if (this.#timer !== null) clearInterval(this.#timer);
    const waiting: Settle[] = [
      ...this.#queue.splice(0),
      ...this.#syncWaiters.splice(0),
      ...this.#capacityWaiters.splice(0),
    ];
    for (const waiter of waiting) waiter.reject(error);
    this.#options.onFatal(error);
  }
}

function fits(file: LogFile | null, bytes: number): file is LogFile {
  return file !== null && file.appendAt + bytes <= file.spare.bytes;
}

function diskFull(): QuarryError {
  return new QuarryError(9002, 'disk full: no space for the log; nothing was written');
}
