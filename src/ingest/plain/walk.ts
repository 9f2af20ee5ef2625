/**
 * Reads plain bodies, the usual case, with SIMD. A body is read completely or not at all. Bodies that the kernel cannot handle
 * are parsed by TypeScript (walk.ts), which alone reports errors and supports every form: auto-create, keys with escapes, long
 * numbers, date offsets, late dimensions, some repeated columns.
 * Invariant: both parsers produce the same batches, byte for byte.
 */
import { INSERT_MEMORY_BYTES, INSERT_TABLES_AT, InsertWalkMemory } from '../../kernels/index.js';
import type { BatchRange, ParsedInsert } from '../parse.js';
import type { ModelTables } from '../tables.js';
import { lowerCaseTable } from '../values/lower-case.js';
import { Attempts } from './attempts.js';
import { buildPlainTables, type PlainTables } from './tables.js';

const REQUEST_MAX = 2 ** 31 - 1;
/** The zeros that the kernel requires after the body, and a margin. */
const BODY_PADDING_BYTES = 1_024;
const NOW_SECONDS_MAX = 2 ** 40;

/** Plain tables of one model at `version` of its ModelTables. */
interface CachedTables {
  readonly version: number;
  readonly tables: PlainTables | null;
  readonly attempts: Attempts;
}

export class PlainWalk {
  readonly #memory: InsertWalkMemory;
  readonly #cached = new WeakMap<ModelTables, CachedTables>();
  #loaded: PlainTables | null = null;
  #request = 0;

  constructor(kernels: WebAssembly.Module) {
    this.#memory = new InsertWalkMemory(kernels);
  }

  /** Like `read`, but returns null without an attempt if many recent bodies of the model were not plain. */
  parse(body: Uint8Array, nowMs: number, tables: ModelTables, lines = false): ParsedInsert | null {
    const { attempts } = this.#cachedOf(tables);
    if (!attempts.allows()) return null;
    const parsed = this.#tryRead(body, nowMs, tables, lines);
    if (parsed === null) attempts.failed();
    else attempts.succeeded();
    return parsed;
  }

  /** A trap of the kernel is a bug, but a body must not end a worker. */
  #tryRead(body: Uint8Array, nowMs: number, tables: ModelTables, lines: boolean): ParsedInsert | null {
    try {
      return this.read(body, nowMs, tables, lines);
    } catch (error) {
      if (error instanceof WebAssembly.RuntimeError) return null;
      throw error;
    }
  }

  /**
   * Reads the body; the result is valid until the next read. Returns null if the body is not plain or needs too much memory, and
   * with `lines` also if an entity does not end with its line.
   */
  read(body: Uint8Array, nowMs: number, tables: ModelTables, lines = false): ParsedInsert | null {
    const laid = this.#cachedOf(tables).tables;
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
    const { batches: batchPositions, bytes, entityCount, valueCount } = this.#memory;
    const batches: BatchRange[] = [];
    for (let at = 0; at < batchPositions.length; at += 4) {
      const [shard, dimensionId, offset, byteLength] = batchPositions.subarray(at, at + 4);
      batches.push({ shard, dimensionId, offset, byteLength });
    }
    return {
      entityCount,
      valueCount,
      buffer: bytes.buffer,
      batches,
      createdDimensions: [],
      createdColumns: [],
      createdRelations: [],
    };
  }

  #cachedOf(tables: ModelTables): CachedTables {
    const known = this.#cached.get(tables);
    if (known !== undefined && known.version === tables.version) return known;
    const made: CachedTables = {
      version: tables.version,
      tables: buildPlainTables(tables, INSERT_TABLES_AT),
      attempts: known?.attempts ?? new Attempts(),
    };
    this.#cached.set(tables, made);
    return made;
  }

  /** Starts a request with `tables` in memory and returns its number. */
  #begin(tables: PlainTables): number {
    if (tables !== this.#loaded || this.#request === REQUEST_MAX) {
      this.#memory.load(tables.words);
      this.#loaded = tables;
      this.#request = 0;
    }
    return ++this.#request;
  }
}
