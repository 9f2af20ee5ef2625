/** Formats stored values as the text that answers contain. */
import { formatDate, formatDateTime } from './dates.js';
import { formatDecimal } from './decimals.js';
import { baseTypeOf, type ColumnType } from './model.js';

export interface Point {
  readonly longitude: number;
  readonly latitude: number;
}

/** The properties of a column that determine the text of its values. */
export interface ValueForm {
  readonly type: ColumnType;
  /** Set if `type` is decimal or decimal-event. */
  readonly decimalPlaces: number | null;
}

/**
 * The text of a 64-bit stored value: digits of integers and decimals (without trailing zeros), true or false,
 * YYYY-MM-DD, YYYY-MM-DDThh:mm:ssZ.
 */
export function textOfInteger({ type, decimalPlaces }: ValueForm, value: bigint): string {
  switch (baseTypeOf(type)) {
    case 'boolean':
      return value === 0n ? 'false' : 'true';
    case 'date':
      return formatDate(Number(value));
    case 'datetime':
      return formatDateTime(Number(value));
    case 'decimal':
      return formatDecimal(value, decimalPlaces ?? 0);
    default:
      return String(value);
  }
}

/** The JSON text [longitude,latitude]. */
export function textOfPoint({ longitude, latitude }: Point): string {
  return JSON.stringify([longitude, latitude]);
}
