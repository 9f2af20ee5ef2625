import t from 'tap';
import {
  type Access,
  accessOf,
  type ColumnGroups,
  changeColumn,
  createColumns,
  FULL_ACCESS,
  type Json,
  listColumns,
} from '../../../src/api/index.js';
import { databaseOf } from '../../../src/catalog/index.js';
import { customKey, decided, emptyCatalog, json, modelWith } from '../databases.js';
import { assertAllRefusals, assertRefusals, type Refusal } from '../refusals.js';

t.test('every column type is created with its parameters and their defaults', async (t) => {
  const model = modelWith(
    json(`[
      {"name":"Text_1 (a)","type":"string","storage":"list-of-values","cardinality":"low","description":"words"},
      {"name":"text","type":"string"},
      {"name":"int","type":"integer"},
      {"name":"dec","type":"decimal","decimal-places":20},
      {"name":"dec6","type":"decimal"},
      {"name":"bool","type":"boolean","storage":"latest-value"},
      {"name":"date","type":"date"},
      {"name":"time","type":"datetime"},
      {"name":"geo","type":"geolocation"},
      {"name":"enum","type":"enumerated","range":[-9223372036854775808,0,9223372036854775807]},
      {"name":"text event","api-name":"te","type":"string-event","retention-time":30},
      {"name":"int event","type":"integer-event","retention-time":"forever"},
      {"name":"dec event","type":"decimal-event","decimal-places":3},
      {"name":"geo event","type":"geolocation-event"}
    ]`),
  );
  const facts = [...(model.dimensions.get('default')?.columns.values() ?? [])].map((column) => [
    ...[column.id, column.apiName, column.type, column.storage, column.cardinality],
    ...[column.decimalPlaces, column.range, column.retentionDays],
  ]);
  const latest = 'latest-value';
  t.strictSame(facts, [
    [0, 'entity-id', 'unique-id', latest, null, null, null, null],
    [1, 'text-1-a-', 'string', 'list-of-values', 'low', null, null, null],
    [2, 'text', 'string', latest, 'high', null, null, null],
    [3, 'int', 'integer', latest, null, null, null, null],
    [4, 'dec', 'decimal', latest, null, 20, null, null],
    [5, 'dec6', 'decimal', latest, null, 6, null, null],
    [6, 'bool', 'boolean', latest, null, null, null, null],
    [7, 'date', 'date', latest, null, null, null, null],
    [8, 'time', 'datetime', latest, null, null, null, null],
    [9, 'geo', 'geolocation', latest, null, null, null, null],
    [10, 'enum', 'enumerated', latest, null, null, [-(2n ** 63n), 0n, 2n ** 63n - 1n], null],
    [11, 'te', 'string-event', null, null, null, null, 30],
    [12, 'int-event', 'integer-event', null, null, null, null, null],
    [13, 'dec-event', 'decimal-event', null, null, 3, null, null],
    [14, 'geo-event', 'geolocation-event', null, null, null, null, null],
  ]);
});

t.test('a list is answered with a list, an object with a string', async (t) => {
  const model = databaseOf(emptyCatalog(), 1);
  const list = createColumns(json('[{"name":"A b","type":"integer"}]'), model);
  t.strictSame(list.answer, { 'api-name': ['a-b'] });
  const single = createColumns(json('{"name":"A b","type":"integer"}'), model);
  t.strictSame(single.answer, { 'api-name': 'a-b' });
});

