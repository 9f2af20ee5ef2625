import t from 'tap';
import { accessOf, aggregationResult, bindAggregation, FULL_ACCESS } from '../../../src/api/index.js';
import type { AggregatePlan } from '../../../src/ir/index.js';
import { MODEL, NOW_MS, plainLevel, secondsOf, WEEK, WEEK_TEXT } from '../aggregates.js';
import { customKey, json, modelWith } from '../databases.js';
import { assertAllRefusals, assertRefusals, type Refusal } from '../refusals.js';

const bind = (text: string, access = FULL_ACCESS) => bindAggregation(json(text), MODEL, NOW_MS, access);
const planOf = (text: string): AggregatePlan => bind(text).plan;
const levels = (...texts: readonly string[]): string => `{"query":[${texts.join()}]}`;
const between = `"between":${WEEK_TEXT}`;

const top = (column: string, limit: number) => ({ ...plainLevel(column), limit, minQuantity: 1 });
const ofMetric = (column: string, metric: string) => ({ ...plainLevel(column), metric, buckets: null });
const PLAN = { databaseId: 1, dimensionId: 1, entities: null, levels: [top('text', 10)], metric: null };
const equal = (value: bigint) => ({
  kind: 'ranges',
  ranges: [{ low: value, high: value }],
  negated: false,
});

t.test('levels are bound in order, the metric last', async (t) => {
  t.strictSame(bind(levels('{"text":10}')), { plan: PLAN, columns: ['text'], bypassCache: false });
  const five = levels(
    '{"text":1}',
    '{"entity-id":1000}',
    '{"geo":2}',
    `{"ie":3,${between}}`,
    '{"dec":"avg"}',
  );
  t.strictSame(bind(five), {
    plan: {
      ...PLAN,
      levels: [top('text', 1), top('entity-id', 1000), top('geo', 2), top('ie', 3)],
      metric: ofMetric('dec', 'avg'),
    },
    columns: ['text', 'entity-id', 'geo', 'ie', 'dec'],
    bypassCache: false,
  });
  t.strictSame(planOf('{"query":{"int":"min"},"dimension":null}'), {
    ...PLAN,
    levels: [],
    metric: ofMetric('int', 'min'),
  });
  t.strictSame(planOf(levels('{"text":2}', '{"text":3}')).levels, [top('text', 2), top('text', 3)]);
  t.match(bind('{"query":[{"b":1}],"dimension":"other","bypass-cache":true}'), {
    plan: { dimensionId: 2 },
    columns: ['b'],
    bypassCache: true,
  });
});

t.test('the filter is a query list; absent, null and empty mean all', async (t) => {
  for (const filter of ['', '"filter":null,', '"filter":[],']) {
    t.strictSame(planOf(`{${filter}"query":[{"text":10}]}`), PLAN);
  }
  const filter = '[{"int":{"equals":1}},"or",{"int":{"equals":2}}]';
  const members = [1n, 2n].map((value) => ({ op: 'attribute', columnId: 2, tests: [equal(value)] }));
  t.strictSame(planOf(`{"filter":${filter},"query":[{"text":10}]}`), {
    ...PLAN,
    entities: { op: 'or', members },
  });
});

t.test('a query uses only the rows and columns that its key sees', async (t) => {
  const filtered = accessOf(
    customKey({ filter: [{ dimension: 'default', conditions: '{"int":{"equals":5}}' }] }),
  );
  const seen = { op: 'attribute', columnId: 2, tests: [equal(5n)] };
  t.strictSame(bind(levels('{"text":10}'), filtered).plan, { ...PLAN, entities: seen });
  const both = bind('{"filter":[{"int":{"equals":1}}],"query":[{"text":10}]}', filtered).plan.entities;
  t.strictSame(both, { op: 'and', members: [seen, { ...seen, tests: [equal(1n)] }] });
  const listed = accessOf(customKey({ columnsWhitelist: [{ dimension: 'default', columns: ['text'] }] }));
  t.strictSame(bind(levels('{"text":10}'), listed).plan, PLAN);
  const hidden = '{"filter":[{"int":{"gt":1}}],"query":[{"text":10},{"dec":3},{"ints":"min"}]}';
  assertAllRefusals(t, () => bind(hidden, listed), [
    [506, '"int"'],
    [506, '"dec"'],
    [506, '"ints"'],
  ]);
});

