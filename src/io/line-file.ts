/**
 * A file to which lines are appended, for people and log rotation: nothing in the store depends on it.
 * Invariants: lines are in the order of their writes, each complete and on a line of its own, even after a line that a full disk
 * or a crash has cut; `write` never throws and never waits; the number of pending lines is limited, and the listener is notified
 * when lines are lost. A line is passed to the system, not synced.
 */
import fs from 'node:fs/promises';

export interface LineFileOptions {
  readonly path: string;
  /** Called when lines begin to be lost, and when that ends. */
  readonly onTrouble: (error: Error) => void;
  readonly onRecovered: (lostCount: number) => void;
  /** The maximum number of lines waiting for the disk. */
  readonly waitingMax?: number;
}

const WAITING_MAX = 10_000;
const NEW_LINE = 0x0a;
const MODE = 0o600;

export class LineFile {
  readonly #options: LineFileOptions;
  #handle: fs.FileHandle | null;
  /** The file ends within a line. */
  #isCut: boolean;
  #waiting: string[] = [];
  #writing: Promise<void> | null = null;
  #reopens = false;
  #lostCount = 0;
  #inTrouble = false;

  private constructor(options: LineFileOptions, handle: fs.FileHandle, isCut: boolean) {
    this.#options = options;
    this.#handle = handle;
    this.#isCut = isCut;
  }

  /** Creates the file if it does not exist, with access for its owner only. Rejects with the system's error. */
  static async open(options: LineFileOptions): Promise<LineFile> {
    const handle = await openForLines(options.path);
    return new LineFile(options, handle, await endsWithin(handle));
  }

  /** `line` has no line break. */
  write(line: string): void {
    if (this.#waiting.length >= (this.#options.waitingMax ?? WAITING_MAX)) {
      this.#lostCount++;
      this.#trouble(new Error('the disk does not keep up'));
      return;
    }
    this.#waiting.push(`${line}\n`);
    this.#kick();
  }

  /** Continues in the file that has the name now, after log rotation has renamed the old one. */
  reopen(): void {
    this.#reopens = true;
    this.#kick();
  }

  /** Resolves when everything written so far has been passed to the system or lost. */
  async settled(): Promise<void> {
    while (this.#writing !== null) await this.#writing;
  }

  async close(): Promise<void> {
    await this.settled();
    await this.#handle?.close();
    this.#handle = null;
  }

  #kick(): void {
    this.#writing ??= this.#run().finally(() => {
      this.#writing = null;
      if (this.#waiting.length > 0 || this.#reopens) this.#kick();
    });
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0 || this.#reopens) {
      const lines = this.#waiting;
      this.#waiting = [];
      try {
        if (this.#reopens || this.#handle === null) await this.#openAgain();
        await this.#append(lines.join(''));
        this.#recovered();
      } catch (error) {
        // Some of them may be complete in the file.
        this.#lostCount += lines.length;
        this.#trouble(error as Error);
      }
    }
  }

  async #openAgain(): Promise<void> {
    this.#reopens = false;
    const old = this.#handle;
    this.#handle = null;
    await old?.close();
    const handle = await openForLines(this.#options.path);
    this.#isCut = await endsWithin(handle);
    this.#handle = handle;
  }

  async #append(text: string): Promise<void> {
    if (this.#handle === null || text === '') return;
    const bytes = Buffer.from(this.#isCut ? `\n${text}` : text);
    for (let at = 0; at < bytes.length; ) {
      const { bytesWritten } = await this.#handle.write(bytes, at);
      at += bytesWritten;
      this.#isCut = bytes[at - 1] !== NEW_LINE;
    }
  }

  #trouble(error: Error): void {
    if (this.#inTrouble) return;
    this.#inTrouble = true;
    this.#options.onTrouble(error);
  }

  #recovered(): void {
    if (!this.#inTrouble) return;
    this.#inTrouble = false;
    this.#options.onRecovered(this.#lostCount);
    this.#lostCount = 0;
  }
}

const openForLines = (path: string): Promise<fs.FileHandle> => fs.open(path, 'a+', MODE);

/** Returns whether the last line of the file is unterminated; always false for a pipe. */
async function endsWithin(handle: fs.FileHandle): Promise<boolean> {
  const { size } = await handle.stat();
  if (size === 0) return false;
  const last = Buffer.alloc(1);
  await handle.read(last, 0, 1, size - 1);
  return last[0] !== NEW_LINE;
}