t.test(
  'a column in an unknown dimension creates the dimension once, and api-names are unique per dimension',
  async (t) => {
    const body = json(`[
    {"name":"x","type":"integer","dimension":"new"},
    {"name":"x","type":"integer"},
    {"name":"x","type":"integer","dimension":"newer"},
    {"name":"y","type":"string-event","dimension":"new"}
  ]`);
    const catalog = decided(emptyCatalog(), (model) => createColumns(body, model));
    const listed = listColumns(databaseOf(catalog, 1), FULL_ACCESS);
    const entityId = {
      ...{ name: 'entity-id', 'api-name': 'entity-id', description: '', type: 'unique-id' },
      ...{ category: 'general', storage: 'latest-value' },
    };
    const x = { ...entityId, name: 'x', 'api-name': 'x', type: 'integer' };
    const { storage: _, ...y } = { ...entityId, name: 'y', 'api-name': 'y', type: 'string-event' };
    t.strictSame(listed, {
      default: { active: [entityId, x], inactive: [] },
      new: { active: [entityId, x, y], inactive: [] },
      newer: { active: [entityId, x], inactive: [] },
      count: 7,
    });
  },
);

const column = (fields: string): string =>
  `{"name":"c","type":"integer"${fields === '' ? '' : `,${fields}`}}`;
const ofType = (type: string, fields = ''): string =>
  `{"name":"c","type":"${type}"${fields === '' ? '' : `,${fields}`}}`;
const longName = 'n'.repeat(65);
const REFUSED: readonly Refusal[] = [
  ['no column', '[]', 3000, 'no column'],
  ['a body that is not an object', '5', 3000, 'a number'],
  ['an entry that is not an object', `[${column('')},[]]`, 3000, 'body[1]'],
  ['no name', '{"type":"integer"}', 3000, '"name"'],
  ['no type', '[{"name":"c"}]', 3000, '"type"'],
  ['an unknown field', column('"colour":1'), 3000, '"colour"'],
  ['a field of every object', column('"constructor":1'), 3000, '"constructor"'],
  ['an unknown type', ofType('number'), 3001, '"number"'],
  ['the type of entity IDs', ofType('unique-id'), 3001, '"unique-id"'],
  ['a type that is not a string', '{"name":"c","type":1}', 3001, 'a number'],
  ['one that exists', '{"name":"old","type":"integer"}', 3003, '"old"'],
  ['one that exists under another name', column('"api-name":"old"'), 3003, '"old"'],
  ['entity-id', column('"api-name":"entity-id"'), 3003, '"entity-id"'],
  ['one twice in a request', `[${column('')},${column('')}]`, 3003, '"c"'],
  [
    'one twice in a new dimension',
    `[${column('"dimension":"n"')},${column('"dimension":"n"')}]`,
    3003,
    '"c"',
  ],
  [
    '101 columns',
    `[${Array.from({ length: 101 }, (_, i) => `{"name":"c${i}","type":"integer"}`).join()}]`,
    3004,
    '101',
  ],
  ['places that are not an integer', ofType('decimal', '"decimal-places":1.5'), 3005, 'decimal-places'],
  ['places that are a string', ofType('decimal', '"decimal-places":"3"'), 3005, 'decimal-places'],
  ['places on an integer column', column('"decimal-places":3'), 3005, 'decimal-places'],
  ['no places', ofType('decimal', '"decimal-places":0'), 3012, '1 to 20'],
  ['21 places', ofType('decimal-event', '"decimal-places":21'), 3012, '1 to 20'],
  ['an unknown storage', column('"storage":"all"'), 3006, 'storage'],
  ['storage on an event column', ofType('string-event', '"storage":"latest-value"'), 3006, 'storage'],
  ['capitals in the api-name', column('"api-name":"C"'), 3007, '"C"'],
  ['an empty api-name', column('"api-name":""'), 3007, 'api-name'],
  ['an api-name that is not a string', column('"api-name":1'), 3007, 'a number'],
  ['the reserved api-name', column('"api-name":"dimension"'), 3007, '"dimension"'],
  ['an api-name too long', column(`"api-name":"${longName}"`), 3015, '64'],
  ['quotes in the name', '{"name":"a\\"b","type":"integer"}', 3008, 'a\\"b'],
  ['other than ASCII in the name', '{"name":"naïve","type":"integer"}', 3008, 'naïve'],
  ['an empty name', '{"name":"","type":"integer"}', 3008, 'name'],
  ['a name of blanks', '{"name":"   ","api-name":"a","type":"integer"}', 3008, '"   "'],
  ['a name that makes no api-name', '{"name":"(_)","type":"integer"}', 3007, '"(_)"'],
  ['a null name', '{"name":null,"type":"integer"}', 3000, '"name" in the body must be a string, not null'],
  ['a name that is not a string', '{"name":{},"type":"integer"}', 3008, 'an object'],
  ['a name too long', `{"name":"${longName}","type":"integer"}`, 3014, '64'],
  ['a quote in the description', column('"description":"it\'s"'), 3009, 'description'],
  ['a description that is not a string', column('"description":1'), 3009, 'description'],
  ['a description too long', column(`"description":"${'d'.repeat(257)}"`), 3010, '256'],
  ['an unknown cardinality', ofType('string', '"cardinality":"middle"'), 3011, 'cardinality'],
  ['cardinality on an integer column', column('"cardinality":"low"'), 3011, 'cardinality'],
  ['enumerated without range', ofType('enumerated'), 3000, '"range"'],
  ['enumerated with a null range', ofType('enumerated', '"range":null'), 3000, '"range"'],
  ['range that is not a list', ofType('enumerated', '"range":5'), 3016, 'range'],
  ['an empty range', ofType('enumerated', '"range":[]'), 3016, 'range'],
  ['a bound that is not an integer', ofType('enumerated', '"range":[1,2.5]'), 3016, '[1]'],
  ['a bound beyond 64 bits', ofType('enumerated', '"range":[1,9223372036854775808]'), 3016, '[1]'],
  ['bounds that do not ascend', ofType('enumerated', '"range":[1,3,3]'), 3016, '[2]'],
  ['range on an integer column', column('"range":[1]'), 3016, 'range'],
  ['retention of no days', ofType('string-event', '"retention-time":0'), 3017, 'retention-time'],
  ['retention of half a day', ofType('string-event', '"retention-time":0.5'), 3017, 'retention-time'],
  ['retention as another word', ofType('string-event', '"retention-time":"ever"'), 3017, 'retention-time'],
  ['retention on an integer column', column('"retention-time":3'), 3017, 'retention-time'],
  ['a dimension that is not a string', column('"dimension":7'), 5009, 'a number'],
  ['a new dimension with a bad api-name', column('"dimension":"New"'), 5000, '"New"'],
  ['a new dimension with a long api-name', column(`"dimension":"${longName}"`), 5004, '64'],
];

