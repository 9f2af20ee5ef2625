/**
 * A database model in the form that the parser needs: columns and dimensions numbered from 0, their rules in arrays. Built once
 * per model and kept in the scratch.
 * Invariants: a column's slot is unique within the tables, across all dimensions; the slots of a dimension are contiguous;
 * between requests all builders are null and all touched lists empty; guesses name only columns that the caller may write,
 * because a correct guess is not checked again.
 */
import {
  baseTypeOf,
  type Column,
  type DatabaseModel,
  DEFAULT_DIMENSION,
  type Dimension,
  isEventType,
} from '../schema/index.js';
import type { BatchBuilder, ColumnBuilder } from './builders.js';
import { Bounds } from './values/enumerated.js';
import { NameTable } from './values/names.js';
import { RelatedEvents } from './values/relations.js';

/** The key under which an entity names its dimension. */
export const DIMENSION = 'dimension';

/** How a value of a column is read. */
export const AS_TEXT = 0;
export const AS_INTEGER = 1;
export const AS_DECIMAL = 2;
export const AS_BOOLEAN = 3;
export const AS_DATE = 4;
export const AS_DATETIME = 5;
export const AS_POINT = 6;
export const AS_ENUMERATED = 7;
/** A datetime, or a date as its midnight. */
export const AS_INSTANT = 8;
/** A string that keeps the case in which it was sent. */
export const AS_UNCHANGED_TEXT = 9;

/** How a column stores its values. */
export const STORES_LATEST = 0;
export const STORES_LIST = 1;
export const STORES_EVENTS = 2;
/** Inactive columns and the entity ID. */
export const STORES_NOTHING = 3;
/** Events of a column in a relation, which are counted. */
export const STORES_RELATED_EVENTS = 4;

function readerOf(column: Column, midnights: ReadonlySet<Column>): number {
  switch (baseTypeOf(column.type)) {
    case 'integer':
      return AS_INTEGER;
    case 'enumerated':
      return AS_ENUMERATED;
    case 'decimal':
      return AS_DECIMAL;
    case 'boolean':
      return AS_BOOLEAN;
    case 'date':
      return AS_DATE;
    case 'datetime':
      return midnights.has(column) ? AS_INSTANT : AS_DATETIME;
    case 'geolocation':
      return AS_POINT;
    default:
      return column.textCase === 'preserve' ? AS_UNCHANGED_TEXT : AS_TEXT;
  }
}

function storageOf(column: Column, isRelated: boolean): number {
  if (!column.active || column.type === 'unique-id') return STORES_NOTHING;
  if (isEventType(column.type)) return isRelated ? STORES_RELATED_EVENTS : STORES_EVENTS;
  return column.storage === 'list-of-values' ? STORES_LIST : STORES_LATEST;
}

export class DimensionTable {
  readonly dimension: Dimension;
  readonly firstSlot: number;
  readonly names: NameTable;
  /** Entity IDs keep their case. */
  readonly preservesIds: boolean;
  /** Slots that this request writes, in the order of first mention. */
  readonly touchedSlots: number[] = [];
  /** The first column of the previous entity, used as a guess. */
  guess = -1;
  /** Per shard. */
  batches: (BatchBuilder | null)[] = [];

  constructor(dimension: Dimension, firstSlot: number) {
    this.dimension = dimension;
    this.firstSlot = firstSlot;
    this.names = new NameTable([...dimension.columns.keys()]);
    this.preservesIds = dimension.textCase === 'preserve';
  }
}

export class ModelTables {
  readonly dimensions: readonly DimensionTable[];
  readonly dimensionNames: NameTable;
  /** Index of the dimension for entities that name none; -1 = it was deleted. */
  readonly defaultDimension: number;
  /** At least one dimension preserves the case of entity IDs. */
  readonly preservesIds: boolean;

