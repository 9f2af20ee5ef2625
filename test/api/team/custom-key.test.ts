import t from 'tap';
import {
  accessOf,
  changeCustomKey,
  createCustomKey,
  deleteCustomKey,
  type Json,
  listCustomKeys,
  type Reach,
} from '../../../src/api/index.js';
import {
  type Catalog,
  type CustomKey,
  databaseOf,
  hashOfKey,
  secretsOfKey,
} from '../../../src/catalog/index.js';
import { customKey, json } from '../databases.js';
import { assertAllRefusals, assertRefusals, type Refusal } from '../refusals.js';
import { after, EVERYWHERE, NO_TEXTS, NOW_MS, ONLY_TWO, parsed, TEAM } from '../team.js';

const create = (body: Json, catalog = TEAM) => createCustomKey(body, catalog, EVERYWHERE, 'text', NOW_MS);
const change = (body: Json, catalog = TEAM) => changeCustomKey(body, catalog, EVERYWHERE, NOW_MS);
const remove = (body: Json) => deleteCustomKey(body, TEAM, EVERYWHERE);

const inOne = (key: object): string => JSON.stringify({ 'database-name': 'one', 'custom-database-key': key });
const creating = (more: object): string => inOne({ 'key-name': 'new', 'key-type': 'read-only', ...more });
const changing = (more: object): string => inOne({ 'key-name': 'custom', ...more });
const made = (more: object): CustomKey =>
  after(create(json(creating(more)))).catalog.keys.get(hashOfKey('text')) as CustomKey;
const changed = (more: object, catalog: Catalog = TEAM): CustomKey =>
  after(change(json(changing(more)), catalog), catalog).catalog.keys.get('cd') as CustomKey;

const RESTRICTED = {
  'columns-whitelist': { default: ['age', 'visits', 'age'], users: [] },
  filter: { default: { age: { equals: 3 } }, users: { level: { gt: 1, lt: 9 } } },
  'addresses-whitelist': ['10.0.0.0/8', 'Example.org'],
};
const RESTRICTIONS = {
  columnsWhitelist: [
    { dimension: 'default', columns: ['age', 'visits'] },
    { dimension: 'users', columns: [] },
  ],
  filter: [
    { dimension: 'default', conditions: '{"age":{"equals":3}}' },
    { dimension: 'users', conditions: '{"level":{"gt":1,"lt":9}}' },
  ],
  addressesWhitelist: ['10.0.0.0/8', 'example.org'],
};

t.test('a key is created with its restrictions; its text is returned once and never stored', (t) => {
  const body = json(creating({ description: 'Δ', ...RESTRICTED }));
  const { catalog, answer } = after(create(body));
  t.strictSame(answer, { 'custom-keys': ['new'], key: 'text' });
  t.strictSame(catalog.keys.get(hashOfKey('text')), {
    ...customKey({ level: 'read-only' }),
    ...RESTRICTIONS,
    ...secretsOfKey('text'),
    name: 'new',
    description: 'Δ',
  });
  t.notMatch(JSON.stringify([...catalog.keys.values()]), /"text"/);
  t.end();
});

t.test('whitelists and filters that are absent, null or empty restrict nothing', (t) => {
  const empty = { 'columns-whitelist': {}, filter: {}, 'addresses-whitelist': [] };
  const nulls = { 'columns-whitelist': null, filter: null, 'addresses-whitelist': null, description: null };
  for (const more of [{}, empty, nulls]) {
    t.match(made(more), { columnsWhitelist: null, filter: [], addressesWhitelist: [], description: '' });
  }
  t.end();
});

t.test("a filter's numbers are kept to the last digit", (t) => {
  const filter = '{"default":{"age":{"in":[9007199254740993,-9223372036854775808]}}}';
  const body = creating({}).replace('"key-type"', `"filter":${filter},"key-type"`);
  const key = after(create(json(body))).catalog.keys.get(hashOfKey('text')) as CustomKey;
  t.equal(key.filter[0].conditions, '{"age":{"in":[9007199254740993,-9223372036854775808]}}');
  t.end();
});

t.test('the restrictions of a new key can be bound for its requests', (t) => {
  const access = accessOf(made(RESTRICTED));
  const model = databaseOf(TEAM, 1);
  for (const dimension of model.dimensions.values()) {
    t.not(access.restrict(dimension, null, NOW_MS), null, dimension.apiName);
  }
  t.end();
});

