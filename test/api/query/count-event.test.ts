import t from 'tap';
import { accessOf, bindCountEvent, countEventResult, FULL_ACCESS } from '../../../src/api/index.js';
import type { AggregateAnswer, AggregatePlan } from '../../../src/ir/index.js';
import { MODEL, NOW_MS, NOW_SECONDS, plainLevel, secondsOf, WEEK, WEEK_TEXT } from '../aggregates.js';
import { customKey, json } from '../databases.js';
import { assertAllRefusals, assertRefusals, type Refusal } from '../refusals.js';

const condition = (predicates: string, column = 'ie'): string =>
  `{"${column}":{${predicates === '' ? '' : `${predicates},`}"between":${WEEK_TEXT}}}`;
const body = (query: string, fields = ''): string =>
  `{"query-name":"q","query":${query}${fields === '' ? '' : `,${fields}`}}`;
const bind = (text: string, access = FULL_ACCESS) => bindCountEvent(json(text), MODEL, NOW_MS, access);
const planOf = (text: string): AggregatePlan => bind(text)[0].bound;

const FIVE = { kind: 'ranges', ranges: [{ low: 5n, high: 5n }], negated: false } as const;
const METRIC = { ...plainLevel('ie'), tests: [FIVE], metric: 'count-events', buckets: null };
const PLAN = { databaseId: 1, dimensionId: 1, entities: null, levels: [], metric: METRIC };

t.test('one event condition is a plan that counts events, also inside lists of one', async (t) => {
  const five = condition('"equals":5');
  t.strictSame(bind(body(`[${five}]`)), [{ name: 'q', dimensionId: 1, bound: PLAN, bypassCache: false }]);
  t.strictSame(bind(`[${body(`[[[${five}]]]`, '"bypass-cache":true,"dimension":null')}]`), [
    { name: 'q', dimensionId: 1, bound: PLAN, bypassCache: true },
  ]);
  const inside = `{"geo_radius":{"longitude":1,"latitude":2,"radius":3,"unit":"km","between":${WEEK_TEXT}}}`;
  const near = { kind: 'geo-radius', longitude: 1, latitude: 2, radiusKm: 3, negated: false };
  t.strictSame(planOf(body(`[{"ge":${inside}}]`)).metric, {
    ...METRIC,
    ...plainLevel('ge'),
    tests: [near],
  });
});

t.test('an interval divides the window; short intervals are only for the recent past', async (t) => {
  const since = (seconds: number): string => new Date((NOW_SECONDS - seconds) * 1000).toISOString();
  const recent = (interval: string, seconds: number): string =>
    body(`[{"ie":{"gt":1,"between":["${since(seconds)}","now"]}}]`, `"interval":"${interval}"`);
  const [DAY, MONTH] = [86_400, 30 * 86_400];
  for (const [interval, secondsMax] of [
    ['seconds', DAY],
    ['minutes', DAY],
    ['hours', MONTH],
  ] as const) {
    t.strictSame(planOf(recent(interval, secondsMax)).metric?.buckets, { by: 'interval', interval });
    const named = `past ${secondsMax === DAY ? '24 hours' : '30 days'}`;
    assertRefusals(t, [[`older ${interval}`, recent(interval, secondsMax + 1), 4027, named]], (json) =>
      bindCountEvent(json, MODEL, NOW_MS, FULL_ACCESS),
    );
  }
  for (const interval of ['days', 'weeks', 'months']) {
    const old = body(`[${condition('"gt":1')}]`, `"interval":"${interval}"`);
    t.strictSame(planOf(old).metric?.buckets, { by: 'interval', interval });
  }
  t.equal(planOf(body(`[${condition('"gt":1')}]`, '"interval":null')).metric?.buckets, null);
  const future = body('[{"ie":{"gt":1,"between":["now","2050-01-01"]}}]', '"interval":"seconds"');
  assertAllRefusals(t, () => bind(future), [[4027, 'at most 1000000']]);
  const before = body('[{"ie":{"gt":1,"between":["1960-01-01","1969-01-01"]}}]', '"interval":"days"');
  t.strictSame(
    planOf(before).metric?.buckets,
    { by: 'interval', interval: 'days' },
    'a window that contains no instant',
  );
});

