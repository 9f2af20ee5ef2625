/** Trends: several answers as the lines of one chart. */
import t from 'tap';
import { readTrend } from '../../../src/console/answer/trend.js';
import type { Series } from '../../../src/console/query/behaviour-draft.js';

const DAY = 86_400;
const START = Date.UTC(2026, 0, 1) / 1000;
const period = (day: number) => [day, day + 1].map((at) => new Date((START + at * DAY) * 1000).toISOString());
const series = (of: Series['of']): Series => ({
  id: 1,
  column: 'paid',
  of,
  test: { operator: 'any', values: [] },
});
const values = (list: Readonly<Record<number, number>>, name = 'count-events') =>
  Object.entries(list).map(([day, value]) => ({ [name]: value, between: period(Number(day)) }));

t.test('the time before is shifted to the periods of the range, and empty periods are 0', async (t) => {
  const part = { series: series('events'), name: 'paid events' };
  const { charts, tables } = readTrend(
    [
      { ...part, earlierSeconds: 0 },
      { ...part, earlierSeconds: 3 * DAY },
    ],
    [{ result: { paid: values({ 0: 4, 1: 1, 2: 2 }) } }, { result: { paid: values({ [-3]: 7, [-1]: 9 }) } }],
    '',
  );
  const chart = charts?.[0];
  t.match(chart, { kind: 'lines', at: [START, START + DAY, START + 2 * DAY] });
  t.strictSame(chart?.kind === 'lines' ? chart.lines : null, [
    { name: 'paid events', values: [4, 1, 2] },
    { name: 'paid events, 3 days before', values: [7, 0, 9], faint: true },
  ]);
  t.strictSame(tables[0].rows, [
    ['2026-01-01T00:00:00Z', 4, 7],
    ['2026-01-02T00:00:00Z', 1, 0],
    ['2026-01-03T00:00:00Z', 2, 9],
  ]);
});

t.test('each group is a line, and an average without values is missing', async (t) => {
  const groups = [
    { value: 'de', quantity: 2, paid: values({ 0: 5 }, 'avg') },
    { value: null, quantity: 1, paid: values({ 1: 6 }, 'avg') },
  ];
  const part = { series: series('avg'), name: 'average of paid', earlierSeconds: 0 };
  const { charts } = readTrend([part], [{ result: { country: groups } }], 'country');
  const chart = charts?.[0];
  t.strictSame(chart?.kind === 'lines' ? chart.lines : null, [
    { name: 'de · average of paid', values: [5, null] },
    { name: '(none) · average of paid', values: [null, 6] },
  ]);
});

t.test('active entities are read from their own form, and nothing is no chart', async (t) => {
  const part = { series: series('entities'), name: 'entities with paid', earlierSeconds: 0 };
  const answer = { result: { answer: { series: values({ 0: 3 }, 'count') } } };
  const chart = readTrend([part], [answer], '').charts?.[0];
  t.strictSame(chart?.kind === 'lines' ? chart.lines[0].values : null, [3]);
  t.strictSame(readTrend([part], [{ result: {} }], '').charts, []);
});
