/**
 * Changes of the catalog: plain data in log records. Applying them is pure, so that replay yields the same catalog.
 * Invariants: a logged change always applies, because it is validated before it is logged; ids come from the change
 * itself and are never chosen when it is applied.
 */
import { invariant } from '../base/index.js';
import {
  type Column,
  type DatabaseModel,
  DEFAULT_DIMENSION,
  type Dimension,
  newDimension,
  type Relation,
  type Segment,
  type TextCase,
} from '../schema/index.js';
import {
  type AccountState,
  type ApiKey,
  type Catalog,
  type DatabaseProperties,
  type DatabaseType,
  DEFAULT_PROPERTIES,
  databaseOf,
  type PermissionGroup,
  type SavedQuery,
  type User,
} from './catalog.js';

/** A new dimension, without columns and relations. */
export type NewDimension = Omit<Dimension, 'columns' | 'relations' | 'segments' | 'textCase'> & {
  /** Absent in records of early stores, which fold case. */
  readonly textCase?: TextCase;
};

/** Names a dimension of a database. */
interface DimensionRef {
  readonly databaseId: number;
  readonly dimensionId: number;
}

export type CatalogChange =
  | {
      readonly change: 'database-created';
      readonly id: number;
      readonly name: string;
      readonly type: DatabaseType;
      readonly properties?: DatabaseProperties;
      /** Absent in records of early stores, which fold case. */
      readonly textCase?: TextCase;
    }
  | {
      readonly change: 'database-changed';
      readonly databaseId: number;
      readonly name: string;
      readonly properties: DatabaseProperties;
    }
  /** Also deletes the keys and saved queries of the database. */
  | { readonly change: 'database-deleted'; readonly databaseId: number }
  | { readonly change: 'key-created'; readonly key: ApiKey }
  /** Replaces the key with the same hash. */
  | { readonly change: 'key-changed'; readonly key: ApiKey }
  | { readonly change: 'key-deleted'; readonly hash: string }
  | { readonly change: 'dimension-created'; readonly databaseId: number; readonly dimension: NewDimension }
  | ({ readonly change: 'dimension-deleted' } & DimensionRef)
  /** The name is free. */
  | ({ readonly change: 'dimension-renamed'; readonly apiName: string } & DimensionRef)
  | ({ readonly change: 'column-created'; readonly column: Column } & DimensionRef)
  /** Replaces the column with the same id; api-name and type are unchanged. */
  | ({ readonly change: 'column-changed'; readonly column: Column } & DimensionRef)
  | ({ readonly change: 'column-deleted'; readonly columnId: number } & DimensionRef)
  /** Creates or replaces the relation; a relation without columns is deleted. */
  | ({ readonly change: 'relation-set'; readonly relation: Relation } & DimensionRef)
  /** Creates the segment or replaces the segment with the same name; `replaces`: the id that the IDs of that one were stored under. */
  | ({
      readonly change: 'segment-set';
      readonly segment: Segment;
      readonly replaces: number | null;
    } & DimensionRef)
  | ({ readonly change: 'segment-deleted'; readonly name: string; readonly segmentId: number } & DimensionRef)
  | { readonly change: 'account-set'; readonly state: AccountState }
  | { readonly change: 'retention-set'; readonly suspended: boolean }
  /** Creates the user or replaces the user with the same email. */
  | { readonly change: 'user-set'; readonly user: User }
  | { readonly change: 'user-deleted'; readonly email: string }
  /** Creates the group or replaces the group with the same id. */
  | { readonly change: 'group-set'; readonly group: PermissionGroup }
  /** The users of the group are left without one. */
  | { readonly change: 'group-deleted'; readonly groupId: number }
  /** Creates the saved query or replaces the query with the same name. */
  | { readonly change: 'saved-query-set'; readonly savedQuery: SavedQuery }
  | { readonly change: 'saved-query-deleted'; readonly databaseId: number; readonly name: string };

