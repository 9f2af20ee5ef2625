import t from 'tap';
import { Prng } from '../../src/base/index.js';
import {
  civilFromDays,
  daysFromCivil,
  formatDate,
  formatDateTime,
  INSTANT_SECONDS_MAX,
  INSTANT_SECONDS_MIN,
  parseDate,
  parseDateTime,
  parseInstant,
} from '../../src/schema/index.js';

const SEED = 31;
const DAY_MS = 86_400_000;
t.comment(`seed ${SEED}`);

t.test('every day of the years 0000 to 9999 converts to its number and back like in Date', async (t) => {
  const first = daysFromCivil(0, 1, 1);
  const last = daysFromCivil(9999, 12, 31);
  let wrong = 0;
  for (let days = first; days <= last; days++) {
    const { year, month, day } = civilFromDays(days);
    const date = new Date(days * DAY_MS);
    const same =
      date.getUTCFullYear() === year && date.getUTCMonth() + 1 === month && date.getUTCDate() === day;
    if (!same || daysFromCivil(year, month, day) !== days) wrong++;
  }
  t.equal(wrong, 0);
  t.equal(parseDate(formatDate(first)), first);
  t.equal(parseDate(formatDate(last)), last);
});

t.test('datetimes with offsets parse like in Date and are written in UTC', async (t) => {
  const prng = new Prng(SEED);
  const two = (value: number): string => String(value).padStart(2, '0');
  for (let round = 0; round < 3_000; round++) {
    const date = formatDate(prng.between(-700_000, 2_900_000));
    const time = `${two(prng.below(24))}:${two(prng.below(60))}:${two(prng.below(60))}`;
    const zone = prng.pick([
      'Z',
      `+${two(prng.below(24))}:${two(prng.below(60))}`,
      `-${two(prng.below(24))}:30`,
    ]);
    const expected = Date.parse(`${date}T${time}${zone}`) / 1000;
    const outside = expected < INSTANT_SECONDS_MIN || expected > INSTANT_SECONDS_MAX;
    const read = parseDateTime(`${date}t${time}.999${zone.toLowerCase()}`);
    if (read !== (outside ? null : expected)) t.fail(`${date}T${time}${zone}: ${read}`);
    if (read !== null && parseDateTime(formatDateTime(read)) !== read) t.fail(formatDateTime(read));
  }
  t.equal(parseInstant('2016-01-07'), Date.parse('2016-01-07') / 1000);
});

t.test('a datetime outside of the years 0000 to 9999 after its offset is refused', async (t) => {
  t.equal(parseDateTime('0000-01-01T00:00:00+01:00'), null);
  t.equal(parseDateTime('9999-12-31T23:59:59-01:00'), null);
  t.equal(parseDateTime('0000-01-01T00:00:00Z'), INSTANT_SECONDS_MIN);
  t.equal(parseDateTime('9999-12-31T23:59:59Z'), INSTANT_SECONDS_MAX);
});

t.test('dates of another format or not in the calendar are refused', async (t) => {
  for (const text of [
    '2016-02-30',
    '2015-02-29',
    '1900-02-29',
    '2016-13-01',
    '2016-00-10',
    '2016-01-00',
    '2016-1-1',
  ]) {
    t.equal(parseDate(text), null, text);
  }
  t.not(parseDate('2000-02-29'), null);
  for (const text of [
    '2016-01-01T24:00:00Z',
    '2016-01-01T00:60:00Z',
    '2016-01-01T00:00:60Z',
    '2016-01-01 00:00:00Z',
    '2016-01-01T00:00:00',
    '2016-01-01T00:00:00+24:00',
    '2016-01-01T00:00:00.Z',
    ' 2016-01-01T00:00:00Z',
  ]) {
    t.equal(parseDateTime(text), null, text);
  }
});
