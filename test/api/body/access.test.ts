import t from 'tap';
import {
  type Access,
  accessOf,
  bindCountEntity,
  bindExists,
  bindMutation,
  bindQuery,
  bindTotal,
  bindTotalOfAll,
  changeColumn,
  createColumns,
  deleteColumn,
  deleteDimension,
  FULL_ACCESS,
  type Json,
  type JsonObject,
  readMutation,
} from '../../../src/api/index.js';
import { Prng, QuarryError } from '../../../src/base/index.js';
import { type Catalog, databaseOf } from '../../../src/catalog/index.js';
import type { DatabaseModel, Dimension } from '../../../src/schema/index.js';
import { lowerCase } from '../../../src/schema/index.js';
import { countMatches, type StoredData, store } from '../../ir/evaluate.js';
import { generateInsert, generateQuery, generateSchema, jsonText } from '../../support/generate.js';
import { RowModel } from '../../support/model.js';
import { customKey, decided, emptyCatalog, json, modelWith } from '../databases.js';

const NOW_MS = Date.UTC(2018, 5, 30);
const COLUMNS = json(`[
  {"name":"a","type":"integer"}, {"name":"b","type":"integer"}, {"name":"e","type":"integer-event"},
  {"name":"a","type":"string","dimension":"other"}, {"name":"c","type":"string","dimension":"third"}
]`);
const CATALOG = decided(emptyCatalog(), (model) => createColumns(COLUMNS, model));
const MODEL = databaseOf(CATALOG, 1);
const dimensionOf = (model: DatabaseModel, apiName: string): Dimension =>
  model.dimensions.get(apiName) as Dimension;

const whitelisted = (...columns: string[]): Access =>
  accessOf(customKey({ columnsWhitelist: [{ dimension: 'default', columns }] }));
const filtered = (conditions: string, dimension = 'default'): Access =>
  accessOf(customKey({ filter: [{ dimension, conditions }] }));

function refusalOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof QuarryError) return `${error.code}: ${error.message}`;
    throw error;
  }
  return 'accepted';
}

t.test('every key except a restricted custom key may use everything', async (t) => {
  t.equal(accessOf({ kind: 'master', hash: 'a', databaseId: 1 }), FULL_ACCESS);
  t.equal(accessOf({ kind: 'team', hash: 'a', name: 'first', permissions: [] }), FULL_ACCESS);
  t.equal(accessOf(customKey({})), FULL_ACCESS);
  t.equal(FULL_ACCESS.columnIds(MODEL), null);
  t.equal(FULL_ACCESS.restrict(dimensionOf(MODEL, 'default'), null, NOW_MS), null);
});

t.test('a whitelist allows the columns that it names in their dimension, and the entity ID', async (t) => {
  const access = whitelisted('a', 'gone');
  const allowed = [...MODEL.dimensions.values()].flatMap((dimension) =>
    [...dimension.columns.values()]
      .filter((column) => access.allows(dimension, column))
      .map((column) => `${dimension.apiName} ${column.apiName}`),
  );
  t.strictSame(allowed, ['default entity-id', 'default a', 'other entity-id', 'third entity-id']);
  t.strictSame(access.columnIds(MODEL), [0, 1, 0, 0]);
  t.strictSame(accessOf(customKey({ columnsWhitelist: [] })).columnIds(MODEL), [0, 0, 0]);
  t.equal(filtered('{"a":{"gt":1}}').columnIds(MODEL), null);
});

t.test('the writable columns are computed once per model', async (t) => {
  const access = whitelisted('a', 'b');
  const deleted = databaseOf(
    decided(CATALOG, (model) => deleteColumn(json('{"api-name":"a"}'), model)),
    1,
  );
  const first = access.columnIds(MODEL);
  t.equal(access.columnIds(MODEL), first);
  t.strictSame(access.columnIds(deleted), [0, 2, 0, 0]);
  t.strictSame(access.columnIds(MODEL), first);
});

t.test('a column that is not allowed is refused wherever a request names it', async (t) => {
  const access = whitelisted('a');
  const query = '[{"a":{"gt":1}},"and",["not",{"b":{"gt":1}}]]';
  const expected = '506: this key may not use the column "b" in dimension "default"';
  const count = json(`{"query-name":"q","query":${query}}`);
  t.equal(
    refusalOf(() => bindCountEntity(count, MODEL, NOW_MS, access)),
    expected,
  );
  for (const kind of ['update', 'delete'] as const) {
    const body = json(`{"query":${query}${kind === 'update' ? ',"set":{"a":1}' : ''}}`);
    t.equal(
      refusalOf(() => bindMutation(readMutation(body, kind), MODEL, NOW_MS, access)),
      expected,
    );
  }
  const inOther = json('{"query-name":"q","dimension":"other","query":[{"a":{"equals":"x"}}]}');
  t.match(
    refusalOf(() => bindCountEntity(inOther, MODEL, NOW_MS, access)),
    /^506: .*"a" in dimension "other"/,
  );
  const unknown = json('{"query-name":"q","query":[{"zzz":{"equals":"x"}}]}');
  t.match(
    refusalOf(() => bindCountEntity(unknown, MODEL, NOW_MS, access)),
    /^4008/,
  );
});

