/**
 * The log archive of a store: opens it at the start, and lets a new log file begin at intervals, so that each record reaches
 * the archive within an interval.
 */
import { type ArchiveStats, LogArchive } from '../../wal/index.js';
import type { EngineEvents, EngineOptions } from '../options.js';
import type { WriteOrder } from '../write/write-order.js';

const INTERVAL_MS = 60_000;
const NO_STATS: ArchiveStats = { fileCount: 0, waitingCount: 0, failureCount: 0 };

export class Archiving {
  readonly #options: EngineOptions;
  #archive: LogArchive | null = null;
  #timer: NodeJS.Timeout | undefined;
  /** The last record at the end of the last interval. The record after it is the one that began a new file. */
  #lsnThen = 0;

  constructor(options: EngineOptions) {
    this.#options = options;
  }

  /** Returns null without an archive folder. Rejects if the folder cannot be created or has records of another store. */
  async open(nextLsn: number): Promise<LogArchive | null> {
    const { fs, archiveDir = null, events } = this.#options;
    if (archiveDir === null) return null;
    await fs.makeDir(archiveDir);
    const archive = new LogArchive({ fs, dir: archiveDir, onFailure: (error) => warn(events, error) });
    await archive.checkHistory(nextLsn);
    this.#archive = archive;
    this.#lsnThen = nextLsn - 1;
    return archive;
  }

  /** `begin` begins a new log file if that is possible. */
  start(order: WriteOrder, begin: () => Promise<boolean>): void {
    if (this.#archive === null) return;
    const { archiveIntervalMs = INTERVAL_MS, events } = this.#options;
    this.#timer = setInterval(() => {
      const { lsnAppended } = order.log.stats();
      if (lsnAppended === this.#lsnThen) return;
      begin().then(
        (begun) => {
          if (begun) this.#lsnThen = lsnAppended + 1;
        },
        (error) => warn(events, error as Error),
      );
    }, archiveIntervalMs);
    this.#timer.unref();
  }

  get stats(): ArchiveStats {
    return this.#archive?.stats ?? NO_STATS;
  }

  /** The log closes the archive itself. */
  stop(): void {
    clearInterval(this.#timer);
  }
}

const warn = (events: EngineEvents, error: Error): void =>
  events.warn('the log could not be archived', { error: String(error) });
