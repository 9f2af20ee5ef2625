/**
 * The memory in which insert bodies are walked by SIMD (wasm/insert.ts): one instance of the kernels of its own, which
 * never grows. Its records are drawn in wasm/_insert-records.ts; here stand only their sizes and places.
 */
import { ARENA_RESERVED_BYTES, instanceOver } from './registry.js';

/** Pages that no body has needed cost address space, not memory. */
export const INSERT_MEMORY_BYTES = 16 * 2 ** 20;
const PAGE_BYTES = 65_536;

/** Byte offset of the table of lower-case mappings, two bytes each. */
const LOWER_AT = ARENA_RESERVED_BYTES;
const LOWER_BYTES = 131_072;
/** Byte offset of the record of the walk, and of the table of IDs behind it. */
const STATE_AT = LOWER_AT + LOWER_BYTES;
const SEEN_AT = STATE_AT + 8_192;
const SEEN_BYTES = 16_384;
/** Byte offset of the tables that the caller lays there; the body comes behind them. */
export const INSERT_TABLES_AT = SEEN_AT + SEEN_BYTES;

/** Words of the records: a builder for each shard stands behind each column and each dimension, two behind some columns. */
export const INSERT_BUILDER_WORDS = 18;
export const INSERT_COLUMN_WORDS = 16;
export const INSERT_RELATION_WORDS = 4;
export const INSERT_DIMENSION_WORDS = 10;

/** The fields of the walk's record that its caller fills in. */
export interface InsertWalkInput {
  readonly bodyAt: number;
  readonly bodyEnd: number;
  /** Above those of all requests before, and above 0. */
  readonly request: number;
  readonly shardCount: number;
  /** Places in the memory; 0 = there is no default dimension. */
  readonly defaultDimension: number;
  readonly dimensionsAt: number;
  readonly dimensionMask: number;
  /** Each entity must end with its line, or the walk gives up. */
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
   * Walks the body that stands at [bodyAt, bodyEnd) by the tables at INSERT_TABLES_AT; whether it was plain, so that
   * `counts` and `batches` tell of it. `nowSeconds` is a whole number below 2^52.
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

  /** Shard, dimension's id, byte offset and bytes of each batch, one behind the other. */
  get batches(): Int32Array {
    const from = this.words[(STATE_AT >> 2) + 11] >> 2;
    return this.words.subarray(from, from + this.words[(STATE_AT >> 2) + 12] * 4);
  }

  /** Whether the last walk gave up because it met letters beyond ASCII, or escapes, before `layLowerCase`. */
  get missesLowerCase(): boolean {
    return this.words[(STATE_AT >> 2) + 13] === 1;
  }

  /** Lays the lower-case mappings of the code points below 65,536; 0 = the walk gives up at this one. */
  layLowerCase(table: Uint16Array): void {
    new Uint16Array(this.bytes.buffer).set(table, LOWER_AT >> 1);
    this.#hasLowerCase = true;
  }

  /** Lays tables; guesses made with others, and the numbers of their requests, are forgotten. */
  load(tables: Int32Array): void {
    this.words.fill(0, STATE_AT >> 2, INSERT_TABLES_AT >> 2);
    this.words.set(tables, INSERT_TABLES_AT >> 2);
  }
}
