/** Functions that return intervals or take them. */
import { type Expression, INTEGER } from '../../../ir/index.js';
import { type IntervalParts, intervalUnit, SECONDS_PER_DAY } from '../../../schema/index.js';
import { sqlError } from '../../sql-error.js';
import { calculated } from '../expressions/arithmetic.js';
import { callOf, constantOf, DATE, DATETIME, INTERVAL, integerOf } from '../expressions/build.js';
import { explicitCast } from '../expressions/cast.js';
import { castTo } from '../expressions/coerce.js';
import { intervalParts } from '../expressions/interval-arithmetic.js';
import { now } from './clock.js';
import type { CallSite, SqlFunction } from './function.js';
import { inZone } from './zones.js';

type Make = SqlFunction['make'];

/** AGE(later, earlier), or from a date to the midnight that begins the current day. */
const age: Make = ([first, second], site) => {
  const today = castTo(explicitCast(now(site), DATE, false, site.position), DATETIME, site.position);
  const operands = second === undefined ? [today, first] : [first, second];
  return callOf(
    'age',
    INTERVAL,
    operands.map((date) => castTo(date, DATETIME, site.position)),
  );
};

/** The units of MAKE_INTERVAL, in their order. */
const UNITS = ['years', 'months', 'weeks', 'days', 'hours', 'minutes', 'seconds'] as const;

function made(counts: readonly Expression[], units: readonly string[], site: CallSite): Expression {
  const lengths = units.map((unit) => intervalUnit(unit) as IntervalParts);
  const total = (part: keyof IntervalParts): Expression => {
    const terms = counts.flatMap((count, index) => {
      const length = lengths[index][part];
      return length === 0 ? [] : [calculated('*', count, integerOf(length), site.position)];
    });
    return terms.reduce((sum, term) => calculated('+', sum, term, site.position), integerOf(0) as Expression);
  };
  return callOf('interval', INTERVAL, [total('months'), total('seconds')]);
}

/** The midnights from which bins are counted in DuckDB. */
const MONDAY = constantOf(DATETIME, BigInt(Date.UTC(2000, 0, 3) / 1_000));
const NEW_YEAR = constantOf(DATETIME, BigInt(Date.UTC(2000, 0, 1) / 1_000));

/** The start of the bin of `width` that contains the date. Throws 6000 for widths that are not constant. */
function bin(width: Expression, date: Expression, origin: Expression | null, site: CallSite): Expression {
  const { position } = site;
  const parts = intervalParts(width);
  if (parts === null)
    throw sqlError('the width of a bin is an interval that is the same for all rows', position);
  const { months, seconds } = parts;
  if (months < 0 || seconds < 0 || months + seconds === 0) {
    throw sqlError('the width of a bin is greater than 0', position);
  }
  const datetime = castTo(date, DATETIME, position);
  if (months === 0) {
    const from = castTo(origin ?? MONDAY, DATETIME, position);
    return callOf('date-bin', datetime.type, [integerOf(seconds), datetime, from]);
  }
  if (seconds > 0)
    throw sqlError('the width of a bin has either months or days and time, not both', position);
  if (origin !== null) throw sqlError('bins of months begin with a month and have no origin', position);
  const passed = callOf('date-diff', INTEGER, [NEW_YEAR, datetime], 'month');
  const length = integerOf(months);
  const beyond = calculated('+', calculated('%', passed, length, position), length, position);
  const back = calculated('%', beyond, length, position);
  const start = callOf('date-truncate', datetime.type, [datetime], 'month');
  return callOf('date-add', datetime.type, [calculated('-', integerOf(0), back, position), start], 'month');
}

/** TIME_BUCKET(width, date[, origin or zone]): a date stays a date if the bins have whole days. */
const bucket: Make = ([width, date, more], site) => {
  const binned = (of: Expression): Expression => bin(width, of, null, site);
  if (more?.type.type === 'text' && more.op === 'constant') return inZone(date, more, site, binned);
  if (more?.type.type === 'interval') {
    throw sqlError('an offset of bins is not available; give the origin as a date', site.position);
  }
  const start = bin(width, date, more ?? null, site);
  const parts = intervalParts(width);
  const ofDays = parts !== null && parts.seconds % SECONDS_PER_DAY === 0;
  return date.type.type === 'date' && ofDays ? explicitCast(start, DATE, false, site.position) : start;
};

/** DATE_BIN(width, date[, origin]): PostgreSQL requires an origin. */
const dateBin: Make = ([width, date, origin], site) => bin(width, date, origin, site);

export const INTERVAL_FUNCTIONS: readonly SqlFunction[] = [
  { names: ['age'], parameters: ['date'], optional: ['date'], make: age },
  {
    names: ['make_interval'],
    parameters: [],
    optional: UNITS.map(() => 'integer'),
    make: (counts, site) => made(counts, UNITS, site),
  },
  ...UNITS.map(
    (unit): SqlFunction => ({
      names: [`to_${unit}`],
      parameters: ['integer'],
      make: (counts, site) => made(counts, [unit], site),
    }),
  ),
  { names: ['date_bin'], parameters: ['interval', 'date', 'date'], make: dateBin },
  { names: ['time_bucket'], parameters: ['interval', 'date'], optional: ['value'], make: bucket },
];
