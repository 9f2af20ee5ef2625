/**
 * Reads one entity: its dimension, then its columns in document order. Each value is appended to the builder of the entity's
 * shard.
 * The dimension must be known before the columns. The reader expects it as the first key. A later "dimension" key throws
 * LATE_DIMENSION, unless `seek` is set: then the reader searches each entity for the key first.
 * The reader guesses the column of a key: the column that followed the same column in an earlier entity.
 * A null removes a latest-value and empties a list. If a column occurs twice, its last value counts; the events of both are kept.
 * Related columns are checked for equal event counts at the end of the entity.
 */
import { COLUMNS_PER_INSERT_MAX, invariant, quoted, shardOf, TEXT_POINTS_MAX } from '../base/index.js';
import type { Form } from '../column/index.js';
import { ENTITY_ID_COLUMN, valueKindOf } from '../schema/index.js';
import type { BatchBuilder, ColumnBuilder } from './builders.js';
import { InsertError } from './insert-error.js';
import { eachMember, skipColon, skipString, skipValue, stringAt, unexpected } from './json.js';
import type { IngestScratch } from './scratch.js';
import {
  BACKSLASH,
  CLOSE_LIST,
  CLOSE_OBJECT,
  COMMA,
  isNull,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
  type Source,
  skipSpace,
  wordOf,
} from './source.js';
import {
  DIMENSION,
  type DimensionTable,
  type ModelTables,
  STORES_EVENTS,
  STORES_LATEST,
  STORES_LIST,
  STORES_RELATED_EVENTS,
} from './tables.js';
import { readEvent } from './values/events.js';
import { kindOfValue } from './values/numbers.js';
import type { RelatedEvents } from './values/relations.js';
import { decodeText } from './values/text.js';
import { readValue } from './values/values.js';

/** Thrown by a reader without `seek` if "dimension" is not the first key of an entity. */
export const LATE_DIMENSION = new InsertError(1, 0, 'the dimension is not the first key');

const DIMENSION_WORDS = [wordOf('"dim'), wordOf('ensi'), wordOf('on"\0')];
/** `"dimension"` */
const DIMENSION_KEY_BYTES = 11;

function startsDimension(source: Source, at: number): boolean {
  const { view } = source;
  if (view.getInt32(at, true) !== DIMENSION_WORDS[0] || view.getInt32(at + 4, true) !== DIMENSION_WORDS[1])
    return false;
  return (view.getInt32(at + 8, true) & 0xffffff) === DIMENSION_WORDS[2];
}

/** Returns the offset of the value after a key's colon; `at` is the end of the key. */
function afterColon(source: Source, at: number): number {
  const plain = source.bytes[at] === 0x3a && source.bytes[at + 1] > 0x20;
  return plain ? at + 1 : skipColon(source, at);
}

export class EntityReader {
  valueCount = 0;
  /** Some entity has its "dimension" key after the first key. */
  lateDimensionSeen = false;
  /** The column that is being read, or -1. */
  slot = -1;
  readonly #scratch: IngestScratch;
  readonly #source: Source;
  readonly #tables: ModelTables;
  readonly #related: RelatedEvents;
  readonly #shardCount: number;
  readonly #nowSeconds: number;
  readonly #seek: boolean;
  #columnCount = 0;
  /** The request removes some value, so a value and a null may occur in one entity. */
  #anyRemoved = false;
  /** Index of the last dimension that was named, used as a guess; -1 = none. */
  #lastDimension = -1;

  constructor(scratch: IngestScratch, tables: ModelTables, nowMs: number, seek: boolean) {
    this.#scratch = scratch;
    this.#source = scratch.source;
    this.#tables = tables;
    this.#related = tables.related;
    this.#shardCount = tables.shardCount;
    this.#nowSeconds = Math.floor(nowMs / 1000);
    this.#seek = seek;
  }

