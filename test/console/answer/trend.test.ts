/** Trends: several answers as the lines of one chart. */
import t from 'tap';
import { readTrend } from '../../../src/console/answer/trend.js';
import type { Series } from '../../../src/console/query/behaviour-draft.js';

const DAY = 86_400;
const PLAIN = { by: '', formula: '', notes: [] };
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
  const part = { index: 0, series: series('events'), name: 'paid events' };
  const { charts, tables } = readTrend(
    [
      { ...part, earlierSeconds: 0 },
      { ...part, earlierSeconds: 3 * DAY },
    ],
    [{ result: { paid: values({ 0: 4, 1: 1, 2: 2 }) } }, { result: { paid: values({ [-3]: 7, [-1]: 9 }) } }],
    PLAIN,
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
  const part = { index: 0, series: series('avg'), name: 'average of paid', earlierSeconds: 0 };
  const { charts } = readTrend([part], [{ result: { country: groups } }], { ...PLAIN, by: 'country' });
  const chart = charts?.[0];
  t.strictSame(chart?.kind === 'lines' ? chart.lines : null, [
    { name: 'de · average of paid', values: [5, null] },
    { name: '(none) · average of paid', values: [null, 6] },
  ]);
});

t.test('active entities are read from their own form, and nothing is no chart', async (t) => {
  const part = { index: 0, series: series('entities'), name: 'entities with paid', earlierSeconds: 0 };
  const answer = { result: { answer: { series: values({ 0: 3 }, 'count') } } };
  const chart = readTrend([part], [answer], PLAIN).charts?.[0];
  t.strictSame(chart?.kind === 'lines' ? chart.lines[0].values : null, [3]);
  t.strictSame(readTrend([part], [{ result: {} }], PLAIN).charts, []);
});

t.test(
  'a formula is a line for each group and for the time before, and the table has the series too',
  async (t) => {
    const first = { index: 0, series: series('events'), name: 'a', earlierSeconds: 0 };
    const parts = [first, { ...first, index: 1, name: 'b' }];
    const answer = (list: Readonly<Record<number, number>>) => ({ result: { paid: values(list) } });
    const notes = [
      { id: 1, day: '2026-01-02', text: 'sale' },
      { id: 2, day: '', text: 'no day' },
    ];
    const options = { by: '', formula: '(B - 1) / A * 100', notes };
    const { charts, tables } = readTrend(parts, [answer({ 0: 4, 1: 0 }), answer({ 0: 3, 1: 1 })], options);
    t.match(charts, [
      {
        lines: [{ name: '(B - 1) / A * 100', values: [50, null] }],
        marks: [{ at: START + DAY, text: 'sale' }],
      },
    ]);
    t.strictSame(
      tables[0].columns.map(({ title }) => title),
      ['from', '(B - 1) / A * 100', 'a', 'b'],
    );
    const twice = [...parts, ...parts.map((part) => ({ ...part, earlierSeconds: 2 * DAY }))];
    const before = [answer({ [-2]: 2 }), answer({ [-2]: 5 })];
    const compared = readTrend(twice, [answer({ 0: 4 }), answer({ 0: 3 }), ...before], options).charts?.[0];
    t.strictSame(
      compared?.kind === 'lines' ? compared.lines.map(({ values }) => values) : null,
      [[50], [200]],
      'the time before has its own formula',
    );
  },
);
