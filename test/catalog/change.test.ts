import { isDeepStrictEqual } from 'node:util';
import t from 'tap';
import { InvariantError, Prng } from '../../src/base/index.js';
import {
  applyChange,
  applyChanges,
  type Catalog,
  type CatalogChange,
  catalogFromPlain,
  catalogToPlain,
  databaseOf,
  dimensionById,
  EMPTY_CATALOG,
  savedQueriesOf,
} from '../../src/catalog/index.js';
import { ENTITY_ID } from '../../src/schema/index.js';
import { CHANGES, CUSTOM_KEY, columnWith, SAVED_QUERY, USER } from './examples.js';
import { nextChange } from './generate.js';
import { PlainCatalog, viewOf } from './plain-catalog.js';

/** The catalog after the first `count` changes. */
const upTo = (count: number): Catalog => applyChanges(EMPTY_CATALOG, CHANGES.slice(0, count));
const indexOf = (change: string): number => CHANGES.findIndex((one) => one.change === change);

t.test(
  'changes applied one by one or at once give the same catalog, and no version is altered later',
  async (t) => {
    const versions: Catalog[] = [EMPTY_CATALOG];
    const texts: string[] = [];
    const textOf = (catalog: Catalog): string => JSON.stringify(catalogToPlain(catalog));
    for (const change of CHANGES) {
      texts.push(textOf(versions[versions.length - 1]));
      versions.push(applyChange(versions[versions.length - 1], change));
    }
    t.strictSame(applyChanges(EMPTY_CATALOG, CHANGES), versions[CHANGES.length]);
    t.strictSame(versions.slice(0, -1).map(textOf), texts);
    t.strictSame(
      versions.map(({ version }) => version),
      versions.map((_, index) => index),
    );
  },
);

t.test('no changes give the same catalog, not a new version', async (t) => {
  t.equal(applyChanges(EMPTY_CATALOG, []), EMPTY_CATALOG);
});

t.test('IDs ascend and are never reused', async (t) => {
  const made: readonly CatalogChange[] = [
    { change: 'database-created', id: 1, name: 'one', type: 'production' },
    {
      change: 'dimension-created',
      databaseId: 1,
      dimension: { id: 2, name: 'A', apiName: 'a', modelType: null },
    },
    { change: 'column-created', databaseId: 1, dimensionId: 2, column: columnWith(1, 'x') },
    { change: 'relation-set', databaseId: 1, dimensionId: 2, relation: { id: 2, name: 'r', columnIds: [1] } },
    { change: 'column-deleted', databaseId: 1, dimensionId: 2, columnId: 1 },
    { change: 'dimension-deleted', databaseId: 1, dimensionId: 2 },
    {
      change: 'dimension-created',
      databaseId: 1,
      dimension: { id: 3, name: 'A', apiName: 'a', modelType: null },
    },
    { change: 'group-set', group: { ...group(1) } },
    { change: 'group-deleted', groupId: 1 },
  ];
  const catalog = applyChanges(EMPTY_CATALOG, made);
  const model = databaseOf(catalog, 1);
  t.strictSame([model.nextDimensionId, model.nextColumnId, catalog.nextGroupId], [4, 3, 2]);
  t.equal(dimensionById(model, 2), undefined);
  t.strictSame([...(dimensionById(model, 3)?.columns.keys() ?? [])], ['entity-id']);
  const without = applyChange(catalog, { change: 'database-deleted', databaseId: 1 });
  t.strictSame([without.databases.size, without.nextDatabaseId], [0, 2]);
});

function group(id: number) {
  return {
    ...{ id, name: 'g', description: '', permissions: [], databaseIds: [], labels: [], weekDays: [] },
    accessMinutes: null,
  };
}

