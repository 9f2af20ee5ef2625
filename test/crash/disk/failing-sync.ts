/**
 * Preloaded into a server process (NODE_OPTIONS=--import) to make fdatasync and fsync fail below the server's own code, in
 * all of its threads. Nothing fails before the file `armed` exists. The failing call treats the bytes that were written since
 * the last sync of that file as a failed disk may: some sectors revert to their old content, also for the next process.
 * The file `failed` gets a line for each failed call. fsync-fails.ts chooses the calls.
 */
import fs from 'node:fs';
import { Prng } from '../../../src/base/index.js';

export interface SyncOrder {
  readonly armed: string;
  readonly failed: string;
  /** Matches the paths of the affected files. */
  readonly pattern: string;
  /** Ordinal of the failing call among the calls on these files, in each thread; counted from 0. */
  readonly at: number;
  /** Whether all later calls fail too. */
  readonly forEver: boolean;
  readonly seed: number;
}

const SECTOR_BYTES = 512;
type Done = (error: Error | null) => void;
type Written = (error: NodeJS.ErrnoException | null, count: number, parts: readonly Uint8Array[]) => void;

/** The old content of a written range; zeros past the old end of the file. */
interface Extent {
  readonly at: number;
  readonly before: Uint8Array;
}

class FailingSync {
  readonly #order: SyncOrder;
  readonly #pattern: RegExp;
  readonly #prng: Prng;
  readonly #writev = fs.writev as (fd: number, parts: Uint8Array[], at: number, done: Written) => void;
  /** Ranges written since the last sync, by file descriptor. */
  readonly #unsynced = new Map<number, Extent[]>();
  #count = 0;

  constructor(order: SyncOrder) {
    this.#order = order;
    this.#pattern = new RegExp(order.pattern);
    this.#prng = new Prng(order.seed);
  }

  install(): void {
    const writev = (fd: number, parts: Uint8Array[], at: number, done: Written): void => {
      // A file that is opened only for writing cannot be read; it is a new file.
      const before = new Uint8Array(parts.reduce((sum, { byteLength }) => sum + byteLength, 0));
      try {
        fs.readSync(fd, before, 0, before.byteLength, at);
      } catch {}
      this.#unsynced.set(fd, [...(this.#unsynced.get(fd) ?? []), { at, before }]);
      this.#writev(fd, parts, at, done);
    };
    const { fdatasync, fsync } = fs;
    Object.assign(fs, {
      writev,
      fdatasync: (fd: number, done: Done) => this.#sync(fd, 'fdatasync', fdatasync, done),
      fsync: (fd: number, done: Done) => this.#sync(fd, 'fsync', fsync, done),
    });
  }

  #sync(fd: number, call: string, real: (fd: number, done: Done) => void, done: Done): void {
    const file = fs.readlinkSync(`/proc/self/fd/${fd}`);
    const extents = this.#unsynced.get(fd) ?? [];
    this.#unsynced.delete(fd);
    if (!this.#fails(file)) {
      real(fd, done);
      return;
    }
    for (const extent of extents.reverse()) this.#lose(fd, extent);
    fs.appendFileSync(this.#order.failed, `${call} ${file}\n`);
    setImmediate(done, Object.assign(new Error(`EIO: i/o error, ${call}`), { code: 'EIO', errno: -5 }));
  }

  #fails(file: string): boolean {
    if (!this.#pattern.test(file) || !fs.existsSync(this.#order.armed)) return false;
    const ordinal = this.#count++;
    return ordinal === this.#order.at || (this.#order.forEver && ordinal > this.#order.at);
  }

  #lose(fd: number, { at, before }: Extent): void {
    const keep = this.#prng.pick([0, 0.5]);
    for (let from = 0; from < before.byteLength; ) {
      const next = Math.min(
        before.byteLength,
        (Math.floor((at + from) / SECTOR_BYTES) + 1) * SECTOR_BYTES - at,
      );
      if (!this.#prng.chance(keep)) fs.writeSync(fd, before, from, next - from, at + from);
      from = next;
    }
  }
}

const { QUARRY_TEST_SYNC: order } = process.env;
if (order !== undefined) new FailingSync(JSON.parse(order) as SyncOrder).install();
