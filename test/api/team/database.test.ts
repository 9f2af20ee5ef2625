import t from 'tap';
import {
  changeDatabase,
  createDatabase,
  deleteDatabase,
  describeDatabase,
  type Json,
} from '../../../src/api/index.js';
import {
  DEFAULT_PROPERTIES,
  databaseByName,
  databaseOf,
  hashOfKey,
  propertiesOf,
  secretsOfKey,
} from '../../../src/catalog/index.js';
import { json } from '../databases.js';
import { assertAllRefusals, assertRefusals, type Refusal } from '../refusals.js';
import { after, EVERYWHERE, NO_TEXTS, NOW_MS, ONLY_TWO, parsed, TEAM } from '../team.js';

const TEXTS = { master: 'm', write: 'w', read: 'r', demo: 'd' };
const create = (body: Json) => createDatabase(body, TEAM, TEXTS, NOW_MS);
const change = (body: Json) => changeDatabase(body, TEAM, EVERYWHERE, NOW_MS);
const remove = (body: Json) => deleteDatabase(body, TEAM, EVERYWHERE);

const NEEDED = {
  name: 'New one',
  type: 'production',
  'pricing-model': 'pay-per-column',
  'query-load': 'normal',
  'insertion-load': 'ultra',
};
const creating = (more: object): string => JSON.stringify({ database: { ...NEEDED, ...more } });
const changing = (more: object): string => JSON.stringify({ database: { name: 'one', ...more } });

t.test('a database is created with its properties and keys', (t) => {
  const fields = {
    description: 'Ä "quoted"',
    labels: ['a', 'b', 'a'],
    cloud_provider: 'aws',
    cloud_area: 'eu-west-1',
  };
  const body = parsed({
    database: { ...NEEDED, ...fields },
    'addresses-whitelist': ['10.0.0.0/8', 'Example.org'],
  });
  const { catalog, answer } = after(create(body));
  t.strictSame(answer, {
    'database-name': ['New one'],
    keys: { 'master-key': 'm', 'write-key': 'w', 'read-key': 'r' },
  });
  const made = databaseByName(catalog, 'New one');
  t.match(made, { id: 3, type: 'production', name: 'New one' });
  t.strictSame(propertiesOf(catalog, 3), {
    description: 'Ä "quoted"',
    pricingModel: 'pay-per-column',
    labels: ['a', 'b'],
    queryLoad: 'normal',
    insertionLoad: 'ultra',
    cloudProvider: 'aws',
    cloudArea: 'eu-west-1',
    addressesWhitelist: ['10.0.0.0/8', 'example.org'],
    createdMs: NOW_MS,
    updatedMs: NOW_MS,
  });
  for (const kind of ['master', 'write', 'read'] as const) {
    const secrets = secretsOfKey(TEXTS[kind]);
    t.strictSame(catalog.keys.get(secrets.hash), { ...secrets, kind, databaseId: 3 });
  }
  t.equal(catalog.keys.has(hashOfKey('d')), false);
  t.end();
});

t.test('a test database has a demo key and no pricing model, whatever the request contains', (t) => {
  for (const model of [undefined, null, 'pay-per-column', 'nonsense', 5, {}]) {
    const { catalog, answer } = after(create(json(creating({ type: 'test', 'pricing-model': model }))));
    t.equal(answer.keys['demo-key'], 'd');
    t.equal(catalog.keys.get(hashOfKey('d'))?.kind, 'demo');
    t.equal(propertiesOf(catalog, 3).pricingModel, null);
  }
  t.end();
});

t.test('a field that is absent or null has its default', (t) => {
  const nothing = { description: null, labels: null, cloud_provider: null, cloud_area: null };
  const expected = {
    ...DEFAULT_PROPERTIES,
    pricingModel: 'pay-per-column',
    queryLoad: 'normal',
    insertionLoad: 'ultra',
    createdMs: NOW_MS,
    updatedMs: NOW_MS,
  };
  for (const more of [{}, nothing]) {
    t.strictSame(propertiesOf(after(create(json(creating(more)))).catalog, 3), expected);
  }
  t.end();
});

