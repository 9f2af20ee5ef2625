/**
 * A buffer between a query, which writes at full speed, and a client, which reads at its own. It stores the parts of one answer
 * in order, in memory as far as they fit and then in a file. So no resource of a query (slot, write barrier, worker) is held
 * until the client has read the answer.
 * Invariants: the next `write` is called only after the previous one has settled. When one side stops (the reader leaves, the
 * writer or the disk fails), the spool ends for both, and its memory and file are released when no disk operation runs any
 * more. Where the system allows it, the file is unlinked while it is in use, so that a process that dies leaves nothing
 * behind; `emptySpoolDir` removes other leftovers at start.
 */
import path from 'node:path';
import { invariant, QuarryError } from '../../base/index.js';
import type { FileHandle, FileSystem } from '../../io/index.js';

/** Disk space of all answers that wait for their clients. */
export const SPOOL_DISK_BYTES_MAX = 4 * 2 ** 30;
/** Memory of one answer. */
export const SPOOL_MEMORY_BYTES_MAX = 8 * 2 ** 20;
/** Total time that the writer of one answer waits for its reader. A client that reads without a break stays below it. */
export const SPOOL_READER_TIMEOUT_MS = 1_000;

const FULL_CODES = new Set(['ENOSPC', 'EDQUOT']);

/** The bytes on disk of all spools of a process, and the names of their files. */
export class SpoolStore {
  readonly #bytesMax: number;
  #reservedBytes = 0;
  #fileCount = 0;

  constructor(bytesMax = SPOOL_DISK_BYTES_MAX) {
    this.#bytesMax = bytesMax;
  }

  get reservedBytes(): number {
    return this.#reservedBytes;
  }

  /** Throws 9006. */
  reserve(bytes: number): void {
    if (this.#reservedBytes + bytes > this.#bytesMax) {
      throw new QuarryError(9006, 'answers that wait for their clients take too much disk');
    }
    this.#reservedBytes += bytes;
  }

  release(bytes: number): void {
    this.#reservedBytes -= bytes;
  }

  nextName(): string {
    this.#fileCount++;
    return `answer-${this.#fileCount}`;
  }
}

export interface SpoolSettings {
  readonly fs: FileSystem;
  /** A folder for spools only. It is created with the first file. */
  readonly dir: string;
  /** Limit of the bytes in memory. A larger part is accepted if nothing else waits. */
  readonly memoryBytesMax: number;
  /** Total time, over all parts, that the writer waits for free memory before it uses the file. Default: 0. */
  readonly readerTimeoutMs?: number;
  readonly store: SpoolStore;
  /** Called for each part that was dropped or written to the file. The memory of the part may then be reused. */
  readonly done?: (part: Uint8Array) => void;
}

/** Position of a part in the file. */
interface Place {
  readonly position: number;
  readonly byteCount: number;
}

export class Spool {
  /** Rows written so far, counted by the writer. */
  rowCount = 0;
  readonly #settings: SpoolSettings;
  #waitMsLeft: number;
  #waiting: (Uint8Array | Place)[] = [];
  #memoryBytes = 0;
  /** Number of parts of `waiting` that are in the file. */
  #filedCount = 0;
  /** Offset of the next part in the file. */
  #fileEnd = 0;
  /** Largest size of the file, which is the space that was reserved in the store. */
  #fileBytes = 0;
  #file: FileHandle | null = null;
  /** Name of the file, until it is unlinked. */
  #fileName: string | null = null;
  #ended = false;
  #error: Error | null = null;
  #closed: Promise<void> | null = null;
  #isRead = false;
  #wake: (() => void) | null = null;
  /** Set while the writer waits for free memory. */
  #wakeWriter: (() => void) | null = null;
  #diskCalls = 0;
  #whenQuiet: (() => void) | null = null;

  constructor(settings: SpoolSettings) {
    this.#settings = settings;
    this.#waitMsLeft = settings.readerTimeoutMs ?? 0;
  }

  /** Memory of the waiting parts. */
  get memoryBytes(): number {
    return this.#memoryBytes;
  }

