/**
 * Converts texts of values in PostgreSQL's formats to those of the JSON interface. Other texts are returned unchanged, and the
 * JSON interface refuses them.
 */
import { baseTypeOf, type Column, formatDateTime, parseDate, parseDateTime } from '../../schema/index.js';

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
  if (type !== 'date' && type !== 'datetime') return text;
  const match = TIMESTAMP.exec(text);
  if (match === null) return text;
  const [, day, minutes = '00:00', seconds = ':00', zone = 'Z'] = match;
  if (type === 'date') return parseDate(day) === null ? text : day;
  const instant = parseDateTime(`${day}T${minutes}${seconds}${zoneText(zone)}`);
  return instant === null ? text : formatDateTime(instant);
}

/** Z or ±hh:mm. */
function zoneText(zone: string): string {
  if (/^z$/i.test(zone)) return 'Z';
  const digits = zone.slice(1).replace(':', '').padEnd(4, '0');
  return `${zone[0]}${digits.slice(0, 2)}:${digits.slice(2)}`;
}
