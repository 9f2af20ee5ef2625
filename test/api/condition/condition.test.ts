import t from 'tap';
import { bindQuery, createColumns, FULL_ACCESS, listColumns } from '../../../src/api/index.js';
import { INT64_MAX, INT64_MIN, QuarryError } from '../../../src/base/index.js';
import { applyChange, databaseOf } from '../../../src/catalog/index.js';
import type { Condition } from '../../../src/ir/index.js';
import {
  type Column,
  type Dimension,
  formatDateTime,
  parseDate,
  parseDateTime,
} from '../../../src/schema/index.js';
import { decided, emptyCatalog, json } from '../databases.js';
import { assertRefusals, type Refusal } from '../refusals.js';

const NOW_MS = Date.UTC(2018, 5, 30, 12, 34, 56, 789);

function dimension(): Dimension {
  const columns = json(`[
    {"name":"text","type":"string"}, {"name":"int","type":"integer"}, {"name":"dec","type":"decimal","decimal-places":1},
    {"name":"bool","type":"boolean"}, {"name":"date","type":"date"}, {"name":"time","type":"datetime"},
    {"name":"geo","type":"geolocation"}, {"name":"enum","type":"enumerated","range":[0,10]},
    {"name":"ints","type":"integer","storage":"list-of-values"},
    {"name":"te","type":"string-event"}, {"name":"ie","type":"integer-event"},
    {"name":"de","type":"decimal-event","decimal-places":3}, {"name":"ge","type":"geolocation-event"},
    ${Array.from({ length: 21 }, (_, index) => `{"name":"c${index}","type":"integer"}`).join()}
  ]`);
  const catalog = decided(emptyCatalog(), (model) => createColumns(columns, model));
  const model = databaseOf(catalog, 1);
  const asleep = {
    ...[...(model.dimensions.get('default') as Dimension).columns.values()][1],
    id: 99,
    apiName: 'off',
    active: false,
  };
  const changed = applyChange(catalog, {
    change: 'column-created',
    databaseId: 1,
    dimensionId: 1,
    column: asleep,
  });
  t.match(listColumns(databaseOf(changed, 1), FULL_ACCESS).default, { inactive: [{ name: 'text' }] });
  return databaseOf(changed, 1).dimensions.get('default') as Dimension;
}
const THERE = dimension();
const [TEXT, INT, , BOOL] = [1, 2, 3, 4];

const bind = (text: string): Condition => bindQuery(json(text), THERE, NOW_MS);

/** The ranges to which a condition on one column with one predicate is bound. */
function ranges(column: string, predicates: string): readonly (readonly [bigint, bigint])[] {
  const condition = bind(`[{"${column}":{${predicates}}}]`);
  const test = condition.op === 'attribute' ? condition.tests[0] : undefined;
  if (test?.kind !== 'ranges' || test.negated) throw new Error(`no ranges: ${condition.op}`);
  return test.ranges.map(({ low, high }) => [low, high] as const);
}

const leaf = (columnId: number, low: bigint): Condition => ({
  op: 'attribute',
  columnId,
  tests: [{ kind: 'ranges', ranges: [{ low, high: low }], negated: false }],
});

t.test('"not" binds closer than "and", "and" closer than "or", and lists nest freely', async (t) => {
  const [a, b, c] = ['{"int":{"equals":1}}', '{"int":{"equals":2}}', '{"bool":{"equals":true}}'];
  const [la, lb, lc] = [leaf(INT, 1n), leaf(INT, 2n), leaf(BOOL, 1n)];
  t.strictSame(bind(`[[[${a}]]]`), la);
  t.strictSame(bind(`[${a},"or",${b},"and",${c}]`), {
    op: 'or',
    members: [la, { op: 'and', members: [lb, lc] }],
  });
  t.strictSame(bind(`[${a},"and",${b},"or",${c}]`), {
    op: 'or',
    members: [{ op: 'and', members: [la, lb] }, lc],
  });
  t.strictSame(bind(`[[${a},"or",${b}],"and",${c}]`), {
    op: 'and',
    members: [{ op: 'or', members: [la, lb] }, lc],
  });
  t.strictSame(bind(`["not",${a},"and",${b}]`), { op: 'and', members: [{ op: 'not', member: la }, lb] });
  t.strictSame(bind(`[["not",${a}],"or",[["not",${b}]]]`), {
    op: 'or',
    members: [
      { op: 'not', member: la },
      { op: 'not', member: lb },
    ],
  });
  t.strictSame(bind(`["not",["not",${a}]]`), { op: 'not', member: { op: 'not', member: la } });
});

