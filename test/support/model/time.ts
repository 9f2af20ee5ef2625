/** Instants, windows and intervals of time. All instants are whole seconds since 1970-01-01. */
import type { Json } from '../../../src/api/index.js';
import { asText } from './json.js';

/** Both ends included, unless the second is stated to be excluded. */
export type Span = readonly [from: number, to: number];

const DAY = 86_400;
const UNIT_SECONDS = new Map([
  ['sec', 1],
  ['min', 60],
  ['hr', 3600],
  ['d', DAY],
  ['w', 7 * DAY],
]);

/** Seconds since 1970 of a date or datetime; a fraction of a second is dropped. */
export function instant(text: string): number {
  const seconds = Date.parse(text.length === 10 ? `${text}T00:00:00Z` : text.toUpperCase()) / 1000;
  if (Number.isNaN(seconds)) throw new Error(`not a date: ${text}`);
  return Math.floor(seconds);
}

export const dateText = (seconds: number): string =>
  `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`;

const startOfDay = (seconds: number): number => Math.floor(seconds / DAY) * DAY;

/** The window of a `between`, both ends included. */
export function windowOf(between: readonly Json[], nowMs: number): Span {
  const now = Math.floor(nowMs / 1000);
  if (between[0] === 'today') return [startOfDay(now), startOfDay(now) + DAY - 1];
  const [first, second] = between.map(asText);
  const from = first === 'now' ? now : instant(first);
  const relative = /^([+-]\d+)([a-z]+)$/.exec(second);
  const to = relative
    ? shifted(from, Number(relative[1]), relative[2])
    : second === 'now'
      ? now
      : instant(second);
  return from <= to ? [from, to] : [to, from];
}

/** A window of a list of windows; its end is excluded. */
export function halfOpenWindowOf(between: readonly Json[], nowMs: number): Span {
  const [from, to] = windowOf(between, nowMs);
  return between[0] === 'today' ? [from, to + 1] : [from, to];
}

function shifted(from: number, amount: number, unit: string): number {
  const seconds = UNIT_SECONDS.get(unit);
  if (seconds !== undefined) return from + amount * seconds;
  const start = new Date(from * 1000);
  const end = new Date(from * 1000);
  end.setUTCMonth(start.getUTCMonth() + (unit === 'y' ? 12 * amount : amount));
  // If the month does not have the day, the date overflows into the next month: use the last day of the intended month.
  if (end.getUTCDate() !== start.getUTCDate()) end.setUTCDate(0);
  return end.getTime() / 1000;
}

/** The bucket of an interval that contains the instant, its end excluded; aligned to UTC, weeks begin on Mondays. */
export function bucketOf(seconds: number, interval: string): Span {
  const date = new Date(seconds * 1000);
  const starting = (length: number): Span => {
    const from = Math.floor(seconds / length) * length;
    return [from, from + length];
  };
  switch (interval) {
    case 'seconds':
      return starting(1);
    case 'minutes':
      return starting(60);
    case 'hours':
      return starting(3600);
    case 'days':
      return starting(DAY);
    case 'weeks': {
      const monday = startOfDay(seconds) - ((date.getUTCDay() + 6) % 7) * DAY;
      return [monday, monday + 7 * DAY];
    }
    case 'months': {
      const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
      return [Date.UTC(year, month, 1) / 1000, Date.UTC(year, month + 1, 1) / 1000];
    }
    default:
      throw new Error(`the model does not support the interval ${interval}`);
  }
}
