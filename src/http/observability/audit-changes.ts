/**
 * Describes changes of the catalog for the audit, by the names of the changed objects. Invariant: a description never holds
 * the text or the whole hash of a key, a password, or other properties of an object (a description, a filter), except a
 * column's retention time.
 */
import { type ApiKey, type Catalog, type CatalogChange, dimensionById } from '../../catalog/index.js';
import type { Column } from '../../schema/index.js';
import { nameCaller } from '../auth/caller.js';

export interface ChangedThing {
  readonly change: CatalogChange['change'] | 'query-stopped' | 'and-more';
  readonly [named: string]: string | number | boolean | undefined;
}

/** Changes of one request that are named; the others are counted. */
const NAMED_MAX = 50;

/** `before`: the catalog that the changes were decided against. */
export function changedThings(changes: readonly CatalogChange[], before: Catalog): readonly ChangedThing[] {
  const things = changes
    .slice(0, NAMED_MAX)
    .map((change): ChangedThing => ({ change: change.change, ...namesOf(change, before) }));
  const more = changes.length - things.length;
  return more === 0 ? things : [...things, { change: 'and-more', count: more }];
}

type Names = Readonly<Record<string, string | number | boolean | undefined>>;

function namesOf(change: CatalogChange, before: Catalog): Names {
  switch (change.change) {
    case 'database-created':
      return { databaseId: change.id, database: change.name };
    case 'database-changed': {
      const { database, ...of } = databaseNames(before, change.databaseId);
      return change.name === database ? { ...of, database } : { ...of, database, newName: change.name };
    }
    case 'database-deleted':
      return databaseNames(before, change.databaseId);
    case 'key-created':
    case 'key-changed':
      return keyNames(before, change.key);
    case 'key-deleted':
      return keyNames(before, before.keys.get(change.hash));
    case 'dimension-created':
      return { ...databaseNames(before, change.databaseId), dimension: change.dimension.apiName };
    case 'dimension-deleted':
      return dimensionNames(before, change);
    case 'dimension-renamed':
      return { ...dimensionNames(before, change), newName: change.apiName };
    case 'column-created':
      return { ...dimensionNames(before, change), column: change.column.apiName };
    case 'column-changed':
      return {
        ...dimensionNames(before, change),
        column: change.column.apiName,
        ...retentionOf(change, before),
      };
    case 'column-deleted':
      return { ...dimensionNames(before, change), column: columnName(before, change) };
    case 'relation-set':
      return { ...dimensionNames(before, change), relation: change.relation.name };
    case 'segment-set':
      return { ...dimensionNames(before, change), segment: change.segment.name };
    case 'segment-deleted':
      return { ...dimensionNames(before, change), segment: change.name };
    case 'account-set':
      return { state: change.state };
    case 'retention-set':
      return { suspended: change.suspended };
    case 'user-set':
      return { email: change.user.email, group: groupName(before, change.user.groupId) };
    case 'user-deleted':
      return { email: change.email };
    case 'group-set':
      return { group: change.group.name };
    case 'group-deleted':
      return { group: groupName(before, change.groupId) };
    case 'saved-query-set':
      return { ...databaseNames(before, change.savedQuery.databaseId), savedQuery: change.savedQuery.name };
    case 'saved-query-deleted':
      return { ...databaseNames(before, change.databaseId), savedQuery: change.name };
  }
}

interface DimensionRef {
  readonly databaseId: number;
  readonly dimensionId: number;
}

function databaseNames(before: Catalog, databaseId: number): Names {
  return { databaseId, database: before.databases.get(databaseId)?.name };
}

const dimensionOf = (before: Catalog, { databaseId, dimensionId }: DimensionRef) => {
  const model = before.databases.get(databaseId);
  return model === undefined ? undefined : dimensionById(model, dimensionId);
};

/** A dimension that the same request creates is named by its ID. */
function dimensionNames(before: Catalog, ref: DimensionRef): Names {
  const dimension = dimensionOf(before, ref)?.apiName ?? ref.dimensionId;
  return { ...databaseNames(before, ref.databaseId), dimension };
}

const retentionName = (days: number | null): number | string => days ?? 'forever';

/** The retention time before and after a change of it, in days or `forever`: a shorter one deletes events. */
function retentionOf({ column, ...ref }: DimensionRef & { readonly column: Column }, before: Catalog): Names {
  const was = dimensionOf(before, ref)?.columns.get(column.apiName)?.retentionDays ?? null;
  if (was === column.retentionDays) return {};
  return { retentionTime: retentionName(was), newRetentionTime: retentionName(column.retentionDays) };
}

function columnName(before: Catalog, ref: DimensionRef & { readonly columnId: number }): string | number {
  const columns = dimensionOf(before, ref)?.columns.values() ?? [];
  return [...columns].find(({ id }) => id === ref.columnId)?.apiName ?? ref.columnId;
}

function keyNames(before: Catalog, key: ApiKey | undefined): Names {
  if (key === undefined) return {};
  const { key: id, keyName } = nameCaller(key);
  const named = { key: id, ...(keyName === undefined ? {} : { keyName }) };
  return key.kind === 'team' ? named : { ...named, ...databaseNames(before, key.databaseId) };
}

const groupName = (before: Catalog, groupId: number | null): string | undefined =>
  groupId === null ? undefined : (before.groups.get(groupId)?.name ?? String(groupId));