t.test('removals and alterations invalidate older parses, additions do not', async (t) => {
  const shrinking = [
    ...['dimension-deleted', 'dimension-renamed', 'column-changed', 'column-deleted', 'relation-set'],
    ...['segment-set', 'segment-deleted'],
  ];
  const adding = [
    ...['dimension-created', 'column-created', 'database-changed', 'key-changed', 'user-set'],
    ...['saved-query-set', 'saved-query-deleted'],
  ];
  for (const change of [...shrinking, ...adding]) {
    const before = upTo(indexOf(change));
    const after = applyChange(before, CHANGES[indexOf(change)]);
    for (const model of after.databases.values()) {
      const old = databaseOf(before, model.id);
      const isTouched = model.version !== old.version;
      const expected = isTouched && shrinking.includes(change) ? model.version : old.shrinkVersion;
      t.equal(model.shrinkVersion, expected, `${change} in database ${model.id}`);
      if (!isTouched) t.equal(model, old, `${change} leaves database ${model.id} alone`);
    }
  }
});

t.test(
  'deleting a database removes its keys, properties and saved queries, and leaves other databases alone',
  async (t) => {
    const before = upTo(indexOf('database-deleted'));
    const found = applyChange(before, { change: 'database-deleted', databaseId: 1 });
    t.strictSame([...found.databases.keys()], [2]);
    t.strictSame([...found.properties.keys()], [2]);
    t.strictSame([...found.keys.keys()], ['ac']);
    t.equal(databaseOf(found, 2), databaseOf(before, 2));
    const saved = applyChange(before, {
      ...{ change: 'saved-query-set', savedQuery: { ...SAVED_QUERY, databaseId: 2 } },
    });
    t.strictSame([...saved.savedQueries.keys()], [1, 2]);
    const left = applyChange(saved, { change: 'database-deleted', databaseId: 1 });
    t.strictSame([...left.savedQueries.keys()], [2]);
  },
);

t.test('a saved query is replaced in position, and other changes copy no saved query', async (t) => {
  const named = (name: string, version: number): CatalogChange => ({
    ...{ change: 'saved-query-set', savedQuery: { ...SAVED_QUERY, name, version } },
  });
  const before = applyChanges(upTo(indexOf('group-set')), [named('a', 1), named('b', 2), named('a', 3)]);
  const saved = savedQueriesOf(before, 1);
  t.strictSame(
    [...saved.values()].map(({ name, version }) => [name, version]),
    [
      ['a', 3],
      ['b', 2],
    ],
  );
  t.equal(saved, savedQueriesOf(applyChange(before, { change: 'group-set', group: group(1) }), 1));
  const elsewhere = { ...SAVED_QUERY, databaseId: 2 };
  const after = applyChange(before, { change: 'saved-query-set', savedQuery: elsewhere });
  t.equal(saved, savedQueriesOf(after, 1));
  t.equal(savedQueriesOf(before, 2).size, 0);
  const none = applyChanges(before, [deleted('a'), deleted('b')]);
  t.strictSame([savedQueriesOf(none, 1).size, none.savedQueries.size, saved.size], [0, 0, 2]);
});

function deleted(name: string): CatalogChange {
  return { change: 'saved-query-deleted', databaseId: 1, name };
}

t.test(
  'a deleted column is removed from its relation, and the last column deletes the relation',
  async (t) => {
    const related = upTo(indexOf('relation-set') + 1);
    const relationsOf = (catalog: Catalog): unknown => dimensionById(databaseOf(catalog, 1), 2)?.relations;
    const without = (columnId: number): CatalogChange => ({
      ...{ change: 'column-deleted', databaseId: 1, dimensionId: 2, columnId },
    });
    const one = applyChange(related, without(3));
    t.strictSame(relationsOf(one), new Map([['__proto__', { id: 4, name: '__proto__', columnIds: [2] }]]));
    t.strictSame(relationsOf(applyChange(one, without(2))), new Map());
    t.strictSame(relationsOf(applyChange(related, without(1))), relationsOf(related));
  },
);

t.test('users of a deleted group remain, without a group', async (t) => {
  const catalog = upTo(indexOf('group-deleted') + 1);
  t.strictSame(catalog.users, new Map([[USER.email, { ...USER, groupId: null }]]));
  t.equal(catalog.groups.size, 0);
});