t.test("an area belongs to its provider; the default is the provider's first area", (t) => {
  const area = (more: object): unknown =>
    propertiesOf(after(create(json(creating(more)))).catalog, 3).cloudArea;
  t.equal(area({ cloud_provider: 'azure' }), 'us-central');
  t.equal(area({ cloud_provider: 'azure', cloud_area: 'eu-west' }), 'eu-west');
  t.equal(area({ cloud_area: 'global' }), 'global');
  const cloudOf = (catalog: typeof TEAM) => {
    const { cloudProvider, cloudArea } = propertiesOf(catalog, 1);
    return [cloudProvider, cloudArea];
  };
  const aws = after(change(json(changing({ cloud_provider: 'aws', cloud_area: 'sa-east-1' })))).catalog;
  t.strictSame(cloudOf(aws), ['aws', 'sa-east-1']);
  const further = (more: object) =>
    cloudOf(after(changeDatabase(json(changing(more)), aws, EVERYWHERE, NOW_MS), aws).catalog);
  t.strictSame(further({ cloud_area: 'eu-west-3' }), ['aws', 'eu-west-3']);
  t.strictSame(further({ cloud_provider: 'aws', description: 'x' }), ['aws', 'sa-east-1']);
  t.strictSame(further({ cloud_provider: 'ovh' }), ['ovh', 'global']);
  t.end();
});

t.test('a change affects only the fields that it names, and null counts as not named', (t) => {
  const cases: readonly [object, object][] = [
    [{ description: 'd' }, { description: 'd' }],
    [{ labels: ['l'] }, { labels: ['l'] }],
    [{ 'query-load': 'high' }, { queryLoad: 'high' }],
    [{ 'insertion-load': 'normal' }, { insertionLoad: 'normal' }],
    [{ 'pricing-model': 'pay-per-gigabyte' }, { pricingModel: 'pay-per-gigabyte' }],
    [{ type: 'production', description: 'x', labels: null, 'query-load': null }, { description: 'x' }],
  ];
  for (const [more, changed] of cases) {
    const { catalog, answer } = after(change(json(changing(more))));
    t.strictSame(answer, { 'database-name': ['one'] });
    t.strictSame(propertiesOf(catalog, 1), { ...DEFAULT_PROPERTIES, ...changed, updatedMs: NOW_MS });
    t.equal(databaseOf(catalog, 1).dimensions.size, 2);
  }
  const same = {
    type: 'production',
    description: '',
    labels: [],
    'query-load': 'mega',
    cloud_area: 'global',
  };
  t.strictSame(change(json(changing(same))), { changes: [], answer: { 'database-name': ['one'] } });
  t.end();
});

t.test('a whitelist is replaced; absent and null leave it unchanged, [] opens the database again', (t) => {
  const listed = after(
    change(parsed({ database: { name: 'one' }, 'addresses-whitelist': ['::1', 'a.b'] })),
  ).catalog;
  t.strictSame(propertiesOf(listed, 1).addressesWhitelist, ['::1', 'a.b']);
  const next = (whitelist: unknown) => {
    const body = parsed({ database: { name: 'one', description: 'x' }, 'addresses-whitelist': whitelist });
    return propertiesOf(after(changeDatabase(body, listed, EVERYWHERE, NOW_MS), listed).catalog, 1)
      .addressesWhitelist;
  };
  t.strictSame(next(undefined), ['::1', 'a.b']);
  t.strictSame(next(null), ['::1', 'a.b']);
  t.strictSame(next(['10.0.0.1']), ['10.0.0.1']);
  t.strictSame(next([]), []);
  t.end();
});

t.test('a database keeps its keys, columns and creation through a rename', (t) => {
  const { catalog, answer } = after(change(json(changing({ 'new-database-name': 'uno' }))));
  t.strictSame(answer, { 'database-name': ['uno'] });
  t.equal(databaseByName(catalog, 'one'), undefined);
  t.equal(databaseOf(catalog, 1).name, 'uno');
  t.equal(propertiesOf(catalog, 1).createdMs, 0);
  t.strictSame(catalog.keys, TEAM.keys);
  t.strictSame(change(json(changing({ 'new-database-name': 'one' }))).changes, []);
  t.end();
});

t.test('deleting a database deletes its keys; the last database can be deleted too', (t) => {
  const { catalog, answer } = after(remove(json('{"database":{"name":"one"}}')));
  t.strictSame(answer, { 'database-name': ['one'] });
  t.strictSame([...catalog.keys.keys()], ['cf']);
  const none = after(
    deleteDatabase(json('{"database":{"name":"two"}}'), catalog, EVERYWHERE),
    catalog,
  ).catalog;
  t.equal(none.databases.size, 0);
  t.strictSame(
    after(createDatabase(json(creating({ name: 'one' })), none, TEXTS, NOW_MS), none).catalog.nextDatabaseId,
    4,
  );
  t.end();
});

t.test('a name is checked against the newest catalog: the second of two equal requests is refused', (t) => {
  const first = after(create(json(creating({})))).catalog;
  const second = (body: Json) => createDatabase(body, first, TEXTS, NOW_MS);
  assertRefusals(t, [['the same name', creating({}), 8001, '"New one"']], second);
  t.end();
});

