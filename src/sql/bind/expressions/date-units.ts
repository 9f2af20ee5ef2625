/** Names of date units in the supported dialects; case is ignored. */
import { DATE_UNITS, type DateUnit, LENGTH_UNITS } from '../../../ir/index.js';
import { lowerCase } from '../../../schema/index.js';

/** All names of weeks mean ISO weeks; weekday and dw count from 1 = Sunday, dow from 0 = Sunday, isodow from 1 = Monday. */
const NAMES: Readonly<Record<DateUnit, readonly string[]>> = {
  millennium: ['millennium', 'millennia', 'mil', 'mils'],
  century: ['century', 'centuries', 'cent', 'c'],
  decade: ['decade', 'decades', 'dec', 'decs'],
  year: ['year', 'years', 'yy', 'yyyy'],
  quarter: ['quarter', 'quarters', 'qq', 'q'],
  month: ['month', 'months', 'mm', 'm'],
  week: ['week', 'weeks', 'wk', 'ww', 'iso_week', 'isowk', 'isoww'],
  day: ['day', 'days', 'dd', 'd'],
  weekday: ['weekday', 'dw', 'dayofweek'],
  'day-of-year': ['dayofyear', 'dy', 'y', 'doy'],
  hour: ['hour', 'hours', 'hh'],
  minute: ['minute', 'minutes', 'mi', 'n'],
  second: ['second', 'seconds', 'ss', 's'],
  'weekday-from-zero': ['dow'],
  'iso-weekday': ['isodow'],
  'iso-year': ['isoyear'],
  epoch: ['epoch'],
  millisecond: ['millisecond', 'milliseconds', 'ms', 'msec', 'msecs'],
  microsecond: ['microsecond', 'microseconds', 'us', 'usec', 'usecs'],
  julian: ['julian'],
  zone: ['timezone', 'timezone_hour', 'timezone_minute'],
};

const BY_NAME: ReadonlyMap<string, DateUnit> = new Map(
  DATE_UNITS.flatMap((unit) => NAMES[unit].map((name) => [name, unit] as const)),
);

export const UNIT_NAMES: readonly string[] = [...BY_NAME.keys()];

export function unitNamed(name: string): DateUnit | null {
  return BY_NAME.get(lowerCase(name)) ?? null;
}

/** Whether the unit is shorter than a day and therefore applies to datetimes. */
export function isTimeUnit(unit: DateUnit): boolean {
  return unit === 'hour' || unit === 'minute' || unit === 'second' || isFractionUnit(unit);
}

/** Whether the unit is shorter than a second. Datetimes have whole seconds. */
export function isFractionUnit(unit: DateUnit): unit is 'millisecond' | 'microsecond' {
  return unit === 'millisecond' || unit === 'microsecond';
}

/** Whether the unit is a length of time of at least a second. */
export const isLengthUnit = (unit: DateUnit): boolean => LENGTH_UNITS.some((length) => length === unit);