function newDatabase(id: number, name: string, type: DatabaseType, textCase: TextCase): DatabaseModel {
  return {
    id,
    name,
    type,
    version: 1,
    shrinkVersion: 1,
    nextDimensionId: 2,
    nextColumnId: 1,
    textCase,
    dimensions: new Map([[DEFAULT_DIMENSION, newDimension({ id: 1, apiName: DEFAULT_DIMENSION, textCase })]]),
  };
}

/** The effects of a change on the database's model, apart from the object that it names. */
interface ModelStep {
  readonly nextDimensionId?: number;
  readonly nextColumnId?: number;
  /** An object was removed or altered, so requests that were bound or parsed before are stale. */
  readonly shrinks?: boolean;
  readonly name?: string;
}

/** A dimension whose maps are copies that may be altered. */
interface OwnDimension extends Dimension {
  readonly columns: Map<string, Column>;
  readonly relations: Map<string, Relation>;
  readonly segments: Map<string, Segment>;
}

/**
 * A catalog while changes are applied: each map is copied at most once, so that the cost of a record is linear in its
 * number of changes. A database may have thousands of columns and saved queries, so these are copied only if one of
 * them changes.
 */
class Draft {
  readonly #databases: Map<number, DatabaseModel>;
  readonly #properties: Map<number, DatabaseProperties>;
  readonly #keys: Map<string, ApiKey>;
  readonly #users: Map<string, User>;
  readonly #groups: Map<number, PermissionGroup>;
  readonly #savedQueries: Map<number, ReadonlyMap<string, SavedQuery>>;
  /** Mutable copies of entries of `#savedQueries`, by database. */
  readonly #ownSavedQueries = new Map<number, Map<string, SavedQuery>>();
  /** Mutable copies of the dimensions of changed databases. */
  readonly #dimensions = new Map<number, Map<string, Dimension>>();
  /** Dimensions whose maps were copied. */
  readonly #owned = new Set<Dimension>();
  /** For changed databases: api-names by dimension id. */
  readonly #names = new Map<number, Map<number, string>>();
  #version: number;
  #nextDatabaseId: number;
  #nextGroupId: number;
  #accountState: AccountState;
  #retentionSuspended: boolean;

  constructor(catalog: Catalog) {
    this.#databases = new Map(catalog.databases);
    this.#properties = new Map(catalog.properties);
    this.#keys = new Map(catalog.keys);
    this.#users = new Map(catalog.users);
    this.#groups = new Map(catalog.groups);
    this.#savedQueries = new Map(catalog.savedQueries);
    this.#version = catalog.version;
    this.#nextDatabaseId = catalog.nextDatabaseId;
    this.#nextGroupId = catalog.nextGroupId;
    this.#accountState = catalog.accountState;
    this.#retentionSuspended = catalog.retentionSuspended;
  }

  get catalog(): Catalog {
    return {
      version: this.#version,
      nextDatabaseId: this.#nextDatabaseId,
      nextGroupId: this.#nextGroupId,
      accountState: this.#accountState,
      retentionSuspended: this.#retentionSuspended,
      databases: this.#databases,
      properties: this.#properties,
      keys: this.#keys,
      users: this.#users,
      groups: this.#groups,
      savedQueries: this.#savedQueries,
    };
  }

