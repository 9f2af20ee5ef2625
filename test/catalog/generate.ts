/** Seeded changes that apply to a catalog, of every kind. */
import type { Prng } from '../../src/base/index.js';
import {
  ACCOUNT_STATES,
  type ApiKey,
  type Catalog,
  type CatalogChange,
  DEFAULT_PROPERTIES,
  SAVED_QUERY_TYPES,
  savedQueriesOf,
} from '../../src/catalog/index.js';
import type { Column, DatabaseModel, Dimension } from '../../src/schema/index.js';
import { CUSTOM_KEY, columnWith, GROUP, SAVED_QUERY, USER } from './examples.js';

const NAMES = ['a', 'b', 'c', 'users', '__proto__'];

/** A change that is valid for the catalog. A kind of change that has no object to apply to becomes a new database. */
export function nextChange(prng: Prng, catalog: Catalog): CatalogChange {
  const make = prng.chance(0.35) ? ofTeam : prng.chance(0.2) ? ofSaved : ofModel;
  const made = make(prng, catalog);
  const { nextDatabaseId: id } = catalog;
  return made ?? { change: 'database-created', id, name: `d${id}`, type: prng.pick(['test', 'production']) };
}

function anyOf<T>(prng: Prng, items: Iterable<T>): T | undefined {
  const list = [...items];
  return list.length === 0 ? undefined : prng.pick(list);
}

function ofTeam(prng: Prng, catalog: Catalog): CatalogChange | null {
  const group = anyOf(prng, catalog.groups.values());
  const user = anyOf(prng, catalog.users.values());
  const key = anyOf(prng, catalog.keys.values());
  switch (prng.below(10)) {
    case 0:
      return prng.chance(0.5)
        ? { change: 'account-set', state: prng.pick(ACCOUNT_STATES) }
        : { change: 'retention-set', suspended: prng.chance(0.5) };
    case 1:
      return { change: 'group-set', group: { ...GROUP, id: catalog.nextGroupId, name: prng.pick(NAMES) } };
    case 2:
      return group ? { change: 'group-set', group: { ...group, permissions: [prng.between(1, 19)] } } : null;
    case 3:
      return group && prng.chance(0.5) ? { change: 'group-deleted', groupId: group.id } : null;
    case 4:
      return user && prng.chance(0.5) ? { change: 'user-deleted', email: user.email } : null;
    case 5:
    case 6:
      return {
        change: 'user-set',
        user: { ...USER, email: prng.pick(NAMES), lastName: prng.pick(NAMES), groupId: group?.id ?? null },
      };
    case 7:
      return key ? { change: 'key-deleted', hash: key.hash } : null;
    case 8:
      return key?.kind === 'custom'
        ? { change: 'key-changed', key: { ...key, level: prng.pick(['read-only', 'write-only']) } }
        : null;
    default:
      return newKey(prng, catalog);
  }
}

function newKey(prng: Prng, catalog: Catalog): CatalogChange | null {
  const database = anyOf(prng, catalog.databases.values());
  if (database === undefined) return null;
  const hash = prng.u32().toString(16);
  const keys: readonly ApiKey[] = [
    { kind: 'team', hash, name: hash, permissions: ['list'] },
    { kind: 'write', hash, databaseId: database.id },
    { ...CUSTOM_KEY, hash, databaseId: database.id, name: hash },
  ];
  return { change: 'key-created', key: prng.pick(keys) };
}

function ofSaved(prng: Prng, catalog: Catalog): CatalogChange | null {
  const database = anyOf(prng, catalog.databases.values());
  if (database === undefined) return null;
  const databaseId = database.id;
  const saved = anyOf(prng, savedQueriesOf(catalog, databaseId).values());
  if (saved !== undefined && prng.chance(0.4)) {
    return { change: 'saved-query-deleted', databaseId, name: saved.name };
  }
  const [name, type] = [prng.pick(NAMES), prng.pick(SAVED_QUERY_TYPES)];
  const version = catalog.version + 1;
  return { change: 'saved-query-set', savedQuery: { ...SAVED_QUERY, databaseId, name, type, version } };
}

