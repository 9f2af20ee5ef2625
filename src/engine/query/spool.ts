/**
 * What a query produces at full speed and a client takes at its own: the parts of one answer, in their order, in memory as
 * far as they fit and behind that in a file. So nothing that a query holds (a seat, the gate, a worker) waits for a client.
 * Invariants: `write` is called again only when the call before has settled; whoever stops first (the reader that leaves, the
 * writer that fails, the disk) ends it for both, and what it held is given back when no call of the disk runs any more.
 * The file has no name while it is used, where the system allows it, so that nothing is left of a process that dies;
 * what is left nevertheless, `emptySpoolDir` removes at start.
 */
import path from 'node:path';
import { invariant, QuarryError } from '../../base/index.js';
import type { FileHandle, FileSystem } from '../../io/index.js';

/** Of all answers that wait for their clients. */
export const SPOOL_DISK_BYTES_MAX = 4 * 2 ** 30;
/** Of one answer, in memory. */
export const SPOOL_MEMORY_BYTES_MAX = 8 * 2 ** 20;
/** Of one answer: longer than one that reads without a break is behind. */
export const SPOOL_PATIENCE_MS = 1_000;

const FULL_CODES = new Set(['ENOSPC', 'EDQUOT']);

/** The bytes on disk of all spools of a process, and the names of their files. */
export class SpoolStore {
  readonly #bytesMax: number;
  #bytesTaken = 0;
  #fileCount = 0;

  constructor(bytesMax = SPOOL_DISK_BYTES_MAX) {
    this.#bytesMax = bytesMax;
  }

  get bytesTaken(): number {
    return this.#bytesTaken;
  }

  /** Throws 9006. */
  take(bytes: number): void {
    if (this.#bytesTaken + bytes > this.#bytesMax) {
      throw new QuarryError(9006, 'answers that wait for their clients take too much disk');
    }
    this.#bytesTaken += bytes;
  }

  giveBack(bytes: number): void {
    this.#bytesTaken -= bytes;
  }

  nextName(): string {
    this.#fileCount++;
    return `answer-${this.#fileCount}`;
  }
}

export interface SpoolSettings {
  readonly fs: FileSystem;
  /** Holds nothing but spools; made when the first file is. */
  readonly dir: string;
  /** Bytes that wait in memory; a part that is larger alone is taken while nothing else waits. */
  readonly memoryBytesMax: number;
  /** So long, over all parts together, the writer waits for room in memory before a part goes to the file; absent = not at all. */
  readonly patienceMs?: number;
  readonly store: SpoolStore;
  /** Told of parts that are dropped, or that lie in the file: their memory may be used again. */
  readonly done?: (part: Uint8Array) => void;
}

/** Where a part lies in the file. */
interface Place {
  readonly position: number;
  readonly byteCount: number;
}

export class Spool {
  /** Of what was written: counted by whoever writes. */
  rowCount = 0;
  readonly #settings: SpoolSettings;
  #patienceMs: number;
  #waiting: (Uint8Array | Place)[] = [];
  #memoryBytes = 0;
  /** Parts of `waiting` that lie in the file. */
  #filedCount = 0;
  /** Where the next part goes in the file. */
  #fileEnd = 0;
  /** The most that the file ever held: taken from the store. */
  #fileBytes = 0;
  #file: FileHandle | null = null;
  /** Of the file, while it has a name. */
  #fileName: string | null = null;
  #ended = false;
  #error: Error | null = null;
  #closed: Promise<void> | null = null;
  #isRead = false;
  #wake: (() => void) | null = null;
  /** Set while the writer waits for room. */
  #wakeWriter: (() => void) | null = null;
  #diskCalls = 0;
  #whenQuiet: (() => void) | null = null;

  constructor(settings: SpoolSettings) {
    this.#settings = settings;
    this.#patienceMs = settings.patienceMs ?? 0;
  }

  /** Held by parts that wait. */
  get memoryBytes(): number {
    return this.#memoryBytes;
  }

