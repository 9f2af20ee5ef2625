/**
 * What a database is made of, as plain immutable data that every thread can hold: dimensions, columns and
 * how a column's values are kept.
 * Invariants: a changed model is a new object with a higher `version`; ids are never used twice within a
 * database; `columns` of a dimension are keyed by api-name and always hold `entity-id`.
 */
import { COLUMN_TYPES, DEFAULT_DIMENSION, type STORAGES } from '../interface/index.js';

export { COLUMN_TYPES };
export type ColumnType = (typeof COLUMN_TYPES)[number];

export type Storage = (typeof STORAGES)[number];

/**
 * How values lie in memory.
 *   bits  boolean, one bit a row          i32   date, days since 1970-01-01
 *   i64   integer, enumerated, decimal (scaled by decimal-places), datetime (seconds since 1970-01-01)
 *   code  string, by dictionary           geo   longitude and latitude, two f64
 */
export type ValueKind = 'bits' | 'i32' | 'i64' | 'code' | 'geo';

export interface Column {
  readonly id: number;
  readonly name: string;
  readonly apiName: string;
  readonly description: string;
  readonly type: ColumnType;
  /** null for event columns. */
  readonly storage: Storage | null;
  readonly cardinality: 'low' | 'high' | null;
  /** Set on decimal and decimal-event columns, else null. */
  readonly decimalPlaces: number | null;
  /** Ascending bounds of an enumerated column, else null. */
  readonly range: readonly bigint[] | null;
  /** Whole days that an event column keeps its events; null = for ever (and for attribute columns). */
  readonly retentionDays: number | null;
  readonly active: boolean;
}

/** Event columns whose Nth values of one insert belong together; a column is in at most one relation. */
export interface Relation {
  readonly id: number;
  readonly name: string;
  readonly columnIds: readonly number[];
}

export interface Dimension {
  readonly id: number;
  readonly name: string;
  readonly apiName: string;
  readonly modelType: 'fact' | 'dimension' | null;
  readonly columns: ReadonlyMap<string, Column>;
  /** By name. */
  readonly relations: ReadonlyMap<string, Relation>;
}

export interface DatabaseModel {
  readonly id: number;
  readonly name: string;
  readonly type: 'test' | 'production';
  /** Goes up with every change of this database's model. */
  readonly version: number;
  /** The last version in which a column or dimension was taken away or altered: older parses must be redone. */
  readonly shrinkVersion: number;
  readonly nextDimensionId: number;
  /** The next id of a column or a relation. */
  readonly nextColumnId: number;
  readonly dimensions: ReadonlyMap<string, Dimension>;
}

export { DEFAULT_DIMENSION };
export const ENTITY_ID_COLUMN = 'entity-id';
/** Keys of the column listing's answer, which holds one key per dimension beside them: no dimension is called so. */
export const RESERVED_DIMENSIONS: readonly string[] = ['status', 'count', 'took'];

export function isEventType(type: ColumnType): boolean {
  return type.endsWith('-event');
}

/** The type of one value: that of an event column's values without the `-event`. */
export function baseTypeOf(type: ColumnType): ColumnType {
  return (isEventType(type) ? type.slice(0, -'-event'.length) : type) as ColumnType;
}

/** The kind of a column's values; `unique-id` has none, because entity IDs are kept apart. */
export function valueKindOf(type: ColumnType): ValueKind {
  switch (baseTypeOf(type)) {
    case 'boolean':
      return 'bits';
    case 'date':
      return 'i32';
    case 'string':
      return 'code';
    case 'geolocation':
      return 'geo';
    default:
      return 'i64';
  }
}

/** The `entity-id` column that every dimension has; its id is 0 in all of them, since its values are kept apart. */
export const ENTITY_ID: Column = {
  id: 0,
  name: ENTITY_ID_COLUMN,
  apiName: ENTITY_ID_COLUMN,
  description: '',
  type: 'unique-id',
  storage: 'latest-value',
  cardinality: null,
  decimalPlaces: null,
  range: null,
  retentionDays: null,
  active: true,
};

/** A dimension without columns of its own. */
export function newDimension(
  id: number,
  apiName: string,
  name: string = apiName,
  modelType: Dimension['modelType'] = null,
): Dimension {
  return {
    id,
    name,
    apiName,
    modelType,
    columns: new Map([[ENTITY_ID_COLUMN, ENTITY_ID]]),
    relations: new Map(),
  };
}