const five = condition('"equals":5');
const REFUSED: readonly Refusal[] = [
  ['a query that is not a list', body(five), 4026, 'an object'],
  ['an empty query', body('[]'), 4014, 'query'],
  ['an empty list inside', body('[[]]'), 4014, 'query[0]'],
  ['and', body(`[${five},"and",${five}]`), 4037, 'query[1]'],
  ['or', body(`[[${five},"or",${five}]]`), 4037, 'query[0][1]'],
  ['not', body(`["not",${five}]`), 4037, '"not"'],
  ['not inside', body(`[["not",${five}]]`), 4037, '"not"'],
  ['an operator alone', body('["and"]'), 4037, '"and"'],
  ['two conditions', body(`[${five},${five}]`), 4007, 'query'],
  ['two columns in one condition', body('[{"ie":{"gt":1},"de":{"gt":1}}]'), 4007, '"de"'],
  ['another word', body('["xor"]'), 4007, '"xor"'],
  ['a number', body('[5]'), 4004, 'query[0]'],
  ['no column', body('[{}]'), 4014, 'query[0]'],
  ['an attribute column', body('[{"int":{"equals":5}}]'), 4040, '"int"'],
  ['entity-id', body('[{"entity-id":{"equals":"x"}}]'), 4040, '"entity-id"'],
  ['an unknown column', body('[{"nowhere":{"equals":5}}]'), 4008, '"nowhere"'],
  ['no parameter', body('[{"ie":{}}]'), 4009, '"ie"'],
  ['parameters that are not an object', body('[{"ie":5}]'), 4009, '"ie"'],
  ['no between', body('[{"ie":{"gt":1}}]'), 4005, 'query[0].ie'],
  ['only between', body(`[${condition('')}]`), 4011, 'query[0].ie'],
  ['a freqgroup', body(`[{"minfreq":2,"freqgroup":[${five}]}]`), 4038, '"freqgroup"'],
  ['a minfreq', body(`[${condition('"gt":1,"minfreq":2')}]`), 4038, 'query[0].ie.minfreq'],
  ['a minfreq alone', body(`[${condition('"minfreq":2')}]`), 4038, 'query[0].ie.minfreq'],
  ['geo_near', body(`[${condition('"geo_near":{}', 'ge')}]`), 4038, '"geo_near"'],
  ['a predicate that does not fit', body(`[${condition('"contains":"x"')}]`), 4039, 'query[0].ie.contains'],
  ['an unknown predicate', body(`[${condition('"like":"x"')}]`), 4049, '"like"'],
  ['a bad date', body('[{"ie":{"gt":1,"between":["2016-02-30","now"]}}]'), 4053, 'between[0]'],
  ['a bad relative part', body('[{"ie":{"gt":1,"between":["now","-5xyz"]}}]'), 4003, 'between[1]'],
  ['an unknown interval', body(`[${five}]`, '"interval":"years"'), 4027, '"years"'],
  ['an interval that is not a string', body(`[${five}]`, '"interval":[1]'), 4027, 'a list'],
  ['lists of one without end', body(`${'['.repeat(65)}${five}${']'.repeat(65)}`), 4049, 'nested'],
  ['11 queries', `[${Array.from({ length: 11 }, () => body(`[${five}]`)).join()}]`, 4036, '11'],
  ['a query-name twice', `[${body(`[${five}]`)},${body(`[${five}]`)}]`, 4054, '"q"'],
  ['an unknown field', body(`[${five}]`, '"limit":5'), 4049, '"limit"'],
];

t.test('bad bodies are refused with their code and a message that names the fault', async (t) => {
  assertRefusals(t, REFUSED, (json) => bindCountEvent(json, MODEL, NOW_MS, FULL_ACCESS));
});