  /**
   * Adds a part, which must not be changed any more. Throws, or rejects with, 9005 when nobody reads any more, and with
   * what ended the spool: 9006 when spools take too much disk, 9002 when the disk is full, 189 when it fails.
   */
  write(bytes: Uint8Array): Promise<void> | void {
    invariant(!this.#ended, 'a part came behind the end');
    if (this.#closed !== null) throw this.#error ?? new QuarryError(9005, 'the client has gone');
    if (bytes.length === 0) return;
    if (!this.#hasRoom(bytes)) return this.#patienceMs > 0 ? this.#whenRoom(bytes) : this.#toFile(bytes);
    this.#keep(bytes);
  }

  #hasRoom(bytes: Uint8Array): boolean {
    return this.#waiting.length === 0 || this.#memoryBytes + bytes.length <= this.#settings.memoryBytesMax;
  }

  #keep(bytes: Uint8Array): void {
    this.#waiting.push(bytes);
    this.#memoryBytes += bytes.length;
    this.#wake?.();
  }

  /** A reader that keeps up, or nearly so, is waited for: it costs far less than the file. */
  async #whenRoom(bytes: Uint8Array): Promise<void> {
    while (this.#patienceMs > 0 && this.#closed === null && !this.#hasRoom(bytes)) {
      const startMs = performance.now();
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.#wakeWriter = resolve;
        timer = setTimeout(resolve, this.#patienceMs);
      });
      clearTimeout(timer);
      this.#wakeWriter = null;
      this.#patienceMs -= performance.now() - startMs;
    }
    if (this.#closed !== null) throw this.#error ?? new QuarryError(9005, 'the client has gone');
    if (!this.#hasRoom(bytes)) return this.#toFile(bytes);
    this.#keep(bytes);
  }

  /** Nothing comes any more. */
  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  /** The answer cannot be finished: the reader gets `error` next, and what waits is dropped. */
  fail(error: Error): void {
    if (this.#closed !== null) return;
    this.#error = error;
    void this.close();
  }

  /** Drops what waits; resolves when everything is given back. The writer learns it from its next `write`. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  /** What was written, to be taken once; leaving it (`return`) closes the spool, also while a part is waited for. */
  parts(): AsyncGenerator<Uint8Array, void, void> {
    invariant(!this.#isRead, 'a spool is read once');
    this.#isRead = true;
    const over = { done: true, value: undefined } as const;
    return {
      next: async () => {
        const value = await this.#take();
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

  /** The next part when it is there; null = there is none behind the one before. */
  async #take(): Promise<Uint8Array | null> {
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
        store.take(end - this.#fileBytes);
        this.#fileBytes = end;
      }
      await this.#onDisk(async () => {
        this.#file ??= await this.#openFile();
        await this.#file.writev([bytes], position);
      });
    } catch (error) {
      this.fail(faultOf(error));
    }
    if (this.#closed !== null) throw this.#error ?? new QuarryError(9005, 'the client has gone');
    this.#settings.done?.(bytes);
    this.#fileEnd = end;
    this.#filedCount++;
    this.#waiting.push({ position, byteCount: bytes.length });
    this.#wake?.();
  }

  async #fromFile({ position, byteCount }: Place): Promise<Uint8Array | null> {
    const bytes = new Uint8Array(byteCount);
    const file = this.#file;
    invariant(file !== null, 'a part that was filed has a file');
    try {
      const count = await this.#onDisk(() => file.read(bytes, position));
      if (count < byteCount) throw new Error('the file ends before its last part');
    } catch (error) {
      this.fail(faultOf(error));
    }
    if (this.#error !== null) throw this.#error;
    if (this.#closed !== null) return null;
    // Whatever is being written has its place already: the file begins anew behind it.
    this.#filedCount--;
    if (this.#filedCount === 0 && this.#diskCalls === 0) this.#fileEnd = 0;
    return bytes;
  }

  /** Made and, where the system allows that of an open file, without a name at once. */
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
    // Whoever waits shall see that it is closed, which it is when this call has returned.
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
    // What cannot be closed or removed is no longer anybody's answer: the next start removes it.
    await this.#file?.close().catch(() => {});
    if (this.#fileName !== null) await fs.remove(this.#fileName).catch(() => {});
    store.giveBack(this.#fileBytes);
    this.#fileBytes = 0;
  }
}

/**
 * The parts that `produce` writes, which begins at once and runs at its own speed. Its failure is theirs; when they are
 * left before their end, its next `write` tells it to stop.
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

/** Removes what a process that died left: to be called before the first spool is made. */
export async function emptySpoolDir(fs: FileSystem, dir: string): Promise<void> {
  for (const name of await fs.list(dir)) await fs.remove(path.join(dir, name));
}

function faultOf(error: unknown): Error {
  if (error instanceof QuarryError) return error;
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (FULL_CODES.has(code)) {
    return new QuarryError(9002, 'disk full: there is no room for answers that wait for their clients');
  }
  return new QuarryError(
    189,
    `the disk failed under an answer that waits for its client: ${code || message}`,
  );
}
