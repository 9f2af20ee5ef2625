/**
 * Converts texts of values in PostgreSQL's formats to those of the JSON interface. Other texts are returned unchanged, and the
 * JSON interface refuses them.
 */
import { INT64_MAX, INT64_MIN } from '../../base/index.js';
import { baseTypeOf, type Column, formatDateTime, parseDate, parseDateTime } from '../../schema/index.js';

const INTEGER = /^\s*[+-]?\d+\s*$/;
const DECIMAL = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*$/;
const TRUE = /^(t|true|y|yes|on|1)$/i;
const FALSE = /^(f|false|n|no|off|0)$/i;
/** A timestamp with a space or T, seconds and zone optional. */
const TIMESTAMP =
  /^\s*(\d{4}-\d{2}-\d{2})(?:[ Tt](\d{2}:\d{2})(:\d{2}(?:\.\d{1,9})?)?)?\s*(Z|z|[+-]\d{2}(?::?\d{2})?)?\s*$/;

/** `column` null = a date of an event. A boolean column gives a boolean, if the text is one. */
export function fromPostgres(text: string, column: Column | null): string | boolean {
  if (column?.storage === 'list-of-values') return text;
  const type = column === null ? 'datetime' : baseTypeOf(column.type);
  if (type === 'boolean') return TRUE.test(text) ? true : FALSE.test(text) ? false : text;
  if (type === 'integer' || type === 'decimal') return DECIMAL.test(text) ? jsonNumber(text.trim()) : text;
  if (type !== 'date' && type !== 'datetime') return text;
  const match = TIMESTAMP.exec(text);
  if (match === null) return text;
  const [, day, minutes = '00:00', seconds = ':00', zone = 'Z'] = match;
  if (type === 'date') return parseDate(day) === null ? text : day;
  const instant = parseDateTime(`${day}T${minutes}${seconds}${zoneText(zone)}`);
  return instant === null ? text : formatDateTime(instant);
}

/** Drops what JSON does not take: a plus sign, zeros in front, and a point without digits on both sides. */
export const jsonNumber = (text: string): string =>
  text
    .replace(/^\+/, '')
    .replace(/^(-?)0+(?=\d)/, '$1')
    .replace(/^(-?)\./, '$10.')
    .replace(/\.(?=$|[eE])/, '');

/** The name of the column's type in PostgreSQL, of which a text is no value: for its form, or because it is out of range. */
export interface Misfit {
  readonly type: 'bigint' | 'numeric' | 'boolean' | 'date' | 'timestamp with time zone';
  readonly why: 'form' | 'range';
}

/** `column` null = a date of an event. Returns null for a text that fits, and for types that PostgreSQL does not have. */
export function misfitIn(text: string, column: Column | null): Misfit | null {
  if (column?.storage === 'list-of-values') return null;
  const type = column === null ? 'datetime' : baseTypeOf(column.type);
  switch (type) {
    case 'integer': {
      if (!INTEGER.test(text)) return { type: 'bigint', why: 'form' };
      const value = BigInt(jsonNumber(text.trim()));
      return value < INT64_MIN || value > INT64_MAX ? { type: 'bigint', why: 'range' } : null;
    }
    case 'decimal':
      return DECIMAL.test(text) ? null : { type: 'numeric', why: 'form' };
    case 'boolean':
      return typeof fromPostgres(text, column) === 'boolean' ? null : { type: 'boolean', why: 'form' };
    case 'date':
    case 'datetime': {
      const value = String(fromPostgres(text, column));
      if ((type === 'date' ? parseDate(value) : parseDateTime(value)) !== null) return null;
      const name = type === 'date' ? 'date' : 'timestamp with time zone';
      return { type: name, why: TIMESTAMP.test(text) ? 'range' : 'form' };
    }
    default:
      return null;
  }
}

/** Z or ±hh:mm. */
function zoneText(zone: string): string {
  if (/^z$/i.test(zone)) return 'Z';
  const digits = zone.slice(1).replace(':', '').padEnd(4, '0');
  return `${zone[0]}${digits.slice(0, 2)}:${digits.slice(2)}`;
}
