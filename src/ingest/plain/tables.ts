/**
 * The model's tables in the form that the SIMD parser reads in its memory: records, names, bounds and hash tables at absolute
 * offsets. The record fields have the order of kernels/wasm/_insert-records.ts.
 * Invariant: the tables contain only columns that the caller may write and the parser can read. A body with
 * any other name is reparsed by the TypeScript parser.
 */
import { hashBytes, longerCopy } from '../../base/index.js';
import { FORMS, type Form, KINDS } from '../../column/index.js';
import {
  INSERT_BUILDER_WORDS,
  INSERT_COLUMN_WORDS,
  INSERT_DIMENSION_WORDS,
  INSERT_RELATION_WORDS,
} from '../../kernels/index.js';
import { type ValueKind, valueKindOf } from '../../schema/index.js';
import {
  AS_INSTANT,
  DIMENSION,
  type DimensionTable,
  type ModelTables,
  STORES_EVENTS,
  STORES_LATEST,
  STORES_LIST,
  STORES_RELATED_EVENTS,
} from '../tables.js';
import { writeBigWords } from '../values/numbers.js';

/** Larger tables are not built; the TypeScript parser then parses all bodies. */
export const PLAIN_TABLES_BYTES_MAX = 2 * 2 ** 20;

function valueBytes(kind: ValueKind): number {
  if (kind === 'geo') return 16;
  if (kind === 'i64') return 8;
  return kind === 'bits' ? 1 : 4;
}

const RETENTION_DAYS_MAX = 2 ** 31 - 1;

export interface PlainTables {
  readonly words: Int32Array;
  /** Offsets in the parser's memory. */
  readonly defaultDimension: number;
  readonly dimensionsAt: number;
  readonly dimensionMask: number;
}

/** Concatenated words with known final offsets. */
class Image {
  words = new Int32Array(1_024);
  #length = 0;
  readonly #firstAt: number;

  constructor(firstAt: number) {
    this.#firstAt = firstAt;
  }

