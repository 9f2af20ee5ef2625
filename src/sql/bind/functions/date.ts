/** Functions of dates and datetimes, all in UTC. Weeks are ISO weeks; weekdays count from 1 = Sunday. */
import { invariant, readTime } from '../../../base/index.js';
import { type DateUnit, type Expression, INTEGER, TEXT } from '../../../ir/index.js';
import { SECONDS_PER_DAY } from '../../../schema/index.js';
import { sqlError } from '../../sql-error.js';
import { calculated } from '../expressions/arithmetic.js';
import {
  callOf,
  constantOf,
  DATE,
  DATETIME,
  integerOf,
  isNull,
  isTextConstant,
} from '../expressions/build.js';
import { explicitCast } from '../expressions/cast.js';
import { castTo } from '../expressions/coerce.js';
import { readFormatted } from '../expressions/date-format.js';
import { isTimeUnit } from '../expressions/date-units.js';
import type { CallSite, SqlFunction } from './function.js';

type Make = SqlFunction['make'];

function unitAt({ unit }: CallSite): DateUnit {
  invariant(unit !== null, 'a function with a unit has no unit argument');
  return unit;
}

/** Converts a date to its midnight if the unit is shorter than a day. */
function inUnit(date: Expression, unit: DateUnit, { position }: CallSite): Expression {
  return isTimeUnit(unit) ? castTo(date, DATETIME, position) : date;
}

/** Throws 6000 for units that are parts of a date but not lengths of time. */
function refusePartUnit(unit: DateUnit, { position }: CallSite): void {
  if (unit === 'weekday' || unit === 'day-of-year') {
    throw sqlError(`${unit} is a part of a date, not a length of time: write day`, position);
  }
}

function part(unit: DateUnit, date: Expression, site: CallSite): Expression {
  return callOf('date-part', INTEGER, [inUnit(date, unit, site)], unit);
}

const partOf =
  (unit: DateUnit): Make =>
  ([date], site) =>
    part(unit, date, site);

function truncated(unit: DateUnit, date: Expression, site: CallSite): Expression {
  refusePartUnit(unit, site);
  const finest = date.type.type === 'date' ? unit === 'day' || isTimeUnit(unit) : unit === 'second';
  return finest ? date : callOf('date-truncate', date.type, [date], unit);
}

function added(unit: DateUnit, count: Expression, date: Expression, site: CallSite): Expression {
  refusePartUnit(unit, site);
  const moved = inUnit(date, unit, site);
  return callOf('date-add', moved.type, [count, moved], unit);
}

/** Counts the boundaries of the unit between two instants. A date and a datetime are compared as datetimes. */
function difference(unit: DateUnit, from: Expression, to: Expression, site: CallSite): Expression {
  refusePartUnit(unit, site);
  const timed = isTimeUnit(unit) || from.type.type !== to.type.type;
  const operands = timed ? [from, to].map((date) => castTo(date, DATETIME, site.position)) : [from, to];
  return callOf('date-diff', INTEGER, operands, unit);
}

/**
 * EOMONTH(date[, months]): adds months to January 31 of the year, because a day that the month does not have becomes its last
 * day. Thus only results outside the supported years are refused.
 */
function lastDay([date, months]: readonly Expression[], site: CallSite): Expression {
  const day = explicitCast(date, DATE, false, site.position);
  const january31 = added('day', integerOf(30), truncated('year', day, site), site);
  const toItsMonth = calculated('-', part('month', day, site), integerOf(1), site.position);
  const ahead = months === undefined ? toItsMonth : calculated('+', toItsMonth, months, site.position);
  return added('month', ahead, january31, site);
}

const asDate: Make = ([date], { position }) => explicitCast(date, DATE, false, position);
const asDatetime: Make = ([date], { position }) => explicitCast(date, DATETIME, false, position);

/** TO_DATE('31.12.2025', 'DD.MM.YYYY'): parses the text by the format, then applies `make`. */
const formatted =
  (make: Make): Make =>
  ([text, format], site) => {
    if (format === undefined || isNull(text) || isNull(format)) return make([text], site);
    if (!isTextConstant(text) || !isTextConstant(format)) {
      throw sqlError(
        'text and format must be string literals; use CAST for a column of dates',
        site.position,
      );
    }
    return make([constantOf(TEXT, readFormatted(text.value, format.value, site.position))], site);
  };

const now: Make = (_, { scope }) => constantOf(DATETIME, BigInt(Math.floor(readTime(scope.nowMs) / 1000)));
const today: Make = (_, { scope }) =>
  constantOf(DATE, BigInt(Math.floor(readTime(scope.nowMs) / 1000 / SECONDS_PER_DAY)));

const PARTS: readonly (readonly [DateUnit, readonly string[]])[] = [
  ['year', ['year']],
  ['quarter', ['quarter']],
  ['month', ['month']],
  ['week', ['week', 'weekofyear', 'isoweek']],
  ['day', ['day', 'dayofmonth']],
  ['weekday', ['dayofweek']],
  ['day-of-year', ['dayofyear']],
  ['hour', ['hour']],
  ['minute', ['minute']],
  ['second', ['second']],
];

export const DATE_FUNCTIONS: readonly SqlFunction[] = [
  ...PARTS.map(([unit, names]): SqlFunction => ({ names, parameters: ['date'], make: partOf(unit) })),
  {
    names: ['datepart', 'date_part', 'extract'],
    parameters: ['unit', 'date'],
    make: ([date], site) => part(unitAt(site), date, site),
  },
  {
    names: ['date_trunc', 'datetrunc'],
    parameters: ['unit', 'date'],
    make: ([date], site) => truncated(unitAt(site), date, site),
  },
  {
    names: ['dateadd', 'date_add', 'timestampadd'],
    parameters: ['unit', 'integer', 'date'],
    make: ([count, date], site) => added(unitAt(site), count, date, site),
  },
  {
    names: ['datediff', 'date_diff', 'timestampdiff'],
    parameters: ['unit', 'date', 'date'],
    make: ([from, to], site) => difference(unitAt(site), from, to, site),
  },
  {
    names: ['datefromparts', 'make_date'],
    parameters: ['integer', 'integer', 'integer'],
    make: (args) => callOf('make-date', DATE, args),
  },
  { names: ['eomonth', 'last_day'], parameters: ['date'], optional: ['integer'], make: lastDay },
  { names: ['date'], parameters: ['value'], make: asDate },
  { names: ['to_date'], parameters: ['value'], optional: ['text'], make: formatted(asDate) },
  { names: ['datetime', 'timestamp'], parameters: ['value'], make: asDatetime },
  { names: ['to_timestamp'], parameters: ['value', 'text'], make: formatted(asDatetime) },
  {
    names: [
      'now',
      'getdate',
      'getutcdate',
      'sysdatetime',
      'sysutcdatetime',
      'utc_timestamp',
      'current_timestamp',
    ],
    parameters: [],
    make: now,
  },
  { names: ['current_date', 'today', 'curdate', 'utc_date'], parameters: [], make: today },
];
