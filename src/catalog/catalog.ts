/**
 * The catalog: databases, their models and the keys, as numbered immutable versions. A change is plain data that
 * stands in a log record; applying it is pure, so replay gives the same catalog.
 * Invariants: a change that was logged always applies; validity is checked before it is logged; ids come from
 * the change itself, never from chance at apply time.
 */
import { invariant } from '../base/index.js';
import {
  type Column,
  type DatabaseModel,
  DEFAULT_DIMENSION,
  type Dimension,
  newDimension,
} from '../schema/index.js';

export type KeyKind = 'team' | 'master' | 'write' | 'read';

export interface ApiKey {
  /** SHA-256 of the key's text, lower-case hex; the text itself is kept nowhere. */
  readonly hash: string;
  readonly kind: KeyKind;
  /** null for team keys. */
  readonly databaseId: number | null;
}

export interface Catalog {
  readonly version: number;
  readonly nextDatabaseId: number;
  readonly databases: ReadonlyMap<number, DatabaseModel>;
  readonly keys: ReadonlyMap<string, ApiKey>;
}

/** A dimension as it is made: without columns of its own. */
export type NewDimension = Omit<Dimension, 'columns'>;

export type CatalogChange =
  | {
      readonly change: 'database-created';
      readonly id: number;
      readonly name: string;
      readonly type: 'test' | 'production';
    }
  | { readonly change: 'key-created'; readonly key: ApiKey }
  | { readonly change: 'dimension-created'; readonly databaseId: number; readonly dimension: NewDimension }
  | { readonly change: 'dimension-deleted'; readonly databaseId: number; readonly dimensionId: number }
  | {
      readonly change: 'column-created';
      readonly databaseId: number;
      readonly dimensionId: number;
      readonly column: Column;
    };

export const EMPTY_CATALOG: Catalog = {
  version: 0,
  nextDatabaseId: 1,
  databases: new Map(),
  keys: new Map(),
};

export function databaseOf(catalog: Catalog, id: number): DatabaseModel {
  const database = catalog.databases.get(id);
  invariant(database !== undefined, `database ${id} is not in catalog version ${catalog.version}`);
  return database;
}

export function dimensionById(model: DatabaseModel, id: number): Dimension | undefined {
  for (const dimension of model.dimensions.values()) if (dimension.id === id) return dimension;
  return undefined;
}

function newDatabase(id: number, name: string, type: 'test' | 'production'): DatabaseModel {
  return {
    id,
    name,
    type,
    version: 1,
    shrinkVersion: 1,
    nextDimensionId: 2,
    nextColumnId: 1,
    dimensions: new Map([[DEFAULT_DIMENSION, newDimension(1, DEFAULT_DIMENSION)]]),
  };
}

/** The model with `dimension` in place of the one of its api-name, or beside the others. */
function withDimension(model: DatabaseModel, dimension: Dimension): DatabaseModel {
  const dimensions = new Map(model.dimensions).set(dimension.apiName, dimension);
  const nextDimensionId = Math.max(model.nextDimensionId, dimension.id + 1);
  return { ...model, version: model.version + 1, nextDimensionId, dimensions };
}

function changeModel(catalog: Catalog, id: number, alter: (model: DatabaseModel) => DatabaseModel): Catalog {
  const databases = new Map(catalog.databases).set(id, alter(databaseOf(catalog, id)));
  return { ...catalog, version: catalog.version + 1, databases };
}

/** The catalog after `change`. Throws InvariantError when the change names what is not there. */
export function applyChange(catalog: Catalog, change: CatalogChange): Catalog {
  switch (change.change) {
    case 'database-created': {
      const databases = new Map(catalog.databases).set(
        change.id,
        newDatabase(change.id, change.name, change.type),
      );
      const nextDatabaseId = Math.max(catalog.nextDatabaseId, change.id + 1);
      return { ...catalog, version: catalog.version + 1, nextDatabaseId, databases };
    }
    case 'key-created':
      return {
        ...catalog,
        version: catalog.version + 1,
        keys: new Map(catalog.keys).set(change.key.hash, change.key),
      };
    case 'dimension-created':
      return changeModel(catalog, change.databaseId, (model) => {
        const { id, apiName, name, modelType } = change.dimension;
        return withDimension(model, newDimension(id, apiName, name, modelType));
      });
    case 'dimension-deleted':
      return changeModel(catalog, change.databaseId, (model) => {
        const gone = dimensionById(model, change.dimensionId);
        invariant(gone !== undefined, `dimension ${change.dimensionId} is not there to be deleted`);
        const dimensions = new Map(model.dimensions);
        dimensions.delete(gone.apiName);
        return { ...model, version: model.version + 1, shrinkVersion: model.version + 1, dimensions };
      });
    case 'column-created':
      return changeModel(catalog, change.databaseId, (model) => {
        const dimension = dimensionById(model, change.dimensionId);
        invariant(dimension !== undefined, `dimension ${change.dimensionId} is not there for a column`);
        const columns = new Map(dimension.columns).set(change.column.apiName, change.column);
        const altered = withDimension(model, { ...dimension, columns });
        return { ...altered, nextColumnId: Math.max(model.nextColumnId, change.column.id + 1) };
      });
  }
}

export function applyChanges(catalog: Catalog, changes: readonly CatalogChange[]): Catalog {
  return changes.reduce(applyChange, catalog);
}
