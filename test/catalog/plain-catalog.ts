/** The simplest model of a catalog: lists that are filtered. It is the oracle of the effect of changes. */
import { type Catalog, type CatalogChange, DEFAULT_PROPERTIES } from '../../src/catalog/index.js';
import {
  type Column,
  ENTITY_ID,
  type Relation,
  type Segment,
  type TextCase,
} from '../../src/schema/index.js';

interface PlainDimension {
  readonly id: number;
  readonly apiName: string;
  readonly name: string;
  readonly modelType: string | null;
  readonly textCase?: TextCase;
  columns: Column[];
  relations: Relation[];
  segments: Segment[];
}
interface PlainDatabase {
  readonly id: number;
  name: string;
  readonly type: string;
  properties: unknown;
  dimensions: PlainDimension[];
}
interface View {
  accountState: string;
  retentionSuspended: boolean;
  databases: PlainDatabase[];
  keys: unknown[];
  users: unknown[];
  groups: unknown[];
  savedQueries: unknown[];
}

const byId = <T extends { readonly id: number }>(items: readonly T[]): T[] =>
  [...items].sort((a, b) => a.id - b.id);
const byText = (items: readonly unknown[]): unknown[] =>
  [...items].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

/** The content of a catalog, without its lookup maps. */
export function viewOf(catalog: Catalog): View {
  return sorted({
    accountState: catalog.accountState,
    retentionSuspended: catalog.retentionSuspended,
    databases: [...catalog.databases.values()].map(({ id, name, type, dimensions }) => ({
      ...{ id, name, type, properties: catalog.properties.get(id) },
      dimensions: [...dimensions.values()].map(({ columns, relations, segments, ...rest }) => ({
        ...rest,
        columns: [...columns.values()],
        relations: [...relations.values()],
        segments: [...segments.values()],
      })),
    })),
    keys: [...catalog.keys.values()],
    users: [...catalog.users.values()],
    groups: [...catalog.groups.values()],
    savedQueries: [...catalog.savedQueries].flatMap(([id, own]) =>
      [...own].map(([name, savedQuery]) => [id, name, savedQuery]),
    ),
  });
}

function sorted({ databases, keys, users, groups, savedQueries, ...rest }: View): View {
  return {
    ...rest,
    databases: byId(databases).map((database) => ({
      ...database,
      dimensions: byId(database.dimensions).map((dimension) => ({
        ...dimension,
        columns: byId(dimension.columns),
        relations: byId(dimension.relations),
        segments: byId(dimension.segments),
      })),
    })),
    keys: byText(keys),
    users: byText(users),
    groups: byText(groups),
    savedQueries: byText(savedQueries),
  };
}

interface Known {
  readonly hash?: string;
  readonly email?: string;
  readonly id?: number;
  readonly databaseId?: number;
  readonly groupId?: number | null;
}

/** Database id, name and the saved query itself. */
type SavedAt = readonly [number, string, unknown];

const withoutSaved = (items: readonly unknown[], databaseId: number, name: string): unknown[] =>
  items.filter((item) => (item as SavedAt)[0] !== databaseId || (item as SavedAt)[1] !== name);