t.test('integers are compared exactly, beyond 2^53 and beyond 64 bits', async (t) => {
  t.strictSame(ranges('int', '"equals":9007199254740993'), [[9007199254740993n, 9007199254740993n]]);
  t.strictSame(ranges('int', '"equals":"-5"'), [[-5n, -5n]]);
  t.strictSame(ranges('int', '"equals":1.5'), []);
  t.strictSame(ranges('int', '"equals":1e3'), [[1000n, 1000n]]);
  t.strictSame(ranges('int', '"equals":9223372036854775808'), []);
  t.strictSame(ranges('int', '"not-equals":9223372036854775808'), [[INT64_MIN, INT64_MAX]]);
  t.strictSame(ranges('int', '"gt":9223372036854775807'), []);
  t.strictSame(ranges('int', '"gt":1e400'), []);
  t.strictSame(ranges('int', '"gte":-1e400'), [[INT64_MIN, INT64_MAX]]);
  t.strictSame(ranges('int', '"lt":-9223372036854775808'), []);
  t.strictSame(ranges('int', '"lt":9223372036854775808'), [[INT64_MIN, INT64_MAX]]);
  t.strictSame(ranges('int', '"lte":1e-400'), [[INT64_MIN, 0n]]);
  t.strictSame(ranges('int', '"gt":-0.5'), [[0n, INT64_MAX]]);
  t.strictSame(ranges('int', '"not-equals":0'), [
    [INT64_MIN, -1n],
    [1n, INT64_MAX],
  ]);
});

t.test('decimals are compared exactly, also between two values that can be stored', async (t) => {
  t.strictSame(ranges('dec', '"equals":1001.2'), [[10012n, 10012n]]);
  t.strictSame(ranges('dec', '"equals":1001.23'), []);
  t.strictSame(ranges('dec', '"gt":1001.23'), [[10013n, INT64_MAX]]);
  t.strictSame(ranges('dec', '"gte":1001.23'), [[10013n, INT64_MAX]]);
  t.strictSame(ranges('dec', '"lt":1001.23'), [[INT64_MIN, 10012n]]);
  t.strictSame(ranges('dec', '"lte":1001.23'), [[INT64_MIN, 10012n]]);
  t.strictSame(ranges('dec', '"gt":-1001.23'), [[-10012n, INT64_MAX]]);
  t.strictSame(ranges('dec', '"lt":-1001.23'), [[INT64_MIN, -10013n]]);
  t.strictSame(ranges('dec', '"range":[-0.55,"0.55"]'), [[-5n, 5n]]);
  t.strictSame(ranges('dec', '"equals":922337203685477580.7'), [[INT64_MAX, INT64_MAX]]);
  t.strictSame(ranges('dec', '"equals":922337203685477580.8'), []);
});

t.test('predicates on one column are joined by and', async (t) => {
  t.strictSame(ranges('int', '"gt":3,"lte":10,"not-equals":5,"in":[4,5,6,11]'), [
    [4n, 4n],
    [6n, 6n],
  ]);
  t.strictSame(ranges('int', '"not-in":[1,2,3,7]'), [
    [INT64_MIN, 0n],
    [4n, 6n],
    [8n, INT64_MAX],
  ]);
  t.strictSame(ranges('int', '"range":[5,1]'), []);
});

