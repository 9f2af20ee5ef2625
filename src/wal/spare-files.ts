/**
 * Prepares log files ahead of their use: whole files of written and synced zeros under a temporary name.
 * A full disk so shows here, before any record depends on the space, and a later sync of records only overwrites,
 * which spares it the file system's journal.
 * Invariants: at most SPARES_MAX files are ready or under way; a file whose preparation failed is removed and never
 * used, even if a later sync of it would succeed; a spare belongs to whoever took it.
 */
import type { FileHandle, FileSystem } from '../io/index.js';
import { sparePath } from './names.js';

export interface SpareFile {
  readonly path: string;
  readonly handle: FileHandle;
}

export interface SpareFilesOptions {
  readonly fs: FileSystem;
  readonly dir: string;
  readonly fileBytes: number;
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
  #full = false;
  #stopped = false;
  #work: Promise<void> | null = null;
  #retry: NodeJS.Timeout | null = null;

  constructor(options: SpareFilesOptions) {
    this.#options = options;
    this.#zeros = new Uint8Array(Math.min(STEP_BYTES, options.fileBytes));
  }

  get isReady(): boolean {
    return this.#ready.length > 0;
  }

  /** Whether the last attempt met a full disk. */
  get diskFull(): boolean {
    return this.#full;
  }

  /** Starts preparing what is missing; also the way to try again at once after space was given back. */
  prepare(): void {
    if (this.#stopped || this.#work !== null || this.#ready.length >= SPARES_MAX) return;
    if (this.#retry !== null) clearTimeout(this.#retry);
    this.#retry = null;
    this.#work = this.#fill().finally(() => {
      this.#work = null;
    });
  }

  /** A prepared file, or null when none is ready; starts on its successor. */
  take(): SpareFile | null {
    const spare = this.#ready.shift() ?? null;
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

  async #fill(): Promise<void> {
    while (!this.#stopped && this.#ready.length < SPARES_MAX) {
      const path = sparePath(this.#options.dir, this.#ordinal++);
      let handle: FileHandle | null = null;
      try {
        handle = await this.#options.fs.open(path, 'create');
        await this.#writeZeros(handle);
      } catch (error) {
        await this.#discard(path, handle);
        this.#failed(error as NodeJS.ErrnoException);
        return;
      }
      this.#ready.push({ path, handle });
      this.#full = false;
      this.#options.onChange();
    }
  }

  async #writeZeros(handle: FileHandle): Promise<void> {
    const { fileBytes } = this.#options;
    for (let at = 0; at < fileBytes && !this.#stopped; at += this.#zeros.byteLength) {
      await handle.writev([this.#zeros.subarray(0, fileBytes - at)], at);
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
