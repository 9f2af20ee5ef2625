import t from 'tap';
import {
  accessOf,
  bindMutation,
  bindQuery,
  FULL_ACCESS,
  type Json,
  type MutationKind,
  readMutation,
} from '../../../src/api/index.js';
import type { Dimension } from '../../../src/schema/index.js';
import { customKey, json, modelWith } from '../databases.js';
import { assertAllRefusals, assertRefusals, type Refusal } from '../refusals.js';

const NOW_MS = Date.UTC(2018, 5, 30);
const MODEL = modelWith(
  json(`[
    {"name":"a","type":"integer"}, {"name":"b","type":"decimal"}, {"name":"e","type":"integer-event"},
    {"name":"a","type":"string","dimension":"other"}
  ]`),
);
const QUERY = '[{"a":{"gt":1}}]';
const bind = (body: Json, kind: MutationKind, access = FULL_ACCESS) =>
  bindMutation(readMutation(body, kind), MODEL, NOW_MS, access);

t.test('an update names its entities, their dimension and the values to set, with every digit', async (t) => {
  const set =
    '{ "a": -9223372036854775808, "b" : 1.10, "e":[{"value": 1E+2, "date":"2016-01-01"}, null], "s":"\\u00e9\\"\\\\" }';
  t.strictSame(bind(json(`{"query":${QUERY},"set":${set}}`), 'update'), {
    dimensionId: 1,
    condition: bindQuery(json(QUERY), MODEL.dimensions.get('default') as Dimension, NOW_MS),
    set: '{"a":-9223372036854775808,"b":1.10,"e":[{"value":1E+2,"date":"2016-01-01"},null],"s":"é\\"\\\\"}',
  });
  const inOther = `{"dimension":"other","query":[{"a":{"equals":"X"}}],"set":{"__proto__":{"dimension":"default"}}}`;
  t.match(bind(json(inOther), 'update'), {
    dimensionId: 2,
    condition: { op: 'attribute', columnId: 4 },
    set: '{"__proto__":{"dimension":"default"}}',
  });
});

t.test('a delete sets no values', async (t) => {
  t.match(bind(json(`{"dimension":null,"query":${QUERY}}`), 'delete'), { dimensionId: 1, set: null });
});

t.test(
  'a write changes no row that the key does not see, and cannot use columns that the key may not use',
  async (t) => {
    const access = accessOf(
      customKey({
        columnsWhitelist: [{ dimension: 'default', columns: ['a'] }],
        filter: [{ dimension: 'default', conditions: '{"b":{"lt":5}}' }],
      }),
    );
    const dimension = MODEL.dimensions.get('default') as Dimension;
    t.strictSame(bind(json(`{"query":${QUERY}}`), 'delete', access).condition, {
      op: 'and',
      members: ['[{"b":{"lt":5}}]', QUERY].map((query) => bindQuery(json(query), dimension, NOW_MS)),
    });
    const refused = ['a column of the filter', '{"query":[{"b":{"lt":5}}]}', 506, '"b"'] as const;
    assertRefusals(t, [refused], (body) => bind(body, 'delete', access));
  },
);

const update = (fields: string): string => `{"query":${QUERY},${fields}}`;
const REFUSED: readonly Refusal[] = [
  ['a list', `[{"query":${QUERY},"set":{"a":1}}]`, 4004, 'a list'],
  ['a null body', 'null', 4004, 'null'],
  ['no query', '{"set":{"a":1}}', 4010, '"query"'],
  ['a null query', '{"query":null,"set":{"a":1}}', 4026, 'null'],
  ['a query that is not a list', '{"query":{"a":{"gt":1}},"set":{"a":1}}', 4026, 'an object'],
  ['an empty query', '{"query":[],"set":{"a":1}}', 4014, 'query'],
  ['an unknown column in the query', '{"query":[{"z":{"gt":1}}],"set":{"a":1}}', 4008, '"z"'],
  ['no set', `{"query":${QUERY}}`, 4010, '"set"'],
  ['a null set', update('"set":null'), 4049, 'null'],
  ['a set that is a list', update('"set":[{"a":1}]'), 4049, 'a list'],
  ['a set that is a string', update('"set":"a"'), 4049, 'a string'],
  ['an empty set', update('"set":{}'), 2017, '"set"'],
  ['a dimension in the set', update('"set":{"a":1,"dimension":"other"}'), 2011, '"dimension"'],
  ['an escaped one', update('"set":{"\\u0064imension":"other"}'), 2011, '"dimension"'],
  ['an unknown field', update('"set":{"a":1},"limit":5'), 4049, '"limit"'],
  ['__proto__ as a field', update('"set":{"a":1},"__proto__":{}'), 4049, '"__proto__"'],
  ['an unknown dimension', update('"set":{"a":1},"dimension":"nowhere"'), 5008, '"nowhere"'],
  ['a dimension that is not a string', update('"set":{"a":1},"dimension":[]'), 5009, 'a list'],
];

t.test('bad updates and deletes are refused with their code, and the fault is named', async (t) => {
  assertRefusals(t, REFUSED, (body) => bind(body, 'update'));
  const ofDelete: readonly Refusal[] = [
    ['a set', update('"set":{"a":1}'), 4049, '"set"'],
    ['no query', '{}', 4010, '"query"'],
  ];
  assertRefusals(t, ofDelete, (body) => bind(body, 'delete'));
});

t.test('every invalid field of an update is reported, unknown fields first', async (t) => {
  const body = json('{"dimension":5,"x":1,"query":5,"set":5,"y":2}');
  const unknown = [
    [4049, '"x"'],
    [4049, '"y"'],
  ] as const;
  const dimensionAndQuery = [
    [5009, '"dimension"'],
    [4026, 'query'],
  ] as const;
  assertAllRefusals(t, () => bind(body, 'update'), [...unknown, [4049, '"set"'], ...dimensionAndQuery]);
  const none = json('{"dimension":[],"set":{}}');
  assertAllRefusals(t, () => bind(none, 'update'), [
    [4010, '"query"'],
    [2017, '"set"'],
    [5009, 'a list'],
  ]);
});
