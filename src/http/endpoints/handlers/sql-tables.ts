/** CREATE TABLE, CREATE TABLE ... AS, DROP TABLE and ALTER TABLE of POST /v1/sql. */
import { hash } from 'node:crypto';
import { alterTable, createTable, dropTable, renameTable, renameView } from '../../../api/index.js';
import { QuarryError } from '../../../base/index.js';
import type { Catalog, CatalogChange } from '../../../catalog/index.js';
import { StepRefused } from '../../../engine/index.js';
import type { DatabaseModel } from '../../../schema/index.js';
import * as sql from '../../../sql/index.js';
import { checkColumns, checkTables, checkViews } from '../../auth/write-permission.js';
import { type DatabaseCall, handleMembersOf, type Members } from './handler.js';
import { savedQueryCallOf } from './saved-query.js';
import { createViewOf, dropViewsOf } from './sql-views.js';
import { sqlRequestOf } from './sql-write.js';

const TEMPORARY = 'temporary tables and views live in a session of the Postgres port; here, use WITH';

/** `text` is the body from which the statement was read. */
export function changeTables(
  call: DatabaseCall,
  statement: sql.ModelStatement,
  text: string,
): Promise<Members> {
  if ('temporary' in statement && statement.temporary) {
    throw sql.sqlError(TEMPORARY, statement.position);
  }
  if (statement.is === 'create-view') return createViewOf(call, statement, text);
  if (statement.is === 'drop-table' && statement.ofView) return dropViewsOf(call, statement);
  if (statement.is === 'rename-table') return rename(call, statement);
  if (statement.is === 'alter-table') return alter(call, statement);
  checkTables(call.catalog, call.caller, call.nowMs, statement.is === 'drop-table');
  if (statement.is === 'drop-table') return drop(call, statement);
  const name = sql.apiNameOf(statement.table.name, statement.table.position);
  if (statement.ifNotExists && sql.tableNamed(statement.table.name, call.model) !== null) {
    return Promise.resolve(handleMembersOf({ result: { created: [] }, count: 0 }));
  }
  sql.refuseView(statement.table, sqlRequestOf(call, call.model));
  return statement.query === null ? create(call, name, statement) : createAs(call, name, statement);
}

async function create(
  call: DatabaseCall,
  name: string,
  { table, columns: listed }: sql.CreateTableStatement,
): Promise<Members> {
  const columns = sql.listedColumns(listed ?? []);
  await change(call, (model) => sql.tableChanges(table.position, () => createTable(name, columns, model)));
  return handleMembersOf({ result: { created: [name] }, count: 0 });
}

async function drop(call: DatabaseCall, statement: sql.DropTableStatement): Promise<Members> {
  let dropped: readonly string[] = [];
  await change(call, (model) => {
    const tables = sql.droppedTables(statement, model);
    dropped = tables.map(({ name }) => name);
    return tables.flatMap(({ name, position }) => sql.tableChanges(position, () => dropTable(name, model)));
  });
  return handleMembersOf({ result: { dropped }, count: 0 });
}

/** Renaming takes the permissions to delete and to create. */
async function rename(call: DatabaseCall, statement: sql.RenameTableStatement): Promise<Members> {
  const { table, to } = statement;
  const name = sql.apiNameOf(to.name, to.position);
  const isView = 'view' in (sql.renamedTable(statement, sqlRequestOf(call, call.model)) ?? {});
  const check = isView ? checkViews : checkTables;
  for (const deletes of [true, false]) check(call.catalog, call.caller, call.nowMs, deletes);
  await change(call, (model, catalog) => {
    const within = savedQueryCallOf(call, catalog, model);
    const renamed = sql.renamedTable(statement, within);
    if (renamed === null || 'view' in renamed !== isView) return [];
    return sql.tableChanges(table.position, () =>
      'view' in renamed
        ? renameView(renamed.view, name, within)
        : renameTable(renamed.dimension, name, model, catalog),
    );
  });
  return handleMembersOf({ result: { renamed: [name] }, count: 0 });
}

async function alter(call: DatabaseCall, statement: sql.AlterTableStatement): Promise<Members> {
  const { added, dropped, table } = statement;
  if (added.length > 0) checkColumns(call.catalog, call.caller, call.nowMs, false);
  if (dropped.length > 0) checkColumns(call.catalog, call.caller, call.nowMs, true);
  let altered: readonly string[] = [];
  await change(call, (model, catalog) => {
    const found = sql.alteredTable(statement, sqlRequestOf(call, model));
    altered = found === null ? [] : [found.dimension];
    return found === null ? [] : sql.tableChanges(table.position, () => alterTable(found, model, catalog));
  });
  return handleMembersOf({ result: { altered }, count: 0 });
}

/** Changes the model; resolves when the change is durable. */
async function change(
  { engine, databaseId, checkAgain, notes, idempotencyId }: DatabaseCall,
  decide: (model: DatabaseModel, catalog: Catalog) => readonly CatalogChange[],
): Promise<void> {
  if (idempotencyId !== null) {
    const what =
      'CREATE TABLE without AS, DROP TABLE and ALTER TABLE take no Idempotency-Key; use IF NOT EXISTS and IF EXISTS';
    throw sql.sqlError(what, null);
  }
  await engine.change((catalog) => {
    checkAgain(catalog);
    const model = catalog.databases.get(databaseId);
    if (model === undefined) throw new QuarryError(8002, 'the database was deleted');
    const changes = decide(model, catalog);
    notes.changed(changes, catalog);
    return { changes, answer: null };
  });
}

/** The table and its rows are one record, so that both or neither exist. */
async function createAs(
  call: DatabaseCall,
  name: string,
  statement: sql.CreateTableStatement,
): Promise<Members> {
  const { engine, idempotencyId } = call;
  const table = sql.tableScript(
    statement,
    (model) => sqlRequestOf(call, model),
    (columns, model) => {
      const changes = createTable(name, columns, model);
      call.notes.changed(changes, call.catalog);
      return changes;
    },
  );
  const numbers = await engine
    .script({
      ...table,
      databaseId: call.databaseId,
      customKey: !call.mayCreate,
      columnIds: null,
      nowMs: call.nowMs,
      idempotency:
        idempotencyId === null
          ? null
          : { id: idempotencyId, bodyHash: hash('sha256', call.body, 'base64url') },
      cancellation: call.cancellation,
      charge: (insertedCount, updatedCount) => call.chargeWrites({ insertedCount, updatedCount }),
    })
    .catch((error) => {
      throw error instanceof StepRefused ? sql.refusedAt(statement.position, error.refusal) : error;
    });
  const [entityCount, valueCount] = numbers;
  const result = { 'inserted-entities': entityCount, 'inserted-values': valueCount };
  return handleMembersOf({ result, count: entityCount });
}
