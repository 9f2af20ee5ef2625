import t from 'tap';
import { accessOf, bindTopValues, FULL_ACCESS, topValuesResult } from '../../../src/api/index.js';
import type { AggregateAnswer } from '../../../src/ir/index.js';
import { MODEL, NOW_MS, plainLevel, WEEK_TEXT } from '../aggregates.js';
import { customKey, json } from '../databases.js';
import { assertAllRefusals, assertRefusals, type Refusal } from '../refusals.js';

const bind = (text: string, access = FULL_ACCESS) => bindTopValues(json(text), MODEL, NOW_MS, access);
const ALL_EVENTS = { from: 0, to: 2 ** 32 - 1 };
const level = (column: string, limit: number, minQuantity = 1) => {
  return { ...plainLevel(column, ALL_EVENTS), limit, minQuantity };
};
const planWith = (top: object, fields: object = {}) => {
  return { databaseId: 1, dimensionId: 1, entities: null, levels: [top], metric: null, ...fields };
};

t.test('each query of the body is a plan of one level, under its name', async (t) => {
  const body =
    '{"a":{"text":5},"__proto__":{"b":7,"dimension":"other","bypass-cache":true},"c":{"entity-id":1000,"minfreq":10000}}';
  const [a, proto, c] = bind(body);
  t.strictSame(a, { name: 'a', column: 'text', plan: planWith(level('text', 5)), bypassCache: false });
  t.match(proto, { name: '__proto__', column: 'b', plan: { dimensionId: 2 }, bypassCache: true });
  t.strictSame(c.plan, planWith(level('entity-id', 1000, 10_000)));
});

t.test('events are all events, or those between two dates', async (t) => {
  const [all, some, inside] = bind(`{"all":{"te":5},"some":{"te":5,"between":${WEEK_TEXT}},
    "inside":{"ge":5,"geo_radius":{"longitude":1,"latitude":2,"radius":0,"unit":"m","between":${WEEK_TEXT}}}}`);
  t.strictSame(all.plan, planWith(level('te', 5)));
  t.strictSame(some.plan, planWith({ ...plainLevel('te'), limit: 5, minQuantity: 1 }));
  const tests = [{ kind: 'geo-radius', longitude: 1, latitude: 2, radiusKm: 0, negated: false }];
  t.strictSame(inside.plan, planWith({ ...plainLevel('ge'), tests, limit: 5, minQuantity: 1 }));
});

t.test('"bypass-cache" is a flag for all queries if it is true or false, else a query', async (t) => {
  t.match(bind('{"bypass-cache":true,"a":{"text":5}}'), [{ name: 'a', bypassCache: true }]);
  t.match(bind('{"bypass-cache":false,"a":{"text":5}}'), [{ name: 'a', bypassCache: false }]);
  t.match(bind('{"bypass-cache":{"text":5}}'), [{ name: 'bypass-cache', bypassCache: false }]);
});

t.test('a query uses only the rows and columns that its key sees', async (t) => {
  const conditions = '{"int":{"equals":5}}';
  const filtered = accessOf(customKey({ filter: [{ dimension: 'default', conditions }] }));
  const [query] = bind('{"a":{"text":5}}', filtered);
  const tests = [{ kind: 'ranges', ranges: [{ low: 5n, high: 5n }], negated: false }];
  t.strictSame(query.plan, planWith(level('text', 5), { entities: { op: 'attribute', columnId: 2, tests } }));
  const listed = accessOf(customKey({ columnsWhitelist: [{ dimension: 'default', columns: ['text'] }] }));
  assertAllRefusals(t, () => bind('{"a":{"text":5},"b":{"int":5},"c":{"entity-id":1}}', listed), [
    [506, '"int"'],
  ]);
});

