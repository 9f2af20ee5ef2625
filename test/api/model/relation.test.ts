import t from 'tap';
import {
  accessOf,
  changeColumn,
  createColumns,
  createRelation,
  deleteColumn,
  deleteRelation,
  FULL_ACCESS,
  listRelations,
} from '../../../src/api/index.js';
import { Prng, QuarryError } from '../../../src/base/index.js';
import { type Catalog, databaseOf } from '../../../src/catalog/index.js';
import { customKey, decided, emptyCatalog, json } from '../databases.js';
import { assertAllRefusals, assertRefusals, type Refusal } from '../refusals.js';

const COLUMNS = json(`[
  {"name":"a","type":"string-event"}, {"name":"b","type":"integer-event"}, {"name":"c","type":"decimal-event"},
  {"name":"d","type":"geolocation-event"}, {"name":"off","type":"string-event"}, {"name":"int","type":"integer"},
  {"name":"a","type":"string-event","dimension":"other"}, {"name":"x","type":"string-event","dimension":"other"}
]`);
const CATALOG = decided(
  decided(emptyCatalog(), (model) => createColumns(COLUMNS, model)),
  (model) => changeColumn(json('{"api-name":"off","active":false}'), model),
);

const relate = (catalog: Catalog, body: string): Catalog =>
  decided(catalog, (model) => createRelation(json(body), model));
const unrelate = (catalog: Catalog, body: string): Catalog =>
  decided(catalog, (model) => deleteRelation(json(body), model));
const listed = (catalog: Catalog): unknown => listRelations(databaseOf(catalog, 1), FULL_ACCESS);
const answered = (catalog: Catalog, body: string): unknown =>
  createRelation(json(body), databaseOf(catalog, 1)).answer;

t.test('a relation is created, grows, shrinks and disappears with its last column', async (t) => {
  t.strictSame(listed(CATALOG), []);
  t.strictSame(answered(CATALOG, '{"name":"r","columns":["b","a"]}'), { columns_on_relation: ['b', 'a'] });
  const two = relate(CATALOG, '{"name":"r","columns":["b","a"],"dimension":null}');
  t.strictSame(listed(two), [{ dimension: 'default', relations: [{ name: 'r', columns: ['b', 'a'] }] }]);

  t.strictSame(answered(two, '{"name":"r","columns":["a","c"]}'), { columns_on_relation: ['b', 'a', 'c'] });
  const three = relate(two, '{"name":"r","columns":["a","c"]}');
  const again = createRelation(json('{"name":"r","columns":["c","a"]}'), databaseOf(three, 1));
  t.strictSame(again, { changes: [], answer: { columns_on_relation: ['b', 'a', 'c'] } });

  const removal = deleteRelation(json('{"name":"r","columns":["c","b"]}'), databaseOf(three, 1));
  t.strictSame(removal.answer, { columns_deleted: ['c', 'b'] });
  const one = unrelate(three, '{"name":"r","columns":["c","b"]}');
  t.strictSame(listed(one), [{ dimension: 'default', relations: [{ name: 'r', columns: ['a'] }] }]);
  const none = unrelate(one, '{"name":"r","columns":["a"]}');
  t.strictSame(listed(none), []);
  t.equal(databaseOf(none, 1).dimensions.get('default')?.relations.size, 0);
});

t.test(
  'a relation has an ID of its own, which stays the same when it grows and which no column gets',
  async (t) => {
    const made = relate(relate(CATALOG, '{"name":"r","columns":["a"]}'), '{"name":"s","columns":["b"]}');
    const grown = relate(made, '{"name":"r","columns":["c"]}');
    const relations = databaseOf(grown, 1).dimensions.get('default')?.relations;
    t.strictSame(
      [...(relations?.values() ?? [])],
      [
        { id: 9, name: 'r', columnIds: [1, 3] },
        { id: 10, name: 's', columnIds: [2] },
      ],
    );
    const column = createColumns(json('{"name":"z","type":"integer"}'), databaseOf(grown, 1));
    t.match(column.changes, [{ column: { id: 11 } }]);
  },
);

t.test('each dimension has relations of its own, with any names', async (t) => {
  let catalog = relate(CATALOG, '{"name":"__proto__","columns":["a"]}');
  catalog = relate(catalog, '{"name":"__proto__","columns":["a"],"dimension":"other"}');
  catalog = relate(catalog, '{"name":"A name_1","columns":["b"]}');
  t.strictSame(listed(catalog), [
    {
      dimension: 'default',
      relations: [
        { name: '__proto__', columns: ['a'] },
        { name: 'A name_1', columns: ['b'] },
      ],
    },
    { dimension: 'other', relations: [{ name: '__proto__', columns: ['a'] }] },
  ]);
});