t.test(
  'a filter narrows every plan of its dimension, with columns that the whitelist lacks too',
  async (t) => {
    const access = accessOf(
      customKey({
        columnsWhitelist: [{ dimension: 'default', columns: ['a'] }],
        filter: [{ dimension: 'default', conditions: '{"b":{"gte":5},"entity-id":{"starts-with":"x"}}' }],
      }),
    );
    const dimension = dimensionOf(MODEL, 'default');
    const filter = bindQuery(
      json('[{"b":{"gte":5}},"and",{"entity-id":{"starts-with":"x"}}]'),
      dimension,
      NOW_MS,
    );
    const plan = { databaseId: 1, dimensionId: 1, condition: filter };
    const free = [2, 3].map((dimensionId) => ({ databaseId: 1, dimensionId, condition: null }));
    t.strictSame(bindTotalOfAll(MODEL, NOW_MS, access), [plan, ...free]);
    t.strictSame(bindTotal(json('{"dimensions":["other","default"]}'), MODEL, NOW_MS, access), [
      free[0],
      plan,
    ]);
    t.strictSame(bindExists(json('{"ids":["x"]}'), MODEL, NOW_MS, access).plan, plan);
    const query = json('{"query-name":"q","query":[{"a":{"gt":1}},"or",{"a":{"lt":0}}]}');
    const [{ condition }] = bindCountEntity(query, MODEL, NOW_MS, access);
    const queried = bindQuery(json('[{"a":{"gt":1}},"or",{"a":{"lt":0}}]'), dimension, NOW_MS);
    t.strictSame(condition, { op: 'and', members: [filter, queried] });
  },
);

/** Every kind of request on the default dimension. */
function everyRequest(model: DatabaseModel, access: Access): string[] {
  const count = json('{"query-name":"q","query":[{"b":{"gt":1}}]}');
  const mutation = readMutation(json('{"query":[{"b":{"gt":1}}]}'), 'delete');
  return [
    () => bindCountEntity(count, model, NOW_MS, access),
    () => bindTotal(json('{"dimensions":["default"]}'), model, NOW_MS, access),
    () => bindTotalOfAll(model, NOW_MS, access),
    () => bindExists(json('{"ids":["x"]}'), model, NOW_MS, access),
    () => bindMutation(mutation, model, NOW_MS, access),
  ].map(refusalOf);
}

t.test('a filter that no longer fits refuses requests, reveals nothing and never widens', async (t) => {
  const access = filtered('{"a":{"equals":5}}');
  t.strictSame(new Set(everyRequest(MODEL, access)), new Set(['accepted']));
  const deleted = decided(CATALOG, (model) => deleteColumn(json('{"api-name":"a"}'), model));
  const asleep = decided(CATALOG, (model) => changeColumn(json('{"api-name":"a","active":false}'), model));
  const retyped = decided(deleted, (model) =>
    createColumns(json('{"name":"a","type":"string-event"}'), model),
  );
  const broken: Readonly<Record<string, Catalog>> = { deleted, asleep, retyped };
  const expected = '506: the row filter of this key no longer fits the columns of dimension "default"';
  for (const [what, catalog] of Object.entries(broken)) {
    t.strictSame(new Set(everyRequest(databaseOf(catalog, 1), access)), new Set([expected]), what);
  }
  for (const conditions of ['{}', '[]', '{"a":{}}', '{"a":{"near":1}}', 'nothing']) {
    t.strictSame(new Set(everyRequest(MODEL, filtered(conditions))), new Set([expected]), conditions);
  }
  const made = decided(deleted, (model) => createColumns(json('{"name":"a","type":"integer"}'), model));
  const [plan] = bindTotalOfAll(databaseOf(made, 1), NOW_MS, access);
  t.match(plan.condition, { op: 'attribute', columnId: 6 });
});

t.test('a filter outlives its dimension and applies to a later dimension of that name', async (t) => {
  const access = filtered('{"c":{"equals":"x"}}', 'third');
  const gone = decided(CATALOG, (model) => deleteDimension(json('{"api-name":"third"}'), model));
  t.strictSame(
    bindTotalOfAll(databaseOf(gone, 1), NOW_MS, access).map(({ condition }) => condition),
    [null, null],
  );
  const column = json('{"name":"d","type":"string","dimension":"third"}');
  const again = decided(gone, (model) => createColumns(column, model));
  t.match(
    refusalOf(() => bindTotalOfAll(databaseOf(again, 1), NOW_MS, access)),
    /^506: the row filter/,
  );
});

