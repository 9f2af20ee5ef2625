/**
 * The memory in which SIMD parses insert bodies (wasm/insert.ts): a separate instance of the kernels, which never grows.
 * wasm/_insert-records.ts defines the records; this file has only their sizes and offsets.
 */
import { ARENA_RESERVED_BYTES, instanceOver } from './registry.js';

/** Pages that no body has used take address space, not memory. */
export const INSERT_MEMORY_BYTES = 16 * 2 ** 20;
const PAGE_BYTES = 65_536;

/** Byte offset of the table of lower-case mappings, two bytes each. */
const LOWER_AT = ARENA_RESERVED_BYTES;
const LOWER_BYTES = 131_072;
/** Byte offset of the walk's record, which the table of IDs follows. */
const STATE_AT = LOWER_AT + LOWER_BYTES;
const SEEN_AT = STATE_AT + 8_192;
const SEEN_BYTES = 16_384;
/** Byte offset of the tables that the caller writes; the body follows them. */
export const INSERT_TABLES_AT = SEEN_AT + SEEN_BYTES;

/** Record sizes in words. Each column and each dimension is followed by a builder per shard, some columns by two per shard. */
export const INSERT_BUILDER_WORDS = 18;
export const INSERT_COLUMN_WORDS = 16;
export const INSERT_RELATION_WORDS = 4;
export const INSERT_DIMENSION_WORDS = 10;

/** The fields of the walk's record that the caller sets. */
export interface InsertWalkInput {
  readonly bodyAt: number;
  readonly bodyEnd: number;
  /** A number above 0 and above those of all earlier requests. */
  readonly request: number;
  readonly shardCount: number;
  /** Offsets in the memory; defaultDimension 0 = there is no default dimension. */
  readonly defaultDimension: number;
  readonly dimensionsAt: number;
  readonly dimensionMask: number;
  /** Each entity must end with its line; otherwise the parser gives up. */
  readonly lines: boolean;
}

export class InsertWalkMemory {
  readonly words: Int32Array<ArrayBuffer>;
  readonly bytes: Uint8Array<ArrayBuffer>;
  #hasLowerCase = false;
  readonly #walk: (state: number, nowSeconds: number) => number;

  constructor(module: WebAssembly.Module) {
    const pages = INSERT_MEMORY_BYTES / PAGE_BYTES;
    const memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
    this.words = new Int32Array(memory.buffer);
    this.bytes = new Uint8Array(memory.buffer);
    this.#walk = instanceOver(memory, module).walkInsert;
  }

  /**
   * Parses the body at [bodyAt, bodyEnd) with the tables at INSERT_TABLES_AT. Returns true if the body was plain; then the counts
   * and `batches` describe the result. `nowSeconds` is an integer below 2^52.
   */
  walk(input: InsertWalkInput, nowSeconds: number): boolean {
    const { words } = this;
    const at = STATE_AT >> 2;
    words[at] = input.bodyAt;
    words[at + 1] = input.bodyEnd;
    words[at + 2] = INSERT_MEMORY_BYTES;
    words[at + 3] = input.request;
    words[at + 4] = input.shardCount;
    words[at + 5] = input.defaultDimension;
    words[at + 6] = input.dimensionsAt;
    words[at + 7] = input.dimensionMask;
    words[at + 8] = this.#hasLowerCase ? LOWER_AT : 0;
    words[at + 25] = input.lines ? 1 : 0;
    return this.#walk(STATE_AT, nowSeconds) === 1;
  }

  get entityCount(): number {
    return this.words[(STATE_AT >> 2) + 9];
  }

  get valueCount(): number {
    return this.words[(STATE_AT >> 2) + 10];
  }

  /** Shard, dimension ID, byte offset and size in bytes of each batch, concatenated. */
  get batches(): Int32Array {
    const from = this.words[(STATE_AT >> 2) + 11] >> 2;
    return this.words.subarray(from, from + this.words[(STATE_AT >> 2) + 12] * 4);
  }

  /** Whether the last walk gave up at letters beyond ASCII or escapes, because `layLowerCase` was not called. */
  get missesLowerCase(): boolean {
    return this.words[(STATE_AT >> 2) + 13] === 1;
  }

  /** Writes the lower-case mappings of the code points below 65,536; at a 0 the parser gives up. */
  layLowerCase(table: Uint16Array): void {
    new Uint16Array(this.bytes.buffer).set(table, LOWER_AT >> 1);
    this.#hasLowerCase = true;
  }

  /** Writes tables, and resets guesses and request numbers. */
  load(tables: Int32Array): void {
    this.words.fill(0, STATE_AT >> 2, INSERT_TABLES_AT >> 2);
    this.words.set(tables, INSERT_TABLES_AT >> 2);
  }
}