t.test('a deleted column leaves its relation; an inactive one stays in it and can be removed', async (t) => {
  const related = relate(CATALOG, '{"name":"r","columns":["a","b"]}');
  const without = decided(related, (model) => deleteColumn(json('{"api-name":"a"}'), model));
  t.strictSame(listed(without), [{ dimension: 'default', relations: [{ name: 'r', columns: ['b'] }] }]);
  const asleep = decided(related, (model) => changeColumn(json('{"api-name":"a","active":false}'), model));
  t.strictSame(listed(asleep), listed(related));
  t.strictSame(listed(unrelate(asleep, '{"name":"r","columns":["a"]}')), listed(without));
});

t.test('a caller with a whitelist sees only the columns that it may use', async (t) => {
  let catalog = relate(CATALOG, '{"name":"r","columns":["a","b","c"]}');
  catalog = relate(catalog, '{"name":"s","columns":["d"]}');
  catalog = relate(catalog, '{"name":"o","columns":["x"],"dimension":"other"}');
  const access = accessOf(
    customKey({ columnsWhitelist: [{ dimension: 'default', columns: ['c', 'a', 'x', 'gone'] }] }),
  );
  t.strictSame(listRelations(databaseOf(catalog, 1), access), [
    { dimension: 'default', relations: [{ name: 'r', columns: ['a', 'c'] }] },
  ]);
});

const related = relate(CATALOG, '{"name":"taken","columns":["d"]}');
const MODEL = databaseOf(related, 1);
const named = (field: string): string => `{"name":"r","columns":["a"],${field}}`;
const of = (columns: string): string => `{"name":"taken","columns":${columns}}`;
const hundredOne = JSON.stringify(Array.from({ length: 101 }, (_, index) => `c${index}`));
const longName = 'n'.repeat(65);
const BOTH: readonly Refusal[] = [
  ['a list', '[{"name":"r","columns":["a"]}]', 3000, 'a list'],
  ['a body that is not an object', 'true', 3000, 'a boolean'],
  ['no name', '{"columns":["a"]}', 3000, '"name"'],
  ['a null name', '{"name":null,"columns":["a"]}', 3000, '"name"'],
  ['a name that is not a string', '{"name":7,"columns":["a"]}', 3008, 'a number'],
  ['an empty name', '{"name":"","columns":["a"]}', 3008, 'name'],
  ['a quote in the name', '{"name":"it\'s","columns":["a"]}', 3008, "it's"],
  ['characters other than ASCII in the name', '{"name":"日本","columns":["a"]}', 3008, '日本'],
  ['a name too long', `{"name":"${longName}","columns":["a"]}`, 3014, '64'],
  ['no columns', '{"name":"r"}', 3000, '"columns"'],
  ['null columns', '{"name":"r","columns":null}', 3000, '"columns"'],
  ['columns that are not a list', of('"d"'), 3000, 'a string'],
  ['an object of columns', of('{"d":1}'), 3000, 'an object'],
  ['an empty list', of('[]'), 3000, 'empty'],
  ['a column that is not a string', of('["d",1]'), 3007, 'columns[1]'],
  ['a null column', of('[null]'), 3007, 'columns[0]'],
  ['101 columns', of(hundredOne), 3004, '101'],
  ['an unknown column', of('["zzz"]'), 3018, '"zzz"'],
  ['the name of a property of every object', of('["constructor"]'), 3018, '"constructor"'],
  ["another dimension's column", of('["x"]'), 3018, '"x"'],
  ['an unknown field', named('"colour":1'), 3000, '"colour"'],
  ['an unknown dimension', named('"dimension":"nowhere"'), 5008, '"nowhere"'],
  ['a dimension that is not a string', named('"dimension":{}'), 5009, 'an object'],
];
const CREATE: readonly Refusal[] = [
  ['an inactive column', of('["off"]'), 3018, '"off" is inactive'],
  ['an attribute column', of('["int"]'), 3001, '"int"'],
  ['entity-id', of('["entity-id"]'), 3001, '"entity-id"'],
  ['a column twice', of('["a","b","a"]'), 3003, '"a"'],
  ['a column of another relation', named('"dimension":null').replace('"a"', '"d"'), 3003, '"taken"'],
];
const DELETE: readonly Refusal[] = [
  ['an unknown relation', '{"name":"r","columns":["a"]}', 3018, 'relation "r"'],
  [
    "another dimension's relation",
    of('["a"]').replace('{', '{"dimension":"other",'),
    3018,
    'relation "taken"',
  ],
  ['a column that is not in it', of('["a"]'), 3018, '"a" is not in the relation "taken"'],
  ['a column twice', of('["d","d"]'), 3003, '"d"'],
];