  /**
   * Reads the object at `objectAt`, whose key is at `keyAt` and was read as the last of the request's IDs. Returns the offset
   * after the object. Throws 2019 if the request contains the ID already.
   */
  read(objectAt: number, keyAt: number): number {
    const source = this.#source;
    const tables = this.#tables;
    const { ids } = this.#scratch;
    if (!tables.preservesIds) ids.store(keyAt);
    const { bytes } = source;
    if (bytes[objectAt] !== OPEN_OBJECT) {
      throw new InsertError(2005, objectAt, `the value is ${kindOfValue(bytes[objectAt])}, not an object`);
    }
    let at = skipSpace(bytes, objectAt + 1);
    let more = bytes[at] !== CLOSE_OBJECT;
    let index = tables.defaultDimension;
    if (this.#seek) index = this.#seekDimension(objectAt, at);
    else if (startsDimension(source, at)) {
      at = afterColon(source, at + DIMENSION_KEY_BYTES);
      index = this.#dimensionAt(at);
      at = skipSpace(bytes, skipString(source, at + 1));
      more = bytes[at] === COMMA;
      if (more) at = skipSpace(bytes, at + 1);
    } else if (index < 0) throw noDefault(objectAt);

    const dimension = tables.dimensions[index];
    if (tables.preservesIds) {
      if (dimension.preservesIds) ids.readUnchanged(source, keyAt);
      ids.store(keyAt);
    }
    const { hash } = ids;
    const shard = shardOf(hash >>> 0, this.#shardCount);
    const batch = dimension.batches[shard] ?? this.#openBatch(dimension, index, shard);
    const row = batch.add(ids.bytes, ids.from, ids.end, hash);

    let columnCount = 0;
    let previous = -1;
    while (more) {
      const keyAt = at;
      let slot = previous < 0 ? dimension.guess : tables.next[previous];
      if (
        slot >= 0 &&
        bytes[at] === QUOTE &&
        dimension.names.matches(source, at + 1, slot - dimension.firstSlot)
      ) {
        at += 2 + dimension.names.byteCount(slot - dimension.firstSlot);
      } else {
        slot = this.#column(dimension, at);
        at = skipString(source, at + 1);
        if (slot >= 0) {
          if (previous < 0) dimension.guess = slot;
          else tables.next[previous] = slot;
        }
      }
      at = afterColon(source, at);
      if (slot < 0) at = skipValue(source, at, 2);
      else {
        this.slot = slot;
        if (tables.touched[slot] === 0) this.#touch(dimension, slot, keyAt);
        at = this.#value(at, slot, shard, row);
        columnCount++;
        previous = slot;
      }
      if (bytes[at] <= 0x20) at = skipSpace(bytes, at);
      more = bytes[at] === COMMA;
      if (more && bytes[++at] <= 0x20) at = skipSpace(bytes, at);
    }
    if (bytes[at] !== CLOSE_OBJECT) throw unexpected(source, at, "',' or '}'");
    this.slot = -1;
    if (columnCount === 0) throw new InsertError(2017, at, 'no column is given');
    if (this.#related.namedCount > 0) this.#related.check(at);
    return at + 1;
  }

  /** Returns the index of the dimension of the entity at `objectAt`, wherever its key is; the last key counts. */
  #seekDimension(objectAt: number, firstKeyAt: number): number {
    const source = this.#source;
    let nameAt = -1;
    eachMember(source, objectAt, 1, (keyAt, valueAt) => {
      if (!isDimensionKey(source, keyAt)) return;
      nameAt = valueAt;
      if (keyAt !== firstKeyAt) this.lateDimensionSeen = true;
    });
    if (nameAt >= 0) return this.#dimensionAt(nameAt);
    if (this.#tables.defaultDimension < 0) throw noDefault(objectAt);
    return this.#tables.defaultDimension;
  }

  /** Returns the index of the dimension whose name is at `at`. Throws 5009 and 5008. */
  #dimensionAt(at: number): number {
    const source = this.#source;
    const { dimensionNames } = this.#tables;
    if (source.bytes[at] !== QUOTE) {
      throw new InsertError(5009, at, `"dimension" is ${kindOfValue(source.bytes[at])}, not a string`);
    }
    const guess = this.#lastDimension;
    if (guess >= 0 && dimensionNames.matches(source, at + 1, guess)) return guess;
    const { key } = this.#scratch;
    key.length = 0;
    decodeText(source, at + 1, key, false);
    const index = key.points > TEXT_POINTS_MAX ? -1 : dimensionNames.find(key.bytes, 0, key.length);
    if (index < 0) throw new InsertError(5008, at, `there is no dimension ${quoted(stringAt(source, at))}`);
    this.#lastDimension = index;
    return index;
  }

  /** Returns the slot of the column whose key starts at `at`, or -1 for "dimension", which was read before. */
  #column(dimension: DimensionTable, at: number): number {
    const source = this.#source;
    const { key } = this.#scratch;
    this.slot = -1;
    if (source.bytes[at] !== QUOTE) throw unexpected(source, at, 'a key in quotes');
    if (isDimensionKey(source, at)) {
      if (!this.#seek) throw LATE_DIMENSION;
      return -1;
    }
    key.length = 0;
    decodeText(source, at + 1, key, false);
    const index = key.points > TEXT_POINTS_MAX ? -1 : dimension.names.find(key.bytes, 0, key.length);
    const where = `in dimension ${quoted(dimension.dimension.apiName)}`;
    if (index < 0)
      throw new InsertError(2011, at, `there is no column ${quoted(stringAt(source, at))} ${where}`);
    const slot = dimension.firstSlot + index;
    const column = this.#tables.columns[slot];
    if (column.apiName === ENTITY_ID_COLUMN) {
      throw new InsertError(
        2020,
        at,
        'the column "entity-id" is filled from the entity ID and cannot be written',
      );
    }
    if (!column.active)
      throw new InsertError(2011, at, `the column ${quoted(column.apiName)} ${where} is inactive`);
    if (!this.#tables.allows(column)) {
      throw new InsertError(506, at, `the key may not write the column ${quoted(column.apiName)} ${where}`);
    }
    return slot;
  }

  #touch(dimension: DimensionTable, slot: number, keyAt: number): void {
    if (this.#columnCount === COLUMNS_PER_INSERT_MAX) {
      throw new InsertError(2013, keyAt, `the request names more than ${COLUMNS_PER_INSERT_MAX} columns`);
    }
    this.#columnCount++;
    this.#tables.touched[slot] = 1;
    dimension.touchedSlots.push(slot);
  }

  #openBatch(dimension: DimensionTable, index: number, shard: number): BatchBuilder {
    const batch = this.#scratch.pools.acquireBatch(shard, index);
    dimension.batches[shard] = batch;
    return batch;
  }

