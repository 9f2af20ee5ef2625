/**
 * Prepares log files ahead of their use: whole files of written and synced zeros under a temporary name.
 * A full disk so shows here, before any record depends on the space, and a later sync of records only overwrites,
 * which spares it the file system's journal. The first file of a process is small and each further one twice as large, so
 * that a store takes room as it is written to.
 * Invariants: SPARES_MAX files are ready or under way, and one more only where all of them are too small for what is
 * asked for; a file whose preparation failed is removed and never used, even if a later sync of it would succeed; a spare
 * belongs to whoever took it.
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
  /** A spare is ready, or the disk was found full. */
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
  readonly #ready: SpareFile[] = [];
  #ordinal = 0;
  /** Of the file that is prepared next. */
  #nextBytes: number;
  /** That a file is asked for which has so many. */
  #wantedBytes = 0;
  #full = false;
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

  /** Whether the last attempt met a full disk. */
  get diskFull(): boolean {
    return this.#full;
  }

  /** Starts preparing what is missing; also the way to try again at once after space was given back. */
  prepare(): void {
    if (this.#stopped || this.#isAtWork) return;
    if (this.#retry !== null) clearTimeout(this.#retry);
    this.#retry = null;
    if (!this.#isMissing()) this.#full = false;
    else this.#work = this.#fill();
  }

  /** Asks for a file of so many bytes, at most those of the largest; not while the disk is full. */
  want(bytes: number): void {
    if (this.#full) return;
    this.#wantedBytes = Math.max(this.#wantedBytes, bytes);
    this.prepare();
  }

  /** A prepared file of so many bytes or more, or null when none is ready; starts on its successor. */
  take(bytes: number): SpareFile | null {
    const at = this.#ready.findIndex((spare) => spare.bytes >= bytes);
    const spare = at < 0 ? null : this.#ready.splice(at, 1)[0];
    if (!this.#full) this.prepare();
    return spare;
  }

  /** Ends the work under way and removes the files that nobody took. */
  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#retry !== null) clearTimeout(this.#retry);
    await this.#work;
    for (const spare of this.#ready.splice(0)) await this.#discard(spare.path, spare.handle);
  }

  #isMissing(): boolean {
    return this.#ready.length < SPARES_MAX || !this.hasFor(this.#wantedBytes);
  }

  async #fill(): Promise<void> {
    // Until the moment at which nothing is missing: what is asked for a moment later must begin anew.
    this.#isAtWork = true;
    let isMade = true;
    while (isMade && !this.#stopped && this.#isMissing()) isMade = await this.#make();
    this.#isAtWork = false;
  }

  /** One file more; resolves with false when there was none to be had. */
  async #make(): Promise<boolean> {
    const { fileBytesMax, fs, dir } = this.#options;
    const path = sparePath(dir, this.#ordinal++);
    const bytes = Math.min(Math.max(this.#nextBytes, this.#wantedBytes), fileBytesMax);
    let handle: FileHandle | null = null;
    try {
      handle = await fs.open(path, 'create');
      await this.#writeZeros(handle, bytes);
    } catch (error) {
      await this.#discard(path, handle);
      this.#failed(error as NodeJS.ErrnoException);
      return false;
    }
    this.#ready.push({ path, handle, bytes });
    this.#nextBytes = Math.min(bytes * 2, fileBytesMax);
    if (bytes >= this.#wantedBytes) this.#wantedBytes = 0;
    this.#full = false;
    this.#options.onChange();
    return true;
  }

  async #writeZeros(handle: FileHandle, bytes: number): Promise<void> {
    for (let at = 0; at < bytes && !this.#stopped; at += this.#zeros.byteLength) {
      await handle.writev([this.#zeros.subarray(0, bytes - at)], at);
      await handle.dataSync();
    }
  }

  #failed(error: NodeJS.ErrnoException): void {
    if (this.#stopped) return;
    if (!FULL_CODES.has(error.code ?? '')) {
      this.#stopped = true;
      this.#options.onFatal(error);
      return;
    }
    this.#full = true;
    this.#wantedBytes = 0;
    this.#nextBytes = this.#options.fileBytesMin;
    this.#retry = setTimeout(() => this.prepare(), this.#options.retryMs);
    this.#retry.unref();
    this.#options.onChange();
  }

  /** Nothing depends on the file, so what goes wrong here does not matter. */
  async #discard(path: string, handle: FileHandle | null): Promise<void> {
    await handle?.close().catch(() => {});
    await this.#options.fs.remove(path).catch(() => {});
  }
}