t.test('bad requests for relations are refused with their code, and the fault is named', async (t) => {
  const onlyOfCreate = BOTH.map(
    ([shows, body, ...rest]) => [shows, body.replace('"name":"r"', '"name":"taken"'), ...rest] as const,
  );
  assertRefusals(t, [...BOTH, ...CREATE], (body) => createRelation(body, MODEL));
  assertRefusals(t, [...onlyOfCreate, ...DELETE], (body) => deleteRelation(body, MODEL));
});

t.test('the first error of every column is reported', async (t) => {
  const body = json('{"name":"r","columns":["zzz","a","int",5,"d","a"]}');
  assertAllRefusals(t, () => createRelation(body, MODEL), [
    [3018, '"zzz"'],
    [3001, '"int"'],
    [3007, 'columns[3]'],
    [3003, '"taken"'],
    [3003, '"a"'],
  ]);
});

t.test('100 columns in one request create a relation, and the next request may add more', async (t) => {
  const columns = (from: number): string[] => Array.from({ length: 100 }, (_, index) => `c${from + index}`);
  const make = (names: readonly string[]) =>
    json(JSON.stringify(names.map((name) => ({ name, type: 'string-event' }))));
  let catalog = emptyCatalog();
  for (const from of [0, 100]) {
    catalog = decided(catalog, (model) => createColumns(make(columns(from)), model));
    catalog = relate(catalog, JSON.stringify({ name: 'wide', columns: columns(from) }));
  }
  t.strictSame(listed(catalog), [
    { dimension: 'default', relations: [{ name: 'wide', columns: [...columns(0), ...columns(100)] }] },
  ]);
});

/** A simple model of relations: columns by relation name. */
class PlainRelations {
  readonly #columns = new Map<string, string[]>();

  add(name: string, columns: readonly string[]): boolean {
    const taken = [...this.#columns].some(
      ([other, own]) => other !== name && own.some((column) => columns.includes(column)),
    );
    if (taken || new Set(columns).size < columns.length) return false;
    const own = this.#columns.get(name) ?? [];
    this.#columns.set(name, [...own, ...columns.filter((column) => !own.includes(column))]);
    return true;
  }

  remove(name: string, columns: readonly string[]): boolean {
    const own = this.#columns.get(name);
    if (own === undefined || new Set(columns).size < columns.length) return false;
    if (!columns.every((column) => own.includes(column))) return false;
    const rest = own.filter((column) => !columns.includes(column));
    if (rest.length === 0) this.#columns.delete(name);
    else this.#columns.set(name, rest);
    return true;
  }

  listed(): unknown {
    const relations = [...this.#columns].map(([name, columns]) => ({ name, columns }));
    return relations.length === 0 ? [] : [{ dimension: 'default', relations }];
  }
}

t.test(
  'generated sequences of requests end as in a plain model, and no column is in two relations',
  async (t) => {
    let accepted = 0;
    for (let seed = 1; seed <= 20; seed++) {
      const prng = new Prng(seed);
      const plain = new PlainRelations();
      let catalog = CATALOG;
      for (let round = 0; round < 60; round++) {
        const name = prng.pick(['r', 's', '__proto__']);
        const columns = Array.from({ length: prng.between(1, 2) }, () => prng.pick(['a', 'b', 'c', 'd']));
        const adds = prng.chance(0.6);
        const body = JSON.stringify({ name, columns });
        const expected = adds ? plain.add(name, columns) : plain.remove(name, columns);
        try {
          catalog = adds ? relate(catalog, body) : unrelate(catalog, body);
          t.ok(expected, `seed ${seed} round ${round}: ${body} was accepted`);
          accepted++;
        } catch (error) {
          if (!(error instanceof QuarryError)) throw error;
          t.notOk(expected, `seed ${seed} round ${round}: ${body} was refused: ${error.message}`);
        }
        t.strictSame(listed(catalog), plain.listed(), `seed ${seed} round ${round}: ${body}`);
      }
    }
    t.ok(accepted > 300, `${accepted} requests were accepted`);
  },
);

t.test('every invalid field of a relation is reported, unknown fields first', async (t) => {
  const body = json('{"x":1,"columns":5,"name":"","dimension":5}');
  for (const decide of [createRelation, deleteRelation]) {
    assertAllRefusals(t, () => decide(body, databaseOf(emptyCatalog(), 1)), [
      [3000, '"x"'],
      [3008, 'name'],
      [3000, '"columns"'],
      [5009, 'a number'],
    ]);
  }
});
