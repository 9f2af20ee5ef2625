/** SQL types of columns and casts, and their names in messages. */
import type { Column, ValueForm } from '../../../schema/index.js';
import { baseTypeOf } from '../../../schema/index.js';
import { DIGITS_MAX, type SqlType, scaleOf } from '../../../vector/index.js';

/** The type of a column's value in a row: lists and points are json. For an event column, the type of an event's value. */
export function sqlTypeOf(column: Column): SqlType {
  return column.storage === 'list-of-values'
    ? { type: 'json', items: itemTypeOf(column) }
    : itemTypeOf(column);
}

/** The type of a single value; for lists, of an item. */
export function itemTypeOf({ type, decimalPlaces }: ValueForm): SqlType {
  const base = baseTypeOf(type);
  switch (base) {
    case 'decimal':
      return { type: 'decimal', scale: decimalPlaces ?? 0 };
    case 'integer':
    case 'enumerated':
      return { type: 'integer' };
    case 'boolean':
    case 'date':
    case 'datetime':
      return { type: base };
    case 'geolocation':
      return { type: 'json' };
    default:
      return { type: 'text' };
  }
}

/** 'integer', 'decimal(2)', ... */
export function typeName(type: SqlType): string {
  return type.type === 'decimal' ? `decimal(${type.scale})` : type.type;
}

export function sameType(a: SqlType, b: SqlType): boolean {
  return a.type === b.type && scaleOf(a) === scaleOf(b);
}

/** Whether the type is integer or decimal. */
export function isExactNumber({ type }: SqlType): boolean {
  return type === 'integer' || type === 'decimal';
}

export function isNumber(type: SqlType): boolean {
  return isExactNumber(type) || type.type === 'float';
}

export function isDate({ type }: SqlType): boolean {
  return type === 'date' || type === 'datetime';
}

const TYPE_NAMES: Readonly<Record<SqlType['type'], readonly string[]>> = {
  integer: [
    ...['int', 'integer', 'bigint', 'smallint', 'tinyint', 'mediumint', 'hugeint', 'int1', 'int2', 'int4'],
    ...['int8', 'long', 'short', 'signed', 'unsigned'],
  ],
  decimal: ['decimal', 'numeric', 'dec', 'number'],
  float: ['float', 'double', 'real', 'double precision', 'float4', 'float8'],
  text: [
    ...['varchar', 'char', 'nvarchar', 'nchar', 'text', 'string', 'character', 'character varying', 'ntext'],
    ...['bpchar'],
  ],
  boolean: ['bool', 'boolean', 'bit', 'logical'],
  date: ['date'],
  datetime: [
    ...['datetime', 'datetime2', 'smalldatetime', 'datetimeoffset', 'timestamp', 'timestamptz'],
    ...['timestamp with time zone', 'timestamp without time zone'],
  ],
  interval: ['interval'],
  json: ['json', 'jsonb'],
};

const TYPES_BY_NAME: ReadonlyMap<string, SqlType['type']> = new Map(
  (Object.keys(TYPE_NAMES) as SqlType['type'][]).flatMap((type) =>
    TYPE_NAMES[type].map((name) => [name, type] as const),
  ),
);

export const CAST_TYPE_NAMES: readonly string[] = [...TYPES_BY_NAME.keys()];

/** The scale of DECIMAL without precision and scale, as in DuckDB. */
const SCALE_DEFAULT = 3;

/**
 * The type of CAST(x AS name(precision, scale)); null if there is no such type. The length of a text type is
 * not part of it, and the precision of a decimal limits only its scale: values have up to DIGITS_MAX digits.
 */
export function castTarget(name: string, precision: number | null, scale: number | null): SqlType | null {
  const type = TYPES_BY_NAME.get(name.toLowerCase());
  if (type === undefined) return null;
  if (type !== 'decimal') return { type };
  if (precision === null) return { type, scale: SCALE_DEFAULT };
  const places = scale ?? 0;
  const whole = Number.isInteger(precision) && Number.isInteger(places);
  const inside = precision >= 1 && precision <= DIGITS_MAX && places >= 0 && places <= precision;
  return whole && inside ? { type, scale: places } : null;
}
