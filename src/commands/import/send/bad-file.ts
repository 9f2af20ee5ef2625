/**
 * The file of bad rows: one JSON object per line with the row's number, its line, the reason and the row.
 * Invariant: it holds the bad rows of the done bodies, in order, so that a resumed import appends to it. It is created with
 * the first bad row.
 */
import type { FileHandle, FileSystem } from '../../../io/index.js';
import type { BadRow } from './row-converter.js';

export class BadFile {
  readonly #files: FileSystem;
  readonly #file: string;
  #handle: FileHandle | null = null;
  #bytes: number;

  /** `keptBytes` is the length of the existing file that a resumed import keeps. */
  constructor(files: FileSystem, file: string, existingBytes: number) {
    this.#files = files;
    this.#file = file;
    this.#bytes = existingBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  async add(rows: readonly BadRow[]): Promise<void> {
    if (rows.length === 0) return;
    if (this.#handle === null) {
      this.#handle = await this.#files.open(this.#file, this.#bytes === 0 ? 'create' : 'read-write');
      await this.#handle.truncate(this.#bytes);
    }
    const bytes = Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    await this.#handle.writev([bytes], this.#bytes);
    this.#bytes += bytes.length;
  }

  /** Called before a state file that records the file's length is written. */
  async sync(): Promise<void> {
    await this.#handle?.dataSync();
  }

  async close(): Promise<void> {
    await this.#handle?.close();
    this.#handle = null;
  }
}