t.test('dates, datetimes and booleans are compared in their stored form', async (t) => {
  const day = BigInt(parseDate('2016-01-07') as number);
  const second = BigInt(parseDateTime('2016-01-07T00:00:01Z') as number);
  const [dateMin, dateMax] = [-(2n ** 31n), 2n ** 31n - 1n];
  t.strictSame(ranges('date', '"equals":"2016-01-07"'), [[day, day]]);
  t.strictSame(ranges('date', '"equals":"2016-01-07T00:00:01Z"'), []);
  t.strictSame(ranges('date', '"gt":"2016-01-07T00:00:01Z"'), [[day + 1n, dateMax]]);
  t.strictSame(ranges('date', '"lt":"2016-01-07T00:00:01Z"'), [[dateMin, day]]);
  t.strictSame(ranges('date', '"range":["2016-01-07","2016-01-09"]'), [[day, day + 2n]]);
  t.strictSame(ranges('time', '"equals":"2016-01-07t03:00:01.9+03:00"'), [[second, second]]);
  t.strictSame(ranges('time', '"lt":"2016-01-07"'), [[INT64_MIN, day * 86_400n - 1n]]);
  t.strictSame(ranges('bool', '"equals":"false"'), [[0n, 0n]]);
  t.strictSame(ranges('bool', '"not-equals":false'), [[1n, 1n]]);
  t.strictSame(ranges('bool', '"in":[true,"false"]'), [[0n, 1n]]);
  t.strictSame(ranges('enum', '"equals":7'), [[7n, 7n]]);
});

t.test('a list column keeps negated tests separate', async (t) => {
  const five = [{ low: 5n, high: 5n }];
  t.strictSame(bind('[{"ints":{"gte":5,"lte":5,"not-equals":5,"not-in":[6]}}]'), {
    ...{ op: 'attribute', columnId: 9 },
    tests: [
      { kind: 'ranges', ranges: five, negated: false },
      { kind: 'ranges', ranges: [{ low: 5n, high: 6n }], negated: true },
    ],
  });
  t.strictSame(bind('[{"ints":{"not-equals":5}}]'), {
    ...{ op: 'attribute', columnId: 9 },
    tests: [{ kind: 'ranges', ranges: five, negated: true }],
  });
});

t.test('text is compared in lower case, with one text or with any of several', async (t) => {
  t.strictSame(bind('[{"text":{"not-contains":["ΣΑΣ","İ","σας"],"in":["A","a"],"ends-with":"Z"}}]'), {
    ...{ op: 'attribute', columnId: TEXT },
    tests: [
      { kind: 'text', match: 'contains', texts: ['σασ', 'i', 'σας'], negated: true },
      { kind: 'text', match: 'equals', texts: ['a'], negated: false },
      { kind: 'text', match: 'ends-with', texts: ['z'], negated: false },
    ],
  });
  t.strictSame(bind('[{"entity-id":{"not-starts-with":"ID"}}]'), {
    op: 'entity-id',
    tests: [{ kind: 'text', match: 'starts-with', texts: ['id'], negated: true }],
  });
});

t.test('event conditions and freqgroups carry windows and frequencies', async (t) => {
  const window = { from: Date.UTC(2016, 0, 1) / 1000, to: Date.UTC(2016, 0, 7) / 1000 };
  const between = '"between":["2016-01-01","2016-01-07"]';
  const tests = [{ kind: 'text', match: 'equals', texts: ['x'], negated: false }];
  t.strictSame(bind(`[{"te":{"equals":"X",${between}}}]`), {
    op: 'event',
    event: { columnId: 10, window, tests },
    minfreq: 1,
  });
  t.strictSame(
    bind(`[{"minfreq":10000,"freqgroup":[{"te":{"equals":"X",${between}}},{"ie":{"gt":5,${between}}}]}]`),
    {
      op: 'freqgroup',
      events: [
        { columnId: 10, window, tests },
        {
          columnId: 11,
          window,
          tests: [{ kind: 'ranges', ranges: [{ low: 6n, high: INT64_MAX }], negated: false }],
        },
      ],
      minfreq: 10_000,
    },
  );
  const box = `"lower-left":{"longitude":170,"latitude":-5.5},"upper-right":{"longitude":-170,"latitude":"5"}`;
  const anyValue = bind(`[{"te":{"minfreq":3,${between}}}]`);
  t.equal(anyValue.op, 'event', 'minfreq is accepted with a between and no test of the value');
  if (anyValue.op === 'event') {
    t.strictSame(anyValue.event.tests, []);
    t.equal(anyValue.minfreq, 3);
  }
  t.strictSame(bind(`[{"ge":{"geo_bounding_box":{${box},${between}},"minfreq":2}}]`), {
    op: 'event',
    event: {
      ...{ columnId: 13, window },
      tests: [{ kind: 'geo-box', west: 170, south: -5.5, east: -170, north: 5, negated: false }],
    },
    minfreq: 2,
  });
});