t.test('a changed key is found by its hash, a deleted one is not', async (t) => {
  const changed = upTo(indexOf('key-changed') + 1);
  t.match(changed.keys.get(CUSTOM_KEY.hash), { name: 'renamed', columnsWhitelist: null });
  t.equal(changed.keys.size, 4);
  const deleted = applyChange(changed, { change: 'key-deleted', hash: CUSTOM_KEY.hash });
  t.strictSame([...deleted.keys.keys()], ['aa', 'ab', 'ac']);
});

t.test('a change of an unknown object is an InvariantError', async (t) => {
  const catalog = upTo(indexOf('group-set'));
  const column = columnWith(9, 'x');
  const bad: readonly CatalogChange[] = [
    { change: 'dimension-deleted', databaseId: 1, dimensionId: 7 },
    { change: 'dimension-deleted', databaseId: 5, dimensionId: 1 },
    { change: 'dimension-renamed', databaseId: 1, dimensionId: 9, apiName: 'x' },
    { change: 'column-created', databaseId: 1, dimensionId: 9, column },
    { change: 'column-changed', databaseId: 1, dimensionId: 9, column },
    { change: 'column-deleted', databaseId: 1, dimensionId: 9, columnId: 1 },
    { change: 'relation-set', databaseId: 1, dimensionId: 9, relation: { id: 9, name: 'r', columnIds: [1] } },
    { change: 'database-deleted', databaseId: 5 },
    { change: 'saved-query-set', savedQuery: { ...SAVED_QUERY, databaseId: 5 } },
    { change: 'saved-query-deleted', databaseId: 1, name: 'daily' },
  ];
  for (const change of bad) t.throws(() => applyChange(catalog, change), InvariantError, change.change);
  const unknown = { change: 'colour-changed', databaseId: 1 } as unknown as CatalogChange;
  t.throws(() => applyChange(catalog, unknown), InvariantError);
});

const generated = new Set<string>();

for (let seed = 1; seed <= 10; seed++) {
  t.test(`generated sequences end as in a plain model, in any portions, seed ${seed}`, async (t) => {
    const prng = new Prng(seed);
    const plain = new PlainCatalog();
    const changes: CatalogChange[] = [];
    let catalog = EMPTY_CATALOG;
    for (let round = 0; round < 200; round++) {
      const portion: CatalogChange[] = [];
      let growing = catalog;
      for (let count = prng.between(1, 3); count > 0; count--) {
        const change = nextChange(prng, growing);
        growing = applyChange(growing, change);
        portion.push(change);
        plain.apply(change);
      }
      const before = JSON.stringify(catalogToPlain(catalog));
      const next = applyChanges(catalog, portion);
      t.equal(JSON.stringify(catalogToPlain(catalog)), before, 'the previous version is unchanged');
      const done = portion.map(({ change }) => change).join();
      // The cheap comparison comes first: the one that describes differences is slow.
      const [found, expected] = [viewOf(next), plain.view];
      if (!isDeepStrictEqual(found, expected)) t.strictSame(found, expected, `round ${round}: ${done}`);
      changes.push(...portion);
      catalog = next;
    }
    t.strictSame(viewOf(catalog), plain.view);
    t.strictSame(applyChanges(EMPTY_CATALOG, changes), catalog, 'all at once');
    t.strictSame(catalogFromPlain(JSON.parse(JSON.stringify(catalogToPlain(catalog)))), catalog);
    const entityIds = [...catalog.databases.values()].flatMap(({ dimensions }) =>
      [...dimensions.values()].map(({ columns }) => columns.get('entity-id')),
    );
    t.ok(entityIds.every((column) => column?.id === ENTITY_ID.id));
    for (const { change } of changes) generated.add(change);
  });
}

t.test('every kind of change is generated and has an example', async (t) => {
  const examples = new Set(CHANGES.map(({ change }) => change));
  t.equal(examples.size, 23);
  t.strictSame([...generated].sort(), [...examples].sort());
});
