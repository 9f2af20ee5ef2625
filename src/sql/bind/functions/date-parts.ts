/** Parts of dates and datetimes, all in UTC unless AT TIME ZONE says otherwise. Weeks are ISO weeks. */
import { invariant } from '../../../base/index.js';
import { type DateUnit, type Expression, INTEGER } from '../../../ir/index.js';
import { SECONDS_PER_DAY } from '../../../schema/index.js';
import type { SqlType } from '../../../vector/index.js';
import { sqlError } from '../../sql-error.js';
import { calculated, divided } from '../expressions/arithmetic.js';
import { callOf, DATETIME, integerOf } from '../expressions/build.js';
import { castTo } from '../expressions/coerce.js';
import { isTimeUnit } from '../expressions/date-units.js';
import { isInterval } from '../expressions/interval-arithmetic.js';
import type { CallSite, SqlFunction } from './function.js';

type Make = SqlFunction['make'];

export function unitAt({ unit }: CallSite): DateUnit {
  invariant(unit !== null, 'a function with a unit has no unit argument');
  return unit;
}

/** Converts a date to its midnight if the unit is shorter than a day. */
export function inUnit(date: Expression, unit: DateUnit, { position }: CallSite): Expression {
  return isTimeUnit(unit) ? castTo(date, DATETIME, position) : date;
}

export function part(unit: DateUnit, date: Expression, site: CallSite): Expression {
  return callOf('date-part', INTEGER, [inUnit(date, unit, site)], unit);
}

const partOf =
  (unit: DateUnit): Make =>
  ([date], site) =>
    part(unit, date, site);

/** Units that an interval has: not those of a calendar. */
const INTERVAL_UNITS: ReadonlySet<DateUnit> = new Set([
  ...(['millennium', 'century', 'decade', 'year', 'quarter', 'month', 'day', 'hour'] as const),
  ...(['minute', 'second', 'millisecond', 'microsecond', 'epoch'] as const),
]);

function intervalPart(interval: Expression, site: CallSite): Expression {
  const unit = unitAt(site);
  if (INTERVAL_UNITS.has(unit)) return callOf('interval-part', INTEGER, [interval], unit);
  throw sqlError(`an interval has no ${unit}`, site.position);
}

/** The Julian day; of a datetime with the fraction of the day that has passed. */
function julianDay(date: Expression, site: CallSite): Expression {
  const { position } = site;
  const day = part('julian', date, site);
  if (date.type.type === 'date') return day;
  const midnight = callOf('date-truncate', date.type, [date], 'day');
  const seconds = calculated('-', part('epoch', date, site), part('epoch', midnight, site), position);
  const length = integerOf(SECONDS_PER_DAY);
  if (!site.ofPostgres) return calculated('+', day, calculated('/', seconds, length, position), position);
  const quotient = divided('divide', castTo(seconds, NUMERIC, position), length, position);
  return calculated('+', day, quotient, position);
}

const NUMERIC: SqlType = { type: 'decimal', scale: 0 };

/** YEARWEEK: the year of the ISO week and its number, as 202601. */
const yearWeek: Make = ([date], site) => {
  const year = calculated('*', part('iso-year', date, site), integerOf(100), site.position);
  return calculated('+', year, part('week', date, site), site.position);
};

const PARTS: readonly (readonly [DateUnit, readonly string[]])[] = [
  ['year', ['year']],
  ['quarter', ['quarter']],
  ['month', ['month']],
  ['week', ['week', 'weekofyear', 'isoweek']],
  ['day', ['day', 'dayofmonth']],
  ['weekday', ['dayofweek']],
  ['iso-weekday', ['isodow']],
  ['day-of-year', ['dayofyear']],
  ['iso-year', ['isoyear']],
  ['decade', ['decade']],
  ['century', ['century']],
  ['millennium', ['millennium']],
  ['epoch', ['epoch']],
  ['hour', ['hour']],
  ['minute', ['minute']],
  ['second', ['second']],
  ['millisecond', ['millisecond']],
  ['microsecond', ['microsecond']],
];

export const DATE_PART_FUNCTIONS: readonly SqlFunction[] = [
  ...PARTS.map(([unit, names]): SqlFunction => ({ names, parameters: ['date'], make: partOf(unit) })),
  { names: ['yearweek'], parameters: ['date'], make: yearWeek },
  {
    names: ['datepart', 'date_part', 'extract'],
    parameters: ['unit', 'time'],
    make: ([of], site) => {
      if (isInterval(of)) return intervalPart(of, site);
      return unitAt(site) === 'julian' ? julianDay(of, site) : part(unitAt(site), of, site);
    },
  },
];