  /**
   * Adds a part, which must not be changed afterwards. Throws or rejects with 9005 if the reader has left, or with the error
   * that ended the spool: 9006 if spools exceed their disk space, 9002 if the disk is full, 189 if it fails.
   */
  write(bytes: Uint8Array): Promise<void> | void {
    invariant(!this.#ended, 'a part was written after the end');
    if (this.#closed !== null) throw this.#error ?? new QuarryError(9005, 'the client has disconnected');
    if (bytes.length === 0) return;
    if (!this.#hasCapacity(bytes))
      return this.#waitMsLeft > 0 ? this.#whenCapacity(bytes) : this.#toFile(bytes);
    this.#keep(bytes);
  }

  #hasCapacity(bytes: Uint8Array): boolean {
    return this.#waiting.length === 0 || this.#memoryBytes + bytes.length <= this.#settings.memoryBytesMax;
  }

  #keep(bytes: Uint8Array): void {
    this.#waiting.push(bytes);
    this.#memoryBytes += bytes.length;
    this.#wake?.();
  }

  /** Waits for a reader that nearly keeps up, because waiting costs far less than the file. */
  async #whenCapacity(bytes: Uint8Array): Promise<void> {
    while (this.#waitMsLeft > 0 && this.#closed === null && !this.#hasCapacity(bytes)) {
      const startMs = performance.now();
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.#wakeWriter = resolve;
        timer = setTimeout(resolve, this.#waitMsLeft);
      });
      clearTimeout(timer);
      this.#wakeWriter = null;
      this.#waitMsLeft -= performance.now() - startMs;
    }
    if (this.#closed !== null) throw this.#error ?? new QuarryError(9005, 'the client has disconnected');
    if (!this.#hasCapacity(bytes)) return this.#toFile(bytes);
    this.#keep(bytes);
  }

  /** Marks the end of the answer. */
  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  /** Ends an answer that cannot be finished: drops the waiting parts; the reader gets `error` next. */
  fail(error: Error): void {
    if (this.#closed !== null) return;
    this.#error = error;
    void this.close();
  }

  /** Drops the waiting parts; resolves when everything is released. The next `write` of the writer fails. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  /** The written parts. May be called once. `return` of the iterator closes the spool, even during a pending `next`. */
  parts(): AsyncGenerator<Uint8Array, void, void> {
    invariant(!this.#isRead, 'a spool is read once');
    this.#isRead = true;
    const over = { done: true, value: undefined } as const;
    return {
      next: async () => {
        const value = await this.#nextPart();
        return value === null ? over : { done: false, value };
      },
      return: async () => {
        await this.close();
        return over;
      },
      throw: async (error) => {
        await this.close();
        throw error;
      },
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }

  /** Waits for the next part; null = the end. */
  async #nextPart(): Promise<Uint8Array | null> {
    for (;;) {
      if (this.#error !== null) throw this.#error;
      if (this.#closed !== null) return null;
      const part = this.#waiting.shift();
      if (part instanceof Uint8Array) {
        this.#memoryBytes -= part.length;
        this.#wakeWriter?.();
        return part;
      }
      if (part !== undefined) return this.#fromFile(part);
      if (this.#ended) {
        await this.close();
        return null;
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async #toFile(bytes: Uint8Array): Promise<void> {
    const { store } = this.#settings;
    const position = this.#fileEnd;
    const end = position + bytes.length;
    try {
      if (end > this.#fileBytes) {
        store.reserve(end - this.#fileBytes);
        this.#fileBytes = end;
      }
      await this.#onDisk(async () => {
        this.#file ??= await this.#openFile();
        await this.#file.writev([bytes], position);
      });
    } catch (error) {
      this.fail(spoolError(error));
    }
    if (this.#closed !== null) throw this.#error ?? new QuarryError(9005, 'the client has disconnected');
    this.#settings.done?.(bytes);
    this.#fileEnd = end;
    this.#filedCount++;
    this.#waiting.push({ position, byteCount: bytes.length });
    this.#wake?.();
  }

  async #fromFile({ position, byteCount }: Place): Promise<Uint8Array | null> {
    const bytes = new Uint8Array(byteCount);
    const file = this.#file;
    invariant(file !== null, 'a part in the file needs a file');
    try {
      const count = await this.#onDisk(() => file.read(bytes, position));
      if (count < byteCount) throw new Error('the file ends before its last part');
    } catch (error) {
      this.fail(spoolError(error));
    }
    if (this.#error !== null) throw this.#error;
    if (this.#closed !== null) return null;
    // A part that is being written already has its offset, so the file can start again from 0 after it.
    this.#filedCount--;
    if (this.#filedCount === 0 && this.#diskCalls === 0) this.#fileEnd = 0;
    return bytes;
  }

  /** Creates the file and unlinks it at once where the system allows that for an open file. */
  async #openFile(): Promise<FileHandle> {
    const { fs, dir, store } = this.#settings;
    await fs.makeDir(dir);
    const name = path.join(dir, store.nextName());
    const file = await fs.open(name, 'create');
    await fs.remove(name).catch(() => {
      this.#fileName = name;
    });
    return file;
  }

  async #onDisk<T>(call: () => Promise<T>): Promise<T> {
    this.#diskCalls++;
    try {
      return await call();
    } finally {
      this.#diskCalls--;
      if (this.#diskCalls === 0) this.#whenQuiet?.();
    }
  }

  async #close(): Promise<void> {
    for (const part of this.#waiting) if (part instanceof Uint8Array) this.#settings.done?.(part);
    this.#waiting = [];
    this.#memoryBytes = 0;
    // Waiters must see the closed state, which is set after this call has returned.
    queueMicrotask(() => {
      this.#wake?.();
      this.#wakeWriter?.();
    });
    if (this.#diskCalls > 0) {
      await new Promise<void>((resolve) => {
        this.#whenQuiet = resolve;
      });
    }
    const { fs, store } = this.#settings;
    // A file that cannot be closed or removed is no longer needed; the next start removes it.
    await this.#file?.close().catch(() => {});
    if (this.#fileName !== null) await fs.remove(this.#fileName).catch(() => {});
    store.release(this.#fileBytes);
    this.#fileBytes = 0;
  }
}

/**
 * Starts `produce` at once and returns the parts that it writes into the spool. An error of `produce` rejects the reads. If
 * the reader leaves early, the next `write` of `produce` fails.
 */
export function spooled(
  spool: Spool,
  produce: (spool: Pick<Spool, 'write' | 'rowCount'>) => Promise<void>,
): AsyncGenerator<Uint8Array, void, void> {
  produce(spool).then(
    () => spool.end(),
    (error: Error) => spool.fail(error),
  );
  return spool.parts();
}

/** Removes the files of a process that died. Must be called before the first spool is created. */
export async function emptySpoolDir(fs: FileSystem, dir: string): Promise<void> {
  for (const name of await fs.list(dir)) await fs.remove(path.join(dir, name));
}

function spoolError(error: unknown): Error {
  if (error instanceof QuarryError) return error;
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (FULL_CODES.has(code)) {
    return new QuarryError(9002, 'disk full: answers that wait for their clients cannot be stored');
  }
  return new QuarryError(189, `the disk failed for an answer that waits for its client: ${code || message}`);
}
