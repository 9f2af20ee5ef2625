/** The functions of dates that are evaluated row by row: texts of dates, zones and bins. Datetimes are seconds since 1970-01-01. */
import type { ScalarFunction } from '../../ir/index.js';
import {
  makeReadTemplate,
  makeStrftime,
  makeStrptime,
  makeWriteTemplate,
  makeZones,
} from '../../schema/index.js';
import { expressionError } from '../error.js';
import type { RowFunction } from '../functions/row-function.js';
import { makeDatetime, withinYears } from './calendar.js';

const TO_TEXT = { result: 'text', strict: true, variadic: false } as const;
const TO_INTEGER = { result: 'integer', strict: true, variadic: false } as const;

function makeLocalTime(): (seconds: number, zone: string) => number {
  const zones = makeZones();
  return (seconds, zone) => withinYears(zones(zone).localOf(seconds));
}

function makeZoneInstant(): (local: number, zone: string) => number {
  const zones = makeZones();
  return (local, zone) => withinYears(zones(zone).instantOf(local));
}

/** The start of the bin of `length` seconds that contains the instant; one of the bins begins at `origin`. */
function binStart(length: number, seconds: number, origin: number): number {
  if (length <= 0) throw expressionError('the width of a bin must be greater than 0');
  return withinYears(origin + Math.floor((seconds - origin) / length) * length);
}

export const DATE_ROW_FUNCTIONS: Partial<Readonly<Record<ScalarFunction, RowFunction>>> = {
  'write-date': { ...TO_TEXT, make: makeWriteTemplate },
  'read-date': { ...TO_INTEGER, make: makeReadTemplate },
  strftime: { ...TO_TEXT, make: makeStrftime },
  strptime: { ...TO_INTEGER, make: makeStrptime(false) },
  'try-strptime': { ...TO_INTEGER, make: makeStrptime(true) },
  'local-time': { ...TO_INTEGER, make: makeLocalTime },
  'zone-instant': { ...TO_INTEGER, make: makeZoneInstant },
  'make-datetime': {
    ...TO_INTEGER,
    make:
      () =>
      (year: number, month: number, day: number, hour: number, minute: number, second: number): number =>
        makeDatetime([year, month, day], hour, minute, second),
  },
  'from-epoch': { ...TO_INTEGER, make: () => (seconds: number) => withinYears(Math.floor(seconds)) },
  'date-bin': { ...TO_INTEGER, make: () => binStart },
};
