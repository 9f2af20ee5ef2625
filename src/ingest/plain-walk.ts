/**
 * Plain bodies, read by SIMD: what clients send nearly always. A body is read as a whole or given up as a whole, and
 * what is given up is walked by TypeScript (walk.ts), which alone words faults and knows every form: auto-create, keys
 * with escapes, long numbers, offsets in dates, dimensions named late, columns named twice in some ways.
 * Invariant: what is read gives the same batches, byte for byte, as the other walk gives.
 */
import { INSERT_MEMORY_BYTES, INSERT_TABLES_AT, InsertWalkMemory } from '../kernels/index.js';
import { Attempts } from './attempts.js';
import { lowerCaseTable } from './lower-case.js';
import type { BatchPlace, ParsedInsert } from './parse.js';
import { layPlainTables, type PlainTables } from './plain-tables.js';
import type { ModelTables } from './tables.js';

const REQUEST_MAX = 2 ** 31 - 1;
/** The walk's zeros behind the body, and to spare. */
const BODY_PADDING_BYTES = 1_024;
const NOW_SECONDS_MAX = 2 ** 40;

/** What is known of one model: its tables as they were at `version` of ModelTables. */
interface Laid {
  readonly version: number;
  readonly tables: PlainTables | null;
  readonly attempts: Attempts;
}

export class PlainWalk {
  readonly #memory: InsertWalkMemory;
  readonly #laid = new WeakMap<ModelTables, Laid>();
  #loaded: PlainTables | null = null;
  #request = 0;

  constructor(kernels: WebAssembly.Module) {
    this.#memory = new InsertWalkMemory(kernels);
  }

  /** `read`, unless too many of the model's bodies were given up of late. */
  parse(body: Uint8Array, nowMs: number, tables: ModelTables, lines = false): ParsedInsert | null {
    const { attempts } = this.#laidOf(tables);
    if (!attempts.allows()) return null;
    const parsed = this.#readOrGiveUp(body, nowMs, tables, lines);
    if (parsed === null) attempts.failed();
    else attempts.succeeded();
    return parsed;
  }

  /** A kernel that traps has a bug, but no body may end a worker. */
  #readOrGiveUp(body: Uint8Array, nowMs: number, tables: ModelTables, lines: boolean): ParsedInsert | null {
    try {
      return this.read(body, nowMs, tables, lines);
    } catch (error) {
      if (error instanceof WebAssembly.RuntimeError) return null;
      throw error;
    }
  }

  /**
   * What the body inserts, valid until the next one is read; null when it is not plain or needs too much room. With
   * `lines` also when an entity does not end with its line.
   */
  read(body: Uint8Array, nowMs: number, tables: ModelTables, lines = false): ParsedInsert | null {
    const laid = this.#laidOf(tables).tables;
    const nowSeconds = Math.floor(nowMs / 1000);
    if (laid === null || !(Math.abs(nowSeconds) < NOW_SECONDS_MAX)) return null;
    const bodyAt = (INSERT_TABLES_AT + laid.words.byteLength + 15) & ~15;
    const bodyEnd = bodyAt + body.length;
    if (bodyEnd + BODY_PADDING_BYTES > INSERT_MEMORY_BYTES) return null;
    const memory = this.#memory;
    memory.bytes.set(body, bodyAt);
    const { defaultDimension, dimensionsAt, dimensionMask } = laid;
    const { shardCount } = tables;
    const input = { bodyAt, bodyEnd, shardCount, defaultDimension, dimensionsAt, dimensionMask, lines };
    if (memory.walk({ ...input, request: this.#begin(laid) }, nowSeconds)) return this.#parsed();
    if (!memory.missesLowerCase) return null;
    memory.layLowerCase(lowerCaseTable());
    return memory.walk({ ...input, request: this.#begin(laid) }, nowSeconds) ? this.#parsed() : null;
  }

  #parsed(): ParsedInsert {
    const { batches: places, bytes, entityCount, valueCount } = this.#memory;
    const batches: BatchPlace[] = [];
    for (let at = 0; at < places.length; at += 4) {
      const [shard, dimensionId, offset, byteLength] = places.subarray(at, at + 4);
      batches.push({ shard, dimensionId, offset, byteLength });
    }
    return {
      entityCount,
      valueCount,
      buffer: bytes.buffer,
      batches,
      createdDimensions: [],
      createdColumns: [],
    };
  }

  #laidOf(tables: ModelTables): Laid {
    const known = this.#laid.get(tables);
    if (known !== undefined && known.version === tables.version) return known;
    const made: Laid = {
      version: tables.version,
      tables: layPlainTables(tables, INSERT_TABLES_AT),
      attempts: known?.attempts ?? new Attempts(),
    };
    this.#laid.set(tables, made);
    return made;
  }

  /** Begins a request with `tables` in the memory; returns its number. */
  #begin(tables: PlainTables): number {
    if (tables !== this.#loaded || this.#request === REQUEST_MAX) {
      this.#memory.load(tables.words);
      this.#loaded = tables;
      this.#request = 0;
    }
    return ++this.#request;
  }
}
