/**
 * The changes of tables and views of a transaction block, or of a statement outside of one. Each statement sees what those before
 * it change. All changes of a block take effect before its rows are written.
 */
import {
  alterTable,
  createTable,
  createView,
  dropTable,
  dropView,
  renameTable,
  renameView,
  type SavedQueryCall,
} from '../../../api/index.js';
import { QuarryError } from '../../../base/index.js';
import {
  applyChanges,
  type Catalog,
  type CatalogChange,
  EMPTY_CATALOG,
  savedQueriesOf,
} from '../../../catalog/index.js';
import type { DatabaseModel } from '../../../schema/index.js';
import * as sql from '../../../sql/index.js';
import { type DatabaseContext, type PostgresRequest, requestOf } from '../queries/select.js';
import type { SessionTables } from '../session-tables.js';

/** CREATE, DROP and ALTER of tables and views that last. */
export interface ModelWrite {
  readonly is: 'model';
  readonly statement: sql.ModelStatement;
  /** The text to which the positions of the statement refer. */
  readonly text: string;
  /** The rules of a view. */
  readonly dialect: sql.SqlDialect;
  readonly bytes: number;
}

export interface BlockScope {
  readonly context: DatabaseContext;
  readonly tables: Pick<SessionTables, 'all'> | null;
}

/** What the statements of a block make of a catalog. */
export interface BlockSteps {
  /** The catalog before each statement, and after the last. */
  readonly catalogs: readonly Catalog[];
  readonly changes: readonly CatalogChange[];
}

/** A catalog of the database alone, with this model. */
export const catalogOf = (model: DatabaseModel, { savedQueries }: DatabaseContext): Catalog => ({
  ...EMPTY_CATALOG,
  databases: new Map([[model.id, model]]),
  savedQueries: new Map([[model.id, savedQueries]]),
});

/** The context with the model and the saved queries of a catalog. */
export function contextIn(context: DatabaseContext, catalog: Catalog): DatabaseContext {
  const model = catalog.databases.get(context.databaseId);
  if (model === undefined) throw new QuarryError(8002, 'the database was deleted');
  return { ...context, model, savedQueries: savedQueriesOf(catalog, model.id) };
}

/** `writes`: the statements in their order, of which only those that change the model count. Throws the errors of the statements. */
export function blockSteps(
  writes: readonly (ModelWrite | { readonly is: 'statement' | 'copy' })[],
  catalog: Catalog,
  scope: BlockScope,
): BlockSteps {
  const catalogs = [catalog];
  const changes: CatalogChange[] = [];
  let current = catalog;
  for (const write of writes) {
    if (write.is === 'model') {
      const own = changesOf(write, current, scope);
      changes.push(...own);
      current = applyChanges(current, own);
    }
    catalogs.push(current);
  }
  return { catalogs, changes };
}

/** The catalogs of a block, of which each statement adds one, while nobody else changes the catalog. */
export class BlockCatalogs {
  #base: readonly unknown[] = [];
  #catalogs: Catalog[] = [];