t.test('bad columns are refused with their code and a message that names the fault', async (t) => {
  const model = modelWith(json('{"name":"old","type":"integer"}'));
  assertRefusals(t, REFUSED, (body) => createColumns(body, model));
});

t.test('a request may create 100 columns, and a test database has at most 100', async (t) => {
  const hundred = json(
    `[${Array.from({ length: 100 }, (_, i) => `{"name":"c${i}","type":"integer"}`).join()}]`,
  );
  const catalog = decided(emptyCatalog('test'), (model) => createColumns(hundred, model));
  t.equal(databaseOf(catalog, 1).dimensions.get('default')?.columns.size, 101);
  const one = ['one more', '{"name":"x","type":"integer","dimension":"other"}', 2021, '101'] as const;
  assertRefusals(t, [one], (body) => createColumns(body, databaseOf(catalog, 1)));
  const paid = decided(emptyCatalog(), (model) => createColumns(hundred, model));
  t.strictSame(createColumns(json(one[1]), databaseOf(paid, 1)).answer, { 'api-name': 'x' });
});

t.test('the errors of every column are reported in order, and nothing is created', async (t) => {
  const body = json(`[
    {"name":"good","type":"integer"}, {"type":"integer","storage":5}, {"name":"x","type":"string","dimension":5},
    {"name":"Good","type":"string"}, 7, {"name":"y","type":"date","dimension":"No"}
  ]`);
  assertAllRefusals(t, () => createColumns(body, databaseOf(emptyCatalog(), 1)), [
    [3000, 'body[1]'],
    [3006, 'body[1]'],
    [5009, 'body[2]'],
    [3003, '"good"'],
    [3000, 'body[4]'],
    [5000, '"No"'],
  ]);
});

