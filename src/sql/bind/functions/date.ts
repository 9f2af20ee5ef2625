/** Functions of dates and datetimes, all in UTC. Weeks are ISO weeks; weekdays count from 1 = Sunday. */
import { type DateUnit, type Expression, INTEGER } from '../../../ir/index.js';
import { sqlError } from '../../sql-error.js';
import { calculated } from '../expressions/arithmetic.js';
import { callOf, castOf, DATE, DATETIME, integerOf, LOCAL_TIME } from '../expressions/build.js';
import { explicitCast } from '../expressions/cast.js';
import { castTo } from '../expressions/coerce.js';
import { isFractionUnit, isLengthUnit, isTimeUnit } from '../expressions/date-units.js';
import { isDate } from '../expressions/types.js';
import { now, today } from './clock.js';
import { DATE_PART_FUNCTIONS, inUnit, part, unitAt } from './date-parts.js';
import { DATE_TEXT_FUNCTIONS } from './date-texts.js';
import type { CallSite, SqlFunction } from './function.js';
import { INTERVAL_FUNCTIONS } from './intervals.js';
import { inZone, ZONE_FUNCTIONS, zoneInstant } from './zones.js';

type Make = SqlFunction['make'];

/** Throws 6000 for units that are parts of a date but not lengths of time, or shorter than a second. */
function refusePartUnit(unit: DateUnit, { position }: CallSite): void {
  if (isFractionUnit(unit))
    throw sqlError('datetimes have whole seconds; the unit is at least a second', position);
  if (isLengthUnit(unit)) return;
  throw sqlError(`${unit} is a part of a date, not a length of time: write day`, position);
}

function truncated(unit: DateUnit, date: Expression, site: CallSite): Expression {
  if (isFractionUnit(unit)) return date;
  refusePartUnit(unit, site);
  const finest = date.type.type === 'date' ? unit === 'day' || isTimeUnit(unit) : unit === 'second';
  return finest ? date : callOf('date-truncate', date.type, [date], unit);
}

function added(unit: DateUnit, count: Expression, date: Expression, site: CallSite): Expression {
  refusePartUnit(unit, site);
  const moved = inUnit(date, unit, site);
  return callOf('date-add', moved.type, [count, moved], unit);
}

/** DATE_TRUNC(unit, date[, zone]): of a date, the result with a zone is a datetime. */
const truncate: Make = ([date, zone], site) => {
  const unit = unitAt(site);
  return zone === undefined
    ? truncated(unit, date, site)
    : inZone(date, zone, site, (local) => truncated(unit, local, site));
};

/** Counts the boundaries of the unit between two instants. A date and a datetime are compared as datetimes. */
function difference(unit: DateUnit, from: Expression, to: Expression, site: CallSite): Expression {
  if (isFractionUnit(unit)) {
    const perSecond = integerOf(unit === 'millisecond' ? 1_000 : 1_000_000);
    return calculated('*', difference('second', from, to, site), perSecond, site.position);
  }
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

/** DATE_SUB(unit, from, to): the whole units between two instants. */
const wholeUnits: Make = ([from, to], site) => {
  const unit = unitAt(site);
  if (isFractionUnit(unit)) return difference(unit, from, to, site);
  refusePartUnit(unit, site);
  return callOf(
    'whole-units',
    INTEGER,
    [from, to].map((date) => castTo(date, DATETIME, site.position)),
    unit,
  );
};

/** MAKE_TIMESTAMP(year, month, day, hour, minute, second[, zone]). */
const datetimeOf: Make = (args, site) => {
  const made = callOf('make-datetime', DATETIME, args.slice(0, 6));
  return args.length < 7 ? made : zoneInstant(made, args[6], site);
};

/** EPOCH_MS: the datetime of milliseconds since 1970, or the milliseconds of a datetime. */
const epochMilliseconds: Make = ([value], site) => {
  const { position } = site;
  if (isDate(value.type)) return calculated('*', part('epoch', value, site), integerOf(1_000), position);
  const seconds = calculated('/', value, integerOf(1_000), position);
  return callOf('from-epoch', DATETIME, [seconds]);
};

export const DATE_FUNCTIONS: readonly SqlFunction[] = [
  ...DATE_PART_FUNCTIONS,
  ...DATE_TEXT_FUNCTIONS,
  ...ZONE_FUNCTIONS,
  ...INTERVAL_FUNCTIONS,
  {
    names: ['date_trunc', 'datetrunc'],
    parameters: ['unit', 'date'],
    optional: ['text'],
    make: truncate,
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
  { names: ['date_sub', 'datesub'], parameters: ['unit', 'date', 'date'], make: wholeUnits },
  {
    names: ['make_timestamp', 'make_timestamptz'],
    parameters: ['integer', 'integer', 'integer', 'integer', 'integer', 'float'],
    optional: ['text'],
    make: datetimeOf,
  },
  { names: ['epoch_ms'], parameters: ['value'], make: epochMilliseconds },
  {
    names: ['datefromparts', 'make_date'],
    parameters: ['integer', 'integer', 'integer'],
    make: (args) => callOf('make-date', DATE, args),
  },
  { names: ['eomonth', 'last_day'], parameters: ['date'], optional: ['integer'], make: lastDay },
  { names: ['date'], parameters: ['value'], make: asDate },
  { names: ['datetime', 'timestamp'], parameters: ['value'], make: asDatetime },
  {
    names: [
      'now',
      'getdate',
      'getutcdate',
      'sysdatetime',
      'sysutcdatetime',
      'utc_timestamp',
      'current_timestamp',
      'transaction_timestamp',
      'statement_timestamp',
      'clock_timestamp',
    ],
    parameters: [],
    optional: ['digits'],
    make: (_, site) => now(site),
  },
  {
    names: ['localtimestamp'],
    parameters: [],
    optional: ['digits'],
    make: (_, site) => castOf(now(site), LOCAL_TIME),
  },
  { names: ['current_date', 'today', 'curdate', 'utc_date'], parameters: [], make: (_, site) => today(site) },
];
