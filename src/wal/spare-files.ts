/**
 * Prepares log files ahead of their use: whole files of written and synced zeros under a temporary name.
 * A full disk so shows here, before any record depends on the space, and a later sync of records only overwrites,
 * which spares it the file system's journal. The first files of a process are small; they grow as files get full, and with
 * what is asked for, so that a store takes room as it is written to.
 * Invariants: at most SPARES_MAX files are ready or under way; a file whose preparation failed is removed and never
 * used, even if a later sync of it would succeed; a spare belongs to whoever took it.
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
  /** Of the first file and of the largest. */
  readonly fileBytesMin: number;
  readonly fileBytesMax: number;
  /** How long after a full disk the next attempt is made. */
  readonly retryMs: number;
  /** A spare is ready, or the disk was found too full for one. */
  readonly onChange: () => void;
  /** Preparation failed for another reason than a full disk; no further attempt is made. */
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
  /** Of the files that are prepared next, unless more is wanted. */
  #nextBytes: number;
  /** The most that is asked for and not ready. */
  #wantedBytes = 0;
  /** The disk had no room for a file of so many bytes; Infinity = it had room for all. */
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

  /** Whether a file of so many bytes is ready. */
  hasFor(bytes: number): boolean {
    return this.#ready.some((spare) => spare.bytes >= bytes);
  }

  /** Whether the last file that was needed found no room on the disk. */
  get diskIsFull(): boolean {
    return this.#diskIsFull;
  }

  /** Whether the disk was found too full for a file of so many bytes. */
  isFullFor(bytes: number): boolean {
    return Math.max(bytes, this.#options.fileBytesMin) >= this.#failedBytes;
  }

  /** Starts preparing what is missing; also the way to try again at once after space was given back. */
  prepare(): void {
    if (this.#retry !== null) clearTimeout(this.#retry);
    this.#retry = null;
    this.#failedBytes = Number.POSITIVE_INFINITY;
    this.#start();
  }

  /** Asks for a file of so many bytes, at most those of the largest; not where the disk is too full for it. */
  want(bytes: number): void {
    if (this.isFullFor(bytes)) return;
    this.#wantedBytes = Math.max(this.#wantedBytes, bytes);
    this.#start();
  }

  /** Lets further files be twice as large. */
  grow(): void {
    this.#nextBytes = Math.min(this.#nextBytes * 2, this.#options.fileBytesMax);
  }

  /** A prepared file of so many bytes or more, or null when none is ready; starts on its successor. */
  take(bytes: number): SpareFile | null {
    const at = this.#ready.findIndex((spare) => spare.bytes >= bytes);
    const spare = at < 0 ? null : this.#ready.splice(at, 1)[0];
    if (!this.isFullFor(0)) this.#start();
    return spare;
  }

  /** Ends the work under way and removes the files that nobody took. */
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
    // Until the moment at which nothing is missing: what is asked for a moment later must begin anew.
    this.#isAtWork = true;
    let goesOn = true;
    while (goesOn && !this.#stopped && this.#isMissing()) goesOn = await this.#make();
    this.#isAtWork = false;
  }

  /** Makes one file more, or finds that there is no room for it; resolves with false when a smaller one has none either. */
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
    // Those that were too small would be too small for the next one, too.
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
    // More than anybody needs: a smaller file may do.
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

  /** Nothing depends on the file, so what goes wrong here does not matter. */
  async #discard(path: string, handle: FileHandle | null): Promise<void> {
    await handle?.close().catch(() => {});
    await this.#options.fs.remove(path).catch(() => {});
  }

  async #discardAll(spares: readonly SpareFile[]): Promise<void> {
    for (const { path, handle } of spares) await this.#discard(path, handle);
  }
}
