/** What the server answers. Integers beyond 2^53 are bigints. */
import type { Integer, KeyLevel, LoadPlan, SavedQueryType } from './queries.js';

export interface Inserted {
  readonly 'inserted-entities': number;
  readonly 'inserted-values': number;
}

export interface ColumnEntry {
  readonly name: string;
  readonly 'api-name': string;
  readonly description: string;
  readonly type: string;
  readonly category: 'general';
  /** Not of event columns. */
  readonly storage?: 'latest-value' | 'list-of-values';
}
export interface ColumnGroups {
  readonly active: readonly ColumnEntry[];
  readonly inactive: readonly ColumnEntry[];
}

/** By dimension, then by the relation's name. */
export type Relations = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

export interface EventBucket {
  readonly count: number;
  /** Half-open. */
  readonly between: readonly [from: string, to: string];
}

export interface ValueCount {
  readonly quantity: number;
  readonly value: string;
}
export type MetricValue = Integer | string | null;
/** A value, how many entities have it, and under its column's name what the next level found in them. */
export type LevelRow = ValueCount & { readonly [column: string]: LevelAnswer | Integer | string };
/** Values, the most frequent first; a histogram; or a metric by its name. */
export type LevelAnswer =
  | readonly LevelRow[]
  | readonly {
      readonly between: readonly [string, string];
      readonly [metric: string]: MetricValue | readonly [string, string];
    }[]
  | Readonly<Record<string, MetricValue>>;

export interface EventCell {
  readonly value: string;
  readonly date: string;
}
/** Values are texts whatever the column's type; scores and distances are numbers, coordinates lists of two. */
export type Cell = string | number | EventCell | readonly (string | number | EventCell)[];
export type Row = Readonly<Record<string, Cell>>;

export interface Page {
  /** A list where an order was given or `entity-id` is among the columns, else by entity ID. */
  readonly data: readonly Row[] | Readonly<Record<string, Row>>;
  readonly page: number;
  readonly 'next-page': number | null;
  readonly 'page-token'?: string;
}

export type SqlValue = Integer | string | boolean | null | readonly unknown[];
export type SqlRow = Readonly<Record<string, SqlValue>>;
export interface SqlWritten extends Partial<Inserted> {
  readonly updated?: number;
  readonly deleted?: number;
}
export interface SqlResult {
  /** Rows of a SELECT, what a write did, or of several statements a result each. */
  readonly result: readonly SqlRow[] | SqlWritten | readonly SqlResult[];
  readonly count: number;
}

export interface SavedQuery {
  readonly name: string;
  readonly type: SavedQueryType;
  readonly query: unknown;
  readonly dimension: string | null;
  readonly 'cache-period': number | null;
}

export interface Database {
  readonly name: string;
  readonly description: string;
  readonly dimensions: readonly string[];
  readonly 'updated-at': string;
  readonly 'created-at': string;
  readonly type: 'test' | 'production';
  readonly 'pricing-model': string | null;
  readonly labels: readonly string[];
  readonly 'query-load': LoadPlan;
  readonly 'insertion-load': LoadPlan;
  readonly cloud_provider: string;
  readonly cloud_area: string;
  readonly 'addresses-whitelist': readonly string[];
  readonly usage: Readonly<Record<string, number>>;
}

export interface DatabaseKeys {
  readonly 'master-key': string;
  readonly 'write-key': string;
  readonly 'read-key': string;
  /** Of a test database. */
  readonly 'demo-key'?: string;
}

export interface DimensionStatus {
  readonly 'api-name': string;
  readonly entities: number;
  readonly bytes: number;
  readonly columns: readonly {
    readonly 'api-name': string;
    readonly events?: number;
    readonly bytes: number;
  }[];
}

export interface Session {
  readonly 'session-key': string;
  readonly 'expires-at': string;
  readonly permissions: readonly number[];
  readonly databases: readonly string[];
}

export type { KeyLevel };
