/**
 * Dates and times as shippers write them, in the form that events and datetime columns take: whole seconds of UTC. Fractions of a
 * second are cut off.
 */
import { dateIn, dateTimeIn, dateTimeOfUnixTime } from '../../schema/index.js';

const UNIX_TIME = /^(-?\d{1,19})(?:\.(\d+))?$/;

/**
 * The instant that `text` names, as YYYY-MM-DDThh:mm:ssZ, or the day, as YYYY-MM-DD; null if it is neither a date nor seconds,
 * milliseconds, microseconds or nanoseconds since 1970 (by their size). A time without an offset is UTC.
 */
export function instantIn(text: string): string | null {
  const unix = UNIX_TIME.exec(text);
  if (unix === null) return dateIn(text) ?? dateTimeIn(text);
  const [, whole, fraction = ''] = unix;
  // An instant before 1970 belongs to the unit that has begun.
  const isCut = whole.startsWith('-') && /[1-9]/.test(fraction);
  return dateTimeOfUnixTime(BigInt(whole) - (isCut ? 1n : 0n));
}
