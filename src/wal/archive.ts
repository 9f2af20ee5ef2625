/**
 * Copies log files that get no more records into a folder of their own (best on another disk), so
 * that a store can be restored to any record after a backup.
 * Invariants: a file gets its name in the archive only when it is whole and synced; the log removes no file that the archive
 * lacks; a folder holds one history: an archive that continues beyond the store's log is refused at start, and a file with
 * the name of another one is never replaced. Copies into a folder that cannot be written are retried; nothing else waits.
 */
import path from 'node:path';
import { CorruptionError } from '../base/index.js';
import { LOG_FILE_HEADER_BYTES } from '../format/index.js';
import { copyFile, type FileSystem } from '../io/index.js';
import type { ClosedFile } from './file-writer.js';
import { listLogFiles } from './names.js';
import { LogReplay } from './replay.js';

export interface LogArchiveOptions {
  readonly fs: FileSystem;
  /** An existing folder other than the log's own. */
  readonly dir: string;
  /** The delay from a failure to the next attempt. */
  readonly retryMs?: number;
  /** Called after each failed attempt to copy a file. */
  readonly onFailure: (error: Error) => void;
}

export interface ArchiveStats {
  readonly fileCount: number;
  /** The number of files that wait to be copied. */
  readonly waitingCount: number;
  readonly failureCount: number;
}

const RETRY_MS = 5_000;
const PART = '.part';

interface Waiting {
  readonly file: ClosedFile;
  /** Called after each attempt with whether the archive now holds the file. */
  readonly listeners: ((isArchived: boolean) => void)[];
}

export class LogArchive {
  readonly #options: LogArchiveOptions;
  /** By ascending LSN; copied one after another. */
  readonly #waiting: Waiting[] = [];
  #running: Promise<void> | null = null;
  #retry: NodeJS.Timeout | null = null;
  #fileCount = 0;
  #failureCount = 0;

  constructor(options: LogArchiveOptions) {
    this.#options = options;
  }

  /**
   * Rejects with an Error when the archive holds records from `nextLsn` on: they belong to another history of the
   * store, and a restore could not tell the two apart. Rejects with a CorruptionError when its last file is damaged.
   */
  async checkHistory(nextLsn: number): Promise<void> {
    const { fs, dir } = this.#options;
    const last = (await listLogFiles(fs, dir)).at(-1);
    if (last === undefined) return;
    for await (const { lsn } of new LogReplay({ fs, dir, fromLsn: last.firstLsn })) {
      if (lsn < nextLsn) continue;
      throw new Error(
        `the archive ${dir} contains record ${lsn}, which this store has not written: use a separate folder for each store`,
      );
    }
  }

  /** Copies the file after those added before it. */
  add(file: ClosedFile): void {
    this.#waiting.push({ file, listeners: [] });
    this.#kick();
  }

  /** Resolves with whether the archive holds the file: at once unless its copy is pending, else after the next attempt. */
  holds(file: ClosedFile): Promise<boolean> {
    const index = this.#waiting.findIndex((waiting) => waiting.file.path === file.path);
    if (index < 0) return Promise.resolve(true);
    return new Promise((resolve) => {
      this.#waiting[index].listeners.push(resolve);
      if (this.#running === null && this.#retry !== null) this.#kick();
    });
  }

  get stats(): ArchiveStats {
    const waitingCount = this.#waiting.length;
    return { fileCount: this.#fileCount, waitingCount, failureCount: this.#failureCount };
  }

  /** Makes a last attempt to copy the pending files. */
  async close(): Promise<void> {
    await this.#running;
    this.#kick();
    await this.#running;
    if (this.#retry !== null) clearTimeout(this.#retry);
    this.#retry = null;
  }

  #kick(): void {
    if (this.#running !== null || this.#waiting.length === 0) return;
    if (this.#retry !== null) clearTimeout(this.#retry);
    this.#retry = null;
    this.#running = this.#run().finally(() => {
      this.#running = null;
    });
  }

  async #run(): Promise<void> {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      try {
        await this.#copy(next.file);
      } catch (error) {
        this.#failed(error as Error);
        return;
      }
      this.#waiting.shift();
      for (const listener of next.listeners) listener(true);
    }
  }

  #failed(error: Error): void {
    this.#failureCount++;
    this.#options.onFailure(error);
    for (const { listeners } of this.#waiting) for (const listener of listeners.splice(0)) listener(false);
    this.#retry = setTimeout(() => {
      this.#retry = null;
      this.#kick();
    }, this.#options.retryMs ?? RETRY_MS);
    this.#retry.unref();
  }

  async #copy(file: ClosedFile): Promise<void> {
    const { fs, dir } = this.#options;
    const to = path.join(dir, path.basename(file.path));
    if (await fs.exists(to)) {
      const [own, theirs] = [await headOf(fs, file.path), await headOf(fs, to)];
      if (Buffer.compare(own, theirs) === 0) return;
      throw new CorruptionError(to, 0, `the file differs from the log's ${file.path}`);
    }
    await copyFile({ fs, from: file.path, to: `${to}${PART}`, bytes: file.bytes });
    await fs.rename(`${to}${PART}`, to);
    await fs.syncDir(dir);
    this.#fileCount++;
  }
}

/** The header of a log file, which holds the file's random id. */
async function headOf(fs: FileSystem, file: string): Promise<Uint8Array> {
  const handle = await fs.open(file, 'read');
  try {
    const head = new Uint8Array(LOG_FILE_HEADER_BYTES);
    return head.subarray(0, await handle.read(head, 0));
  } finally {
    await handle.close();
  }
}
