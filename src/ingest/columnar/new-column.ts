/** The column that auto-create makes for a field of Arrow. */
import type { Column, ColumnType } from '../../schema/index.js';
import type { ArrowArray } from './arrow-array.js';
import { describeType } from './arrow-type.js';
import { hasValue, presentRows } from './column-values.js';
import { floatsOf } from './read-numbers.js';

/** As for columns that are created by JSON. */
const DECIMAL_PLACES_MIN = 6;
const DECIMAL_PLACES_MAX = 20;

type Form = Pick<Column, 'type' | 'storage' | 'cardinality' | 'decimalPlaces'>;

/** Type and storage of the column; a text = why there is none. */
export function newColumnOf(array: ArrowArray, isEvent: boolean): Form | string {
  const { type } = array.field;
  const isList = !isEvent && (type.is === 'list' || type.is === 'fixed-list');
  const values = array.dictionary ?? (isList ? array.children[0] : array);
  const base = values === undefined ? null : baseOf(values.dictionary ?? values);
  if (values === undefined || base === null) return `no column takes ${describeType(array.field)}`;
  return {
    type: isEvent ? (`${base}-event` as ColumnType) : base,
    storage: isEvent ? null : isList ? 'list-of-values' : 'latest-value',
    cardinality: base === 'string' && !isEvent ? 'high' : null,
    decimalPlaces: base === 'decimal' ? placesOf(values.dictionary ?? values) : null,
  };
}

function baseOf({ field: { type } }: ArrowArray): ColumnType | null {
  switch (type.is) {
    case 'int':
      return 'integer';
    case 'float':
      return 'decimal';
    case 'decimal':
      return type.places > 0 ? 'decimal' : 'integer';
    case 'bool':
      return 'boolean';
    case 'text':
    case 'text-view':
      return 'string';
    case 'date':
      return 'date';
    case 'timestamp':
      return 'datetime';
    default:
      return null;
  }
}

function placesOf(array: ArrowArray): number {
  const { type } = array.field;
  if (type.is === 'decimal') return Math.min(DECIMAL_PLACES_MAX, type.places);
  if (type.is !== 'float') return DECIMAL_PLACES_MIN;
  const floats = floatsOf(array, type.bits);
  const present = presentRows(array);
  const toSame = type.bits === 32 ? Math.fround : (value: number): number => value;
  let places = DECIMAL_PLACES_MIN;
  let power = 10 ** places;
  for (let row = 0; row < floats.length; row++) {
    if (!hasValue(present, row) || !Number.isFinite(floats[row])) continue;
    while (places < DECIMAL_PLACES_MAX && toSame(Math.round(floats[row] * power) / power) !== floats[row]) {
      places++;
      power *= 10;
    }
  }
  return places;
}
