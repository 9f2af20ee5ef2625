/**
 * Assigns codes to texts. While all vectors share one dictionary of distinct texts, as a shard's column does, a code
 * is the dictionary's own. When a second dictionary occurs, texts are numbered by their bytes, and texts of the first
 * dictionary keep their codes.
 */
import type { Allocator } from '../../../answer/index.js';
import { grownWithin, invariant } from '../../../base/index.js';
import type { PartitionedTexts } from '../../../ir/index.js';
import type { Texts, TextVector, Vector, WireVector } from '../../../vector/index.js';
import type { QueryRun } from '../../query-run.js';
import { type Coded, isAllMissing, type ValueCodes } from './group-codes.js';
import { TextTable } from './group-text-table.js';
import { codedTexts } from './group-text-wire.js';
import { partitionedTexts } from './text-partitions.js';

export class TextCodes implements ValueCodes {
  readonly #memory: QueryRun;
  /** The only dictionary so far. */
  #own: Texts | null = null;
  #table: TextTable | null = null;
  /** The dictionary of `known`, which maps its codes to the codes of this object; 0 = not looked up yet. */
  #last: Texts | null = null;
  #known: Uint32Array<ArrayBuffer>;

  constructor(memory: QueryRun) {
    this.#memory = memory;
    this.#known = memory.u32(0);
  }

  get bound(): number {
    return (this.#table?.count ?? this.#own?.size ?? 0) + 1;
  }

  code(vector: Vector, out: Uint32Array): Coded {
    invariant(vector.kind === 'text', 'a text expression returns texts');
    const { codes, texts } = vector;
    // If all values are missing, there may be no dictionary.
    if (isAllMissing(vector)) return { codes: out.fill(0, 0, vector.count), shift: 0 };
    if (this.#table === null && this.#own === null && codes !== null && texts.distinct) this.#own = texts;
    if (this.#own === texts && codes !== null) return ownCodes(vector, codes, out);
    const table = this.#numbered();
    if (codes === null) codeRows(table, vector, out);
    else this.#codeList(table, vector, codes, out);
    return { codes: out, shift: 0 };
  }

  /** The table, which starts with the texts of the first dictionary under their codes. */
  #numbered(): TextTable {
    if (this.#table !== null) return this.#table;
    const table = new TextTable(this.#memory);
    if (this.#own !== null) {
      const { offsets, bytes } = this.#own.utf8;
      for (let code = 0; code < this.#own.size; code++) {
        if ((code & 0xffff) === 0) this.#memory.check();
        table.add(bytes, offsets[code], offsets[code + 1]);
      }
    }
    this.#own = null;
    this.#table = table;
    return table;
  }

  /** Codes the rows of a dictionary that may recur: each text is looked up once. */
  #codeList(
    table: TextTable,
    { valid, count, texts }: TextVector,
    codes: Uint32Array,
    out: Uint32Array,
  ): void {
    if (this.#last !== texts) {
      this.#known.fill(0);
      this.#known = grownWithin(this.#memory, this.#known, texts.size);
      this.#last = texts;
    }
    const known = this.#known;
    const { offsets, bytes } = texts.utf8;
    for (let row = 0; row < count; row++) {
      if (valid !== null && valid[row] === 0) {
        out[row] = 0;
        continue;
      }
      const code = codes[row];
      if (known[code] === 0) known[code] = table.add(bytes, offsets[code], offsets[code + 1]) + 1;
      out[row] = known[code];
    }
  }

  partitioned(codes: Uint32Array, run: QueryRun, allocator: Allocator): PartitionedTexts | null {
    if (this.#own === null || this.#own.hashes === null) return null;
    return partitionedTexts(codes, this.#own.utf8, this.#own.hashes, run, allocator);
  }

  values(codes: Uint32Array, run: QueryRun): WireVector {
    if (this.#own !== null) {
      const { offsets, bytes } = this.#own.utf8;
      return codedTexts(codes, { offsets, bytes, hashes: this.#own.hashes }, this.#own.size, run);
    }
    if (this.#table === null) return codedTexts(codes, NO_TEXTS, 0, run);
    const { offsets, bytes, count } = this.#table;
    return codedTexts(codes, { offsets, bytes, hashes: null }, count, run);
  }
}

const NO_TEXTS = { offsets: new Uint32Array(1), bytes: new Uint8Array(0), hashes: null };

/** Text t of the only dictionary has code t + 1. */
function ownCodes({ valid, count }: TextVector, codes: Uint32Array, out: Uint32Array): Coded {
  if (valid === null) return { codes, shift: 1 };
  for (let row = 0; row < count; row++) out[row] = valid[row] === 0 ? 0 : codes[row] + 1;
  return { codes: out, shift: 0 };
}

/** Codes rows that each have their own text. */
function codeRows(table: TextTable, { valid, count, texts }: TextVector, out: Uint32Array): void {
  const { offsets, bytes } = texts.utf8;
  for (let row = 0; row < count; row++) {
    if (valid !== null && valid[row] === 0) out[row] = 0;
    else out[row] = table.add(bytes, offsets[row], offsets[row + 1]) + 1;
  }
}