t.test('radii come in kilometres, metres, miles and degrees of arc', async (t) => {
  const radius = (amount: number, unit: string): number => {
    const circle = `{"longitude":-180,"latitude":90,"radius":${amount},"unit":"${unit}"}`;
    const condition = bind(`[{"geo":{"geo_radius":${circle}}}]`);
    const test = condition.op === 'attribute' ? condition.tests[0] : undefined;
    return test?.kind === 'geo-radius' ? test.radiusKm : Number.NaN;
  };
  t.equal(radius(5, 'km'), 5);
  t.equal(radius(5, 'm'), 0.005);
  t.equal(radius(5, 'mi'), 8.04672);
  t.equal(radius(90, 'deg').toFixed(6), ((6371.0088 * Math.PI) / 2).toFixed(6));
});

/** The window of a `between`, at half past twelve on 2018-06-30. */
function between(text: string): readonly string[] {
  const condition = bind(`[{"ie":{"gt":0,"between":${text}}}]`);
  const window = condition.op === 'event' ? condition.event.window : { from: 0, to: 0 };
  return [formatDateTime(window.from), formatDateTime(window.to)];
}

t.test('windows are instants with both ends included, relative to each other or to now', async (t) => {
  const now = '2018-06-30T12:34:56Z';
  const windows: readonly (readonly [string, string, string])[] = [
    ['["2016-01-01","2016-01-07"]', '2016-01-01T00:00:00Z', '2016-01-07T00:00:00Z'],
    ['["2016-01-07","2016-01-01"]', '2016-01-01T00:00:00Z', '2016-01-07T00:00:00Z'],
    [
      '["2016-01-01T00:00:00+03:00","2016-01-07T23:59:59.999Z"]',
      '2015-12-31T21:00:00Z',
      '2016-01-07T23:59:59Z',
    ],
    ['["today"]', '2018-06-30T00:00:00Z', '2018-06-30T23:59:59Z'],
    ['["now","-30sec"]', '2018-06-30T12:34:26Z', now],
    ['["now","-1min"]', '2018-06-30T12:33:56Z', now],
    ['["now","-3hr"]', '2018-06-30T09:34:56Z', now],
    ['["now","-1d"]', '2018-06-29T12:34:56Z', now],
    ['["now","-1w"]', '2018-06-23T12:34:56Z', now],
    ['["now","-1m"]', '2018-05-30T12:34:56Z', now],
    ['["now","-4m"]', '2018-02-28T12:34:56Z', now],
    ['["now","-1y"]', '2017-06-30T12:34:56Z', now],
    ['["now","+1w"]', now, '2018-07-07T12:34:56Z'],
    ['["2016-01-31","+1m"]', '2016-01-31T00:00:00Z', '2016-02-29T00:00:00Z'],
    ['["2015-12-31T23:59:59Z","+2m"]', '2015-12-31T23:59:59Z', '2016-02-29T23:59:59Z'],
    ['["2016-02-29","+1y"]', '2016-02-29T00:00:00Z', '2017-02-28T00:00:00Z'],
    ['["2016-02-29","-4y"]', '2012-02-29T00:00:00Z', '2016-02-29T00:00:00Z'],
    ['["2016-01-15","-1m"]', '2015-12-15T00:00:00Z', '2016-01-15T00:00:00Z'],
    ['["2016-01-01","now"]', '2016-01-01T00:00:00Z', now],
    ['["now","now"]', now, now],
    ['["0000-01-01","2016-01-01"]', '1970-01-01T00:00:00Z', '2016-01-01T00:00:00Z'],
    ['["2016-01-01","9999-12-31"]', '2016-01-01T00:00:00Z', '2106-02-07T06:28:15Z'],
  ];
  for (const [text, from, to] of windows) t.strictSame(between(text), [from, to], text);
});