t.test('events are grouped in buckets of an interval, or in windows whose ends are excluded', async (t) => {
  const cut = (fields: string) => planOf(levels(`{"de":"sum",${fields}}`)).metric;
  t.strictSame(cut(`${between},"interval":"weeks"`), {
    ...ofMetric('de', 'sum'),
    buckets: { by: 'interval', interval: 'weeks' },
  });
  t.strictSame(cut(`${between},"interval":"seconds"`)?.buckets, { by: 'interval', interval: 'seconds' });
  const [first, second, third] = ['2016-01-01', '2016-01-02', '2016-01-03'].map(secondsOf);
  const windows = [
    { from: second, to: third },
    { from: first, to: second },
  ];
  t.strictSame(cut('"between":[["2016-01-02","+1d"],["2016-01-02","2016-01-01"]]'), {
    ...ofMetric('de', 'sum'),
    ...plainLevel('de', { from: first, to: third - 1 }),
    buckets: { by: 'windows', windows },
  });
  const today = secondsOf('2018-06-30');
  t.strictSame(cut('"between":[["today"]]')?.buckets, {
    by: 'windows',
    windows: [{ from: today, to: today + 86_400 }],
  });
  const none = cut('"between":[["2016-01-01","2016-01-01"]]');
  t.match(none?.source, { window: { from: 1, to: 0 } }, 'a window that contains no instant');
  t.match(cut('"between":[["1950-01-01","1960-01-01"]]')?.source, { window: { from: 1, to: 0 } });
  const withNone = cut('"between":[["1950-01-01","1960-01-01"],["2016-01-01","2016-01-02"]]');
  t.match(
    withNone?.source,
    { window: { from: first, to: second - 1 } },
    'a window that contains no instant widens no other',
  );
  const many = `"between":[${Array.from({ length: 1000 }, () => WEEK_TEXT).join()}]`;
  t.match(cut(many)?.buckets, { windows: { length: 1000 } });
  t.match(cut(many)?.source, { window: { from: WEEK.from, to: WEEK.to - 1 } });
});

t.test('a level with a time zone has its days, also in the window', async (t) => {
  const cut = (fields: string) => bind(`{"query":[{"de":"sum",${fields}}]}`).plan.metric;
  const at = (text: string): number => Date.parse(text) / 1_000;
  const zone = '"time-zone":"Asia/Kolkata"';
  const [first, second, third] = ['2015-12-31T18:30Z', '2016-01-01T18:30Z', '2016-01-02T18:30Z'].map(at);
  const days = cut(`"between":["2016-01-01","2016-01-02"],"interval":"days",${zone}`);
  t.match(days?.source, { window: { from: first, to: second } });
  t.strictSame(days?.buckets, { by: 'periods', starts: [first, second, third] });
  const listed = cut(`"between":[["2016-01-01","2016-01-02"]],${zone}`);
  t.strictSame(listed?.buckets, { by: 'windows', windows: [{ from: first, to: second }] });
});