const REFUSED: readonly Refusal[] = [
  ['a body that is not an object', '[{"text":5}]', 4004, 'a list'],
  ['no query', '{}', 4004, 'no query'],
  ['a flag alone', '{"bypass-cache":true}', 4004, 'no query'],
  ['a flag of another type', '{"bypass-cache":"true","a":{"text":5}}', 4004, '"bypass-cache"'],
  ['a query that is not an object', '{"a":5}', 4004, '"a"'],
  [
    '101 queries',
    `{${Array.from({ length: 101 }, (_, index) => `"${index}":{"text":5}`).join()}}`,
    4036,
    '101',
  ],
  ['a query without a name', '{"":{"text":5}}', 4047, 'empty'],
  ['no column', '{"a":{}}', 4014, '"a"'],
  ['words alone', '{"a":{"dimension":"default","bypass-cache":true,"interval":"days"}}', 4014, '"a"'],
  ['two columns', '{"a":{"text":5,"int":5}}', 4007, '"int"'],
  ['an unknown field', '{"a":{"text":5,"limit":5}}', 4049, '"limit"'],
  ['an unknown column', '{"a":{"nowhere":5}}', 4008, '"nowhere"'],
  ['no values', '{"a":{"text":0}}', 4051, '"a".text'],
  ['1001 values', '{"a":{"text":1001}}', 4051, '"a".text'],
  ['a metric', '{"a":{"int":"min"}}', 4051, '"a".int'],
  ['a minfreq of 0', '{"a":{"text":5,"minfreq":0}}', 4050, '"a".minfreq'],
  ['a minfreq of 10,001', '{"a":{"text":5,"minfreq":10001}}', 4050, '"a".minfreq'],
  ['a null minfreq', '{"a":{"text":5,"minfreq":null}}', 4050, '"a".minfreq'],
  ['between on an attribute', `{"a":{"text":5,"between":${WEEK_TEXT}}}`, 4017, '"a".between'],
  ['an interval', '{"a":{"te":5,"interval":"days"}}', 4038, '"a".interval'],
  ['an interval on an attribute', '{"a":{"text":5,"interval":"days"}}', 4017, '"a".interval'],
  ['a list of windows', `{"a":{"te":5,"between":[${WEEK_TEXT}]}}`, 4038, '"a".between'],
  ['a bad date', '{"a":{"te":5,"between":["x","now"]}}', 4053, '"a".between[0]'],
  ['geo_near', '{"a":{"geo":5,"geo_near":{}}}', 4038, '"geo_near"'],
  ['contains of a number', '{"a":{"text":5,"contains":[5]}}', 4016, '"a".contains'],
  ['a bypass-cache that is not a boolean', '{"a":{"text":5,"bypass-cache":1}}', 4049, '"a"'],
  ['an unknown dimension', '{"a":{"text":5,"dimension":"x"}}', 5008, '"x"'],
  ['a dimension that is not a string', '{"a":{"text":5,"dimension":5}}', 5009, '"dimension" in "a"'],
];

t.test('bad bodies are refused with their code and a message that names the fault', async (t) => {
  assertRefusals(t, REFUSED, (body) => bindTopValues(body, MODEL, NOW_MS, FULL_ACCESS));
});

t.test('every invalid field of each query is reported', async (t) => {
  const body = `{"":{},"b":{"int":"min","minfreq":"x","bypass-cache":5,"between":[],"gt":"y"},"c":5,
    "d":{"dimension":"x"},"e":{"text":5}}`;
  assertAllRefusals(t, () => bind(body), [
    [4047, 'empty'],
    [4051, '"b".int'],
    [4049, '"b".gt'],
    [4017, '"b".between'],
    [4050, '"b".minfreq'],
    [4049, '"bypass-cache" in "b"'],
    [4004, '"c"'],
    [5008, '"x"'],
  ]);
});

t.test('answers are written by name and column', async (t) => {
  const queries = bind('{"__proto__":{"text":5},"b":{"bool":5}}');
  const answers: AggregateAnswer[] = [
    { answers: 'values', rows: [{ value: 'x', quantity: 2, next: null }] },
    { answers: 'values', rows: [] },
  ];
  t.equal(
    topValuesResult(queries, answers),
    '{"__proto__":{"text":[{"quantity":2,"value":"x"}]},"b":{"bool":[]}}',
  );
});