t.test('every invalid field of each query is reported', async (t) => {
  const queries = [
    '{"query":[{"int":{"gt":1}}],"interval":"years","bypass-cache":5}',
    '{"query-name":"b","dimension":"nowhere","query":5,"interval":7}',
    `{"query-name":"c","query":[${five}],"interval":"hours"}`,
  ];
  assertAllRefusals(t, () => bind(`[${queries.join()}]`), [
    [4010, '"query-name"'],
    [4040, 'body[0].query[0]'],
    [4027, '"interval" in body[0]'],
    [4049, '"bypass-cache" in body[0]'],
    [5008, '"nowhere"'],
    [4026, '"query" in body[1]'],
    [4027, '"interval" in body[1]'],
    [4027, '"interval" in body[2]'],
  ]);
});

t.test('a key counts events of the rows and columns that it sees', async (t) => {
  const filtered = customKey({ filter: [{ dimension: 'default', conditions: '{"int":{"equals":5}}' }] });
  const entities = { op: 'attribute', columnId: 2, tests: [FIVE] };
  const [query] = bind(body(`[${five}]`), accessOf(filtered));
  t.strictSame(query.bound, { ...PLAN, entities });
  const listed = customKey({ columnsWhitelist: [{ dimension: 'default', columns: ['de'] }] });
  assertAllRefusals(t, () => bind(body(`[${five}]`), accessOf(listed)), [[506, '"ie"']]);
});

t.test('counts are answered by name, and buckets as rows', async (t) => {
  const queries = bind(
    `[${['__proto__', 'b', 'c'].map((name) => body(`[${five}]`).replace('"q"', `"${name}"`)).join()}]`,
  );
  const [from, to] = [WEEK.from, secondsOf('2016-01-02')];
  const answers: AggregateAnswer[] = [
    { answers: 'metric', token: '9007199254740993' },
    {
      answers: 'buckets',
      rows: [
        { token: '3', from, to },
        { token: '1', from: to, to: to + 86_400 },
      ],
    },
    { answers: 'buckets', rows: [] },
  ];
  t.equal(
    countEventResult(queries, answers),
    '{"__proto__":9007199254740993,"b":[{"count":3,"between":["2016-01-01T00:00:00Z","2016-01-02T00:00:00Z"]},' +
      '{"count":1,"between":["2016-01-02T00:00:00Z","2016-01-03T00:00:00Z"]}],"c":[]}',
  );
});

t.test('with a time zone or another first day of the week, periods are listed once', async (t) => {
  const of = (fields: string): unknown => {
    const between = '["2020-10-24T12:00:00Z","2020-10-26T12:00:00Z"]';
    return planOf(body(`[{"ie":{"gt":1,"between":${between}}}]`, fields)).metric?.buckets;
  };
  const at = (text: string): number => Date.parse(text) / 1_000;
  t.strictSame(of('"interval":"days","time-zone":"Europe/Berlin"'), {
    by: 'periods',
    starts: ['2020-10-23T22:00Z', '2020-10-24T22:00Z', '2020-10-25T23:00Z', '2020-10-26T23:00Z'].map(at),
  });
  t.strictSame(of('"interval":"weeks","week-start":"sunday"'), {
    by: 'periods',
    starts: ['2020-10-18', '2020-10-25', '2020-11-01'].map(at),
  });
  for (const fields of ['"time-zone":"UTC"', '"time-zone":null,"week-start":null', '"week-start":"sunday"']) {
    t.strictSame(of(`"interval":"days",${fields}`), { by: 'interval', interval: 'days' }, fields);
  }
  const long = body(
    '[{"ie":{"gt":1,"between":["1990-01-01","2026-01-01"]}}]',
    '"interval":"days","time-zone":"Asia/Tokyo"',
  );
  assertAllRefusals(t, () => bind(long), [[4027, 'more than 10000 periods']]);
  for (const [fields, named] of [
    ['"time-zone":"Nowhere"', 'time-zone'],
    ['"time-zone":""', 'time-zone'],
    ['"time-zone":5', 'time-zone'],
    ['"week-start":"mon"', 'week-start'],
  ] as const) {
    const text = body(`[${condition('"gt":1')}]`, `"interval":"days",${fields}`);
    assertAllRefusals(t, () => bind(text), [[9101, named]]);
  }
});