  /** Appends `count` zero words and returns the index of the first. */
  append(count: number): number {
    const from = this.#length;
    this.#length += count;
    if (this.#length > this.words.length) this.words = longerCopy(this.words, this.#length * 2);
    return from;
  }

  put(fields: readonly number[], index: number): void {
    this.words.set(fields, index);
  }

  offsetOf(index: number): number {
    return this.#firstAt + index * 4;
  }

  get bytes(): Int32Array {
    return this.words.slice(0, this.#length);
  }

  get byteLength(): number {
    return this.#length * 4;
  }

  /** Appends the name in quotes, padded to whole vectors. */
  name(name: string): { at: number; byteCount: number; hash: number } {
    const bytes = new TextEncoder().encode(`"${name}"`);
    const index = this.append(Math.ceil(bytes.length / 16) * 4);
    new Uint8Array(this.words.buffer).set(bytes, index * 4);
    return {
      at: this.offsetOf(index),
      byteCount: bytes.length,
      hash: hashBytes(bytes, 1, bytes.length - 1),
    };
  }

  /** Appends a hash table of record offsets by name hash: open addressing, 0 = free. */
  hashTable(records: readonly { hash: number; at: number }[]): { at: number; mask: number } {
    const size = 2 ** Math.ceil(Math.log2(records.length * 2 + 2));
    const index = this.append(size);
    for (const { hash, at } of records) {
      let slot = hash & (size - 1);
      while (this.words[index + slot] !== 0) slot = (slot + 1) & (size - 1);
      this.words[index + slot] = at;
    }
    return { at: this.offsetOf(index), mask: size - 1 };
  }

  bounds(range: readonly bigint[] | null): number {
    if (range === null) return 0;
    const index = this.append(range.length * 2);
    range.forEach((bound, position) => {
      writeBigWords(this.words, index + position * 2, bound);
    });
    return this.offsetOf(index);
  }

  /** Appends a builder for each shard, with the given entry sizes in bytes for each part. */
  builders(shardCount: number, owner: number, parts: readonly [number, number, number, number]): void {
    for (let shard = 0; shard < shardCount; shard++) {
      this.put([0, ...parts, shard, owner], this.append(INSERT_BUILDER_WORDS));
    }
  }
}

function formOf(stores: number): Form | null {
  if (stores === STORES_LATEST) return 'latest';
  if (stores === STORES_LIST) return 'list';
  return stores === STORES_EVENTS || stores === STORES_RELATED_EVENTS ? 'event' : null;
}

/** `relations` maps relation IDs to the offsets of the dimension's relations. */
function buildColumn(
  image: Image,
  tables: ModelTables,
  slot: number,
  relations: ReadonlyMap<number, number>,
): { hash: number; at: number } | null {
  const column = tables.columns[slot];
  const { apiName, range, retentionDays } = column;
  const form = formOf(tables.stores[slot]);
  const isKnown = form !== null && tables.reader[slot] !== AS_INSTANT && apiName !== DIMENSION;
  const isStored =
    retentionDays === null ||
    (Number.isInteger(retentionDays) && retentionDays >= 0 && retentionDays <= RETENTION_DAYS_MAX);
  if (!isKnown || !isStored || !tables.allows(column)) return null;
  const kind = valueKindOf(column.type);
  const name = image.name(apiName);
  const boundsAt = image.bounds(range);
  const index = image.append(INSERT_COLUMN_WORDS);
  image.put(
    [
      0,
      column.id,
      FORMS.indexOf(form),
      KINDS.indexOf(kind),
      tables.reader[slot],
      tables.scales[slot],
      retentionDays ?? -1,
      boundsAt,
      range?.length ?? 0,
      name.at,
      name.byteCount,
      0,
      0,
      relations.get(tables.related.relationIds[slot]) ?? 0,
    ],
    index,
  );
  const extraBytes = form === 'latest' ? 0 : 4;
  const endBytes = kind === 'code' ? 4 : 0;
  image.builders(tables.shardCount, 0, [4, extraBytes, valueBytes(kind), endBytes]);
  if (form === 'latest') image.builders(tables.shardCount, 0, [4, 0, 0, endBytes]);
  return { hash: name.hash, at: image.offsetOf(index) };
}

function layDimension(
  image: Image,
  tables: ModelTables,
  table: DimensionTable,
): { hash: number; at: number } | null {
  const { dimension, firstSlot } = table;
  const columns: { hash: number; at: number }[] = [];
  const relations = new Map<number, number>();
  for (const { id } of dimension.relations.values()) {
    const index = image.append(INSERT_RELATION_WORDS);
    image.put([id], index);
    relations.set(id, image.offsetOf(index));
  }
  for (let slot = firstSlot; slot < firstSlot + dimension.columns.size; slot++) {
    const column = buildColumn(image, tables, slot, relations);
    if (column !== null) columns.push(column);
    if (image.byteLength > PLAIN_TABLES_BYTES_MAX) return null;
  }
  const name = image.name(dimension.apiName);
  const hashed = image.hashTable(columns);
  const index = image.append(INSERT_DIMENSION_WORDS);
  const at = image.offsetOf(index);
  image.put(
    [0, dimension.id, name.at, name.byteCount, hashed.at, hashed.mask, 0, 0, 0, table.preservesIds ? 1 : 0],
    index,
  );
  image.builders(tables.shardCount, at, [0, 0, 4, 4]);
  return { hash: name.hash, at };
}

/** Builds the tables for byte offset `firstAt`; null if they are too large. */
export function buildPlainTables(tables: ModelTables, firstAt: number): PlainTables | null {
  const image = new Image(firstAt);
  const dimensions: { hash: number; at: number }[] = [];
  for (const table of tables.dimensions) {
    const dimension = layDimension(image, tables, table);
    if (dimension === null || image.byteLength > PLAIN_TABLES_BYTES_MAX) return null;
    dimensions.push(dimension);
  }
  const { at, mask } = image.hashTable(dimensions);
  const defaultDimension = tables.defaultDimension < 0 ? 0 : dimensions[tables.defaultDimension].at;
  return { words: image.bytes, defaultDimension, dimensionsAt: at, dimensionMask: mask };
}