t.test('the metadata contain the fields of the interface, and more', (t) => {
  const usage = {
    requestCount: 1,
    queryCount: 2,
    insertedEntityCount: 3,
    insertedValueCount: 4,
    updatedEntityCount: 5,
    dayWriteCount: 6,
  };
  const properties = { ...propertiesOf(TEAM, 2), updatedMs: NOW_MS };
  t.strictSame(describeDatabase(databaseOf(TEAM, 2), properties, usage), {
    name: 'two',
    description: '',
    dimensions: ['default'],
    'updated-at': '2026-05-06T07:08:09.123000',
    'created-at': '1970-01-01T00:00:00.005000',
    type: 'test',
    'pricing-model': null,
    labels: [],
    'query-load': 'high',
    'insertion-load': 'mega',
    cloud_provider: 'ovh',
    cloud_area: 'global',
    'addresses-whitelist': [],
    usage: {
      requests: 1,
      queries: 2,
      'inserted-entities': 3,
      'inserted-values': 4,
      'updated-entities': 5,
      'writes-today': 6,
    },
  });
  t.end();
});

/** Invalid values of fields. `with` puts a field into an otherwise valid body. */
function badFields(write: (more: object) => string): readonly Refusal[] {
  const texts = ['query-load', 'insertion-load', 'pricing-model', 'type', 'cloud_provider', 'cloud_area'];
  return [
    ...[...texts, 'description'].flatMap((field) =>
      NO_TEXTS.map((value): Refusal => [field, write({ [field]: value }), 8000, `"${field}"`]),
    ),
    ...texts.map((field): Refusal => [field, write({ [field]: 'nonsense' }), 8000, `"${field}"`]),
    ...texts.map((field): Refusal => [field, write({ [field]: '' }), 8000, `"${field}"`]),
    ...[1, 'x', true, {}, [1], [null], [[]]].map(
      (value): Refusal => ['labels', write({ labels: value }), 8000, '"labels"'],
    ),
    ['load in other letters', write({ 'query-load': 'High' }), 8000, '"High"'],
    [
      'an area of another provider',
      write({ cloud_provider: 'aws', cloud_area: 'eu-north1' }),
      8000,
      '"eu-north1"',
    ],
    ['an area of the provider that it has not', write({ cloud_area: 'us-east1' }), 8000, '"us-east1"'],
    ['a provider of every object', write({ cloud_provider: 'constructor' }), 8000, '"constructor"'],
    ['a long description', write({ description: 'd'.repeat(1025) }), 8000, '1024'],
    ['an unknown field', write({ 'Query-load': 'high' }), 8000, '"Query-load"'],
    ['a whitelist inside', write({ 'addresses-whitelist': [] }), 8000, '"addresses-whitelist"'],
    ['__proto__', write({}).replace('"name"', '"__proto__":1,"name"'), 8000, '"__proto__"'],
  ];
}

const BODIES: readonly Refusal[] = [
  ['a list', '[]', 8000, 'a list'],
  ['null', 'null', 8000, 'null'],
  ['no database', '{}', 8000, '"database"'],
  ['a null database', '{"database":null}', 8000, '"database"'],
  ['a database that is a list', '{"database":[{}]}', 8000, 'a list'],
  ['a database that is a text', '{"database":"one"}', 8000, 'a string'],
  ['an unknown sibling', '{"database":{},"x":1}', 8000, '"x"'],
  ['no name', '{"database":{}}', 8000, '"name"'],
  ['a null name', '{"database":{"name":null}}', 8000, '"name"'],
  ['a list of names', '{"database":{"name":["one"]}}', 8000, 'a list'],
];

