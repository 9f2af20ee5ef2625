/**
 * The catalog: databases, their models, properties and saved queries, keys, users, permission groups and the account's
 * state, as numbered immutable versions of plain data. change.ts defines its changes.
 * Invariants: ids are never reused; every key except a team key, and every saved query, refers to an existing database.
 */

import { invariant } from '../base/index.js';
import {
  CUSTOM_KEY_LEVELS,
  LOAD_PLANS,
  PRICING_MODELS,
  SAVED_QUERY_TYPES,
  WEEK_DAYS,
} from '../interface/index.js';
import type { DatabaseModel, Dimension } from '../schema/index.js';
import type { ScramVerifier } from './key-text.js';

/** State of the team's account. Every state except `active` refuses all requests (1000 to 1003). */
export const ACCOUNT_STATES = ['active', 'no-payment-method', 'suspended', 'banned', 'disabled'] as const;
export type AccountState = (typeof ACCOUNT_STATES)[number];

export { LOAD_PLANS };
export type LoadPlan = (typeof LOAD_PLANS)[number];

export { PRICING_MODELS };
export type PricingModel = (typeof PRICING_MODELS)[number];

export type DatabaseType = DatabaseModel['type'];

/** Properties of a database that are not part of its model. Workers do not use them. */
export interface DatabaseProperties {
  readonly description: string;
  /** null for test databases. */
  readonly pricingModel: PricingModel | null;
  readonly labels: readonly string[];
  readonly queryLoad: LoadPlan;
  readonly insertionLoad: LoadPlan;
  readonly cloudProvider: string;
  readonly cloudArea: string;
  /** Addresses, networks (CIDR) and host names that may send requests; empty = any. */
  readonly addressesWhitelist: readonly string[];
  /** Milliseconds since 1970-01-01; `updatedMs` is the time of the last change of name or properties. */
  readonly createdMs: number;
  readonly updatedMs: number;
}

export const TEAM_PERMISSIONS = ['list', 'update', 'delete'] as const;
export type TeamPermission = (typeof TEAM_PERMISSIONS)[number];

/** Keys that are created with a database; only databases of type test have a `demo` key. */
export type DatabaseKeyKind = 'master' | 'write' | 'read' | 'demo';

export { CUSTOM_KEY_LEVELS };
export type CustomKeyLevel = (typeof CUSTOM_KEY_LEVELS)[number];

interface HashedKey {
  /** SHA-256 of the key's text, lower-case hex. The text itself is not stored. */
  readonly hash: string;
  /** Absent for keys that were created before releases with SCRAM. */
  readonly scram?: ScramVerifier;
}

export interface TeamKey extends HashedKey {
  readonly kind: 'team';
  /** Unique among team keys. */
  readonly name: string;
  readonly permissions: readonly TeamPermission[];
}

export interface DatabaseKey extends HashedKey {
  readonly kind: DatabaseKeyKind;
  readonly databaseId: number;
}

export interface CustomKey extends HashedKey {
  readonly kind: 'custom';
  readonly databaseId: number;
  /** Unique within the database. */
  readonly name: string;
  readonly level: CustomKeyLevel;
  readonly description: string;
  /** Columns that the key may use, as api-names of dimension and columns; null = all. */
  readonly columnsWhitelist: readonly ColumnsOfDimension[] | null;
  /** Row filters by dimension; a dimension without an entry is not filtered. */
  readonly filter: readonly DimensionFilter[];
  /** Same form as the whitelist of a database; empty = any. */
  readonly addressesWhitelist: readonly string[];
}

export interface ColumnsOfDimension {
  readonly dimension: string;
  readonly columns: readonly string[];
}

export interface DimensionFilter {
  readonly dimension: string;
  /** JSON text of an object column api-name -> condition, all of which must hold. Bound again for every request. */
  readonly conditions: string;
}

export type ApiKey = TeamKey | DatabaseKey | CustomKey;
export type KeyKind = ApiKey['kind'];

export interface User {
  /** Lower-case; unique. */
  readonly email: string;
  /** Algorithm, parameters, salt and hash, in the format of passwords.ts. */
  readonly passwordHash: string;
  readonly labels: readonly string[];
  readonly firstName: string;
  readonly lastName: string;
  /** null = no group; such a user has no permissions. */
  readonly groupId: number | null;
}

export { WEEK_DAYS };
export type WeekDay = (typeof WEEK_DAYS)[number];

