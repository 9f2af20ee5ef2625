import t from 'tap';
import { bindCountEntity, FULL_ACCESS } from '../../../src/api/index.js';
import { json, modelWith } from '../databases.js';
import { assertAllRefusals, assertRefusals, type Refusal } from '../refusals.js';

const MODEL = modelWith(
  json('[{"name":"a","type":"integer"},{"name":"b","type":"integer","dimension":"other"}]'),
);
const query = (fields: string): string =>
  `{"query-name":"q","query":[{"a":{"gt":1}}]${fields === '' ? '' : `,${fields}`}}`;

t.test('one object or a list of queries is bound, each against its dimension', async (t) => {
  const [single] = bindCountEntity(
    json(query('"dimension":null,"bypass-cache":true')),
    MODEL,
    0,
    FULL_ACCESS,
  );
  t.match(single, {
    name: 'q',
    dimensionId: 1,
    bypassCache: true,
    condition: { op: 'attribute', columnId: 1 },
  });
  const body = `[${query('')},{"query-name":"__proto__","dimension":"other","query":[{"b":{"gt":1}}]}]`;
  const [first, second] = bindCountEntity(json(body), MODEL, 0, FULL_ACCESS);
  t.match(first, { name: 'q', dimensionId: 1, bypassCache: false });
  t.match(second, { name: '__proto__', dimensionId: 2, condition: { op: 'attribute', columnId: 2 } });
});

const named = (name: string): string => `{"query-name":"${name}","query":[{"a":{"gt":1}}]}`;
const REFUSED: readonly Refusal[] = [
  ['an empty list', '[]', 4004, 'no query'],
  ['a body that is not an object', '5', 4004, 'a number'],
  ['a null body', 'null', 4004, 'null'],
  ['an entry that is not an object', `[${query('')},"x"]`, 4004, 'body[1]'],
  ['11 queries', `[${Array.from({ length: 11 }, (_, index) => named(String(index))).join()}]`, 4036, '11'],
  ['no query-name', '{"query":[{"a":{"gt":1}}]}', 4010, '"query-name"'],
  ['a query-name that is not a string', '{"query-name":1,"query":[{"a":{"gt":1}}]}', 4049, '"query-name"'],
  ['an empty query-name', named(''), 4047, '"query-name"'],
  ['a query-name twice', `[${named('x')},${named('y')},${named('x')}]`, 4054, '"x"'],
  ['no query', '{"query-name":"q"}', 4010, '"query"'],
  ['a null query', '{"query-name":"q","query":null}', 4026, 'null'],
  ['an unknown field', query('"limit":5'), 4049, '"limit"'],
  ['a bypass-cache that is not a boolean', query('"bypass-cache":"true"'), 4049, 'bypass-cache'],
  ['an unknown dimension', query('"dimension":"nowhere"'), 5008, '"nowhere"'],
  ['a dimension that is not a string', query('"dimension":["default"]'), 5009, 'a list'],
  ["another dimension's column", query('"dimension":"other"'), 4008, '"a"'],
];

t.test('bad bodies are refused with their code and a message that names the fault', async (t) => {
  assertRefusals(t, REFUSED, (body) => bindCountEntity(body, MODEL, 0, FULL_ACCESS));
});

t.test('a request reports the faults of each query, in order, with their positions', async (t) => {
  const body = `[${[
    '{"query-name":"a","query":[{"nowhere":{"gt":1}},"and",{"never":{"gt":1}}]}',
    named('b'),
    '{"query-name":"c","dimension":"nowhere"}',
    '5',
    named('a'),
  ].join()}]`;
  assertAllRefusals(t, () => bindCountEntity(json(body), MODEL, 0, FULL_ACCESS), [
    [4008, 'body[0].query[0]'],
    [5008, '"nowhere"'],
    [4010, 'body[2]'],
    [4004, 'body[3]'],
    [4054, '"a"'],
  ]);
});

t.test('every invalid field of a query is reported, unknown fields first', async (t) => {
  const bind = (text: string) => () => bindCountEntity(json(text), MODEL, 0, FULL_ACCESS);
  const body = (query: string, dimension: string): string =>
    `{"query-name":5,"bypass-cache":5,"x":1,"dimension":${dimension},"query":${query},"y":2}`;
  const unknown = [
    [4049, '"x"'],
    [4049, '"y"'],
    [4049, '"query-name"'],
  ] as const;
  const last = [4049, '"bypass-cache"'] as const;
  assertAllRefusals(t, bind(body('[{"a":{"gt":1}}]', '5')), [...unknown, [5009, 'a number'], last]);
  assertAllRefusals(t, bind(body('5', '"none"')), [...unknown, [5008, '"none"'], [4026, '"query"'], last]);
  assertAllRefusals(t, bind(body('[{"z":{"gt":1}}]', 'null')), [...unknown, [4008, '"z"'], last]);
});
