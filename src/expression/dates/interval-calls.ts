/**
 * Functions of intervals on vectors. Stored intervals are integers (schema/calendar/interval.ts), nearly always safe ones; datetimes are
 * seconds.
 */
import type { DateUnit, ScalarFunction } from '../../ir/index.js';
import {
  DateFields,
  daysInMonth,
  intervalLength,
  intervalMonths,
  intervalSeconds,
  isIntervalInRange,
  packInterval,
  SECONDS_PER_DAY,
} from '../../schema/index.js';
import type { ExactVector, Vector } from '../../vector/index.js';
import { exactVector } from '../../vector/index.js';
import { expressionError } from '../error.js';
import { allValid, counts } from '../functions/read-rows.js';
import { exactOf } from '../kinds.js';
import { isValid } from '../validity.js';
import { addUnits, withinYears } from './calendar.js';

type Apply = (args: readonly Vector[]) => Vector;
type Stored = (row: number) => number | bigint;

/** Returns null for functions of other types. */
export function intervalFunction(name: ScalarFunction, unit: DateUnit | null): Apply | null {
  switch (name) {
    case 'interval':
      return ([months, seconds]) => {
        const [ofMonths, ofSeconds] = [counts(months), counts(seconds)];
        return intervals([months, seconds], (row) => packed(ofMonths(row), ofSeconds(row)));
      };
    case 'interval-length':
      return ([interval]) => numbers([interval], of(interval, intervalLength));
    case 'interval-part':
      return ([interval]) => numbers([interval], of(interval, intervalPart(unit ?? 'second')));
    case 'interval-sum':
      return ([left, right]) => {
        const [a, b] = [storedIn(left), storedIn(right)];
        return intervals([left, right], (row) => sum(a(row), b(row)));
      };
    case 'interval-product':
      return ([interval, factor, divisor]) => {
        const [stored, by, over] = [storedIn(interval), counts(factor), counts(divisor)];
        return intervals([interval, factor, divisor], (row) => product(stored(row), by(row), over(row)));
      };
    case 'add-interval':
      return ([date, interval]) => {
        const [seconds, stored] = [counts(date), storedIn(interval)];
        return numbers([date, interval], (row) => added(seconds(row), stored(row)));
      };
    case 'age':
      return ([later, earlier]) => {
        const [to, from] = [counts(later), counts(earlier)];
        const age = makeAge();
        return intervals([later, earlier], (row) => age(from(row), to(row)));
      };
    default:
      return null;
  }
}

function storedIn(vector: Vector): Stored {
  const { numbers, wide } = exactOf(vector);
  return numbers === null ? (row) => wide?.[row] ?? 0n : (row) => numbers[row];
}

function of(vector: Vector, partOf: (stored: number | bigint) => number): (row: number) => number {
  const stored = storedIn(vector);
  return (row) => partOf(stored(row));
}

function numbers(args: readonly Vector[], of: (row: number) => number): ExactVector {
  const { count } = args[0];
  const valid = allValid(args, count);
  const results = new Float64Array(count);
  for (let row = 0; row < count; row++) if (isValid(valid, row)) results[row] = of(row) + 0;
  return { kind: 'exact', count, valid, numbers: results, wide: null };
}

function intervals(args: readonly Vector[], of: Stored): ExactVector {
  const { count } = args[0];
  const valid = allValid(args, count);
  const results = new Float64Array(count);
  for (let row = 0; row < count; row++) {
    if (!isValid(valid, row)) continue;
    const stored = of(row);
    if (typeof stored === 'bigint') return wideIntervals(valid, count, of);
    results[row] = stored;
  }
  return { kind: 'exact', count, valid, numbers: results, wide: null };
}

/** Intervals of which one is not a safe integer. */
function wideIntervals(valid: Uint8Array | null, count: number, of: Stored): ExactVector {
  return exactVector(
    valid,
    Array.from({ length: count }, (_, row) => (isValid(valid, row) ? BigInt(of(row)) : 0n)),
  );
}

function packed(months: number, seconds: number): number | bigint {
  if (isIntervalInRange(months, seconds)) return packInterval(months, seconds);
  throw expressionError('an interval is longer than 10,922 years');
}