const REFUSED: readonly Refusal[] = [
  ['a body that is not an object', '[]', 4004, 'a list'],
  ['no query', '{}', 4010, '"query"'],
  ['a null query', '{"query":null}', 4015, 'null'],
  ['a query that is a text', '{"query":"text"}', 4015, 'a string'],
  ['no level', '{"query":[]}', 4015, 'query'],
  ['a level that is not an object', levels('{"text":1}', '[{"text":1}]'), 4015, 'query[1]'],
  ['an operator between levels', levels('{"text":1}', '"and"', '{"text":1}'), 4015, 'query[1]'],
  ['six levels', levels(...Array.from({ length: 6 }, () => '{"text":1}')), 4048, '6 levels'],
  ['an unknown field', '{"query":[{"text":1}],"limit":5}', 4049, '"limit"'],
  ['an unknown dimension', '{"query":[{"text":1}],"dimension":"x"}', 5008, '"x"'],
  ['a dimension that is not a string', '{"query":[{"text":1}],"dimension":5}', 5009, 'a number'],
  ['a filter that is not a list', '{"query":[{"text":1}],"filter":{}}', 4026, 'filter'],
  ['two filters', '{"query":[{"text":1}],"filter":[{"int":{"gt":1}},{"int":{"gt":2}}]}', 4020, 'filter[1]'],
  [
    'two filters in a list inside',
    '{"query":[{"text":1}],"filter":[[{"int":{"gt":1}},[{"int":{"gt":2}}]]]}',
    4020,
    'filter[0][1]',
  ],
  ['two columns in a filter', '{"query":[{"text":1}],"filter":[{"int":{"gt":1},"dec":{}}]}', 4020, '"dec"'],
  [
    'a filter that ends with an operator',
    '{"query":[{"text":1}],"filter":[{"int":{"gt":1}},"and"]}',
    4007,
    'filter',
  ],
  ['another word in a filter', '{"query":[{"text":1}],"filter":[{"int":{"gt":1}},"xor"]}', 4007, '"xor"'],
  ['no column', levels('{}'), 4014, 'query[0]'],
  ['predicates without a column', levels(`{"equals":["x"],${between}}`), 4014, 'query[0]'],
  ['two columns', levels('{"text":1,"int":2}'), 4007, '"int"'],
  ['an unknown column', levels('{"nowhere":1}'), 4008, '"nowhere"'],
  ['an unknown field of a level', levels('{"text":1,"contain":["a"]}'), 4049, '"contain"'],
  ["another dimension's column", levels('{"b":1}'), 4008, '"b"'],
  ['no values', levels('{"text":0}'), 4051, 'query[0].text'],
  ['1001 values', levels('{"text":1001}'), 4051, '1000'],
  ['-1 values', levels('{"text":-1}'), 4051, 'query[0].text'],
  ['a fraction', levels('{"text":1.5}'), 4051, 'query[0].text'],
  ['an exponent', levels('{"text":1e1}'), 4051, 'query[0].text'],
  ['2^64 values', levels('{"text":18446744073709551616}'), 4051, 'query[0].text'],
  ['null values', levels('{"text":null}'), 4051, 'query[0].text'],
  ['a list for N', levels('{"text":[1]}'), 4051, 'query[0].text'],
  ['an unknown metric', levels('{"int":"mode"}'), 4045, '"mode"'],
  ['N as a text', levels('{"int":"10"}'), 4045, '"10"'],
  ['a metric that does not fit', levels('{"text":"min"}'), 4046, '"min"'],
  ['count-events of an attribute', levels('{"int":"count-events"}'), 4046, '"count-events"'],
  ['a metric before a level', levels('{"int":"min"}', '{"text":1}'), 4049, 'the last level'],
  ['an event column without between', levels('{"ie":1}'), 4005, 'query[0]'],
  ["an event column's metric without between", levels('{"ie":"min"}'), 4005, 'query[0]'],
  ['an interval without between', levels('{"ie":"min","interval":"days"}'), 4005, 'query[0]'],
  ['between on an attribute', levels(`{"int":1,${between}}`), 4017, 'query[0].between'],
  ['interval on an attribute', levels('{"int":"min","interval":"days"}'), 4017, 'query[0].interval'],
  ['a list of windows on an attribute', levels(`{"int":"min","between":[${WEEK_TEXT}]}`), 4017, 'between'],
  ['a minfreq', levels('{"int":1,"minfreq":2}'), 4038, 'query[0].minfreq'],
  ['interval with N', levels(`{"ie":1,${between},"interval":"days"}`), 4038, 'query[0].interval'],
  ['a list of windows with N', levels(`{"ie":1,"between":[${WEEK_TEXT}]}`), 4038, 'query[0].between'],
  ['both', levels(`{"ie":"min","between":[${WEEK_TEXT}],"interval":"days"}`), 4049, 'query[0].interval'],
  [
    '1001 windows',
    levels(`{"ie":"min","between":[${Array.from({ length: 1001 }, () => WEEK_TEXT).join()}]}`),
    4048,
    '1001 windows',
  ],
  ['a bad window', levels(`{"ie":"min","between":[${WEEK_TEXT},5]}`), 4053, 'query[0].between[1]'],
  ['an empty window', levels('{"ie":"min","between":[[]]}'), 4053, 'query[0].between[0]'],
  ['an empty between', levels('{"ie":"min","between":[]}'), 4053, 'query[0].between'],
  ['a null between', levels('{"ie":"min","between":null}'), 4053, 'query[0].between'],
  ['a bad date', levels('{"ie":1,"between":["2016-02-30","now"]}'), 4053, 'query[0].between[0]'],
  ['a bad relative part', levels('{"ie":1,"between":["now","-5xyz"]}'), 4003, 'query[0].between[1]'],
  ['an unknown interval', levels(`{"ie":"min",${between},"interval":"years"}`), 4027, '"years"'],
  ['a null interval', levels(`{"ie":"min",${between},"interval":null}`), 4027, 'null'],
  [
    'too many buckets',
    levels('{"ie":"min","between":["2016-01-01","2017-01-01"],"interval":"seconds"}'),
    4027,
    'query[0].interval',
  ],
  ['geo_near', levels('{"geo":1,"geo_near":{}}'), 4038, '"geo_near"'],
  ['a predicate that does not fit', levels('{"int":1,"contains":["x"]}'), 4039, 'query[0].contains'],
];