t.test('a whitelisted column that was deleted or deactivated opens no other column', async (t) => {
  const access = whitelisted('a');
  const deleted = decided(CATALOG, (model) => deleteColumn(json('{"api-name":"a"}'), model));
  t.strictSame(access.columnIds(databaseOf(deleted, 1)), [0, 0, 0]);
  const asleep = decided(CATALOG, (model) => changeColumn(json('{"api-name":"a","active":false}'), model));
  const query = json('{"query-name":"q","query":[{"a":{"gt":1}}]}');
  for (const catalog of [deleted, asleep]) {
    t.match(
      refusalOf(() => bindCountEntity(query, databaseOf(catalog, 1), NOW_MS, access)),
      /^4008/,
    );
  }
});

/** The insert body without the entities that `sees` rejects. */
function visibleIn(body: JsonObject, sees: (id: string, fields: JsonObject) => boolean): Json {
  return new Map([...body].filter(([id, fields]) => sees(id, fields as JsonObject)));
}

/** The dimension and the ID under which an entity of an insert body is stored. */
const keyOf = (id: string, fields: JsonObject): string =>
  `${fields.get('dimension') ?? 'default'} ${lowerCase(id)}`;

for (let seed = 1; seed <= 6; seed++) {
  t.test(`a filtered key is answered as if the hidden rows did not exist, seed ${seed}`, async (t) => {
    const prng = new Prng(seed);
    const schema = generateSchema(prng);
    const model = modelWith(schema.body);
    const rows = new RowModel();
    rows.createColumns(schema.body);
    rows.createDimension('second');
    const data: StoredData = new Map();
    const bodies = Array.from(
      { length: 5 },
      () => generateInsert(prng, schema, { entityCount: 30, idCount: 40 }) as JsonObject,
    );
    for (const body of bodies) {
      rows.insert(body, NOW_MS);
      store(data, body, model, NOW_MS);
    }
    const options = { depthMax: 3, idCount: 40, withNow: true };
    const countOf = (from: RowModel, dimension: string, query: Json): number | undefined =>
      from
        .count(
          new Map<string, Json>([
            ['query-name', 'q'],
            ['dimension', dimension],
            ['query', query],
          ]),
          NOW_MS,
        )
        .get('q');
    let [hidden, matched] = [0, 0];
    for (let round = 0; round < 12; round++) {
      // Filters are conditions on columns, joined by "and"; a query of one operand gives such a condition.
      const single = Array.from(
        { length: 40 },
        () => generateQuery(prng, schema, 'default', options) as Json[],
      );
      const conditions = single.flatMap(([head]) =>
        head instanceof Map && !head.has('freqgroup') ? [head as JsonObject] : [],
      );
      const filter = new Map(conditions.slice(0, prng.between(1, 2)).flatMap((condition) => [...condition]));
      const access = filtered(jsonText(filter));
      const asList = [...filter].flatMap(([column, condition], index): Json[] => [
        ...(index === 0 ? [] : ['and']),
        new Map([[column, condition]]),
      ]);
      const isSeen = new Map<string, boolean>();
      const sees = (id: string, fields: JsonObject): boolean => {
        const key = keyOf(id, fields);
        if (!key.startsWith('default ')) return true;
        const own = new Map([['entity-id', new Map([['equals', id]])]]);
        const seen = isSeen.get(key) ?? countOf(rows, 'default', [...asList, 'and', own]) === 1;
        isSeen.set(key, seen);
        return seen;
      };
      const visible = new RowModel();
      visible.createColumns(schema.body);
      visible.createDimension('second');
      for (const body of bodies) visible.insert(visibleIn(body, sees), NOW_MS);
      hidden += [...isSeen.values()].filter((seen) => !seen).length;
      for (let queryIndex = 0; queryIndex < 10; queryIndex++) {
        const dimension = prng.chance(0.8) ? 'default' : 'second';
        const query = generateQuery(prng, schema, dimension, options);
        const body = new Map<string, Json>([
          ['query-name', 'q'],
          ['dimension', dimension],
          ['query', query],
        ]);
        const [{ dimensionId, condition }] = bindCountEntity(body, model, NOW_MS, access);
        const found = countMatches(data, dimensionId, condition);
        const expected = countOf(visible, dimension, query);
        if (found !== expected)
          t.equal(found, expected, `${jsonText(query)} with filter ${jsonText(filter)}`);
        if (found > 0) matched++;
      }
    }
    t.ok(hidden > 50 && matched > 10, `${hidden} rows hidden, ${matched} queries matched something`);
  });
}
