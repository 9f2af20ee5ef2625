/**
 * Converts the catalog and its changes to the form that is stored as MessagePack, without Map and BigInt, and back. The form
 * is part of the formats of the log and the manifest: fields may only be added, and their absence must have a meaning.
 */
import type { Column, DatabaseModel, Dimension, Relation, Segment, TextCase } from '../schema/index.js';
import {
  type ApiKey,
  type Catalog,
  type DatabaseProperties,
  DEFAULT_PROPERTIES,
  EMPTY_CATALOG,
  type PermissionGroup,
  type SavedQuery,
  TEAM_PERMISSIONS,
  type User,
} from './catalog.js';
import type { CatalogChange } from './change.js';

/** Absent in early stores, which fold case. */
type StoredCase<T> = Omit<T, 'textCase'> & { readonly textCase?: TextCase };
type PlainColumn = StoredCase<Omit<Column, 'range'>> & { readonly range: readonly string[] | null };
type PlainDimension = StoredCase<Omit<Dimension, 'columns' | 'relations' | 'segments'>> & {
  readonly columns: readonly PlainColumn[];
  readonly relations?: readonly Relation[];
  readonly segments?: readonly Segment[];
};
type PlainModel = StoredCase<Omit<DatabaseModel, 'dimensions'>> & {
  readonly dimensions: readonly PlainDimension[];
  readonly properties?: DatabaseProperties;
};
type PlainCatalog = Pick<Catalog, 'version' | 'nextDatabaseId'> &
  Partial<Pick<Catalog, 'nextGroupId' | 'accountState' | 'retentionSuspended'>> & {
    readonly databases: readonly PlainModel[];
    readonly keys: readonly ApiKey[];
    readonly users?: readonly User[];
    readonly groups?: readonly PermissionGroup[];
    readonly savedQueries?: readonly SavedQuery[];
  };

const plainColumn = (column: Column): PlainColumn => ({
  ...column,
  range: column.range?.map(String) ?? null,
});
const columnOf = (plain: PlainColumn): Column => ({
  ...plain,
  textCase: plain.textCase ?? 'fold',
  range: plain.range?.map(BigInt) ?? null,
});

const byApiName = <T extends { readonly apiName: string }>(items: readonly T[]): ReadonlyMap<string, T> =>
  new Map(items.map((item) => [item.apiName, item]));

const plainDimension = ({ segments, ...dimension }: Dimension): PlainDimension => ({
  ...dimension,
  columns: [...dimension.columns.values()].map(plainColumn),
  relations: [...dimension.relations.values()],
  ...(segments.size === 0 ? {} : { segments: [...segments.values()] }),
});
const dimensionOf = (plain: PlainDimension): Dimension => ({
  ...plain,
  textCase: plain.textCase ?? 'fold',
  columns: byApiName(plain.columns.map(columnOf)),
  relations: new Map((plain.relations ?? []).map((relation) => [relation.name, relation])),
  segments: new Map((plain.segments ?? []).map((segment) => [segment.name, segment])),
});

function modelOf({ properties: _, ...plain }: PlainModel): DatabaseModel {
  return {
    ...plain,
    textCase: plain.textCase ?? 'fold',
    dimensions: byApiName(plain.dimensions.map(dimensionOf)),
  };
}

/** Team keys of the first stores have neither name nor permissions; they get all permissions. */
const keyOf = (key: ApiKey): ApiKey =>
  key.kind === 'team' && key.permissions === undefined
    ? { ...key, name: 'first', permissions: TEAM_PERMISSIONS }
    : key;

function byDatabase(savedQueries: readonly SavedQuery[]): Catalog['savedQueries'] {
  const all = new Map<number, Map<string, SavedQuery>>();
  for (const savedQuery of savedQueries) {
    const own = all.get(savedQuery.databaseId);
    if (own === undefined) all.set(savedQuery.databaseId, new Map([[savedQuery.name, savedQuery]]));
    else own.set(savedQuery.name, savedQuery);
  }
  return all;
}

export function catalogToPlain(catalog: Catalog): unknown {
  const plain: PlainCatalog = {
    version: catalog.version,
    nextDatabaseId: catalog.nextDatabaseId,
    nextGroupId: catalog.nextGroupId,
    accountState: catalog.accountState,
    retentionSuspended: catalog.retentionSuspended,
    databases: [...catalog.databases.values()].map((model) => ({
      ...model,
      dimensions: [...model.dimensions.values()].map(plainDimension),
      properties: catalog.properties.get(model.id),
    })),
    keys: [...catalog.keys.values()],
    users: [...catalog.users.values()],
    groups: [...catalog.groups.values()],
    savedQueries: [...catalog.savedQueries.values()].flatMap((own) => [...own.values()]),
  };
  return plain;
}

/** Inverse of `catalogToPlain`. The caller has verified the checksum of the bytes. */
export function catalogFromPlain(plain: unknown): Catalog {
  const {
    version,
    nextDatabaseId,
    databases,
    keys,
    users = [],
    groups = [],
    savedQueries = [],
    ...more
  } = plain as PlainCatalog;
  return {
    ...EMPTY_CATALOG,
    ...more,
    version,
    nextDatabaseId,
    databases: new Map(databases.map((model) => [model.id, modelOf(model)])),
    properties: new Map(databases.map(({ id, properties }) => [id, properties ?? DEFAULT_PROPERTIES])),
    keys: new Map(keys.map((key) => [key.hash, keyOf(key)])),
    users: new Map(users.map((user) => [user.email, user])),
    groups: new Map(groups.map((group) => [group.id, group])),
    savedQueries: byDatabase(savedQueries),
  };
}

export function changeToPlain(change: CatalogChange): unknown {
  return 'column' in change ? { ...change, column: plainColumn(change.column) } : change;
}

export function changeFromPlain(plain: unknown): CatalogChange {
  const change = plain as CatalogChange;
  if ('column' in change) return { ...change, column: columnOf(change.column as unknown as PlainColumn) };
  if (change.change === 'key-created') return { ...change, key: keyOf(change.key) };
  return change;
}