t.test('bad bodies are refused with 8000 and a message that names the fault', (t) => {
  const names = (write: (name: unknown) => string): readonly Refusal[] => [
    ...NO_TEXTS.map((name): Refusal => ['another type', write(name), 8000, 'name']),
    ...['', "it's", 'say "x"', 'a_b', 'Ä', '\u{1f600}', 'a\u0000', 'a\nb', '\u007f'].map(
      (name): Refusal => [name, write(name), 8000, 'name'],
    ),
    ['65 characters', write('n'.repeat(65)), 8000, '64'],
  ];
  assertRefusals(t, BODIES, create);
  assertRefusals(t, BODIES, change);
  assertRefusals(t, BODIES, remove);
  assertRefusals(t, badFields(creating), create);
  assertRefusals(t, badFields(changing), change);
  assertRefusals(
    t,
    names((name) => creating({ name })),
    create,
  );
  assertRefusals(
    t,
    names((name) => changing({ 'new-database-name': name })),
    change,
  );
  const lacking = Object.keys(NEEDED).flatMap((field): Refusal[] => [
    [`without ${field}`, creating({ [field]: undefined }), 8000, `"${field}"`],
    [`${field} null`, creating({ [field]: null }), 8000, `"${field}"`],
  ]);
  assertRefusals(t, lacking, create);
  const others: readonly Refusal[] = [
    ['a name taken', creating({ name: 'two' }), 8001, '"two"'],
    ['a field of PUT', creating({ 'new-database-name': 'x' }), 8000, '"new-database-name"'],
  ];
  assertRefusals(t, others, create);
  const changes: readonly Refusal[] = [
    ['a new name taken', changing({ 'new-database-name': 'two' }), 8001, '"two"'],
    ['another type', changing({ type: 'test' }), 8000, 'cannot change'],
    ['an unknown name', '{"database":{"name":"zzz"}}', 8002, '"zzz"'],
    ['a name in other letters', '{"database":{"name":"One"}}', 8002, '"One"'],
  ];
  assertRefusals(t, changes, change);
  const deletions: readonly Refusal[] = [
    ['an unknown name', '{"database":{"name":"zzz"}}', 8002, '"zzz"'],
    ['a name that no database can have', '{"database":{"name":"__proto__"}}', 8002, '"__proto__"'],
    ['a field of PUT', '{"database":{"name":"one","type":"production"}}', 8000, '"type"'],
    ['a whitelist', '{"database":{"name":"one"},"addresses-whitelist":[]}', 8000, '"addresses-whitelist"'],
  ];
  assertRefusals(t, deletions, remove);
  t.end();
});

t.test('a test database can be changed without a pricing model in the request', (t) => {
  const body = parsed({ database: { name: 'two', 'pricing-model': 5, description: 'x' } });
  t.equal(propertiesOf(after(change(body)).catalog, 2).pricingModel, null);
  t.end();
});

t.test('names of 1 to 64 printable characters are accepted', (t) => {
  const all = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).join('');
  const allowed = all.replace(/['"_]/g, '');
  for (const name of ['a', 'n'.repeat(64), allowed.slice(0, 64), allowed.slice(-64), '7']) {
    t.strictSame(create(json(creating({ name }))).answer['database-name'], [name]);
  }
  t.end();
});

t.test('a name of only blanks is refused', (t) => {
  const named = (name: string) => parsed({ database: { ...NEEDED, name } });
  assertAllRefusals(t, () => create(named('   ')), [[8000, '"name"']]);
  t.end();
});

t.test('errors of name and type are reported together with all others', (t) => {
  const bad = { 'query-load': 'x', type: 'y' };
  assertAllRefusals(t, () => create(parsed({ database: { ...NEEDED, ...bad, name: 'a_b' } })), [
    [8000, 'a_b'],
    [8000, '"y"'],
    [8000, '"query-load"'],
  ]);
  const body = parsed({ database: { ...bad, name: 'one', 'new-database-name': 'a_b' } });
  assertAllRefusals(t, () => changeDatabase(body, TEAM, EVERYWHERE, NOW_MS), [
    [8000, '"y"'],
    [8000, 'a_b'],
    [8000, '"query-load"'],
  ]);
  t.end();
});

t.test('all errors of the properties are reported', (t) => {
  const body = parsed({
    database: { ...NEEDED, 'query-load': 'x', labels: [1], cloud_area: 'y' },
    'addresses-whitelist': ['?'],
  });
  assertAllRefusals(t, () => create(body), [
    [8000, 'a number at [0]'],
    [8000, '"query-load"'],
    [8000, '"cloud_area"'],
    [8000, '"?" at [0]'],
  ]);
  t.end();
});

t.test('a database out of reach can be neither changed nor deleted', (t) => {
  const body = json('{"database":{"name":"one"}}');
  for (const decide of [
    () => changeDatabase(body, TEAM, ONLY_TWO, NOW_MS),
    () => deleteDatabase(body, TEAM, ONLY_TWO),
  ]) {
    assertAllRefusals(t, decide, [[503, '"one"']]);
  }
  const two = json('{"database":{"name":"two"}}');
  t.strictSame(deleteDatabase(two, TEAM, ONLY_TWO).answer, { 'database-name': ['two'] });
  t.end();
});

t.test('an unknown field is reported first, together with all other errors', (t) => {
  assertAllRefusals(
    t,
    () => create(parsed({ x: 1, database: { ...NEEDED, y: 2, name: 5, 'query-load': 'z' } })),
    [
      [8000, '"x"'],
      [8000, '"y"'],
      [8000, '"name"'],
      [8000, '"query-load"'],
    ],
  );
  t.end();
});
