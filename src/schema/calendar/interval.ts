/**
 * Intervals: months and seconds. A day is 86,400 seconds, because datetimes are in UTC; a month has no fixed length.
 * An interval is stored as one integer, (months x 30 days + seconds) x 2^18 + months, so that intervals are ordered by their length with months
 * of 30 days, as in PostgreSQL, and the interval of 0 is 0. It is a safe integer up to about 1,088 years.
 */
import { SECONDS_PER_DAY } from '../dates.js';

const MONTH_STEPS = 2 ** 18;
const MONTH_SECONDS = 30 * SECONDS_PER_DAY;

/** Greater intervals are not supported: about 10,922 years, and 17,420 years. */
export const INTERVAL_MONTHS_MAX = MONTH_STEPS / 2 - 1;
export const INTERVAL_SECONDS_MAX = 2 ** 39;

export const isIntervalInRange = (months: number, seconds: number): boolean =>
  Math.abs(months) <= INTERVAL_MONTHS_MAX && Math.abs(seconds) <= INTERVAL_SECONDS_MAX;

/** The stored form, a number if it is a safe integer. Both arguments are whole and in range. */
export function packInterval(months: number, seconds: number): number | bigint {
  const length = months * MONTH_SECONDS + seconds;
  const packed = length * MONTH_STEPS + months;
  return Number.isSafeInteger(packed) ? packed + 0 : BigInt(length) * BigInt(MONTH_STEPS) + BigInt(months);
}

/** The months of a stored interval. */
export function intervalMonths(packed: number | bigint): number {
  const low =
    typeof packed === 'number'
      ? packed - Math.floor(packed / MONTH_STEPS) * MONTH_STEPS
      : Number(BigInt.asUintN(18, packed));
  return low > INTERVAL_MONTHS_MAX ? low - MONTH_STEPS : low;
}

/** The length of an interval in seconds, with months of 30 days. */
export function intervalLength(packed: number | bigint): number {
  const months = intervalMonths(packed);
  if (typeof packed === 'number') return (packed - months) / MONTH_STEPS;
  return Number((packed - BigInt(months)) / BigInt(MONTH_STEPS));
}

/** The seconds of an interval beside its months. */
export const intervalSeconds = (packed: number | bigint): number =>
  intervalLength(packed) - intervalMonths(packed) * MONTH_SECONDS;

/** '1 year 2 mons 3 days 04:05:06', as PostgreSQL writes it: each part has its own sign. */
export function formatInterval(packed: number | bigint): string {
  const months = intervalMonths(packed);
  const seconds = intervalSeconds(packed);
  const days = Math.trunc(seconds / SECONDS_PER_DAY);
  let text = '';
  let isNegative = false;
  const put = (value: number, unit: string): void => {
    if (value === 0) return;
    const sign = isNegative && value > 0 ? '+' : '';
    text += `${text === '' ? '' : ' '}${sign}${value} ${unit}${value === 1 ? '' : 's'}`;
    isNegative = value < 0;
  };
  put(Math.trunc(months / 12), 'year');
  put(months % 12, 'mon');
  put(days, 'day');
  const rest = seconds - days * SECONDS_PER_DAY;
  if (text !== '' && rest === 0) return text;
  const sign = rest < 0 ? '-' : isNegative ? '+' : '';
  return `${text}${text === '' ? '' : ' '}${sign}${clock(Math.abs(rest))}`;
}

const two = (value: number): string => String(value).padStart(2, '0');

const clock = (seconds: number): string =>
  `${two(Math.floor(seconds / 3_600))}:${two(Math.floor((seconds % 3_600) / 60))}:${two(seconds % 60)}`;

export interface IntervalParts {
  readonly months: number;
  readonly seconds: number;
}