t.test('a filter is bound as a whole: one that no request could bind is refused at creation', (t) => {
  const names = Array.from({ length: 21 }, (_, index) => `c${index}`);
  const catalog = names.reduce((before, apiName, index): Catalog => {
    const model = databaseOf(before, 1);
    const dimension = model.dimensions.get('default');
    const column = { ...dimension!.columns.get('age')!, id: 100 + index, apiName, name: apiName };
    return after(
      { changes: [{ change: 'column-created', databaseId: 1, dimensionId: 1, column }], answer: null },
      before,
    ).catalog;
  }, TEAM);
  const filterOf = (columns: readonly string[]) =>
    json(creating({ filter: { default: Object.fromEntries(columns.map((name) => [name, { gt: 0 }])) } }));
  assertAllRefusals(t, () => create(filterOf(names), catalog), [[4013, '20']]);
  const key = after(create(filterOf(names.slice(1)), catalog), catalog).catalog.keys.get(
    hashOfKey('text'),
  ) as CustomKey;
  const dimension = databaseOf(catalog, 1).dimensions.get('default')!;
  t.not(accessOf(key).restrict(dimension, null, NOW_MS), null);
  t.end();
});

t.test('a change affects only the fields that it names; absent and null restrictions stay', (t) => {
  const start = after(change(json(changing({ description: 'd', ...RESTRICTED })))).catalog;
  const before = start.keys.get('cd') as CustomKey;
  t.match(before, RESTRICTIONS);
  const cases: readonly [object, Partial<CustomKey>][] = [
    [{}, {}],
    [{ 'new-key-name': 'renamed' }, { name: 'renamed' }],
    [{ 'new-key-name': 'custom' }, {}],
    [{ 'key-type': 'write-only' }, { level: 'write-only' }],
    [{ description: '' }, { description: '' }],
    [
      {
        'columns-whitelist': null,
        filter: null,
        'addresses-whitelist': null,
        'key-type': null,
        description: null,
      },
      {},
    ],
    [{ 'columns-whitelist': {} }, { columnsWhitelist: null }],
    [
      { 'columns-whitelist': { users: ['level'] } },
      { columnsWhitelist: [{ dimension: 'users', columns: ['level'] }] },
    ],
    [{ filter: {} }, { filter: [] }],
    [{ 'addresses-whitelist': [] }, { addressesWhitelist: [] }],
    [{ 'addresses-whitelist': ['::1'] }, { addressesWhitelist: ['::1'] }],
  ];
  for (const [more, difference] of cases) {
    t.strictSame(changed(more, start), { ...before, ...difference }, JSON.stringify(more));
  }
  t.strictSame(change(json(changing({ 'new-key-name': 'renamed' }))).answer, { 'custom-keys': ['renamed'] });
  t.end();
});

t.test('a deleted key no longer exists, and the key of the same name in another database stays', (t) => {
  const { catalog, answer } = after(remove(json(changing({}))));
  t.strictSame(answer, { 'custom-keys': ['custom'] });
  t.strictSame([...catalog.keys.keys()], ['ce', 'cf']);
  t.end();
});

t.test('names are listed for all databases, or for those within reach', (t) => {
  const namesIn = (reach: Reach): unknown => {
    const { keys, ...names } = JSON.parse(`{${listCustomKeys(TEAM, reach, () => null)}}`);
    const nameOf = (key: Record<string, string>): string => key['key-name'];
    t.strictSame(keys.map(nameOf), names['custom-keys'], 'the entries have the same order');
    return names;
  };
  t.strictSame(namesIn(EVERYWHERE), {
    'custom-keys': ['custom', '__proto__', 'custom'],
    databases: { one: ['custom', '__proto__'], two: ['custom'] },
  });
  t.strictSame(namesIn(ONLY_TWO), { 'custom-keys': ['custom'], databases: { two: ['custom'] } });
  t.strictSame(
    namesIn(() => false),
    { 'custom-keys': [], databases: {} },
  );
  t.end();
});