const deep = (levels: number): string => `${'['.repeat(levels)}{"int":{"equals":1}}${']'.repeat(levels)}`;
const week = '"between":["2016-01-01","2016-01-07"]';
const ie = (between: string): string => `[{"ie":{"gt":1,"between":${between}}}]`;
const columns = (count: number): string =>
  Array.from({ length: count }, (_, i) => `{"c${i}":{"equals":1}}`).join(',"or",');
const geo = (fields: string): string => `[{"geo":{"geo_radius":{${fields}}}}]`;
const corner = (longitude: number, latitude: number): string =>
  `{"longitude":${longitude},"latitude":${latitude}}`;

const REFUSED: readonly Refusal[] = [
  ['a query that is not a list', '{"int":{"equals":1}}', 4026, 'an object'],
  ['a null query', 'null', 4026, 'null'],
  ['an empty query', '[]', 4014, 'no column'],
  ['an empty list inside', '[{"int":{"equals":1}},"and",[]]', 4014, 'query[2]'],
  ['an empty condition', '[{}]', 4014, 'query[0]'],
  ['a condition that is null', '[null]', 4004, 'query[0]'],
  ['a condition that is a number', '[[5]]', 4004, 'query[0][0]'],
  ['an unknown column', '[{"int":{"equals":1}},"or",{"nothing":{"equals":1}}]', 4008, '"nothing"'],
  ['a name of every object', '[{"constructor":{"equals":1}}]', 4008, '"constructor"'],
  ['__proto__ as a column', '[{"__proto__":{"equals":1}}]', 4008, '"__proto__"'],
  ['an inactive column', '[{"off":{"equals":1}}]', 4008, '"off"'],
  ['minfreq alone', '[{"minfreq":3}]', 4008, '"minfreq"'],
  ['a column without parameters', '[{"int":{}}]', 4009, '"int"'],
  ['a column with a bare value', '[{"int":5}]', 4009, '"int"'],
  ['a column with a list', '[{"int":[1]}]', 4009, '"int"'],
  ['two conditions without an operator', '[{"int":{"equals":1}},{"int":{"equals":2}}]', 4007, 'query[1]'],
  ['two columns in one condition', '[{"int":{"equals":1},"text":{"equals":"a"}}]', 4007, '"text"'],
  ['an operator first', '["and",{"int":{"equals":1}}]', 4007, 'query[0]'],
  ['an operator last', '[{"int":{"equals":1}},"or"]', 4007, 'ends with'],
  ['an operator alone', '["or"]', 4007, '"or"'],
  ['not alone', '["not"]', 4007, 'ends with'],
  ['two operators', '[{"int":{"equals":1}},"or","and",{"int":{"equals":1}}]', 4007, 'query[2]'],
  ['not in the middle', '[{"int":{"equals":1}},"and","not",{"int":{"equals":1}}]', 4007, 'query[2]'],
  ['not as an operator', '[{"int":{"equals":1}},"not",{"int":{"equals":1}}]', 4007, 'query[1]'],
  ['an unknown operator', '[{"int":{"equals":1}},"xor",{"int":{"equals":1}}]', 4007, '"xor"'],
  ['an operator in capitals', '[{"int":{"equals":1}},"AND",{"int":{"equals":1}}]', 4007, '"AND"'],
  ['65 levels', deep(65), 4049, 'deeper than 64'],
  ['21 columns', `[${columns(21)}]`, 4013, '20'],
  ['an unknown predicate', '[{"int":{"equal":1}}]', 4049, '"equal"'],
  ['a predicate of every object', '[{"int":{"toString":1}}]', 4049, '"toString"'],
  ['geo_near', '[{"geo":{"geo_near":{}}}]', 4038, 'geo_near'],
  ['a bad number', '[{"int":{"equals":1}},"and",{"int":{"gt":"1x"}}]', 4049, 'query[2].int.gt'],
  ['white space in a number', '[{"int":{"gt":" 1"}}]', 4049, 'query[0].int.gt'],
  ['null as a number', '[{"int":{"gt":null}}]', 4049, 'null'],
  ['a boolean as a number', '[{"int":{"equals":true}}]', 4049, 'a boolean'],
  ['a list as a number', '[{"int":{"equals":[1]}}]', 4049, 'a list'],
  ['a number as a text', '[{"text":{"equals":1}}]', 4049, 'a number'],
  ['a number as an entity ID', '[{"entity-id":{"in":["a",1]}}]', 4049, 'in[1]'],
  ['a bad boolean', '[{"bool":{"equals":"yes"}}]', 4049, '"yes"'],
  ['a text too long', `[{"text":{"equals":"${'x'.repeat(1001)}"}}]`, 4049, '1000'],
  ['an empty text', '[{"text":{"equals":""}}]', 4047, 'query[0].text.equals'],
  ['an empty text in a list', '[{"text":{"in":["a",""]}}]', 4047, 'in[1]'],
  ['an empty number', '[{"int":{"gt":""}}]', 4047, 'query[0].int.gt'],
  ['an empty date', '[{"date":{"gt":""}}]', 4047, 'query[0].date.gt'],
  ['101 values', `[{"int":{"in":[${Array(101).fill(1).join()}]}}]`, 4048, '101'],
  ['101 texts', `[{"text":{"contains":[${Array(101).fill('"a"').join()}]}}]`, 4048, '101'],
  ['no values', '[{"int":{"in":[]}}]', 4049, 'empty list'],
  ['values that are not a list', '[{"int":{"not-in":5}}]', 4049, 'a number'],
  ['contains with a number', '[{"text":{"contains":[1]}}]', 4016, 'contains'],
  ['contains with an object', '[{"text":{"contains":{}}}]', 4016, 'contains'],
  ['range with one end', '[{"int":{"range":[1]}}]', 4012, 'range'],
  ['range with three ends', '[{"int":{"range":[1,2,3]}}]', 4012, 'range'],
  ['range with no list', '[{"int":{"range":5}}]', 4012, 'range'],
  ['range with fractions of integers', '[{"int":{"range":[1.5,3]}}]', 4012, 'integer'],
  ['range with texts', '[{"dec":{"range":["a","b"]}}]', 4012, 'range'],
  ['range with bad dates', '[{"date":{"range":["2016-01-01","2016-02-30"]}}]', 4012, 'range'],
  ['range with an empty text', '[{"int":{"range":["",1]}}]', 4012, 'range'],
  ['a bad date', '[{"date":{"gt":"2016-02-30"}}]', 4044, 'query[0].date.gt'],
  ['a number as a date', '[{"time":{"equals":1452124800}}]', 4044, 'query[0].time.equals'],
  ['now as a date', '[{"date":{"lt":"now"}}]', 4044, 'query[0].date.lt'],
  ['gt on a string', '[{"text":{"gt":"a"}}]', 4039, '"gt"'],
  ['range on a string', '[{"text":{"range":[1,2]}}]', 4039, '"range"'],
  ['lt on an entity ID', '[{"entity-id":{"lt":"a"}}]', 4039, '"lt"'],
  ['contains on an integer', '[{"int":{"contains":"1"}}]', 4039, '"contains"'],
  ['gt on a boolean', '[{"bool":{"gt":false}}]', 4039, '"gt"'],
  ['equals on a geolocation', '[{"geo":{"equals":[1,2]}}]', 4039, '"equals"'],
  ['geo_radius on a string', '[{"text":{"geo_radius":{}}}]', 4039, '"geo_radius"'],
  ['between on an attribute', `[{"date":{${week}}}]`, 4017, 'query[0].date.between'],
  [
    'between inside a box on an attribute',
    `[{"geo":{"geo_bounding_box":{"lower-left":${corner(0, 0)},"upper-right":${corner(1, 1)},${week}}}}]`,
    4017,
    'between',
  ],
  ['minfreq on an attribute', '[{"int":{"equals":1,"minfreq":2}}]', 4017, 'query[0].int.minfreq'],
  ['between on an entity ID', `[{"entity-id":{"equals":"a",${week}}}]`, 4017, 'between'],
  ['an event without between', '[{"ie":{"gt":1}}]', 4005, 'query[0].ie'],
  ['an event with minfreq only', '[{"ie":{"minfreq":1}}]', 4005, 'query[0].ie'],
  [
    'more conditions than a query may hold',
    `[${Array(251).fill('{"int":{"equals":1}}').join(',"or",')}]`,
    4048,
    'query[500]',
  ],
  ['an event with between only', `[{"ie":{${week}}}]`, 4011, 'query[0].ie'],
  ['a null between', ie('null'), 4053, 'between'],
  ['a between of one date', ie('["2016-01-01"]'), 4053, 'between'],
  ['a between of three dates', ie('["2016-01-01","2016-01-02","2016-01-03"]'), 4053, 'between'],
  ['a bad first date', ie('["2016-13-01","2016-01-02"]'), 4053, '2016-13-01'],
  ['a bad second date', ie('["2016-01-01","tomorrow"]'), 4053, 'between[1]'],
  ['a number in between', ie('["2016-01-01",5]'), 4053, 'a number'],
  ['today as one of two', ie('["2016-01-01","today"]'), 4053, 'today'],
  ['an unknown unit', ie('["now","-1h"]'), 4003, '-1h'],
  ['a relative part without a number', ie('["now","-d"]'), 4003, '-d'],
  ['a fraction of a unit', ie('["now","-1.5d"]'), 4003, '-1.5d'],
  ['a relative part first', ie('["-1d","now"]'), 4003, '-1d'],
  ['a relative part out of all years', ie('["now","+9999y"]'), 4003, '9999'],
  ['a relative part of many digits', ie('["now","-99999999999d"]'), 4003, 'between[1]'],
  ['minfreq of 0', `[{"ie":{"gt":1,${week},"minfreq":0}}]`, 4050, 'minfreq'],
  ['minfreq of 10,001', `[{"ie":{"gt":1,${week},"minfreq":10001}}]`, 4050, 'minfreq'],
  ['minfreq of 1.5', `[{"ie":{"gt":1,${week},"minfreq":1.5}}]`, 4050, 'minfreq'],
  ['minfreq as a string', `[{"ie":{"gt":1,${week},"minfreq":"3"}}]`, 4050, 'minfreq'],
  ['a freqgroup that is not a list', '[{"minfreq":1,"freqgroup":5}]', 4049, 'freqgroup'],
  ['an empty freqgroup', '[{"minfreq":1,"freqgroup":[]}]', 4014, 'freqgroup'],
  ['a freqgroup with a third field', `[{"minfreq":1,"freqgroup":[],"x":1}]`, 4049, '"x"'],
  [
    'a bad minfreq next to a freqgroup',
    `[{"minfreq":-1,"freqgroup":[{"ie":{"gt":1,${week}}}]}]`,
    4050,
    'minfreq',
  ],
  [
    'an attribute in a freqgroup',
    '[{"minfreq":1,"freqgroup":[{"int":{"equals":1}}]}]',
    4039,
    'freqgroup[0].int',
  ],
  [
    'an operator in a freqgroup',
    `[{"minfreq":1,"freqgroup":[{"ie":{"gt":1,${week}}},"and"]}]`,
    4007,
    'freqgroup[1]',
  ],
  ['a list in a freqgroup', '[{"minfreq":1,"freqgroup":[[]]}]', 4004, 'freqgroup[0]'],
  ['minfreq inside a freqgroup', `[{"freqgroup":[{"ie":{"gt":1,${week},"minfreq":2}}]}]`, 4049, 'minfreq'],
  ['an event without between in a freqgroup', '[{"freqgroup":[{"ie":{"gt":1}}]}]', 4005, 'freqgroup[0]'],
  ['a circle that is not an object', '[{"geo":{"geo_radius":5}}]', 4049, 'geo_radius'],
  ['a circle without its unit', geo('"longitude":0,"latitude":0,"radius":1'), 4010, '"unit"'],
  ['a circle without its centre', geo('"latitude":0,"radius":1,"unit":"km"'), 4010, '"longitude"'],
  [
    'an unknown unit of length',
    geo('"longitude":0,"latitude":0,"radius":1,"unit":"constructor"'),
    4049,
    'unit',
  ],
  ['a negative radius', geo('"longitude":0,"latitude":0,"radius":-1,"unit":"km"'), 4049, 'radius'],
  ['a radius without end', geo('"longitude":0,"latitude":0,"radius":1e400,"unit":"km"'), 4049, 'radius'],
  [
    'a longitude out of bounds',
    geo('"longitude":180.5,"latitude":0,"radius":1,"unit":"km"'),
    4049,
    'longitude',
  ],
  ['a latitude out of bounds', geo('"longitude":0,"latitude":-91,"radius":1,"unit":"km"'), 4049, 'latitude'],
  [
    'an unknown field of a circle',
    geo('"longitude":0,"latitude":0,"radius":1,"unit":"km","x":1'),
    4049,
    '"x"',
  ],
  [
    'a box without a corner',
    `[{"geo":{"geo_bounding_box":{"lower-left":${corner(0, 0)}}}}]`,
    4010,
    'upper-right',
  ],
  [
    'a box upside down',
    `[{"geo":{"geo_bounding_box":{"lower-left":${corner(0, 2)},"upper-right":${corner(1, 1)}}}}]`,
    4049,
    'above',
  ],
  [
    'a corner that is a list',
    '[{"geo":{"geo_bounding_box":{"lower-left":[0,0],"upper-right":[1,1]}}}]',
    4049,
    'lower-left',
  ],
  [
    'two betweens',
    `[{"ge":{${week},"geo_bounding_box":{"lower-left":${corner(0, 0)},"upper-right":${corner(1, 1)},${week}}}}]`,
    4049,
    'is a second "between"',
  ],
];

