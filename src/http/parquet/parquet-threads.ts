/**
 * Reads Parquet files on threads, one per file, so that what a file does to the package, its memory and its time ends with its thread.
 * Invariants: at most THREADS_MAX threads exist; other files wait in the order of their arrival. The memory of a thread is reserved from
 * its start to its end.
 */
import { Worker } from 'node:worker_threads';
import { QuarryError } from '../../base/index.js';
import type { ParquetReply, ParquetStart } from './thread.js';

/** A second one would take the workers' CPU time on small machines, and insert no faster. */
const THREADS_MAX = 1;
/** Further memory of a thread: its code, and a record batch on its way. */
const THREAD_BYTES = 32 * 2 ** 20;
const READ_MS_MAX = 60_000;
/** The reason of a refusal is a text of the package, which may contain names of the file. */
const WHY_LENGTH_MAX = 300;

export interface ParquetThreadSettings {
  /** Path of thread.js. */
  readonly threadFile: string;
  /** Limit of the memory of the package for one file. */
  readonly memoryBytesMax: number;
  /** Limit of a record batch, which must not decide how a file is divided: a longer one is refused. */
  readonly batchBytesMax: number;
  /** Reserves memory and returns the function that releases it; null = the memory limit does not allow it. */
  readonly reserveMemory: (bytes: number) => (() => void) | null;
}

export class ParquetThreads {
  readonly #settings: ParquetThreadSettings;
  #count = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(settings: ParquetThreadSettings) {
    this.#settings = settings;
  }

  /** Limit of the bytes of a file. */
  get fileBytesMax(): number {
    return 2 * this.#settings.batchBytesMax;
  }

  /** `settings.batchBytesMax`. */
  get batchBytesMax(): number {
    return this.#settings.batchBytesMax;
  }

  /**
   * Resolves, when a thread is free, with a reading of a copy of `file()`; with null if that is null. Rejects with 9003 if there is no
   * memory for it. The reading must be closed.
   */
  async open(file: () => Uint8Array | null): Promise<ParquetReading | null> {
    if (this.#count >= THREADS_MAX) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#count++;
    const { threadFile, memoryBytesMax, reserveMemory } = this.#settings;
    const bytes = file();
    const release = bytes === null ? null : reserveMemory(memoryBytesMax + bytes.length + THREAD_BYTES);
    if (bytes === null || release === null) {
      this.#free();
      if (bytes === null) return null;
      throw new QuarryError(9003, 'the memory limit leaves too little memory to read a Parquet file');
    }
    const ended = (): void => {
      release();
      this.#free();
    };
    try {
      return new ParquetReading(threadFile, { file: new Uint8Array(bytes), memoryBytesMax }, ended);
    } catch (error) {
      ended();
      throw error;
    }
  }

  /** The thread of a file has ended: the next file that waits gets its slot. */
  #free(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#count--;
    else next();
  }
}

/** One file. */
export class ParquetReading {
  readonly #worker: Worker;
  readonly #memoryBytesMax: number;
  readonly #ended: () => void;
  #settle: ((reply: ParquetReply) => void) | null = null;
  #failure: ParquetReply | null = null;
  #isClosed = false;

  constructor(threadFile: string, start: ParquetStart, ended: () => void) {
    this.#memoryBytesMax = start.memoryBytesMax;
    this.#ended = ended;
    this.#worker = new Worker(threadFile, {
      workerData: start,
      transferList: [start.file.buffer],
      stdout: true,
      stderr: true,
      env: {},
    });
    this.#worker.unref();
    this.#worker.on('message', (reply: ParquetReply) => this.#settle?.(reply));
    this.#worker.on('error', () => this.#fail());
    this.#worker.on('exit', () => this.#fail());
  }

  /**
   * The next messages of the Arrow stream; null = the file has no further rows. Must not be called before the previous call has settled.
   * Rejects with 1503 for a damaged file, with 1507 for one that is too large.
   */
  async next(): Promise<Uint8Array<ArrayBuffer> | null> {
    const late = setTimeout(() => this.#fail(), READ_MS_MAX);
    try {
      const reply = await new Promise<ParquetReply>((resolve) => {
        this.#settle = resolve;
        if (this.#failure !== null) resolve(this.#failure);
        else this.#worker.postMessage(null);
      });
      if (reply.is === 'read') return reply.messages;
      const { why, isTooLarge } = reply;
      const text = why.length > WHY_LENGTH_MAX ? `${why.slice(0, WHY_LENGTH_MAX)}…` : why;
      if (isTooLarge) throw new QuarryError(1507, `the Parquet file is too large: ${text}`);
      throw new QuarryError(1503, `the body cannot be read as a Parquet file: ${text}`);
    } finally {
      clearTimeout(late);
      this.#settle = null;
    }
  }

  /** Ends the thread. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#fail();
    void this.#worker.terminate().then(this.#ended);
  }

  /** The thread has ended, or takes too long. */
  #fail(): void {
    const why = `it is damaged, or reading one of its row groups takes more than ${this.#memoryBytesMax} bytes or ${READ_MS_MAX / 1_000} s`;
    this.#failure ??= { is: 'refused', why, isTooLarge: false };
    this.#settle?.(this.#failure);
  }
}