t.test('an entry has the restrictions as they were sent, every digit of a filter, and the last use', (t) => {
  const restricted = {
    ...{ 'key-name': 'new', 'key-type': 'write-read', description: 'Δ' },
    'columns-whitelist': { default: ['age'] },
    'addresses-whitelist': ['10.0.0.0/8'],
  };
  const filter = '{"default":{"age":{"gt":9007199254740993}}}';
  const key = `${JSON.stringify(restricted).slice(0, -1)},"filter":${filter}}`;
  const { catalog } = after(create(json(`{"database-name":"one","custom-database-key":${key}}`)));
  const used = (hash: string): number | null => (hash === hashOfKey('text') ? NOW_MS : null);
  const text = listCustomKeys(catalog, EVERYWHERE, used);
  t.match(text, `"filter":${filter}`);
  const entries: Record<string, unknown>[] = JSON.parse(`{${text}}`).keys;
  t.strictSame(
    entries.find((entry) => entry['key-name'] === 'new'),
    {
      'database-name': 'one',
      ...restricted,
      'last-used': '2026-05-06T07:08:09.123Z',
      filter: JSON.parse(filter),
    },
  );
  const blank = { 'columns-whitelist': {}, 'addresses-whitelist': [], 'last-used': null, filter: {} };
  t.match(
    entries.find((entry) => entry['database-name'] === 'two'),
    blank,
  );
  t.notMatch(text, hashOfKey('text'));
  t.end();
});

t.test('names may contain every printable character, and are unique within their database', (t) => {
  for (const name of ['x', 'constructor', 'Ключ 🔑', 'n'.repeat(64)])
    t.equal(made({ 'key-name': name }).name, name);
  const two = parsed({
    'database-name': 'two',
    'custom-database-key': { 'key-name': '__proto__', 'key-type': 'read-only' },
  });
  t.strictSame(create(two).answer['custom-keys'], ['__proto__']);
  t.end();
});

const BODIES: readonly Refusal[] = [
  ['a list', '[]', 8000, 'a list'],
  ['nothing', '{}', 8000, '"database-name"'],
  ['no key', '{"database-name":"one"}', 8000, '"custom-database-key"'],
  ['a null key', '{"database-name":"one","custom-database-key":null}', 8000, '"custom-database-key"'],
  ['a key that is a list', '{"database-name":"one","custom-database-key":[]}', 8000, 'a list'],
  [
    'a list of databases',
    '{"database-name":["one"],"custom-database-key":{"key-name":"custom"}}',
    8000,
    'a list',
  ],
  [
    'an unknown database',
    '{"database-name":"zzz","custom-database-key":{"key-name":"custom"}}',
    8002,
    '"zzz"',
  ],
  ['an unknown sibling', '{"database-name":"one","custom-database-key":{},"x":1}', 8000, '"x"'],
  ['no name', inOne({}), 8000, '"key-name"'],
  ['a null name', inOne({ 'key-name': null }), 8000, '"key-name"'],
  ['an unknown field', inOne({ 'key-name': 'custom', key: 'x' }), 8000, '"key"'],
  ...NO_TEXTS.map(
    (name): Refusal => ['a name of another type', inOne({ 'key-name': name }), 8000, '"key-name"'],
  ),
];

function badFields(write: (more: object) => string): readonly Refusal[] {
  const whitelist = (value: unknown): string => write({ 'columns-whitelist': value });
  const filter = (value: unknown): string => write({ filter: value });
  return [
    ...NO_TEXTS.map((value): Refusal => ['key-type', write({ 'key-type': value }), 8000, '"key-type"']),
    ...NO_TEXTS.map(
      (value): Refusal => ['description', write({ description: value }), 8000, '"description"'],
    ),
    ...[1, 'x', true, []].flatMap((value): Refusal[] => [
      ['no object', whitelist(value), 8000, '"columns-whitelist"'],
      ['no object', filter(value), 8000, '"filter"'],
      ['no object inside', filter({ default: value }), 8000, '"filter".default'],
    ]),
    ...[1, 'age', null, {}].map(
      (value): Refusal => ['no list', whitelist({ default: value }), 8000, 'default'],
    ),
    ['an unknown level', write({ 'key-type': 'read-write' }), 8000, '"read-write"'],
    ['a column of another type', whitelist({ default: [1] }), 8000, 'a number'],
    ['an unknown dimension', whitelist({ nowhere: [] }), 5008, '"nowhere"'],
    ['a dimension of every object', whitelist({ constructor: [] }), 5008, '"constructor"'],
    ['an unknown column', whitelist({ default: ['zzz'] }), 3018, '"zzz"'],
    ["another dimension's column", whitelist({ users: ['age'] }), 3018, '"age"'],
    ['too many columns', whitelist({ default: Array(10_001).fill('age') }), 8000, '10000'],
    ['a filter on an unknown dimension', filter({ nowhere: { a: {} } }), 5008, '"nowhere"'],
    ['a filter on an unknown column', filter({ default: { zzz: { equals: 1 } } }), 4008, '"zzz"'],
    ['a filter without a column', filter({ default: {} }), 8000, 'no column'],
    ['a condition that is not an object', filter({ default: { age: 5 } }), 4009, '"age"'],
    ['a condition without a parameter', filter({ default: { age: {} } }), 4009, '"age"'],
    ['an unknown predicate', filter({ default: { age: { like: 5 } } }), 4049, 'like'],
    ['an event without between', filter({ default: { visits: { equals: 'x' } } }), 4005, 'between'],
    ['a bad address', write({ 'addresses-whitelist': ['1.2.3'] }), 8000, '"1.2.3"'],
  ];
}