  /** The catalog before each of the writes, and after the last. Throws the errors of the statements. */
  of(
    writes: readonly (ModelWrite | { readonly is: 'statement' | 'copy' })[],
    scope: BlockScope,
  ): readonly Catalog[] {
    const { context, tables } = scope;
    const base = [context.model, context.savedQueries, tables?.all];
    if (base.some((part, at) => part !== this.#base[at]) || this.#catalogs.length === 0) {
      this.#base = base;
      this.#catalogs = [catalogOf(context.model, context)];
    }
    const catalogs = this.#catalogs;
    for (let at = catalogs.length - 1; at < writes.length; at++) {
      const write = writes[at];
      const before = catalogs[at];
      catalogs.push(write.is === 'model' ? applyChanges(before, changesOf(write, before, scope)) : before);
    }
    return catalogs;
  }

  /** Forgets what the writes after the first `count` change. */
  cut(count: number): void {
    this.#catalogs.length = Math.min(this.#catalogs.length, count + 1);
  }
}

/** Throws 503, 505 or 511 if the caller may not make the change. Renaming takes the permissions to delete and to create. */
export function grantChange({ statement }: ModelWrite, catalog: Catalog, request: PostgresRequest): void {
  const grant = request.grantWrite();
  if (statement.is === 'alter-table') {
    if (statement.added.length > 0) grant.checkColumns(false);
    if (statement.dropped.length > 0) grant.checkColumns(true);
    return;
  }
  const within = contextIn(request.context, catalog);
  const isOfView =
    statement.is === 'create-view' ||
    (statement.is === 'drop-table' && statement.ofView) ||
    (statement.is === 'rename-table' && 'view' in (sql.renamedTable(statement, within) ?? {}));
  const check = isOfView ? grant.checkViews : grant.checkTables;
  if (statement.is === 'drop-table' || statement.is === 'rename-table') check(true);
  if (statement.is !== 'drop-table') check(false);
}

/** Throws 6000 and the rules of tables and views. */
export function changesOf(
  { statement, text, dialect }: ModelWrite,
  catalog: Catalog,
  { context, tables }: BlockScope,
): readonly CatalogChange[] {
  const within = contextIn(context, catalog);
  const { model, savedQueries } = within;
  switch (statement.is) {
    case 'create-table':
      return createdTable(statement, requestOf(within, 'postgres', tables));
    case 'create-view': {
      const request = requestOf(within, dialect);
      // The view is bound as a text of its own; here errors have their position in the whole statement.
      sql.bindColumns(statement.query.query, request);
      const view = sql.newView(statement, text, dialect, model);
      const call = callOf(catalog, within, request);
      call.bindView(view);
      return sql.tableChanges(statement.table.position, () => createView(view, call));
    }
    case 'drop-table':
      if (!statement.ofView) {
        return sql
          .droppedTables(statement, model)
          .flatMap(({ name, position }) => sql.tableChanges(position, () => dropTable(name, model)));
      }
      return sql.droppedViews(statement, { model, savedQueries }).flatMap(({ saved, position }) => {
        const call = callOf(catalog, within, requestOf(within, dialect));
        return sql.tableChanges(position, () => dropView(saved, call));
      });
    case 'rename-table':
      return renamed(statement, catalog, within);
    case 'alter-table': {
      const found = sql.alteredTable(statement, within);
      if (found === null) return [];
      return sql.tableChanges(statement.table.position, () => alterTable(found, model, catalog));
    }
  }
}

function createdTable(
  statement: sql.CreateTableStatement,
  request: sql.SqlRequest,
): readonly CatalogChange[] {
  const { table, ifNotExists, query, columns } = statement;
  const { model } = request;
  if (ifNotExists && sql.tableNamed(table.name, model) !== null) return [];
  const name = sql.apiNameOf(table.name, table.position);
  sql.refuseView(table, request);
  const all = query === null ? sql.listedColumns(columns ?? []) : sql.bindTableOf(statement, request).columns;
  return sql.tableChanges(table.position, () => createTable(name, all, model));
}

function renamed(
  statement: sql.RenameTableStatement,
  catalog: Catalog,
  within: DatabaseContext,
): readonly CatalogChange[] {
  const { table, to } = statement;
  const found = sql.renamedTable(statement, within);
  if (found === null) return [];
  const name = sql.apiNameOf(to.name, to.position);
  const request = requestOf(within, 'postgres');
  if ('view' in found) {
    const call = callOf(catalog, within, request);
    return sql.tableChanges(table.position, () => renameView(found.view, name, call));
  }
  sql.refuseView({ ...to, alias: null }, request);
  return sql.tableChanges(table.position, () => renameTable(found.dimension, name, within.model, catalog));
}

function callOf(catalog: Catalog, context: DatabaseContext, request: sql.SqlRequest): SavedQueryCall {
  const { caller, access, nowMs, model } = context;
  const customKey = caller.kind === 'custom' ? (caller.hash ?? null) : null;
  return { catalog, model, nowMs, access, customKey, bindView: (view) => sql.bindView(view, request) };
}