  // By slot.
  readonly columns: readonly Column[];
  readonly reader: Uint8Array;
  readonly stores: Uint8Array;
  readonly scales: Uint8Array;
  /** For enumerated columns. */
  readonly bounds: readonly (Bounds | null)[];
  readonly related: RelatedEvents;
  /** The column that followed this one in an earlier entity, used as a guess; -1 = none yet. */
  readonly next: Int32Array;

  /** 1 = this request names the column. */
  readonly touched: Uint8Array;
  shardCount = 0;
  /** Changes with the number of shards and with the set of writable columns. */
  version = 0;
  /** At slot x shardCount + shard; null = not touched by this request. */
  builders: (ColumnBuilder | null)[] = [];
  /** Like `builders`, for removed values. */
  removers: (ColumnBuilder | null)[] = [];
  /** The columns that the caller may write; null = all. */
  #allowedIds: readonly number[] | null = null;
  #allowed: ReadonlySet<number> | null = null;

  /** `midnights` are datetime columns that also accept dates. */
  constructor(model: DatabaseModel, midnights: ReadonlySet<Column>) {
    const columns: Column[] = [];
    this.dimensions = [...model.dimensions.values()].map((dimension) => {
      const firstSlot = columns.length;
      for (const column of dimension.columns.values()) {
        columns.push(column);
      }
      return new DimensionTable(dimension, firstSlot);
    });
    const names = [...model.dimensions.keys()];
    this.dimensionNames = new NameTable(names);
    this.defaultDimension = names.indexOf(DEFAULT_DIMENSION);
    this.preservesIds = this.dimensions.some(({ preservesIds }) => preservesIds);
    this.columns = columns;
    this.reader = Uint8Array.from(columns, (column) => readerOf(column, midnights));
    this.related = new RelatedEvents(columns, model.dimensions.values());
    this.stores = Uint8Array.from(columns, (column, slot) =>
      storageOf(column, this.related.relationIds[slot] !== 0),
    );
    this.scales = Uint8Array.from(columns, (column) => column.decimalPlaces ?? 0);
    this.bounds = columns.map((column) => (column.range === null ? null : new Bounds(column.range)));
    this.touched = new Uint8Array(columns.length);
    this.next = new Int32Array(columns.length).fill(-1);
  }

  /** Prepares the tables for requests with `shardCount` shards by a caller who may write `columnIds`; null = all. */
  prepare(shardCount: number, columnIds: readonly number[] | null): void {
    this.#restrict(columnIds);
    if (shardCount === this.shardCount) return;
    this.shardCount = shardCount;
    this.version++;
    this.builders = new Array(this.columns.length * shardCount).fill(null);
    this.removers = new Array(this.columns.length * shardCount).fill(null);
    for (const dimension of this.dimensions) dimension.batches = new Array(shardCount).fill(null);
  }

  /** Whether the caller may write the column. */
  allows(column: Column): boolean {
    return this.#allowed === null || this.#allowed.has(column.id);
  }

  /** Discards the guesses made for another caller. */
  #restrict(columnIds: readonly number[] | null): void {
    if (sameIds(columnIds, this.#allowedIds)) return;
    this.version++;
    this.#allowedIds = columnIds?.slice() ?? null;
    this.#allowed = columnIds === null ? null : new Set(columnIds);
    this.next.fill(-1);
    for (const dimension of this.dimensions) dimension.guess = -1;
  }

  /** Resets the tables after a request and drops all builders. */
  clear(): void {
    const { shardCount } = this;
    this.related.clear();
    for (const dimension of this.dimensions) {
      for (const slot of dimension.touchedSlots) {
        this.touched[slot] = 0;
        this.builders.fill(null, slot * shardCount, (slot + 1) * shardCount);
        this.removers.fill(null, slot * shardCount, (slot + 1) * shardCount);
      }
      dimension.touchedSlots.length = 0;
      dimension.batches.fill(null);
    }
  }
}

/** Compares by contents, because each request carries new lists. */
function sameIds(a: readonly number[] | null, b: readonly number[] | null): boolean {
  if (a === null || b === null) return a === b;
  return a.length === b.length && a.every((id, index) => id === b[index]);
}