/** Months of a unit, or seconds. */
const UNIT_LENGTHS: ReadonlyMap<string, IntervalParts> = new Map(
  (
    [
      [['millennium', 'millennia', 'mil', 'mils'], 12_000, 0],
      [['century', 'centuries', 'cent', 'c'], 1_200, 0],
      [['decade', 'decades', 'dec', 'decs'], 120, 0],
      [['year', 'years', 'yr', 'yrs', 'y'], 12, 0],
      [['quarter', 'quarters'], 3, 0],
      [['month', 'months', 'mon', 'mons'], 1, 0],
      [['week', 'weeks', 'w'], 0, 7 * SECONDS_PER_DAY],
      [['day', 'days', 'd'], 0, SECONDS_PER_DAY],
      [['hour', 'hours', 'hr', 'hrs', 'h'], 0, 3_600],
      [['minute', 'minutes', 'min', 'mins', 'm'], 0, 60],
      [['second', 'seconds', 'sec', 'secs', 's'], 0, 1],
      [['millisecond', 'milliseconds', 'ms', 'msec', 'msecs'], 0, 1e-3],
      [['microsecond', 'microseconds', 'us', 'usec', 'usecs'], 0, 1e-6],
    ] as const
  ).flatMap(([names, months, seconds]) => names.map((name) => [name, { months, seconds }] as const)),
);

/** The length of a unit in singular or plural; undefined for another word. */
export const intervalUnit = (name: string): IntervalParts | undefined => UNIT_LENGTHS.get(name.toLowerCase());

const TEXT_CHARS_MAX = 200;
const PART =
  /\s*(?:([+-]?)(\d{1,9}):(\d{1,2})(?::(\d{1,2})(?:\.0*)?)?|([+-]?\d{1,12}(?:\.\d{1,9})?)\s*([a-z]+))\s*/iy;

/**
 * Reads '1 year 2 months', '3 days 04:05:06', '-2 hours', '1 day ago' or ISO 8601 ('P1Y2M3DT4H5M6S'); null for another text, for an
 * interval with a fraction of a second, and for one that is too long.
 */
export function readIntervalText(text: string): IntervalParts | null {
  if (text.length > TEXT_CHARS_MAX) return null;
  const bare = text.trim().replace(/^@\s*/, '');
  const parts = /^-?P/i.test(bare) ? isoParts(bare) : writtenParts(bare);
  if (parts === null || !isIntervalInRange(parts.months, parts.seconds)) return null;
  return Number.isInteger(parts.months) && Number.isInteger(parts.seconds) ? parts : null;
}

function writtenParts(text: string): IntervalParts | null {
  const ago = /\s+ago$/i.test(text);
  const whole = ago ? text.replace(/\s+ago$/i, '') : text;
  const form = new RegExp(PART);
  let [months, seconds] = [0, 0];
  if (whole === '') return null;
  while (form.lastIndex < whole.length) {
    const match = form.exec(whole);
    if (match === null) return null;
    const [, sign, hours, minutes, rest = '0', count, unit] = match;
    if (count === undefined) {
      if (Number(minutes) > 59 || Number(rest) > 59) return null;
      const time = Number(hours) * 3_600 + Number(minutes) * 60 + Number(rest);
      seconds += sign === '-' ? -time : time;
      continue;
    }
    const length = intervalUnit(unit);
    if (length === undefined) return null;
    months += Number(count) * length.months;
    seconds += rounded(Number(count) * length.seconds);
  }
  return ago ? { months: 0 - months, seconds: 0 - seconds } : { months, seconds };
}

/** Removes the error of a product with a decimal fraction. */
const rounded = (value: number): number => Math.round(value * 1e6) / 1e6;

const ISO =
  /^(-?)P(?:(-?\d{1,6})Y)?(?:(-?\d{1,6})M)?(?:(-?\d{1,8})W)?(?:(-?\d{1,8})D)?(?:T(?=[-\d])(?:(-?\d{1,9})H)?(?:(-?\d{1,9})M)?(?:(-?\d{1,12})(?:\.0*)?S)?)?$/i;

function isoParts(text: string): IntervalParts | null {
  const match = ISO.exec(text);
  if (match === null || /P$/i.test(text)) return null;
  const [years, months, weeks, days, hours, minutes, seconds] = match
    .slice(2)
    .map((digits = '0') => Number(digits));
  const sign = match[1] === '-' ? -1 : 1;
  const ofDays = (weeks * 7 + days) * SECONDS_PER_DAY;
  return {
    months: sign * (years * 12 + months) + 0,
    seconds: sign * (ofDays + hours * 3_600 + minutes * 60 + seconds) + 0,
  };
}