t.test('bad bodies are refused with their code and a message that names the fault', (t) => {
  assertRefusals(t, BODIES, create);
  assertRefusals(t, BODIES, change);
  assertRefusals(t, BODIES, remove);
  assertRefusals(t, badFields(creating), create);
  assertRefusals(t, badFields(changing), change);
  const creations: readonly Refusal[] = [
    ['no level', inOne({ 'key-name': 'new' }), 8000, '"key-type"'],
    ['a name taken', creating({ 'key-name': '__proto__' }).replace('}}', '}}'), 8003, '"__proto__"'],
    ['an empty name', creating({ 'key-name': '' }), 8000, '"key-name"'],
    ['a long name', creating({ 'key-name': 'n'.repeat(65) }), 8000, '64'],
    ['a field of PUT', creating({ 'new-key-name': 'x' }), 8000, '"new-key-name"'],
  ];
  assertRefusals(t, creations, create);
  const changes: readonly Refusal[] = [
    ['an unknown key', inOne({ 'key-name': 'zzz' }), 8004, '"zzz"'],
    ['a new name taken', changing({ 'new-key-name': '__proto__' }), 8003, '"__proto__"'],
    ['an empty new name', changing({ 'new-key-name': ' ' }), 8000, '"new-key-name"'],
    ['a new name of another type', changing({ 'new-key-name': 5 }), 8000, '"new-key-name"'],
  ];
  assertRefusals(t, changes, change);
  assertRefusals(t, [['an unknown key', inOne({ 'key-name': 'zzz' }), 8004, '"zzz"']], remove);
  assertRefusals(t, [['a field of PUT', changing({ 'key-type': 'read-only' }), 8000, '"key-type"']], remove);
  t.end();
});

t.test("a dimension's filter may have up to 65,536 characters", (t) => {
  const filterOf = (chars: number) => {
    const ids = Array.from({ length: 72 }, () => 'x'.repeat(900));
    const rest = chars - JSON.stringify({ 'entity-id': { in: ids } }).length - '"",'.length;
    return json(creating({ filter: { default: { 'entity-id': { in: ['x'.repeat(rest), ...ids] } } } }));
  };
  const text = create(filterOf(65_536)).changes.map((change) =>
    change.change === 'key-created' && change.key.kind === 'custom' ? change.key.filter[0].conditions : '',
  );
  t.strictSame(
    text.map(({ length }) => length),
    [65_536],
  );
  assertAllRefusals(t, () => create(filterOf(65_537)), [[8000, '"filter".default is longer than 65536']]);
  t.end();
});

t.test('all errors of a key are reported', (t) => {
  const body = json(
    creating({ 'key-type': 'x', 'columns-whitelist': { default: ['y', 1] }, filter: { z: {} } }),
  );
  assertAllRefusals(t, () => create(body), [
    [8000, '"key-type"'],
    [3018, '"y"'],
    [8000, 'a number'],
    [5008, '"z"'],
  ]);
  t.end();
});

t.test('keys of a database out of reach can be neither created nor changed', (t) => {
  for (const decide of [
    () => createCustomKey(json(creating({})), TEAM, ONLY_TWO, 'text', NOW_MS),
    () => changeCustomKey(json(changing({})), TEAM, ONLY_TWO, NOW_MS),
    () => deleteCustomKey(json(changing({})), TEAM, ONLY_TWO),
  ]) {
    assertAllRefusals(t, decide, [[503, '"one"']]);
  }
  t.end();
});

t.test('an unknown field is reported first, together with all other errors', (t) => {
  assertAllRefusals(t, () => create(json(creating({ 'key-type': 'x', y: 1, description: 5 }))), [
    [8000, '"y"'],
    [8000, '"key-type"'],
    [8000, '"description"'],
  ]);
  t.end();
});
