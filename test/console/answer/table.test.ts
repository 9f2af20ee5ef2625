/** Answers of every kind as tables and charts. */
import t from 'tap';
import { chartsOf } from '../../../src/console/answer/chart.js';
import { pointsIn, type Table, tablesOf } from '../../../src/console/answer/table.js';
import type { Json } from '../../../src/console/server/json.js';

const shape = ({ name, columns, rows }: Table): unknown => [
  name,
  columns.map(({ title, kind }) => `${title}:${kind}`),
  rows,
];
const shapes = (answer: Json): unknown => tablesOf(answer).map(shape);

t.test('counts, totals and metrics are scalars', async (t) => {
  t.strictSame(shapes({ result: { late: 3, early: 12n } }), [
    [
      '',
      ['name:text', 'value:number'],
      [
        ['late', 3],
        ['early', 12n],
      ],
    ],
  ]);
  const [table] = tablesOf({ result: { paid: { sum: 4.5 } } });
  t.strictSame(chartsOf(table), [{ kind: 'figure', value: '4.5', label: 'sum' }]);
});

t.test('levels of an aggregation become rows, and the last number is drawn', async (t) => {
  const result = {
    state: [
      { quantity: 2, value: 'ca', delay: { 'count-events': 9 } },
      { quantity: 1, value: 'tx', delay: { 'count-events': 4 } },
    ],
  };
  const [table] = tablesOf({ result });
  t.strictSame(shape(table), [
    '',
    ['state:text', 'entities (state):number', 'delay events:number'],
    [
      ['ca', 2, 9],
      ['tx', 1, 4],
    ],
  ]);
  t.strictSame(chartsOf(table), [
    {
      ...{ kind: 'bars', label: 'delay events' },
      bars: [
        { name: 'ca', value: 9, text: '9' },
        { name: 'tx', value: 4, text: '4' },
      ],
    },
  ]);
  t.strictSame(
    shapes({ result: { city: [{ quantity: 1, value: 'a', state: [{ quantity: 1, value: 'b' }] }] } }),
    [
      [
        '',
        ['city:text', 'entities (city):number', 'state:text', 'entities (state):number'],
        [['a', 1, 'b', 1]],
      ],
    ],
  );
});

t.test('buckets are a histogram', async (t) => {
  const bucket = (day: string, count: number) => ({
    count,
    between: [`${day}T00:00:00Z`, '2001-12-31T00:00:00Z'],
  });
  const [table] = tablesOf({ result: { daily: [bucket('2001-01-02', 5), bucket('2001-01-01', 3)] } });
  t.strictSame(chartsOf(table)[0], {
    ...{ kind: 'times', label: 'events' },
    seconds: [978_307_200, 978_393_600],
    values: [3, 5],
  });
});

t.test('rows of SELECTs and extractions keep their columns, and missing values are empty', async (t) => {
  t.strictSame(
    shapes({
      result: [
        { a: 1, b: null },
        { a: 2, c: 'x' },
      ],
      count: 2,
    }),
    [
      [
        '',
        ['a:number', 'b:text', 'c:text'],
        [
          [1, null, null],
          [2, null, 'x'],
        ],
      ],
    ],
  );
  t.strictSame(shapes({ data: { u1: { age: '7' }, u2: {} } }), [
    [
      '',
      ['entity-id:text', 'age:number'],
      [
        ['u1', '7'],
        ['u2', null],
      ],
    ],
  ]);
  const several = {
    result: [
      { result: [{ n: 1 }], count: 1, took: 0.1 },
      { result: [], count: 0, took: 0.1 },
    ],
  };
  t.strictSame(shapes(several), [
    ['Statement 1', ['n:number'], [[1]]],
    ['Statement 2', [], []],
  ]);
  t.strictSame(shapes({ exists: ['a'], 'not-exists': [] }), [], 'any other answer is shown unchanged');
});

t.test('places come from points and from events of points', async (t) => {
  const [table] = tablesOf({
    data: [{ 'entity-id': 'jfk', location: '[-73.78,40.64]' }, { 'entity-id': 'x' }],
  });
  t.strictSame(chartsOf(table), [
    { kind: 'map', points: [{ at: [-73.78, 40.64], name: 'jfk' }], label: 'location' },
  ]);
  t.strictSame(
    pointsIn([
      { value: '[1,2]', date: 'd' },
      { value: '[3,4]', date: 'd' },
    ]),
    [
      [1, 2],
      [3, 4],
    ],
  );
  t.strictSame(pointsIn('[1,2,3]'), []);
});