t.test('bad conditions are refused with their code and their path', async (t) => {
  assertRefusals(t, REFUSED, (body) => bindQuery(body, THERE, NOW_MS));
});

t.test('64 levels and 20 columns are accepted, and a column may occur more than once', async (t) => {
  t.strictSame(bind(deep(64)), leaf(INT, 1n));
  t.equal(bind(`[${columns(20)},"or",${columns(20)}]`).op, 'or');
});

t.test('every column that a condition names is checked, in document order and at any depth', async (t) => {
  const week = '"between":["2016-01-01","2016-01-07"]';
  const query = json(`["not",{"int":{"gt":1}},"or",[[{"entity-id":{"equals":"x"}}],"and",
    {"freqgroup":[{"ie":{"gt":1,${week}}},{"te":{"equals":"a",${week}}}]},"and",{"int":{"lt":0}}]]`);
  const seen: string[] = [];
  const checkColumn = (dimension: Dimension, column: Column): void => {
    t.equal(dimension, THERE);
    seen.push(column.apiName);
  };
  bindQuery(query, THERE, NOW_MS, { checkColumn });
  t.strictSame(seen, ['int', 'entity-id', 'ie', 'te', 'int']);
  for (const refused of new Set(seen)) {
    const error = new QuarryError(506, refused);
    const check = (_: Dimension, { apiName }: Column): void => {
      if (apiName === refused) throw error;
    };
    t.throws(() => bindQuery(query, THERE, NOW_MS, { checkColumn: check }), error);
  }
});