const sum = (a: number | bigint, b: number | bigint): number | bigint =>
  packed(intervalMonths(a) + intervalMonths(b), intervalSeconds(a) + intervalSeconds(b));

/** As in PostgreSQL, a fraction of a month is a number of days of which a month has 30. */
function product(stored: number | bigint, factor: number, divisor: number): number | bigint {
  if (divisor === 0) throw expressionError('division by zero');
  const months = (intervalMonths(stored) * factor) / divisor;
  const whole = Math.trunc(months);
  const ofMonths = (months - whole) * 30 * SECONDS_PER_DAY;
  const seconds = (intervalSeconds(stored) * factor) / divisor + Math.round(ofMonths * 1e6) / 1e6;
  return packed(whole + 0, Math.round(seconds) + 0);
}

const addMonths = addUnits('month');

/** Months are added first; a day that the month does not have becomes its last day. */
function added(seconds: number, stored: number | bigint): number {
  const months = intervalMonths(stored);
  const moved = months === 0 ? seconds : addMonths(months, seconds);
  return withinYears(moved + intervalSeconds(stored));
}

/** AGE: the difference field by field, as in PostgreSQL; days are borrowed from the month of the earlier date. */
function makeAge(): (from: number, to: number) => number | bigint {
  const [start, end] = [new DateFields(), new DateFields()];
  const between = (from: number, to: number): number | bigint => {
    start.set(from);
    end.set(to);
    const time = to - end.days * SECONDS_PER_DAY - (from - start.days * SECONDS_PER_DAY);
    let months = (end.year - start.year) * 12 + end.month - start.month;
    let days = end.day - start.day - (time < 0 ? 1 : 0);
    if (days < 0) {
      days += daysInMonth(start.year, start.month);
      months--;
    }
    return packed(months, days * SECONDS_PER_DAY + (time < 0 ? time + SECONDS_PER_DAY : time));
  };
  return (from, to) => {
    if (from <= to) return between(from, to);
    const opposite = between(to, from);
    return typeof opposite === 'bigint' ? -opposite : 0 - opposite;
  };
}

/** Returns the function that extracts the unit from a stored interval. */
function intervalPart(unit: DateUnit): (stored: number | bigint) => number {
  const ofMonths = (of: (months: number) => number) => (stored: number | bigint) =>
    of(intervalMonths(stored));
  const ofSeconds = (of: (seconds: number) => number) => (stored: number | bigint) =>
    of(intervalSeconds(stored));
  switch (unit) {
    case 'millennium':
      return ofMonths((months) => Math.trunc(months / 12_000));
    case 'century':
      return ofMonths((months) => Math.trunc(months / 1_200));
    case 'decade':
      return ofMonths((months) => Math.trunc(months / 120));
    case 'year':
      return ofMonths((months) => Math.trunc(months / 12));
    case 'quarter':
      return ofMonths((months) => Math.trunc((months % 12) / 3) + 1);
    case 'month':
      return ofMonths((months) => months % 12);
    case 'day':
      return ofSeconds((seconds) => Math.trunc(seconds / SECONDS_PER_DAY));
    case 'hour':
      return ofSeconds((seconds) => Math.trunc((seconds % SECONDS_PER_DAY) / 3_600));
    case 'minute':
      return ofSeconds((seconds) => Math.trunc((seconds % 3_600) / 60));
    case 'millisecond':
      return ofSeconds((seconds) => (seconds % 60) * 1_000);
    case 'microsecond':
      return ofSeconds((seconds) => (seconds % 60) * 1_000_000);
    case 'epoch':
      return epochOf;
    default:
      return ofSeconds((seconds) => seconds % 60);
  }
}

/** Seconds, with years of 365.25 days and other months of 30 days. */
function epochOf(stored: number | bigint): number {
  const months = intervalMonths(stored);
  const years = Math.trunc(months / 12);
  return years * 365.25 * SECONDS_PER_DAY + (months % 12) * 30 * SECONDS_PER_DAY + intervalSeconds(stored);
}
