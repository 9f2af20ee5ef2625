/** Formats days and seconds as date texts, with a cache for repeated values. */
import { formatDate, formatDateTime } from '../../../schema/index.js';
import { remembered } from './remembered.js';

const written =
  (write: (value: number) => string): (() => (value: number) => string) =>
  () =>
    remembered((value: number) => (Number.isFinite(value) ? write(value) : String(value)));

/** "YYYY-MM-DD" of days since 1970-01-01. */
export const dateTexts = written(formatDate);
/** "YYYY-MM-DDThh:mm:ssZ" of seconds since 1970-01-01T00:00:00Z. */
export const dateTimeTexts = written(formatDateTime);

/** Whole seconds, rounded down, of a number of units of 1/perSecond s. */
export function wholeSecondsOf(units: bigint, perSecond: bigint): number {
  const seconds = units / perSecond;
  return Number(units < 0n && seconds * perSecond !== units ? seconds - 1n : seconds);
}