export interface PermissionGroup {
  readonly id: number;
  /** Unique. */
  readonly name: string;
  readonly description: string;
  /** Numbers of the table of permissions. */
  readonly permissions: readonly number[];
  readonly databaseIds: readonly number[];
  readonly labels: readonly string[];
  /** UTC; empty = every day. */
  readonly weekDays: readonly WeekDay[];
  /** Minutes of the UTC day, `from` inclusive, `to` exclusive; from > to spans midnight; null = always. */
  readonly accessMinutes: { readonly from: number; readonly to: number } | null;
}

export { SAVED_QUERY_TYPES };
export type SavedQueryType = (typeof SAVED_QUERY_TYPES)[number];

export interface SavedQuery {
  readonly databaseId: number;
  /** Unique within the database. */
  readonly name: string;
  readonly type: SavedQueryType;
  /** Api-name of the dimension; null = the default dimension, or the dimensions that the query names. */
  readonly dimension: string | null;
  /** JSON text of the query as saved, with the original number tokens. Bound again for every run. */
  readonly query: string;
  /** How long an answer may be reused; null = answers are not reused. */
  readonly cachePeriodSeconds: number | null;
  /** Hash of the custom key that created the query; null for other creators. */
  readonly creator: string | null;
  /** The catalog version produced by the last change of this query; differs for every change. */
  readonly version: number;
}

export interface Catalog {
  readonly version: number;
  readonly nextDatabaseId: number;
  readonly nextGroupId: number;
  readonly accountState: AccountState;
  /** Expired events are kept, because the clock jumped and no operator has confirmed it yet. */
  readonly retentionSuspended: boolean;
  readonly databases: ReadonlyMap<number, DatabaseModel>;
  /** By database id. */
  readonly properties: ReadonlyMap<number, DatabaseProperties>;
  /** By hash. */
  readonly keys: ReadonlyMap<string, ApiKey>;
  /** By email. */
  readonly users: ReadonlyMap<string, User>;
  /** By id. */
  readonly groups: ReadonlyMap<number, PermissionGroup>;
  /** By database id and name; a database without saved queries has no entry. */
  readonly savedQueries: ReadonlyMap<number, ReadonlyMap<string, SavedQuery>>;
}

export const EMPTY_CATALOG: Catalog = {
  version: 0,
  nextDatabaseId: 1,
  nextGroupId: 1,
  accountState: 'active',
  retentionSuspended: false,
  databases: new Map(),
  properties: new Map(),
  keys: new Map(),
  users: new Map(),
  groups: new Map(),
  savedQueries: new Map(),
};

/** Properties of the first database and of databases from stores that did not record properties. */
export const DEFAULT_PROPERTIES: DatabaseProperties = {
  description: '',
  pricingModel: 'smart-pricing',
  labels: [],
  queryLoad: 'mega',
  insertionLoad: 'mega',
  cloudProvider: 'ovh',
  cloudArea: 'global',
  addressesWhitelist: [],
  createdMs: 0,
  updatedMs: 0,
};

export function databaseOf(catalog: Catalog, id: number): DatabaseModel {
  const database = catalog.databases.get(id);
  invariant(database !== undefined, `database ${id} is not in catalog version ${catalog.version}`);
  return database;
}

export function propertiesOf(catalog: Catalog, id: number): DatabaseProperties {
  return catalog.properties.get(id) ?? DEFAULT_PROPERTIES;
}

export function databaseByName(catalog: Catalog, name: string): DatabaseModel | undefined {
  for (const database of catalog.databases.values()) if (database.name === name) return database;
  return undefined;
}

const NO_SAVED_QUERIES: ReadonlyMap<string, SavedQuery> = new Map();

/** The saved queries of one database, by name. */
export function savedQueriesOf(catalog: Catalog, databaseId: number): ReadonlyMap<string, SavedQuery> {
  return catalog.savedQueries.get(databaseId) ?? NO_SAVED_QUERIES;
}

/** The custom keys of one database, by name. */
export function customKeysOf(catalog: Catalog, databaseId: number): ReadonlyMap<string, CustomKey> {
  const own = new Map<string, CustomKey>();
  for (const key of catalog.keys.values()) {
    if (key.kind === 'custom' && key.databaseId === databaseId) own.set(key.name, key);
  }
  return own;
}

export function groupByName(catalog: Catalog, name: string): PermissionGroup | undefined {
  for (const group of catalog.groups.values()) if (group.name === name) return group;
  return undefined;
}

export function dimensionById(model: DatabaseModel, id: number): Dimension | undefined {
  for (const dimension of model.dimensions.values()) if (dimension.id === id) return dimension;
  return undefined;
}