export class PlainCatalog {
  #state: View = {
    ...{ accountState: 'active', retentionSuspended: false, databases: [], keys: [], users: [], groups: [] },
    savedQueries: [],
  };

  get view(): View {
    return sorted(this.#state);
  }

  apply(change: CatalogChange): void {
    const state = this.#state;
    const without = (items: unknown[], isIt: (item: Known) => boolean): unknown[] =>
      items.filter((item) => !isIt(item as Known));
    switch (change.change) {
      case 'account-set':
        state.accountState = change.state;
        break;
      case 'retention-set':
        state.retentionSuspended = change.suspended;
        break;
      case 'key-created':
      case 'key-changed':
        state.keys = [...without(state.keys, ({ hash }) => hash === change.key.hash), change.key];
        break;
      case 'key-deleted':
        state.keys = without(state.keys, ({ hash }) => hash === change.hash);
        break;
      case 'user-set':
        state.users = [...without(state.users, ({ email }) => email === change.user.email), change.user];
        break;
      case 'user-deleted':
        state.users = without(state.users, ({ email }) => email === change.email);
        break;
      case 'group-set':
        state.groups = [...without(state.groups, ({ id }) => id === change.group.id), change.group];
        break;
      case 'group-deleted':
        state.groups = without(state.groups, ({ id }) => id === change.groupId);
        state.users = state.users.map((user) =>
          (user as Known).groupId === change.groupId ? { ...(user as Known), groupId: null } : user,
        );
        break;
      case 'database-created':
        state.databases.push({
          ...{ id: change.id, name: change.name, type: change.type },
          properties: change.properties ?? DEFAULT_PROPERTIES,
          dimensions: [newDimension({ id: 1, apiName: 'default', name: 'default', modelType: null })],
        });
        break;
      case 'database-deleted':
        state.databases = state.databases.filter(({ id }) => id !== change.databaseId);
        state.keys = without(state.keys, ({ databaseId }) => databaseId === change.databaseId);
        state.savedQueries = state.savedQueries.filter((at) => (at as SavedAt)[0] !== change.databaseId);
        break;
      case 'saved-query-set': {
        const { databaseId, name } = change.savedQuery;
        state.savedQueries = [
          ...withoutSaved(state.savedQueries, databaseId, name),
          [databaseId, name, change.savedQuery],
        ];
        break;
      }
      case 'saved-query-deleted':
        state.savedQueries = withoutSaved(state.savedQueries, change.databaseId, change.name);
        break;
      default:
        applyToDatabase(state.databases.find(({ id }) => id === change.databaseId) as PlainDatabase, change);
    }
  }
}

type ModelChange = Exclude<Extract<CatalogChange, { databaseId: number }>, { change: 'saved-query-deleted' }>;

function newDimension(facts: Omit<PlainDimension, 'columns' | 'relations' | 'segments'>): PlainDimension {
  const textCase = facts.textCase ?? 'fold';
  return { ...facts, textCase, columns: [{ ...ENTITY_ID, textCase }], relations: [], segments: [] };
}

function applyToDatabase(database: PlainDatabase, change: ModelChange): void {
  if (change.change === 'database-changed') {
    database.name = change.name;
    database.properties = change.properties;
  } else if (change.change === 'dimension-created') {
    database.dimensions.push(newDimension(change.dimension));
  } else if (change.change === 'dimension-deleted') {
    database.dimensions = database.dimensions.filter(({ id }) => id !== change.dimensionId);
  } else if (change.change === 'dimension-renamed') {
    const { dimensionId, apiName } = change;
    const renamed = database.dimensions.find(({ id }) => id === dimensionId) as PlainDimension;
    const name = renamed.name === renamed.apiName ? apiName : renamed.name;
    const others = database.dimensions.filter((one) => one !== renamed);
    database.dimensions = [...others, { ...renamed, name, apiName }];
  } else if (change.change !== 'database-deleted') {
    const dimension = database.dimensions.find(({ id }) => id === change.dimensionId) as PlainDimension;
    applyToDimension(dimension, change);
  }
}

function applyToDimension(
  dimension: PlainDimension,
  change: Extract<ModelChange, { dimensionId: number }>,
): void {
  if (change.change === 'column-created') dimension.columns.push(change.column);
  if (change.change === 'column-changed') {
    dimension.columns = dimension.columns.map((column) =>
      column.id === change.column.id ? change.column : column,
    );
  }
  if (change.change === 'column-deleted') {
    dimension.columns = dimension.columns.filter(({ id }) => id !== change.columnId);
    dimension.relations = dimension.relations.map((relation) => ({
      ...relation,
      columnIds: relation.columnIds.filter((id) => id !== change.columnId),
    }));
  }
  if (change.change === 'segment-set' || change.change === 'segment-deleted') {
    const name = change.change === 'segment-set' ? change.segment.name : change.name;
    dimension.segments = dimension.segments.filter((segment) => segment.name !== name);
    if (change.change === 'segment-set') dimension.segments.push(change.segment);
  }
  if (change.change === 'relation-set') {
    const { relation } = change;
    dimension.relations = [...dimension.relations.filter(({ id }) => id !== relation.id), relation];
  }
  dimension.relations = dimension.relations.filter(({ columnIds }) => columnIds.length > 0);
}
