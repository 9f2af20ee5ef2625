/**
 * Collects the texts of many rows from many dictionaries in one dictionary. A text that rows share through a small
 * dictionary is stored once, other texts once per row.
 */
import { grownWithin, type MemoryAccount } from '../../../base/index.js';
import type { Texts, TextVector } from '../../../vector/index.js';
import { ROWS_MIN } from '../../scan/array-lengths.js';

/**
 * Dictionaries of at most this many texts, in total or per row seen, are deduplicated. For a few rows of a segment's
 * IDs, or for a few rows at all, a table of all texts is not worthwhile.
 */
const SHARED_TEXTS = 4_096;
const SHARED_TEXTS_PER_ROW = 4;
const SHARED_ROWS_MIN = 64;
/** A power of two, so that doubled lengths are powers of two, whatever the length of the first text. */
const BYTES_MIN = 1_024;

export class TextStore {
  readonly #memory: MemoryAccount;
  /** By dictionary and code: the code in this store + 1, or 0. */
  readonly #shared = new Map<Texts, Uint32Array>();
  #sharedBytes = 0;
  /** Number of rows of dictionaries that are not deduplicated. */
  readonly #ownRows = new Map<Texts, number>();
  #codes = new Uint32Array(0);
  #rowCount = 0;
  #offsets = new Uint32Array(0);
  #bytes = new Uint8Array(0);
  #textCount = 0;
  /** Whether all rows came from one dictionary of distinct texts, so that each text is stored at most once. */
  #distinct = true;

  constructor(memory: MemoryAccount) {
    this.#memory = memory;
  }

  /** By row: the code of its text; the code of a missing value is arbitrary and may not refer to a text. */
  get codes(): Uint32Array {
    return this.#codes;
  }
  get textCount(): number {
    return this.#textCount;
  }
  get offsets(): Uint32Array {
    return this.#offsets;
  }
  get bytes(): Uint8Array {
    return this.#bytes;
  }

  /** Appends the texts of rows [from, to). Throws 9006. */
  append(vector: TextVector, from: number, to: number): void {
    this.#codes = grownWithin(this.#memory, this.#codes, this.#rowCount + to - from, ROWS_MIN);
    const shared = this.#sharedOf(vector, to - from);
    if (shared === null || this.#shared.size > 1 || !vector.texts.distinct) this.#distinct = false;
    if (shared !== null) this.#appendShared(vector, from, to, shared);
    else this.#appendOwn(vector, from, to);
    this.#rowCount += to - from;
  }

  #sharedOf({ codes, texts }: TextVector, rows: number): Uint32Array | null {
    if (codes === null) return null;
    let shared = this.#shared.get(texts);
    if (shared !== undefined) return shared;
    const rowCount = (this.#ownRows.get(texts) ?? 0) + rows;
    const isSmall = texts.size <= SHARED_TEXTS && rowCount >= SHARED_ROWS_MIN;
    if (!isSmall && texts.size > rowCount * SHARED_TEXTS_PER_ROW) {
      this.#ownRows.set(texts, rowCount);
      return null;
    }
    this.#memory.reserve(texts.size * 4);
    this.#sharedBytes += texts.size * 4;
    shared = new Uint32Array(texts.size);
    this.#shared.set(texts, shared);
    return shared;
  }

  #appendShared({ codes, valid, texts }: TextVector, from: number, to: number, shared: Uint32Array): void {
    const { offsets, bytes } = texts.utf8;
    const own = this.#codes;
    for (let row = from, at = this.#rowCount; row < to; row++, at++) {
      if (codes === null || (valid !== null && valid[row] === 0)) continue;
      const code = codes[row];
      if (shared[code] === 0) shared[code] = this.#add(bytes, offsets[code], offsets[code + 1]) + 1;
      own[at] = shared[code] - 1;
    }
  }

  #appendOwn({ codes, valid, texts }: TextVector, from: number, to: number): void {
    const { offsets, bytes } = texts.utf8;
    for (let row = from, at = this.#rowCount; row < to; row++, at++) {
      if (valid !== null && valid[row] === 0) continue;
      const code = codes === null ? row : codes[row];
      this.#codes[at] = this.#add(bytes, offsets[code], offsets[code + 1]);
    }
  }

  /** Appends bytes[from, to) as a text; returns its code. */
  #add(bytes: Uint8Array, from: number, to: number): number {
    const code = this.#textCount++;
    if (code + 2 > this.#offsets.length)
      this.#offsets = grownWithin(this.#memory, this.#offsets, code + 2, ROWS_MIN);
    const start = this.#offsets[code];
    const end = start + to - from;
    if (end > this.#bytes.length) this.#bytes = grownWithin(this.#memory, this.#bytes, end, BYTES_MIN);
    // `set` is not worthwhile for short texts, which are the majority.
    if (to - from > 32) this.#bytes.set(bytes.subarray(from, to), start);
    else for (let at = from; at < to; at++) this.#bytes[start + at - from] = bytes[at];
    this.#offsets[code + 1] = end;
    return code;
  }

  /** Keeps only the given ascending rows and their texts; `hasText` returns whether a row has a text. Throws 9006. */
  keep(rows: Uint32Array, hasText: (row: number) => boolean): void {
    const [codes, offsets, bytes] = [this.#codes, this.#offsets, this.#bytes];
    const retained = new TextStore(this.#memory);
    // By old code: the new code + 1, or 0.
    const moved = new Uint32Array(this.#textCount);
    retained.#codes = grownWithin(this.#memory, retained.#codes, rows.length, ROWS_MIN);
    retained.#rowCount = rows.length;
    rows.forEach((row, at) => {
      if (!hasText(row)) return;
      const code = codes[row];
      if (moved[code] === 0) moved[code] = retained.#add(bytes, offsets[code], offsets[code + 1]) + 1;
      retained.#codes[at] = moved[code] - 1;
    });
    this.#clear();
    this.#codes = retained.#codes;
    this.#rowCount = retained.#rowCount;
    this.#offsets = retained.#offsets;
    this.#bytes = retained.#bytes;
    this.#textCount = retained.#textCount;
    this.#distinct = false;
  }

  #clear(): void {
    const { byteLength } = this.#codes;
    this.#memory.release(byteLength + this.#offsets.byteLength + this.#bytes.byteLength + this.#sharedBytes);
    this.#codes = new Uint32Array(0);
    this.#offsets = new Uint32Array(0);
    this.#bytes = new Uint8Array(0);
    this.#shared.clear();
    this.#ownRows.clear();
    this.#sharedBytes = 0;
    this.#rowCount = 0;
    this.#textCount = 0;
    this.#distinct = true;
  }

  /** Returns the texts, at least one, and empties the store. */
  finish(): { readonly offsets: Uint32Array; readonly bytes: Uint8Array; readonly distinct: boolean } {
    const count = Math.max(this.#textCount, 1);
    const offsets = new Uint32Array(count + 1);
    offsets.set(this.#offsets.subarray(0, Math.min(count + 1, this.#offsets.length)));
    if (this.#textCount === 0) offsets.fill(0);
    const bytes = this.#bytes.slice(0, offsets[count]);
    const distinct = this.#distinct;
    this.#clear();
    return { offsets, bytes, distinct };
  }
}
