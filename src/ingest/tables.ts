/**
 * A database model as the entity walk wants it: columns and dimensions by small numbers, their rules in arrays.
 * Built once per model object and kept with the scratch.
 * Invariants: a column's slot is unique within the tables, over all dimensions; dimension d's slots are
 * [firstSlot[d], firstSlot[d + 1]); between requests all builders are null, all touched lists empty; guesses name
 * only columns that the caller may write, since a column guessed right is not checked again.
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
import { Bounds } from './enumerated.js';
import { NameTable } from './names.js';
import { RelatedEvents } from './relations.js';

/** The key under which an entity names its dimension. */
export const DIMENSION = 'dimension';

/** What a value of a column is read as. */
export const AS_TEXT = 0;
export const AS_INTEGER = 1;
export const AS_DECIMAL = 2;
export const AS_BOOLEAN = 3;
export const AS_DATE = 4;
export const AS_DATETIME = 5;
export const AS_POINT = 6;
export const AS_ENUMERATED = 7;
/** A datetime that may also stand as a date, for its midnight. */
export const AS_INSTANT = 8;

/** How a column takes its values. */
export const TAKES_LATEST = 0;
export const TAKES_LIST = 1;
export const TAKES_EVENTS = 2;
/** Inactive, or the entity ID. */
export const TAKES_NOTHING = 3;
/** Events that are counted, since the column is in a relation. */
export const TAKES_RELATED_EVENTS = 4;

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
      return AS_TEXT;
  }
}

function takesOf(column: Column, isRelated: boolean): number {
  if (!column.active || column.type === 'unique-id') return TAKES_NOTHING;
  if (isEventType(column.type)) return isRelated ? TAKES_RELATED_EVENTS : TAKES_EVENTS;
  return column.storage === 'list-of-values' ? TAKES_LIST : TAKES_LATEST;
}

export class DimensionTable {
  readonly dimension: Dimension;
  readonly firstSlot: number;
  readonly names: NameTable;
  /** Slots that this request wrote to, in the order of their first mention. */
  readonly touchedSlots: number[] = [];
  /** The column that stood first in the last entity: a guess. */
  guess = -1;
  /** Per shard. */
  batches: (BatchBuilder | null)[] = [];

  constructor(dimension: Dimension, firstSlot: number) {
    this.dimension = dimension;
    this.firstSlot = firstSlot;
    this.names = new NameTable([...dimension.columns.keys()]);
  }
}

export class ModelTables {
  readonly dimensions: readonly DimensionTable[];
  readonly dimensionNames: NameTable;
  /** Place of the dimension for entities that name none; -1 when it was deleted. */
  readonly defaultDimension: number;

  // By slot.
  readonly columns: readonly Column[];
  readonly reader: Uint8Array;
  readonly takes: Uint8Array;
  readonly places: Uint8Array;
  /** Of enumerated columns. */
  readonly bounds: readonly (Bounds | null)[];
  readonly related: RelatedEvents;
  /** The column that stood behind this one in an earlier entity: a guess; -1 = none yet. */
  readonly next: Int32Array;

  /** 1 = this request names the column. */
  readonly touched: Uint8Array;
  shardCount = 0;
  /** Changes with the number of shards and with the columns that may be written. */
  version = 0;
  /** At slot x shardCount + shard; null = not yet touched by this request. */
  builders: (ColumnBuilder | null)[] = [];
  /** The same for values taken away. */
  removers: (ColumnBuilder | null)[] = [];
  /** The columns that the caller may write; null = all. */
  #allowedIds: readonly number[] | null = null;
  #allowed: ReadonlySet<number> | null = null;

  /** `midnights`: datetime columns that take dates too. */
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
    this.columns = columns;
    this.reader = Uint8Array.from(columns, (column) => readerOf(column, midnights));
    this.related = new RelatedEvents(columns, model.dimensions.values());
    this.takes = Uint8Array.from(columns, (column, slot) =>
      takesOf(column, this.related.relationIds[slot] !== 0),
    );
    this.places = Uint8Array.from(columns, (column) => column.decimalPlaces ?? 0);
    this.bounds = columns.map((column) => (column.range === null ? null : new Bounds(column.range)));
    this.touched = new Uint8Array(columns.length);
    this.next = new Int32Array(columns.length).fill(-1);
  }

  /** Makes the tables ready for requests of `shardCount` shards by a caller who may write `columnIds`; null = all. */
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

  /** Another caller's guesses are forgotten. */
  #restrict(columnIds: readonly number[] | null): void {
    if (sameIds(columnIds, this.#allowedIds)) return;
    this.version++;
    this.#allowedIds = columnIds?.slice() ?? null;
    this.#allowed = columnIds === null ? null : new Set(columnIds);
    this.next.fill(-1);
    for (const dimension of this.dimensions) dimension.guess = -1;
  }

  /** Forgets the request: lets go of all builders. */
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

/** Lists come anew with every request, so what counts is what stands in them. */
function sameIds(a: readonly number[] | null, b: readonly number[] | null): boolean {
  if (a === null || b === null) return a === b;
  return a.length === b.length && a.every((id, index) => id === b[index]);
}