t.test('every invalid field of a column is reported, unknown fields first, twenty at most', async (t) => {
  const create = (text: string) => () => createColumns(json(text), databaseOf(emptyCatalog(), 1));
  assertAllRefusals(t, create(`{"name":"'","type":"zz","description":"'","storage":"q"}`), [
    [3008, `"'"`],
    [3001, '"zz"'],
    [3009, '"description"'],
    [3006, '"storage"'],
  ]);
  const all = `{"x":1,"name":"ok","api-name":"A","type":"zz","description":5,"storage":5,"cardinality":5,
    "decimal-places":0,"range":[2,1],"retention-time":0,"dimension":"No","y":2}`;
  const faults = [
    ...([3000, 3000, 3001, 3007, 3009, 3006] as const),
    ...([3011, 3012, 3016, 3017, 5000] as const),
  ];
  const named = ['"x"', '"y"', '"zz"', '"A"', 'description', 'storage', 'cardinality', 'decimal-places'];
  const reported = [...named, 'range', 'retention-time', '"No"'];
  const expected = faults.map((code, index) => [code, reported[index]] as const);
  assertAllRefusals(t, create(all), expected);
  assertAllRefusals(t, create(`[${all},${all}]`), [...expected, ...expected].slice(0, 20));
  assertAllRefusals(t, create(`{"name":"c","type":"string-event","storage":"q","range":[1]}`), [
    [3006, 'event columns'],
    [3016, 'enumerated'],
  ]);
});

t.test('an optional field that is null counts as absent', async (t) => {
  const names = ['api-name', 'description', 'dimension', 'storage', 'cardinality', 'decimal-places'];
  const nulls = Object.fromEntries([...names, 'range', 'retention-time'].map((field) => [field, null]));
  for (const type of ['string', 'integer', 'decimal', 'string-event', 'decimal-event']) {
    const made = (more: object) => modelWith(json(JSON.stringify({ name: 'A b', type, ...more })));
    const columnsOf = (more: object) => made(more).dimensions.get('default')?.columns.get('a-b');
    t.ok(columnsOf({}));
    t.strictSame(columnsOf(nulls), columnsOf({}), type);
  }
  const enumerated = { name: 'A b', type: 'enumerated', ...nulls, range: [1, 2] };
  const model = modelWith(json(JSON.stringify(enumerated)));
  t.match(model.dimensions.get('default')?.columns.get('a-b'), { storage: 'latest-value', range: [1n, 2n] });
});

/** Every field in a column that it fits, with the code for each kind of JSON value that it does not accept. */
const FIELD_KINDS: readonly (readonly [string, string, Readonly<Record<string, number>>])[] = [
  ['name', 'integer', { null: 3000, true: 3008, '5': 3008, '[]': 3008, '{}': 3008, '""': 3008 }],
  ['api-name', 'integer', { true: 3007, '5': 3007, '[]': 3007, '{}': 3007, '""': 3007 }],
  ['type', 'integer', { null: 3000, true: 3001, '5': 3001, '[]': 3001, '{}': 3001, '""': 3001 }],
  ['description', 'integer', { true: 3009, '5': 3009, '[]': 3009, '{}': 3009 }],
  ['dimension', 'integer', { true: 5009, '5': 5009, '[]': 5009, '{}': 5009, '""': 5000 }],
  ['storage', 'integer', { true: 3006, '5': 3006, '[]': 3006, '{}': 3006, '""': 3006 }],
  ['cardinality', 'string', { true: 3011, '5': 3011, '[]': 3011, '{}': 3011, '""': 3011 }],
  ['decimal-places', 'decimal', { true: 3005, '5.5': 3005, '[]': 3005, '{}': 3005, '""': 3005 }],
  ['range', 'enumerated', { null: 3000, true: 3016, '5': 3016, '[]': 3016, '{}': 3016, '""': 3016 }],
  ['retention-time', 'string-event', { true: 3017, '5.5': 3017, '[]': 3017, '{}': 3017, '""': 3017 }],
];