  #openColumn(
    builders: (ColumnBuilder | null)[],
    builderIndex: number,
    slot: number,
    form: Form,
  ): ColumnBuilder {
    const column = this.#tables.columns[slot];
    const relationId = this.#related.relationIds[slot];
    const builder = this.#scratch.pools.acquireColumn(column.id, valueKindOf(column.type), form, relationId);
    builders[builderIndex] = builder;
    return builder;
  }

  /** Reads the value at `at` for column `slot`, of any form, and returns the offset after it. */
  #value(at: number, slot: number, shard: number, row: number): number {
    const { builders } = this.#tables;
    const builderIndex = slot * this.#shardCount + shard;
    switch (this.#tables.stores[slot]) {
      case STORES_LATEST: {
        if (isNull(this.#source, at)) return this.#remove(at, slot, builderIndex, row);
        const builder = builders[builderIndex] ?? this.#openColumn(builders, builderIndex, slot, 'latest');
        if (this.#anyRemoved) this.#tables.removers[builderIndex]?.dropRow(row);
        const end = readValue(this.#source, at, this.#tables, slot, builder, this.#scratch.dateResult);
        builder.addRow(row, 0);
        this.valueCount++;
        return end;
      }
      case STORES_LIST:
        return this.#list(
          at,
          slot,
          builders[builderIndex] ?? this.#openColumn(builders, builderIndex, slot, 'list'),
          row,
        );
      case STORES_EVENTS:
        return this.#events(
          at,
          slot,
          builders[builderIndex] ?? this.#openColumn(builders, builderIndex, slot, 'event'),
          row,
        );
      case STORES_RELATED_EVENTS: {
        const builder = builders[builderIndex] ?? this.#openColumn(builders, builderIndex, slot, 'event');
        const before = builder.rowCount;
        const end = this.#events(at, slot, builder, row);
        this.#related.add(slot, builder.rowCount - before);
        return end;
      }
      default:
        invariant(false, `column ${slot} takes no values`);
    }
  }

  #remove(at: number, slot: number, builderIndex: number, row: number): number {
    const { builders, removers } = this.#tables;
    builders[builderIndex]?.dropRow(row);
    (removers[builderIndex] ?? this.#openColumn(removers, builderIndex, slot, 'remove')).addRow(row, 0);
    this.#anyRemoved = true;
    return at + 4;
  }

  #list(from: number, slot: number, builder: ColumnBuilder, row: number): number {
    const { bytes } = this.#source;
    if (isNull(this.#source, from)) {
      builder.addRow(row, 0);
      return from + 4;
    }
    if (bytes[from] !== OPEN_LIST) {
      throw new InsertError(2007, from, `${kindOfValue(bytes[from])} is not a list of values`);
    }
    const before = builder.valueCount;
    let at = skipSpace(bytes, from + 1);
    let more = bytes[at] !== CLOSE_LIST;
    while (more) {
      at = readValue(this.#source, at, this.#tables, slot, builder, this.#scratch.dateResult);
      at = skipSpace(bytes, at);
      more = bytes[at] === COMMA;
      if (more) at = skipSpace(bytes, at + 1);
    }
    if (bytes[at] !== CLOSE_LIST) throw unexpected(this.#source, at, "',' or ']'");
    builder.addRow(row, builder.valueCount - before);
    this.valueCount += builder.valueCount - before;
    return at + 1;
  }

  #events(from: number, slot: number, builder: ColumnBuilder, row: number): number {
    const source = this.#source;
    const { bytes } = source;
    const { dateResult } = this.#scratch;
    const isList = bytes[from] === OPEN_LIST;
    let at = isList ? skipSpace(bytes, from + 1) : from;
    let more = !isList || bytes[at] !== CLOSE_LIST;
    while (more) {
      at = readEvent(source, at, this.#tables, slot, builder, row, this.#nowSeconds, dateResult);
      this.valueCount++;
      if (!isList) return at;
      if (bytes[at] <= 0x20) at = skipSpace(bytes, at);
      more = bytes[at] === COMMA;
      if (more && bytes[++at] <= 0x20) at = skipSpace(bytes, at);
    }
    if (bytes[at] !== CLOSE_LIST) throw unexpected(source, at, "',' or ']'");
    return at + 1;
  }
}

function noDefault(at: number): InsertError {
  return new InsertError(5008, at, 'no dimension is given, and there is no dimension "default"');
}

/** Returns whether the key at `at` is "dimension", with or without escapes. */
function isDimensionKey(source: Source, at: number): boolean {
  return startsDimension(source, at) || (hasEscape(source, at) && stringAt(source, at) === DIMENSION);
}

/** Returns whether the key at `keyAt` contains an escape. */
function hasEscape(source: Source, keyAt: number): boolean {
  const { bytes } = source;
  let at = keyAt + 1;
  while (bytes[at] !== QUOTE && bytes[at] !== BACKSLASH && at < source.end) at++;
  return bytes[at] === BACKSLASH;
}
