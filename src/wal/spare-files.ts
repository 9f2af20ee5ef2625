/**
 * Prepares log files before their use: complete files of written and synced zeros under a temporary name. So a full disk is
 * detected before any record depends on the space, and a later sync of records only overwrites, which avoids the file system's
 * journal. The first files of a process are small; sizes grow as files fill up, and with requests, so that a store takes space as
 * it is written.
 * Invariants: at most SPARES_MAX files are ready or in preparation; a file whose preparation failed is removed and never used,
 * even if a later sync of it would succeed; a spare belongs to the caller that took it.
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
  /** Sizes of the first file and of the largest. */
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
  /** The size of the files prepared next, unless a larger one is requested. */
  #nextBytes: number;
  /** The largest size requested and not ready. */
  #wantedBytes = 0;
  /** The size of a file that did not fit on the disk; Infinity = every file fit. */
  #failedBytes = Number.POSITIVE_INFINITY;
  #stopped = false;
  #isAtWork = false;
  #work: Promise<void> | null = null;
  #retry: NodeJS.Timeout | null = null;

  constructor(options: SpareFilesOptions) {
    this.#options = options;
    this.#zeros = new Uint8Array(Math.min(STEP_BYTES, options.fileBytesMax));
    this.#nextBytes = options.fileBytesMin;
  }

  /** Returns whether a file of at least `bytes` is ready. */
  hasFor(bytes: number): boolean {
    return this.#ready.some((spare) => spare.bytes >= bytes);
  }

  /** Returns whether the disk was found too full for a file of `bytes`. */
  isFullFor(bytes: number): boolean {
    return Math.max(bytes, this.#options.fileBytesMin) >= this.#failedBytes;
  }

  /** Starts preparing missing files; also retries at once after space was freed. */
  prepare(): void {
    if (this.#retry !== null) clearTimeout(this.#retry);
    this.#retry = null;
    this.#failedBytes = Number.POSITIVE_INFINITY;
    this.#start();
  }

  /** Requests a file of `bytes`, at most the largest size; no effect if the disk is too full for it. */
  want(bytes: number): void {
    if (this.isFullFor(bytes)) return;
    this.#wantedBytes = Math.max(this.#wantedBytes, bytes);
    this.#start();
  }

  /** Doubles the size of further files. */
  grow(): void {
    this.#nextBytes = Math.min(this.#nextBytes * 2, this.#options.fileBytesMax);
  }

  /** Returns a prepared file of at least `bytes`, or null if none is ready; starts preparing its successor. */
  take(bytes: number): SpareFile | null {
    const at = this.#ready.findIndex((spare) => spare.bytes >= bytes);
    const spare = at < 0 ? null : this.#ready.splice(at, 1)[0];
    if (!this.isFullFor(0)) this.#start();
    return spare;
  }

  /** Ends pending work and removes the unused files. */
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
    // Until nothing is missing; a later request must start a new loop.
    this.#isAtWork = true;
    let goesOn = true;
    while (goesOn && !this.#stopped && this.#isMissing()) goesOn = await this.#make();
    this.#isAtWork = false;
  }

  /**
   * Prepares one more file, or finds that there is no space for it; resolves with false if there is none for a smaller one
   * either.
   */
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
    const isWanted = this.#wantedBytes > 0 && bytes >= this.#wantedBytes;
    // Files too small for this request would be too small for the next one, too.
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
    // Larger than any request: a smaller file may suffice.
    if (bytes > Math.max(fileBytesMin, this.#wantedBytes)) return;
    this.#failedBytes = bytes;
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
