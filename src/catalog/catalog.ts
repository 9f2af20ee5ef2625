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

/**
 * A catalog while changes are applied: each map is copied once, however many changes touch it, so that a record of
 * thousands of changes costs what they are, not their square.
 */
class Draft {
  readonly #databases: Map<number, DatabaseModel>;
  readonly #keys: Map<string, ApiKey>;
  /** Dimensions of a touched database, and columns of a touched dimension: copies that may be altered. */
  readonly #dimensions = new Map<number, Map<string, Dimension>>();
  readonly #columns = new Map<Dimension, Map<string, Column>>();
  /** Of a touched database: api-names by dimension id. */
  readonly #names = new Map<number, Map<number, string>>();
  #version: number;
  #nextDatabaseId: number;

  constructor(catalog: Catalog) {
    this.#databases = new Map(catalog.databases);
    this.#keys = new Map(catalog.keys);
    this.#version = catalog.version;
    this.#nextDatabaseId = catalog.nextDatabaseId;
  }

  get catalog(): Catalog {
    return {
      version: this.#version,
      nextDatabaseId: this.#nextDatabaseId,
      databases: this.#databases,
      keys: this.#keys,
    };
  }

  apply(change: CatalogChange): void {
    this.#version++;
    switch (change.change) {
      case 'database-created':
        this.#databases.set(change.id, newDatabase(change.id, change.name, change.type));
        this.#nextDatabaseId = Math.max(this.#nextDatabaseId, change.id + 1);
        break;
      case 'key-created':
        this.#keys.set(change.key.hash, change.key);
        break;
      case 'dimension-created': {
        const { id, apiName, name, modelType } = change.dimension;
        const model = this.#changed(change.databaseId, { nextDimensionId: id + 1 });
        this.#put(model, newDimension(id, apiName, name, modelType));
        break;
      }
      case 'dimension-deleted': {
        const model = this.#changed(change.databaseId, { shrinks: true });
        const apiName = this.#nameOf(model, change.dimensionId);
        this.#dimensionsOf(model).delete(apiName);
        this.#namesOf(model).delete(change.dimensionId);
        break;
      }
      case 'column-created': {
        const model = this.#changed(change.databaseId, { nextColumnId: change.column.id + 1 });
        const apiName = this.#nameOf(model, change.dimensionId);
        this.#columnsOf(model, apiName).set(change.column.apiName, change.column);
        break;
      }
    }
  }

  /** The database's model as a new version, with copies of its own of what may be altered. */
  #changed(
    id: number,
    {
      nextDimensionId = 0,
      nextColumnId = 0,
      shrinks = false,
    }: {
      readonly nextDimensionId?: number;
      readonly nextColumnId?: number;
      readonly shrinks?: boolean;
    },
  ): DatabaseModel {
    const before = databaseOf(this.catalog, id);
    let dimensions = this.#dimensions.get(id);
    if (dimensions === undefined) {
      dimensions = new Map(before.dimensions);
      this.#dimensions.set(id, dimensions);
    }
    const version = before.version + 1;
    const model: DatabaseModel = {
      ...before,
      version,
      shrinkVersion: shrinks ? version : before.shrinkVersion,
      nextDimensionId: Math.max(before.nextDimensionId, nextDimensionId),
      nextColumnId: Math.max(before.nextColumnId, nextColumnId),
      dimensions,
    };
    this.#databases.set(id, model);
    return model;
  }

  #dimensionsOf(model: DatabaseModel): Map<string, Dimension> {
    return this.#dimensions.get(model.id) as Map<string, Dimension>;
  }

  #namesOf(model: DatabaseModel): Map<number, string> {
    let names = this.#names.get(model.id);
    if (names === undefined) {
      names = new Map([...model.dimensions.values()].map(({ id, apiName }) => [id, apiName]));
      this.#names.set(model.id, names);
    }
    return names;
  }

  #nameOf(model: DatabaseModel, dimensionId: number): string {
    const apiName = this.#namesOf(model).get(dimensionId);
    invariant(apiName !== undefined, `dimension ${dimensionId} is not there to be changed`);
    return apiName;
  }

  #put(model: DatabaseModel, dimension: Dimension): void {
    this.#namesOf(model).set(dimension.id, dimension.apiName);
    this.#dimensionsOf(model).set(dimension.apiName, dimension);
  }

  #columnsOf(model: DatabaseModel, apiName: string): Map<string, Column> {
    const dimension = this.#dimensionsOf(model).get(apiName) as Dimension;
    const own = this.#columns.get(dimension);
    if (own !== undefined) return own;
    const columns = new Map(dimension.columns);
    const altered = { ...dimension, columns };
    this.#columns.set(altered, columns);
    this.#put(model, altered);
    return columns;
  }
}

/** The catalog after `changes`, in their order. Throws InvariantError when one names what is not there. */
export function applyChanges(catalog: Catalog, changes: readonly CatalogChange[]): Catalog {
  if (changes.length === 0) return catalog;
  const draft = new Draft(catalog);
  for (const change of changes) draft.apply(change);
  return draft.catalog;
}

export function applyChange(catalog: Catalog, change: CatalogChange): Catalog {
  return applyChanges(catalog, [change]);
}