function ofModel(prng: Prng, catalog: Catalog): CatalogChange | null {
  const model = anyOf(prng, catalog.databases.values());
  if (model === undefined) return null;
  const databaseId = model.id;
  switch (prng.below(16)) {
    case 0:
      return prng.chance(0.4) ? { change: 'database-deleted', databaseId } : null;
    case 1: {
      const properties = { ...DEFAULT_PROPERTIES, updatedMs: prng.below(1e6) };
      return { change: 'database-changed', databaseId, name: `d${databaseId}-${prng.below(9)}`, properties };
    }
    case 2:
    case 3: {
      const free = NAMES.filter((name) => !model.dimensions.has(name));
      const apiName = anyOf(prng, free);
      if (apiName === undefined) return null;
      const dimension = { id: model.nextDimensionId, apiName, name: 'A name', modelType: null };
      return { change: 'dimension-created', databaseId, dimension };
    }
    default:
      return inDimension(prng, model, prng.pick([...model.dimensions.values()]));
  }
}

function inDimension(prng: Prng, model: DatabaseModel, dimension: Dimension): CatalogChange | null {
  const of = { databaseId: model.id, dimensionId: dimension.id };
  const columns = [...dimension.columns.values()].filter(({ id }) => id !== 0);
  const column = anyOf(prng, columns);
  const kind = prng.below(12);
  if (kind > 9) return ofSegments(prng, model, dimension);
  if (kind === 6 && prng.chance(0.5) && dimension.id !== 1) {
    const apiName = `renamed-${model.version}`;
    return model.dimensions.has(apiName) ? null : { change: 'dimension-renamed', ...of, apiName };
  }
  if (kind === 0) return dimension.id === 1 ? null : { change: 'dimension-deleted', ...of };
  if (kind < 5 || column === undefined) {
    const apiName = `c${model.nextColumnId}`;
    const more: Partial<Column> = prng.chance(0.5) ? { range: [0n, 2n ** 60n] } : {};
    return { change: 'column-created', ...of, column: columnWith(model.nextColumnId, apiName, more) };
  }
  if (kind === 5) return { change: 'column-changed', ...of, column: { ...column, active: !column.active } };
  if (kind === 6) return { change: 'column-deleted', ...of, columnId: column.id };
  const known = anyOf(prng, dimension.relations.values());
  const taken = new Set([...dimension.relations.values()].flatMap(({ columnIds }) => columnIds));
  const free = columns.map(({ id }) => id).filter((id) => !taken.has(id) || known?.columnIds.includes(id));
  const columnIds = free.filter(() => prng.chance(0.6));
  if (known !== undefined && prng.chance(0.6)) {
    return { change: 'relation-set', ...of, relation: { ...known, columnIds } };
  }
  const own = columnIds.filter((id) => !taken.has(id));
  const name = NAMES.find((one) => !dimension.relations.has(one));
  if (own.length === 0 || name === undefined) return null;
  return { change: 'relation-set', ...of, relation: { id: model.nextColumnId, name, columnIds: own } };
}

function ofSegments(prng: Prng, model: DatabaseModel, dimension: Dimension): CatalogChange {
  const of = { databaseId: model.id, dimensionId: dimension.id };
  const name = prng.pick(NAMES);
  const known = dimension.segments.get(name);
  if (known !== undefined && prng.chance(0.4)) {
    return { change: 'segment-deleted', ...of, name, segmentId: known.id };
  }
  const query = prng.chance(0.5) ? null : '[{"age":{"gt":1}}]';
  const segment = { id: model.nextDimensionId, name, query, creator: null };
  const replaces = known?.query === null ? known.id : null;
  return { change: 'segment-set', ...of, segment, replaces };
}
