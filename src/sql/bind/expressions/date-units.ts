/** Names of date units in the supported dialects; case is ignored. */
import { DATE_UNITS, type DateUnit } from '../../../ir/index.js';
import { lowerCase } from '../../../schema/index.js';

/** All names of weeks mean ISO weeks; weekdays count from 1 = Sunday. */
const NAMES: Readonly<Record<DateUnit, readonly string[]>> = {
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
  return unit === 'hour' || unit === 'minute' || unit === 'second';
}