t.test('a value of another JSON type is refused in every field, and the field is named', async (t) => {
  for (const [field, type, codes] of FIELD_KINDS) {
    const refused = Object.entries(codes).map(([value, code]): Refusal => {
      const fields: Record<string, string> = { name: '"c"', type: `"${type}"`, [field]: value };
      const text = Object.entries(fields).map(([key, own]) => `"${key}":${own}`);
      // An empty text or an empty api-name is refused by its rule, which names the value.
      return [`${field} ${value}`, `{${text}}`, code, value === '""' ? '' : field];
    });
    assertRefusals(t, refused, (body) => createColumns(body, databaseOf(emptyCatalog(), 1)));
  }
});

t.test('names are accepted up to their limits and refused past them, in ASCII alone', async (t) => {
  const model = databaseOf(emptyCatalog(), 1);
  const body = (fields: object): Json => json(JSON.stringify({ name: 'c', type: 'integer', ...fields }));
  for (const length of [1, 63, 64]) {
    const name = 'n'.repeat(length);
    t.strictSame(createColumns(body({ name }), model).answer, { 'api-name': name });
    t.strictSame(createColumns(body({ 'api-name': name, dimension: name }), model).answer, {
      'api-name': name,
    });
    t.ok(createColumns(body({ description: 'Σ'.repeat(length * 4) }), model));
  }
  // Names of 64 characters outside ASCII are within the length limit, but their characters are refused.
  const words = [
    'ä',
    '日本語',
    '😀',
    'ſ',
    '\u212a',
    '\u200b',
    'a\nb',
    'a\u007f',
    'é'.repeat(64),
    'ä'.repeat(65),
  ];
  const refused = words.flatMap((word): Refusal[] => [
    [`the name ${word}`, JSON.stringify({ name: word, type: 'integer' }), 3008, 'name'],
    [
      `the api-name ${word}`,
      JSON.stringify({ name: 'c', type: 'integer', 'api-name': word }),
      3007,
      'api-name',
    ],
    [
      `the dimension ${word}`,
      JSON.stringify({ name: 'c', type: 'integer', dimension: word }),
      5000,
      'api-name',
    ],
  ]);
  assertRefusals(t, refused, (body) => createColumns(body, model));
});

t.test(
  'a listing separates active from inactive columns, and a whitelisted caller sees its own',
  async (t) => {
    const body = json(`[
    {"name":"a","type":"integer"}, {"name":"b","type":"string-event"}, {"name":"c","type":"integer","dimension":"n"}
  ]`);
    const made = decided(emptyCatalog(), (model) => createColumns(body, model));
    const catalog = decided(made, (model) => changeColumn(json('{"api-name":"a","active":false}'), model));
    const names = (access: Access): unknown => {
      const { count, ...groups } = listColumns(databaseOf(catalog, 1), access);
      const listed = Object.entries(groups).map(([dimension, group]) => {
        const { active, inactive } = group as ColumnGroups;
        return [
          dimension,
          active.map((entry) => entry['api-name']),
          inactive.map((entry) => entry['api-name']),
        ];
      });
      return [count, ...listed];
    };
    t.strictSame(names(FULL_ACCESS), [
      5,
      ['default', ['entity-id', 'b'], ['a']],
      ['n', ['entity-id', 'c'], []],
    ]);
    const sees = (...columns: string[]): Access =>
      accessOf(customKey({ columnsWhitelist: [{ dimension: 'default', columns }] }));
    t.strictSame(names(sees('a')), [3, ['default', ['entity-id'], ['a']], ['n', ['entity-id'], []]]);
    t.strictSame(names(sees('b', 'c')), [3, ['default', ['entity-id', 'b'], []], ['n', ['entity-id'], []]]);
  },
);