t.test('bad bodies are refused with their code and a message that names the fault', async (t) => {
  assertRefusals(t, REFUSED, (body) => bindAggregation(body, MODEL, NOW_MS, FULL_ACCESS));
});

t.test('every invalid field, level and parameter is reported', async (t) => {
  const bad = [
    '{"ie":0,"minfreq":3,"between":["x","y"],"gt":"z","contains":[]}',
    '{"dec":"mode","interval":"days"}',
    '{"nowhere":5}',
    '{"ie":"sum","gt":[],"interval":"years"}',
    '{"ie":"min","gt":1,"interval":"years"}',
  ];
  const body = `{"x":1,"bypass-cache":"yes","filter":[{"nowhere":{"gt":1}}],"query":[${bad.join()}]}`;
  assertAllRefusals(t, () => bind(body), [
    [4049, '"x"'],
    [4008, 'filter[0]'],
    [4038, 'query[0].minfreq'],
    [4051, 'query[0].ie'],
    [4039, 'query[0].contains'],
    [4053, 'query[0].between[0]'],
    [4045, '"mode"'],
    [4017, 'query[1].interval'],
    [4008, 'query[2]'],
    [4049, 'query[3].ie'],
    [4049, 'query[3].gt'],
    [4027, 'query[3].interval'],
    [4027, 'query[4].interval'],
    [4049, '"bypass-cache"'],
  ]);
  assertAllRefusals(t, () => bind('{"dimension":5,"filter":5,"query":[5,{}]}'), [
    [5009, 'a number'],
    [4026, 'filter'],
    [4015, 'query[0]'],
  ]);
});

t.test('an answer is written under the names of the levels', async (t) => {
  const query = bind(levels('{"text":1}', '{"dec":"max"}'));
  const rows = [{ value: 'x', quantity: 2, next: { answers: 'metric', token: '1.5' } }] as const;
  t.equal(
    aggregationResult(query, { answers: 'values', rows }),
    '{"text":[{"quantity":2,"value":"x","dec":{"max":1.5}}]}',
  );
});

t.test('a column with the name of a member of the rows above can only be the first level', async (t) => {
  const columns = ['value', 'quantity', 'text'].map((name) => `{"name":"${name}","type":"string"}`);
  const model = modelWith(json(`[${columns.join()}]`));
  const bind = (text: string) => bindAggregation(json(text), model, NOW_MS, FULL_ACCESS);
  t.strictSame(bind(levels('{"value":1}', '{"text":1}')).columns, ['value', 'text']);
  for (const name of ['value', 'quantity']) {
    for (const expected of ['5', '"count"']) {
      const text = levels('{"text":1}', `{"${name}":${expected}}`);
      t.throws(() => bind(text), { code: 4049, message: /query\[1\].*first level/ }, text);
    }
  }
});
