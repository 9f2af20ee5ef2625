import t from 'tap';
import { createDimensions, deleteDimension, listDimensions } from '../../../src/api/index.js';
import { databaseOf } from '../../../src/catalog/index.js';
import { decided, emptyCatalog, json } from '../databases.js';
import { assertAllRefusals, assertRefusals, type Refusal } from '../refusals.js';

const withUsers = decided(emptyCatalog(), (model) =>
  createDimensions(json('{"name":"All Users_1","api-name":"users","relational-model-type":"fact"}'), model),
);

t.test('dimensions created from an object or a list are listed in order', async (t) => {
  const body = json('[{"name":"A","api-name":"a"},{"name":"B","api-name":"b-2"}]');
  t.strictSame(createDimensions(body, databaseOf(withUsers, 1)).answer, { 'api-name': ['a', 'b-2'] });
  const catalog = decided(withUsers, (model) => createDimensions(body, model));
  t.strictSame(listDimensions(databaseOf(catalog, 1)), { dimensions: ['default', 'users', 'a', 'b-2'] });
  const users = databaseOf(catalog, 1).dimensions.get('users');
  t.match(users, { name: 'All Users_1', modelType: 'fact' });
  const ids = [...databaseOf(catalog, 1).dimensions.values()].map(({ id }) => id);
  t.strictSame(ids, [1, 2, 3, 4]);
});

t.test('a deleted dimension is no longer listed, and its id is not reused', async (t) => {
  const gone = decided(withUsers, (model) => deleteDimension(json('{"api-name":"users"}'), model));
  t.strictSame(listDimensions(databaseOf(gone, 1)), { dimensions: ['default'] });
  const again = decided(gone, (model) =>
    createDimensions(json('{"name":"Users","api-name":"users"}'), model),
  );
  t.equal(databaseOf(again, 1).dimensions.get('users')?.id, 3);
});

const longName = 'n'.repeat(65);
const CREATE: readonly Refusal[] = [
  ['no dimension', '[]', 5007, 'no dimension'],
  ['a body that is not an object', '"users"', 5009, 'a string'],
  ['an entry that is not an object', '[null]', 5009, 'body[0]'],
  ['no name', '{"api-name":"a"}', 5007, '"name"'],
  ['no api-name', '{"name":"a"}', 5007, '"api-name"'],
  ['a null name', '{"name":null,"api-name":"a"}', 5007, '"name"'],
  ['an unknown field', '{"name":"a","api-name":"a","colour":1}', 5007, '"colour"'],
  ['__proto__ as a field', '{"name":"a","api-name":"a","__proto__":{}}', 5007, '"__proto__"'],
  ['a name that is not a string', '{"name":5,"api-name":"a"}', 5009, 'a number'],
  ['an api-name that is not a string', '{"name":"a","api-name":["a"]}', 5009, 'a list'],
  ['quotes in the name', '{"name":"a\'b","api-name":"a"}', 5001, "a'b"],
  ['a character other than ASCII in the name', '{"name":"é","api-name":"a"}', 5001, 'é'],
  ['an empty name', '{"name":"","api-name":"a"}', 5001, 'name'],
  ['a name of blanks', '{"name":"  ","api-name":"a"}', 5001, '"  "'],
  ['a name too long', `{"name":"${longName}","api-name":"a"}`, 5003, '64'],
  ['capitals in the api-name', '{"name":"a","api-name":"Users"}', 5000, '"Users"'],
  ['an underscore in the api-name', '{"name":"a","api-name":"my_users"}', 5000, '"my_users"'],
  ['an empty api-name', '{"name":"a","api-name":""}', 5000, 'api-name'],
  ['an api-name that is too long', `{"name":"a","api-name":"${longName}"}`, 5004, '64'],
  ['a reserved api-name', '{"name":"a","api-name":"count"}', 5001, '"count"'],
  [
    'an unknown model type',
    '{"name":"a","api-name":"a","relational-model-type":"star"}',
    5010,
    'relational-model-type',
  ],
  [
    'a model type that is not a string',
    '{"name":"a","api-name":"a","relational-model-type":1}',
    5010,
    'relational-model-type',
  ],
  [
    'more than 100 in a request',
    `[${Array.from({ length: 101 }, (_, at) => `{"name":"d${at}","api-name":"d${at}"}`)}]`,
    5009,
    '100',
  ],
  ['one that exists', '{"name":"a","api-name":"users"}', 5006, '"users"'],
  ['the default one', '{"name":"a","api-name":"default"}', 5006, '"default"'],
  [
    'a dimension twice in a request',
    '[{"name":"a","api-name":"a"},{"name":"b","api-name":"a"}]',
    5006,
    '"a"',
  ],
];
const DELETE: readonly Refusal[] = [
  ['a list', '[{"api-name":"users"}]', 5007, 'a list'],
  ['no api-name', '{}', 5007, '"api-name"'],
  ['an unknown field', '{"api-name":"users","name":"x"}', 5007, '"name"'],
  ['an api-name that is not a string', '{"api-name":1}', 5009, 'a number'],
  ['an unknown one', '{"api-name":"nobody"}', 5008, '"nobody"'],
  ['a name of every object', '{"api-name":"constructor"}', 5008, '"constructor"'],
  ['the default one', '{"api-name":"default"}', 5001, 'default'],
];

t.test('bad requests for dimensions are refused with their code, and the fault is named', async (t) => {
  assertRefusals(t, CREATE, (body) => createDimensions(body, databaseOf(withUsers, 1)));
  assertRefusals(t, DELETE, (body) => deleteDimension(body, databaseOf(withUsers, 1)));
});

t.test('every invalid field of a dimension is reported, unknown fields first', async (t) => {
  const body = json('{"name":5,"api-name":"A","x":1,"relational-model-type":"star","y":2}');
  assertAllRefusals(t, () => createDimensions(body, databaseOf(withUsers, 1)), [
    [5007, '"x"'],
    [5007, '"y"'],
    [5009, '"name"'],
    [5000, '"A"'],
    [5010, 'relational-model-type'],
  ]);
  assertAllRefusals(t, () => deleteDimension(json('{"api-name":"nobody","x":1}'), databaseOf(withUsers, 1)), [
    [5007, '"x"'],
    [5008, '"nobody"'],
  ]);
});

t.test('the errors of every dimension are reported in order, and nothing is created', async (t) => {
  const body = json(
    '[{"name":"A","api-name":"a"},{"name":"A"},{"name":"B","api-name":"a"},{"name":"ü","api-name":"x"},null]',
  );
  assertAllRefusals(t, () => createDimensions(body, databaseOf(withUsers, 1)), [
    [5007, 'body[1]'],
    [5006, '"a"'],
    [5001, 'ü'],
    [5009, 'body[4]'],
  ]);
});

t.test('names of dimensions are accepted up to their limits', async (t) => {
  const name = 'n'.repeat(64);
  const body = json(JSON.stringify({ name, 'api-name': name, 'relational-model-type': null }));
  const catalog = decided(withUsers, (model) => createDimensions(body, model));
  t.match(databaseOf(catalog, 1).dimensions.get(name), { name, modelType: null });
});
