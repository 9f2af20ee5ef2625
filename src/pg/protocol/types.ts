/** Maps types to those of Postgres: integers are int8, datetimes are timestamptz (in UTC), local times are timestamp, lists and points are json. */
import { DIGITS_MAX, type Field, type SqlType } from '../../vector/index.js';
import type { RowField } from './messages.js';

/** OIDs of types in the catalog of Postgres. */
export const TYPE = {
  bool: 16,
  int8: 20,
  int2: 21,
  int4: 23,
  text: 25,
  json: 114,
  float4: 700,
  float8: 701,
  unknown: 705,
  bpchar: 1042,
  varchar: 1043,
  date: 1082,
  timestamp: 1114,
  timestamptz: 1184,
  interval: 1186,
  numeric: 1700,
} as const;

/** OIDs by the names of types in SQL, in lower case. */
export const TYPES_BY_NAME: ReadonlyMap<string, number> = new Map([
  ...Object.entries(TYPE),
  ['bigint', TYPE.int8],
  ['smallint', TYPE.int2],
  ['int', TYPE.int4],
  ['integer', TYPE.int4],
  ['real', TYPE.float4],
  ['float', TYPE.float8],
  ['double precision', TYPE.float8],
  ['decimal', TYPE.numeric],
  ['boolean', TYPE.bool],
  ['char', TYPE.bpchar],
  ['character', TYPE.bpchar],
  ['character varying', TYPE.varchar],
]);

interface PostgresType {
  readonly id: number;
  readonly size: number;
  readonly name: string;
}

const TYPES: Readonly<Record<SqlType['type'], PostgresType>> = {
  integer: { id: TYPE.int8, size: 8, name: 'bigint' },
  decimal: { id: TYPE.numeric, size: -1, name: 'numeric' },
  float: { id: TYPE.float8, size: 8, name: 'double precision' },
  boolean: { id: TYPE.bool, size: 1, name: 'boolean' },
  text: { id: TYPE.text, size: -1, name: 'text' },
  date: { id: TYPE.date, size: 4, name: 'date' },
  datetime: { id: TYPE.timestamptz, size: 8, name: 'timestamp with time zone' },
  interval: { id: TYPE.interval, size: 16, name: 'interval' },
  json: { id: TYPE.json, size: -1, name: 'json' },
};

const LOCAL_TIME: PostgresType = { id: TYPE.timestamp, size: 8, name: 'timestamp without time zone' };

const postgresType = (type: SqlType): PostgresType =>
  type.type === 'datetime' && type.local === true ? LOCAL_TIME : TYPES[type.type];

/** Offset in a type modifier: that of numeric is `(precision << 16 | scale) + 4`. */
const MODIFIER_HEAD = 4;

export function rowField({ name, type }: Field): RowField {
  const { id, size } = postgresType(type);
  const digits = type.type === 'decimal' ? DIGITS_MAX * 65_536 + type.scale + MODIFIER_HEAD : -1;
  return { name, typeId: id, typeSize: size, modifier: digits };
}

/** The type in the syntax of CREATE TABLE. */
export function typeText(type: SqlType): string {
  const { name } = postgresType(type);
  return type.type === 'decimal' ? `${name}(${DIGITS_MAX},${type.scale})` : name;
}
