/**
 * The file of rows that were not taken: a JSON object a line with the row's number, its line, why, and the row.
 * Invariant: it holds the bad rows of the bodies that are done, in order, so an import that goes on appends behind those.
 * It is made with the first bad row.
 */
import type { FileHandle, FileSystem } from '../../../io/index.js';
import type { BadRow } from './bodies.js';

export class BadFile {
  readonly #files: FileSystem;
  readonly #file: string;
  #handle: FileHandle | null = null;
  #bytes: number;

  /** `keptBytes`: what of the file stays, from an import that goes on. */
  constructor(files: FileSystem, file: string, keptBytes: number) {
    this.#files = files;
    this.#file = file;
    this.#bytes = keptBytes;
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

  /** Before a state that counts on its bytes is written. */
  async sync(): Promise<void> {
    await this.#handle?.dataSync();
  }

  async close(): Promise<void> {
    await this.#handle?.close();
    this.#handle = null;
  }
}
