/** Calendar periods of the model in zones whose clocks are set, computed by hand. */
import t from 'tap';
import { betweenOf, calendarOf, instantOf, periodOf, periodsOf, windowOf } from './periods.js';
import type { Unit, Weekday } from './question.js';

function periods(
  zone: string,
  unit: Unit,
  between: [string, string],
  weekStart: Weekday = 'monday',
): string[] {
  const shared = { 'time-zone': zone, 'week-start': weekStart, between } as const;
  return periodsOf(windowOf(shared), calendarOf(shared, unit)).map((period) => betweenOf(period)[0]);
}

t.test('days have 23 or 25 hours when clocks are set', async (t) => {
  t.strictSame(periods('Europe/Berlin', 'days', ['2024-03-30', '2024-04-01']), [
    '2024-03-29T23:00:00Z',
    '2024-03-30T23:00:00Z',
    '2024-03-31T22:00:00Z',
  ]);
  t.strictSame(periods('America/Sao_Paulo', 'days', ['2017-10-14', '2017-10-16']), [
    '2017-10-14T03:00:00Z',
    '2017-10-15T03:00:00Z',
    '2017-10-16T02:00:00Z',
  ]);
  t.strictSame(periods('America/St_Johns', 'days', ['2005-10-29', '2005-10-31']), [
    '2005-10-29T02:30:00Z',
    '2005-10-30T02:30:00Z',
    '2005-10-31T03:30:00Z',
  ]);
});

t.test('a date that the zone skipped is no period', async (t) => {
  t.strictSame(periods('Pacific/Apia', 'days', ['2011-12-29', '2011-12-31']), [
    '2011-12-29T10:00:00Z',
    '2011-12-30T10:00:00Z',
  ]);
});

t.test('an instant after a clock was set back over midnight is in the day that had begun', async (t) => {
  // 00:01 was set back to 23:01 of the day before.
  const calendar = calendarOf({ 'time-zone': 'America/St_Johns' }, 'days');
  const instant = instantOf('2005-10-30T02:45:00Z', 'UTC');
  t.equal(betweenOf(periodOf(instant, calendar))[0], '2005-10-30T02:30:00Z');
});

t.test('hours repeat, and begin on the full hours of the local clock', async (t) => {
  t.strictSame(periods('Europe/Berlin', 'hours', ['2024-10-26T23:30:00Z', '2024-10-27T01:00:00Z']), [
    '2024-10-26T23:00:00Z',
    '2024-10-27T00:00:00Z',
    '2024-10-27T01:00:00Z',
  ]);
  t.strictSame(periods('Asia/Kathmandu', 'hours', ['2024-01-01T00:00:00Z', '2024-01-01T00:15:00Z']), [
    '2023-12-31T23:15:00Z',
    '2024-01-01T00:15:00Z',
  ]);
});

t.test('weeks, months, quarters and years', async (t) => {
  t.strictSame(periods('UTC', 'weeks', ['2024-01-03', '2024-01-08']), [
    '2024-01-01T00:00:00Z',
    '2024-01-08T00:00:00Z',
  ]);
  t.strictSame(periods('UTC', 'weeks', ['2024-01-03', '2024-01-08'], 'wednesday'), ['2024-01-03T00:00:00Z']);
  t.strictSame(periods('UTC', 'months', ['2024-01-31', '2024-02-29']), [
    '2024-01-01T00:00:00Z',
    '2024-02-01T00:00:00Z',
  ]);
  t.strictSame(periods('Asia/Tokyo', 'quarters', ['2023-12-31', '2024-01-01']), [
    '2023-09-30T15:00:00Z',
    '2023-12-31T15:00:00Z',
  ]);
  t.strictSame(periods('UTC', 'years', ['2023-12-31', '2024-01-01']), [
    '2023-01-01T00:00:00Z',
    '2024-01-01T00:00:00Z',
  ]);
});