  apply(change: CatalogChange): void {
    this.#version++;
    switch (change.change) {
      case 'database-created':
        this.#databases.set(
          change.id,
          newDatabase(change.id, change.name, change.type, change.textCase ?? 'fold'),
        );
        this.#properties.set(change.id, change.properties ?? DEFAULT_PROPERTIES);
        this.#nextDatabaseId = Math.max(this.#nextDatabaseId, change.id + 1);
        break;
      case 'database-changed':
        this.#changed(change.databaseId, { name: change.name });
        this.#properties.set(change.databaseId, change.properties);
        break;
      case 'database-deleted':
        this.#deleteDatabase(change.databaseId);
        break;
      case 'key-created':
      case 'key-changed':
        this.#keys.set(change.key.hash, change.key);
        break;
      case 'key-deleted':
        this.#keys.delete(change.hash);
        break;
      case 'account-set':
        this.#accountState = change.state;
        break;
      case 'retention-set':
        this.#retentionSuspended = change.suspended;
        break;
      case 'user-set':
        this.#users.set(change.user.email, change.user);
        break;
      case 'user-deleted':
        this.#users.delete(change.email);
        break;
      case 'group-set':
        this.#groups.set(change.group.id, change.group);
        this.#nextGroupId = Math.max(this.#nextGroupId, change.group.id + 1);
        break;
      case 'group-deleted':
        this.#deleteGroup(change.groupId);
        break;
      case 'saved-query-set':
        this.#setSavedQuery(change.savedQuery);
        break;
      case 'saved-query-deleted':
        this.#deleteSavedQuery(change.databaseId, change.name);
        break;
      default:
        this.#applyToModel(change);
    }
  }

  #applyToModel(change: Extract<CatalogChange, { databaseId: number; change: `${string}-${string}` }>): void {
    switch (change.change) {
      case 'dimension-created': {
        const model = this.#changed(change.databaseId, { nextDimensionId: change.dimension.id + 1 });
        this.#put(model, newDimension(change.dimension));
        break;
      }
      case 'dimension-deleted': {
        const model = this.#changed(change.databaseId, { shrinks: true });
        const apiName = this.#nameOf(model, change.dimensionId);
        this.#dimensionsOf(model).delete(apiName);
        this.#namesOf(model).delete(change.dimensionId);
        break;
      }
      case 'dimension-renamed': {
        const model = this.#changed(change.databaseId, { shrinks: true });
        const dimension = this.#own(model, change.dimensionId);
        this.#dimensionsOf(model).delete(dimension.apiName);
        const name = dimension.name === dimension.apiName ? change.apiName : dimension.name;
        this.#put(model, { ...dimension, name, apiName: change.apiName });
        break;
      }
      case 'column-created': {
        const model = this.#changed(change.databaseId, { nextColumnId: change.column.id + 1 });
        this.#own(model, change.dimensionId).columns.set(change.column.apiName, change.column);
        break;
      }
      case 'column-changed': {
        const model = this.#changed(change.databaseId, { shrinks: true });
        this.#own(model, change.dimensionId).columns.set(change.column.apiName, change.column);
        break;
      }
      case 'column-deleted': {
        const model = this.#changed(change.databaseId, { shrinks: true });
        removeColumn(this.#own(model, change.dimensionId), change.columnId);
        break;
      }
      case 'relation-set': {
        const { relation } = change;
        const model = this.#changed(change.databaseId, { nextColumnId: relation.id + 1, shrinks: true });
        setRelation(this.#own(model, change.dimensionId), relation);
        break;
      }
      case 'segment-set': {
        const { segment } = change;
        const model = this.#changed(change.databaseId, { nextDimensionId: segment.id + 1, shrinks: true });
        this.#own(model, change.dimensionId).segments.set(segment.name, segment);
        break;
      }
      case 'segment-deleted': {
        const model = this.#changed(change.databaseId, { shrinks: true });
        const { segments } = this.#own(model, change.dimensionId);
        invariant(segments.delete(change.name), 'the segment does not exist');
        break;
      }
      default:
        invariant(false, `a change of the unknown kind ${JSON.stringify(change.change)}`);
    }
  }

  #deleteDatabase(id: number): void {
    invariant(this.#databases.delete(id), `database ${id} does not exist`);
    this.#properties.delete(id);
    this.#dimensions.delete(id);
    this.#names.delete(id);
    this.#savedQueries.delete(id);
    this.#ownSavedQueries.delete(id);
    for (const [hash, key] of this.#keys) {
      if (key.kind !== 'team' && key.databaseId === id) this.#keys.delete(hash);
    }
  }

  #deleteGroup(id: number): void {
    this.#groups.delete(id);
    for (const [email, user] of this.#users) {
      if (user.groupId === id) this.#users.set(email, { ...user, groupId: null });
    }
  }

  #setSavedQuery(savedQuery: SavedQuery): void {
    const { databaseId, name } = savedQuery;
    invariant(this.#databases.has(databaseId), `database ${databaseId} does not exist`);
    this.#savedQueriesOf(databaseId).set(name, savedQuery);
  }

  #deleteSavedQuery(databaseId: number, name: string): void {
    const own = this.#savedQueriesOf(databaseId);
    invariant(own.delete(name), 'the saved query does not exist');
    if (own.size > 0) return;
    this.#savedQueries.delete(databaseId);
    this.#ownSavedQueries.delete(databaseId);
  }

  /** The database's saved queries as a mutable copy. */
  #savedQueriesOf(databaseId: number): Map<string, SavedQuery> {
    let own = this.#ownSavedQueries.get(databaseId);
    if (own === undefined) {
      own = new Map(this.#savedQueries.get(databaseId));
      this.#ownSavedQueries.set(databaseId, own);
      this.#savedQueries.set(databaseId, own);
    }
    return own;
  }

  /** Creates the next version of the database's model, with a mutable copy of its dimensions. */
  #changed(id: number, step: ModelStep): DatabaseModel {
    const before = databaseOf(this.catalog, id);
    let dimensions = this.#dimensions.get(id);
    if (dimensions === undefined) {
      dimensions = new Map(before.dimensions);
      this.#dimensions.set(id, dimensions);
    }
    const version = before.version + 1;
    const model: DatabaseModel = {
      ...before,
      name: step.name ?? before.name,
      version,
      shrinkVersion: step.shrinks === true ? version : before.shrinkVersion,
      nextDimensionId: Math.max(before.nextDimensionId, step.nextDimensionId ?? 0),
      nextColumnId: Math.max(before.nextColumnId, step.nextColumnId ?? 0),
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
    invariant(apiName !== undefined, `dimension ${dimensionId} does not exist`);
    return apiName;
  }

  #put(model: DatabaseModel, dimension: Dimension): void {
    this.#namesOf(model).set(dimension.id, dimension.apiName);
    this.#dimensionsOf(model).set(dimension.apiName, dimension);
  }

  /** The dimension with mutable copies of its maps. */
  #own(model: DatabaseModel, dimensionId: number): OwnDimension {
    const apiName = this.#nameOf(model, dimensionId);
    const dimension = this.#dimensionsOf(model).get(apiName) as Dimension;
    if (this.#owned.has(dimension)) return dimension as OwnDimension;
    const own: OwnDimension = {
      ...dimension,
      columns: new Map(dimension.columns),
      relations: new Map(dimension.relations),
      segments: new Map(dimension.segments),
    };
    this.#owned.add(own);
    this.#put(model, own);
    return own;
  }
}

function setRelation(dimension: OwnDimension, relation: Relation): void {
  if (relation.columnIds.length === 0) dimension.relations.delete(relation.name);
  else dimension.relations.set(relation.name, relation);
}

function removeColumn(dimension: OwnDimension, columnId: number): void {
  for (const { id, apiName } of dimension.columns.values()) {
    if (id === columnId) dimension.columns.delete(apiName);
  }
  for (const relation of [...dimension.relations.values()]) {
    if (!relation.columnIds.includes(columnId)) continue;
    const columnIds = relation.columnIds.filter((id) => id !== columnId);
    setRelation(dimension, { ...relation, columnIds });
  }
}

/** Applies `changes` in order. Throws InvariantError when a change refers to an object that does not exist. */
export function applyChanges(catalog: Catalog, changes: readonly CatalogChange[]): Catalog {
  if (changes.length === 0) return catalog;
  const draft = new Draft(catalog);
  for (const change of changes) draft.apply(change);
  return draft.catalog;
}

export function applyChange(catalog: Catalog, change: CatalogChange): Catalog {
  return applyChanges(catalog, [change]);
}
