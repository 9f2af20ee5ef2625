import t from 'tap';
import {
  addUnits,
  datePart,
  dayPart,
  makeDate,
  startDay,
  startInstant,
  unitsBetween,
  withinYears,
} from '../../../src/expression/dates/calendar.js';
import { DATE_UNITS, type DateUnit, type Expression, LENGTH_UNITS } from '../../../src/ir/index.js';
import { daysFromCivil, SECONDS_PER_DAY } from '../../../src/schema/index.js';
import type { SqlType } from '../../../src/vector/index.js';
import { constant } from '../generate.js';
import { evaluateRow } from '../oracle.js';
import { DATE, DATETIME, INTEGER } from '../rows.js';

const FIRST = daysFromCivil(0, 1, 1);
const LAST = daysFromCivil(9_999, 12, 31);
/** Years before 1 are in a century that begins before year 0. */
const startsBefore = (unit: DateUnit, day: number): boolean =>
  (unit === 'century' || unit === 'millennium') && day < daysFromCivil(1, 1, 1);

/** Days at regular intervals, and every day around the ends of centuries. */
function* days(): Generator<number> {
  for (let day = FIRST; day <= LAST; day += 97) yield day;
  for (const year of [0, 4, 100, 400, 1_582, 1_900, 1_969, 1_970, 2_000, 2_020, 2_100, 9_999]) {
    const start = daysFromCivil(year, 1, 1);
    for (let day = start; day < start + 366 && day <= LAST; day++) yield day;
  }
}

function evaluated(
  name: 'date-part' | 'date-truncate',
  unit: DateUnit,
  type: SqlType,
  value: number,
): number {
  const of = constant(type, BigInt(value));
  const expression: Expression = {
    op: 'call',
    type: name === 'date-part' ? INTEGER : type,
    name,
    args: [of],
    unit,
  };
  return Number(evaluateRow(expression, []));
}

t.test('parts and starts of dates equal those of JavaScript in the years 0000 to 9999', async (t) => {
  let count = 0;
  const wrong: string[] = [];
  for (const day of days()) {
    count++;
    const second = day * SECONDS_PER_DAY + ((count * 7_919) % SECONDS_PER_DAY);
    for (const unit of DATE_UNITS) {
      if (dayPart(unit)(day) !== evaluated('date-part', unit, DATE, day))
        wrong.push(`part ${unit} of day ${day}`);
      if (datePart(unit)(second) !== evaluated('date-part', unit, DATETIME, second))
        wrong.push(`part ${unit} of ${second}`);
    }
    for (const unit of LENGTH_UNITS) {
      if ((unit === 'week' && day < FIRST + 7) || startsBefore(unit, day)) continue;
      if (startDay(unit)(day) !== evaluated('date-truncate', unit, DATE, day))
        wrong.push(`start of ${unit} of day ${day}`);
      if (startInstant(unit)(second) !== evaluated('date-truncate', unit, DATETIME, second))
        wrong.push(`start of ${unit} of ${second}`);
    }
  }
  t.strictSame(wrong, []);
  t.ok(count > 40_000, `${count} days`);
});

t.test('the difference of a date and its sum with an interval is the interval', async (t) => {
  for (const unit of LENGTH_UNITS) {
    const [add, between] = [addUnits(unit), unitsBetween(unit)];
    // No more millennia, centuries and decades than the years 0000 to 9999 have.
    const most = unit === 'millennium' ? 1 : unit === 'century' ? 15 : 40;
    for (let amount = -most; amount <= most; amount++) {
      for (const from of [0, 951_782_400, -86_401, 1_609_459_199])
        t.equal(between(from, add(amount, from)), amount, `${amount} ${unit}`);
    }
  }
});

t.test('a day that a month lacks becomes its last day', async (t) => {
  const [january, leap] = [daysFromCivil(2_021, 1, 31), daysFromCivil(2_020, 2, 29)];
  const added = (unit: DateUnit, amount: number, day: number): number =>
    addUnits(unit)(amount, day * SECONDS_PER_DAY + 5);
  t.equal(added('month', 1, january), daysFromCivil(2_021, 2, 28) * SECONDS_PER_DAY + 5);
  t.equal(added('month', -11, january), daysFromCivil(2_020, 2, 29) * SECONDS_PER_DAY + 5);
  t.equal(added('year', 1, leap), daysFromCivil(2_021, 2, 28) * SECONDS_PER_DAY + 5);
  t.equal(
    added('quarter', 1, daysFromCivil(2_020, 3, 31)),
    daysFromCivil(2_020, 6, 30) * SECONDS_PER_DAY + 5,
  );
});

t.test('invalid dates are refused', async (t) => {
  t.equal(makeDate(2_020, 2, 29), daysFromCivil(2_020, 2, 29));
  for (const [year, month, day] of [
    [2_021, 2, 29],
    [2_021, 13, 1],
    [2_021, 0, 1],
    [10_000, 1, 1],
    [-1, 1, 1],
    [2_021, 1, 0],
    [2_021, 4, 31],
  ]) {
    t.throws(() => makeDate(year, month, day), {
      code: 6000,
      message: `there is no date ${year}-${month}-${day}`,
    });
  }
  const outside = { code: 6000, message: 'a date is outside the years 0000 to 9999' };
  t.throws(() => addUnits('day')(1, LAST * SECONDS_PER_DAY), outside);
  t.throws(() => addUnits('month')(-1, FIRST * SECONDS_PER_DAY), outside);
  t.throws(() => addUnits('year')(1e300, 0), outside);
  t.throws(() => startDay('week')(FIRST), outside);
  t.throws(() => startDay('century')(FIRST + 100), outside);
  t.throws(() => withinYears(Number.NaN), outside);
});
