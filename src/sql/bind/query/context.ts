/** State that the blocks of one statement share during binding. */

import type { CommonTable, Query, TableName } from '../../tree.js';
import type { SessionTable, SqlRequest } from '../request.js';
import type { Build } from './build.js';
import type { OutputColumn, PlanColumns } from './plan-columns.js';
import type { QueryScope } from './query-scope.js';

/** The clauses of a query around its body. */
export type QueryTail = Pick<Query, 'orderBy' | 'limit' | 'offset' | 'withTies'>;

/** A query whose relation can be built. It returns exactly `columns`. */
export interface BoundQuery {
  readonly build: Build;
  readonly columns: readonly OutputColumn[];
}

/** The query of a saved view. */
export interface BoundView extends BoundQuery {
  /** Names of the first columns; null = those of the query. */
  readonly columnNames: readonly string[] | null;
}

/** A table of WITH, with the tables that it sees. */
export interface VisibleTable {
  readonly definition: CommonTable;
  readonly visible: VisibleTables;
  /** The table of the plan that computes it once; null = its query is bound at each use, or it was not used yet. */
  shared: { readonly table: number; readonly columns: readonly OutputColumn[] } | null;
  /** How often the statement names it. */
  readonly useCount: number;
  /** Within the recursive part of this table: its rows of the previous round. */
  readonly working: { readonly recursion: number; readonly columns: readonly OutputColumn[] } | null;
}

/** By name, in lower case. */
export type VisibleTables = ReadonlyMap<string, VisibleTable>;

export interface QueryContext {
  readonly request: SqlRequest;
  readonly columns: PlanColumns;
  /** The relations that are computed once, in the order in which they are needed. */
  readonly tables: Build[];
  /** The session's tables that the query being bound sees. */
  readonly sessionTables: ReadonlyMap<string, SessionTable>;
  readonly savedViews: {
    /** Returns null if `table` is no saved view. Throws 6000. */
    bind(table: TableName, context: QueryContext): BoundView | null;
  };
  /** Binds the query of a view with the tables that it was made over. Throws 6000, 506. */
  bindView(view: Extract<SessionTable, { readonly is: 'view' }>): BoundQuery;
  /** Binds the query of a table of WITH. Throws 6000, 506. */
  bindTable(table: VisibleTable): BoundQuery;
  /** Binds a query within `outer` (null = no block around it). Throws 6000, 506. */
  bindQuery(query: Query, visible: VisibleTables, outer: QueryScope | null): BoundQuery;
}
