/**
 * The model of a database as immutable plain data for every thread: dimensions, columns and the storage of
 * their values.
 * Invariants: a changed model is a new object with a higher `version`; ids are never reused within a database;
 * `columns` of a dimension is keyed by api-name and always contains `entity-id`.
 */
import { COLUMN_TYPES, DEFAULT_DIMENSION, type STORAGES, type TEXT_CASES } from '../interface/index.js';
import { lowerCase } from './text.js';

export { COLUMN_TYPES };
export type ColumnType = (typeof COLUMN_TYPES)[number];

export type Storage = (typeof STORAGES)[number];

/**
 * fold: texts are stored, returned and compared in lower case. preserve: they are stored and returned as sent, and compared
 * exactly. Only strings and entity IDs can have 'preserve'; all other types have 'fold'.
 */
export type TextCase = (typeof TEXT_CASES)[number];

/**
 * The representation of a value in memory.
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
  /** Set for decimal and decimal-event columns, otherwise null. */
  readonly decimalPlaces: number | null;
  /** Ascending bounds of an enumerated column, otherwise null. */
  readonly range: readonly bigint[] | null;
  /** Days for which an event column keeps its events; null = forever (and for attribute columns). */
  readonly retentionDays: number | null;
  readonly textCase: TextCase;
  readonly active: boolean;
}

/** Event columns whose Nth values within one insert belong together. A column is in at most one relation. */
export interface Relation {
  readonly id: number;
  readonly name: string;
  readonly columnIds: readonly number[];
}

/** A named set of entities of a dimension. */
export interface Segment {
  /**
   * Counted with the dimensions of the database. The IDs of a static segment are stored as the entities of a dimension with
   * this id, which no model names.
   */
  readonly id: number;
  /** Unique within the database. */
  readonly name: string;
  /** JSON text of the condition list that the members satisfy, bound again for every use; null = a static segment. */
  readonly query: string | null;
  /** Hash of the custom key that created the segment; null for other creators. */
  readonly creator: string | null;
}

export interface Dimension {
  readonly id: number;
  readonly name: string;
  readonly apiName: string;
  readonly modelType: 'fact' | 'dimension' | null;
  /** Case of the entity IDs; the `entity-id` column has the same. */
  readonly textCase: TextCase;
  readonly columns: ReadonlyMap<string, Column>;
  /** By name. */
  readonly relations: ReadonlyMap<string, Relation>;
  /** By name. */
  readonly segments: ReadonlyMap<string, Segment>;
}

export interface DatabaseModel {
  readonly id: number;
  readonly name: string;
  readonly type: 'test' | 'production';
  /** Incremented by every change of this model. */
  readonly version: number;
  /**
   * The last version that removed or altered a column or dimension. Requests parsed against an older version must be parsed
   * again.
   */
  readonly shrinkVersion: number;
  readonly nextDimensionId: number;
  /** The id that the next column or relation gets. */
  readonly nextColumnId: number;
  /** Default case of new dimensions and columns. */
  readonly textCase: TextCase;
  readonly dimensions: ReadonlyMap<string, Dimension>;
}

export { DEFAULT_DIMENSION };
export const ENTITY_ID_COLUMN = 'entity-id';
/** Top-level keys of the column listing, which has one more key per dimension; dimensions cannot use these names. */
export const RESERVED_DIMENSIONS: readonly string[] = ['status', 'count', 'took'];

export function isEventType(type: ColumnType): boolean {
  return type.endsWith('-event');
}

/** The type of a single value: for event columns, the type without `-event`. */
export function baseTypeOf(type: ColumnType): ColumnType {
  return (isEventType(type) ? type.slice(0, -'-event'.length) : type) as ColumnType;
}

/** The representation of a column's values. Not meaningful for `unique-id`: entity IDs are stored in the entity index. */
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

/** A column in its simplest form, with the fields in `more`. */
export const newColumn = ({
  id,
  apiName,
  type,
  ...more
}: Pick<Column, 'id' | 'apiName' | 'type'> & Partial<Column>): Column => ({
  id,
  name: apiName,
  apiName,
  description: '',
  type,
  storage: isEventType(type) ? null : 'latest-value',
  cardinality: null,
  decimalPlaces: null,
  range: null,
  retentionDays: null,
  textCase: 'fold',
  active: true,
  ...more,
});

/** The `entity-id` column of every dimension. Its id is always 0, because its values are stored in the entity index. */
export const ENTITY_ID: Column = newColumn({ id: 0, apiName: ENTITY_ID_COLUMN, type: 'unique-id' });

/** The `entity-id` column of a dimension. */
export const entityIdColumn = (textCase: TextCase): Column => ({ ...ENTITY_ID, textCase });

/** Creates a dimension whose only column is `entity-id`. */
export function newDimension({
  id,
  apiName,
  name = apiName,
  modelType = null,
  textCase = 'fold',
}: Pick<Dimension, 'id' | 'apiName'> &
  Partial<Pick<Dimension, 'name' | 'modelType' | 'textCase'>>): Dimension {
  return {
    id,
    name,
    apiName,
    modelType,
    textCase,
    columns: new Map([[ENTITY_ID_COLUMN, entityIdColumn(textCase)]]),
    relations: new Map(),
    segments: new Map(),
  };
}

/** The dimension, if it exists, whose rows are stored under this id: one of the model, or that of the IDs of a static segment. */
export function storedDimension(model: DatabaseModel, id: number): Dimension | undefined {
  for (const dimension of model.dimensions.values()) {
    if (dimension.id === id) return dimension;
    for (const segment of dimension.segments.values()) {
      if (segment.id === id && segment.query === null) return idsOf(segment, dimension);
    }
  }
  return undefined;
}

/** The dimension that holds the IDs of a static segment of `dimension`. */
export const idsOf = ({ id, name }: Segment, { textCase }: Pick<Dimension, 'textCase'>): Dimension =>
  newDimension({ id, apiName: name, textCase });

/** The segment with the name, and its dimension. */
export function segmentNamed(
  model: DatabaseModel,
  name: string,
): { readonly segment: Segment; readonly dimension: Dimension } | undefined {
  for (const dimension of model.dimensions.values()) {
    const segment = dimension.segments.get(name);
    if (segment !== undefined) return { segment, dimension };
  }
  return undefined;
}

/** The form in which a text is stored and compared. */
export function storedText(text: string, { textCase }: { readonly textCase: TextCase }): string {
  return textCase === 'preserve' ? text : lowerCase(text);
}
