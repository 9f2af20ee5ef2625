/**
 * Prepares log files before they are needed: files filled with synced zeros under a temporary name.
 * A full disk is thus detected here, before any record depends on the space, and a later sync of records only overwrites
 * and does not touch the file system's journal. The first files of a process are small; the size grows as files get full and
 * with the size of requested files, so that a store with few writes takes little space.
 * Invariants: at most SPARES_MAX files are ready or in preparation; a file whose preparation failed is removed and never
 * used, even if a later sync of it would succeed; `take` passes the ownership of a spare to the caller.
 */
import type { FileHandle, FileSystem } from '../io/index.js';
import { sparePath } from './names.js';

export interface SpareFile {
  readonly path: string;
  readonly handle: FileHandle;
  readonly bytes: number;
}

export interface SpareFilesOptions {
  readonly fs: FileSystem;
  readonly dir: string;
  /** Sizes of the first file and of the largest one. */
  readonly fileBytesMin: number;
  readonly fileBytesMax: number;
  /** The delay after a full disk until the next attempt. */
  readonly retryMs: number;
  /** A spare is ready, or the disk was found too full for one. */
  readonly onChange: () => void;
  /** Preparation failed for another reason than a full disk; there are no further attempts. */
  readonly onFatal: (error: Error) => void;
}

const SPARES_MAX = 2;
const STEP_BYTES = 4 * 2 ** 20;
const FULL_CODES = new Set(['ENOSPC', 'EDQUOT']);

export class SpareFiles {
  readonly #options: SpareFilesOptions;
  readonly #zeros: Uint8Array;
  #ready: SpareFile[] = [];
  #ordinal = 0;
  /** Size of the files to prepare next, unless a larger one is requested. */
  #nextBytes: number;
  /** The largest requested size that is not ready; 0 = none. */
  #wantedBytes = 0;
  /** The smallest size for which the disk had no space; Infinity = it had space for all. */
  #failedBytes = Number.POSITIVE_INFINITY;
  #diskIsFull = false;
  #stopped = false;
  #isAtWork = false;
  #work: Promise<void> | null = null;
  #retry: NodeJS.Timeout | null = null;

  constructor(options: SpareFilesOptions) {
    this.#options = options;
    this.#zeros = new Uint8Array(Math.min(STEP_BYTES, options.fileBytesMax));
    this.#nextBytes = options.fileBytesMin;
  }

  /** Whether a file of at least `bytes` bytes is ready. */
  hasFor(bytes: number): boolean {
    return this.#ready.some((spare) => spare.bytes >= bytes);
  }

  /** Whether the last required file did not fit on the disk. */
  get diskIsFull(): boolean {
    return this.#diskIsFull;
  }

  /** Whether the disk had no space for a file of `bytes` bytes. */
  isFullFor(bytes: number): boolean {
    return Math.max(bytes, this.#options.fileBytesMin) >= this.#failedBytes;
  }

  /** Starts preparing missing files; retries at once when space has been freed. */
  prepare(): void {
    if (this.#retry !== null) clearTimeout(this.#retry);
    this.#retry = null;
    this.#failedBytes = Number.POSITIVE_INFINITY;
    this.#start();
  }

  /** Requests a file of at least `bytes` bytes, at most `fileBytesMax`; ignored where the disk is too full for it. */
  want(bytes: number): void {
    if (this.isFullFor(bytes)) return;
    this.#wantedBytes = Math.max(this.#wantedBytes, bytes);
    this.#start();
  }

  /** Doubles the size of later files. */
  grow(): void {
    this.#nextBytes = Math.min(this.#nextBytes * 2, this.#options.fileBytesMax);
  }

  /** A prepared file of at least `bytes` bytes, or null when none is ready; starts to prepare a successor. */
  take(bytes: number): SpareFile | null {
    const at = this.#ready.findIndex((spare) => spare.bytes >= bytes);
    const spare = at < 0 ? null : this.#ready.splice(at, 1)[0];
    if (!this.isFullFor(0)) this.#start();
    return spare;
  }

  /** Stops the preparation and removes the files that were not taken. */
  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#retry !== null) clearTimeout(this.#retry);
    await this.#work;
    await this.#discardAll(this.#ready.splice(0));
  }

  #isMissing(): boolean {
    return this.#ready.length < SPARES_MAX || !this.hasFor(this.#wantedBytes);
  }

  #start(): void {
    if (!this.#stopped && !this.#isAtWork && this.#isMissing()) this.#work = this.#fill();
  }

  async #fill(): Promise<void> {
    // Reset in the turn in which nothing is missing, so that a later request starts a new loop.
    this.#isAtWork = true;
    let continues = true;
    while (continues && !this.#stopped && this.#isMissing()) continues = await this.#make();
    this.#isAtWork = false;
  }

  /** Prepares one file; resolves with false when the disk has no space even for the smallest one. */
  async #make(): Promise<boolean> {
    const { fileBytesMin, fileBytesMax, fs, dir } = this.#options;
    const path = sparePath(dir, this.#ordinal++);
    const next = this.#nextBytes < this.#failedBytes ? this.#nextBytes : fileBytesMin;
    const bytes = Math.min(Math.max(next, this.#wantedBytes), fileBytesMax);
    let handle: FileHandle | null = null;
    try {
      handle = await fs.open(path, 'create');
      await this.#writeZeros(handle, bytes);
    } catch (error) {
      await this.#discard(path, handle);
      this.#failed(bytes, error as NodeJS.ErrnoException);
      return bytes > fileBytesMin && !this.#stopped;
    }
    this.#diskIsFull = false;
    const isWanted = this.#wantedBytes > 0 && bytes >= this.#wantedBytes;
    // Files that were too small for this request would be too small for the next one.
    const small = isWanted ? this.#ready : [];
    if (isWanted) {
      this.#ready = [];
      this.#wantedBytes = 0;
      this.#nextBytes = Math.max(this.#nextBytes, bytes);
    }
    this.#ready.push({ path, handle, bytes });
    this.#options.onChange();
    await this.#discardAll(small);
    return true;
  }

  async #writeZeros(handle: FileHandle, bytes: number): Promise<void> {
    for (let at = 0; at < bytes && !this.#stopped; at += this.#zeros.byteLength) {
      await handle.writev([this.#zeros.subarray(0, bytes - at)], at);
      await handle.dataSync();
    }
  }

  #failed(bytes: number, error: NodeJS.ErrnoException): void {
    if (this.#stopped) return;
    if (!FULL_CODES.has(error.code ?? '')) {
      this.#stopped = true;
      this.#options.onFatal(error);
      return;
    }
    const { fileBytesMin, retryMs, onChange } = this.#options;
    this.#nextBytes = fileBytesMin;
    // Larger than any request: a smaller file may fit.
    if (bytes > Math.max(fileBytesMin, this.#wantedBytes)) return;
    this.#failedBytes = bytes;
    this.#diskIsFull = true;
    this.#wantedBytes = 0;
    if (this.#retry === null) {
      this.#retry = setTimeout(() => this.prepare(), retryMs);
      this.#retry.unref();
    }
    onChange();
  }

  /** Nothing depends on the file, so errors are ignored. */
  async #discard(path: string, handle: FileHandle | null): Promise<void> {
    await handle?.close().catch(() => {});
    await this.#options.fs.remove(path).catch(() => {});
  }

  async #discardAll(spares: readonly SpareFile[]): Promise<void> {
    for (const { path, handle } of spares) await this.#discard(path, handle);
  }
}
