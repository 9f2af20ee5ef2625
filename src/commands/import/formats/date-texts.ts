/** Days and seconds as the texts of dates, each worked out once as long as values repeat. */
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

/** The whole seconds that a number of `perSecond` units lies in. */
export function secondsOf(units: bigint, perSecond: bigint): number {
  const seconds = units / perSecond;
  return Number(units < 0n && seconds * perSecond !== units ? seconds - 1n : seconds);
}
