/** Finds joined entities by ID. */
import { hashBytes, type MemoryAccount } from '../../base/index.js';
import type { JoinTable } from '../../ir/index.js';
import { fromWire, type TextBytes, type Texts, type TextVector, type Vector } from '../../vector/index.js';
import type { QueryRun } from '../query-run.js';

/** No row of the table has the ID. */
export const NOT_FOUND = -1;
const NOT_LOOKED_UP = -2;
/** Lookups are cached for dictionaries of at most this many texts per row looked up. */
const TEXTS_PER_ROW = 4;

/**
 * The rows of a joined dimension with a hash table over their IDs. Built once for all shards.
 * Open addressing with linear probing: slots hold a row + 1, 0 = empty.
 */
export class JoinedTable {
  readonly columns: readonly Vector[];
  readonly #ids: TextBytes;
  /** By row: the code of its ID's text. */
  readonly #codes: Uint32Array | null;
  readonly #slots: Uint32Array;
  readonly #hashes: Uint32Array;

  /** Throws 9006. */
  constructor(table: JoinTable, memory: MemoryAccount) {
    this.columns = table.columns.map(fromWire);
    const ids = fromWire(table.ids) as TextVector;
    let size = 16;
    while (size < ids.count * 2) size *= 2;
    this.#ids = ids.texts.utf8;
    this.#codes = ids.codes;
    this.#slots = memory.u32(size);
    this.#hashes = memory.u32(ids.count);
    for (let row = 0; row < ids.count; row++) this.#add(row);
  }

  #add(row: number): void {
    const { offsets, bytes } = this.#ids;
    const code = this.#codes === null ? row : this.#codes[row];
    const hash = hashBytes(bytes, offsets[code], offsets[code + 1]);
    const last = this.#slots.length - 1;
    let slot = hash & last;
    while (this.#slots[slot] !== 0) slot = (slot + 1) & last;
    this.#slots[slot] = row + 1;
    this.#hashes[row] = hash;
  }

  /** The row whose ID is the text, or NOT_FOUND. */
  find({ utf8, hashes }: Texts, text: number): number {
    const { offsets, bytes } = utf8;
    const [from, to] = [offsets[text], offsets[text + 1]];
    const hash = hashes === null || from === to ? hashBytes(bytes, from, to) : hashes[text];
    const last = this.#slots.length - 1;
    for (let slot = hash & last; ; slot = (slot + 1) & last) {
      const row = this.#slots[slot] - 1;
      if (row < 0) return NOT_FOUND;
      if (this.#hashes[row] === hash && this.#hasId(row, bytes, from, to)) return row;
    }
  }

  #hasId(row: number, bytes: Uint8Array, from: number, to: number): boolean {
    const code = this.#codes === null ? row : this.#codes[row];
    const start = this.#ids.offsets[code];
    if (this.#ids.offsets[code + 1] - start !== to - from) return false;
    for (let at = from; at < to; at++) if (this.#ids.bytes[start + at - from] !== bytes[at]) return false;
    return true;
  }
}

/** Looks up texts in a table; each text of a dictionary is looked up once. */
export class JoinLookup {
  readonly #table: JoinedTable;
  readonly #account: MemoryAccount;
  /** By code of #texts: the matching row, NOT_FOUND or NOT_LOOKED_UP. */
  #found = new Int32Array(0);
  #texts: Texts | null = null;
  /** The dictionary looked up last, and the number of its rows looked up. */
  #recent: Texts | null = null;
  #recentRows = 0;

  constructor(table: JoinedTable, run: QueryRun) {
    this.#table = table;
    this.#account = run.child();
  }

  /** For each row, the table's row, or NOT_FOUND. Throws 9006. */
  find({ count, valid, codes, texts }: TextVector): Int32Array {
    const rows = new Int32Array(count);
    const known = codes === null ? null : this.#knownOf(texts, count);
    for (let row = 0; row < count; row++) {
      if (valid !== null && valid[row] === 0) {
        rows[row] = NOT_FOUND;
        continue;
      }
      const code = codes === null ? row : codes[row];
      let found = known === null ? NOT_LOOKED_UP : known[code];
      if (found === NOT_LOOKED_UP) {
        found = this.#table.find(texts, code);
        if (known !== null) known[code] = found;
      }
      rows[row] = found;
    }
    return rows;
  }

  /** The cache of the dictionary; null while too few of its rows were looked up to justify the memory. */
  #knownOf(texts: Texts, count: number): Int32Array | null {
    if (texts === this.#texts) return this.#found;
    this.#recentRows = (texts === this.#recent ? this.#recentRows : 0) + count;
    this.#recent = texts;
    if (texts.size > this.#recentRows * TEXTS_PER_ROW) return null;
    this.#account.releaseAll();
    this.#account.reserve(texts.size * 4);
    this.#found = new Int32Array(texts.size).fill(NOT_LOOKED_UP);
    this.#texts = texts;
    return this.#found;
  }

  release(): void {
    this.#account.releaseAll();
    this.#found = new Int32Array(0);
    this.#texts = null;
    this.#recent = null;
  }
}
