/** TIME, for which there is no type: a time of day is the interval since midnight, which is written in the same form. */
import { quoted } from '../../../base/index.js';
import type { Expression } from '../../../ir/index.js';
import { sqlError } from '../../sql-error.js';
import type { SourcePosition } from '../../tree.js';
import { callOf, constantOf, INTERVAL, integerOf, isNull, isTextConstant } from './build.js';
import { elapsed } from './interval-arithmetic.js';
import { typeName } from './types.js';

const TIME_NAMES: ReadonlySet<string> = new Set(['time', 'time without time zone']);
const TIME = /^\s*([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.0*)?)?\s*$/;

export const isTime = (name: string): boolean => TIME_NAMES.has(name.toLowerCase());

/** The time of day of a datetime, or the one that a text names. Throws 6000 for other operands. */
export function castToTime(of: Expression, lenient: boolean, position: SourcePosition): Expression {
  if (isNull(of)) return constantOf(INTERVAL, null);
  if (of.type.type === 'interval') return of;
  if (of.type.type === 'datetime') {
    return elapsed(of, callOf('date-truncate', of.type, [of], 'day'), position);
  }
  if (!isTextConstant(of)) throw sqlError(`${typeName(of.type)} cannot be CAST as TIME`, position);
  const parts = TIME.exec(String(of.value));
  if (parts === null) {
    if (lenient) return constantOf(INTERVAL, null);
    throw sqlError(`${quoted(String(of.value))} cannot be read as a time of day, as '10:30:00'`, position);
  }
  const [hours, minutes, seconds] = parts.slice(1).map((part) => Number(part ?? 0));
  return callOf('interval', INTERVAL, [integerOf(0), integerOf((hours * 60 + minutes) * 60 + seconds)]);
}
