/** CREATE VIEW and DROP VIEW of POST /v1/sql: a view is a saved query of type `sql`. */
import { createView, dropView, type SavedQueryCall } from '../../../api/index.js';
import { QuarryError } from '../../../base/index.js';
import type { CatalogChange } from '../../../catalog/index.js';
import * as sql from '../../../sql/index.js';
import { checkViews } from '../../auth/write-permission.js';
import { type DatabaseCall, handleMembersOf, type Members } from './handler.js';
import { savedQueryCallOf } from './saved-query.js';

/** `text` is the body from which the statement was read. */
export async function createViewOf(
  call: DatabaseCall,
  statement: sql.CreateViewStatement,
  text: string,
): Promise<Members> {
  checkViews(call.catalog, call.caller, call.nowMs, false);
  let created = '';
  await changeViews(call, (within) => {
    const view = sql.newView(statement, text, 'http', within.model);
    created = view.name;
    within.bindView({ name: view.name, query: view.query });
    return sql.tableChanges(statement.table.position, () => createView(view, within));
  });
  return handleMembersOf({ result: { created: [created] }, count: 0 });
}

export async function dropViewsOf(call: DatabaseCall, statement: sql.DropTableStatement): Promise<Members> {
  checkViews(call.catalog, call.caller, call.nowMs, true);
  let dropped: readonly string[] = [];
  await changeViews(call, (within) => {
    const request = { model: within.model, savedQueries: within.savedQueries };
    const views = sql.droppedViews(statement, request);
    dropped = views.map(({ saved }) => saved.name);
    return views.flatMap(({ saved, position }) => sql.tableChanges(position, () => dropView(saved, within)));
  });
  return handleMembersOf({ result: { dropped }, count: 0 });
}

/** Changes the saved queries; resolves when the change is durable. */
async function changeViews(
  call: DatabaseCall,
  decide: (within: SavedQueryCall & sql.ViewScope) => readonly CatalogChange[],
): Promise<void> {
  if (call.idempotencyId !== null) {
    throw sql.sqlError(
      'CREATE VIEW and DROP VIEW take no Idempotency-Key; use OR REPLACE and IF EXISTS',
      null,
    );
  }
  await call.engine.change((catalog) => {
    call.checkAgain(catalog);
    const model = catalog.databases.get(call.databaseId);
    if (model === undefined) throw new QuarryError(8002, 'the database was deleted');
    const changes = decide(savedQueryCallOf(call, catalog, model));
    call.notes.changed(changes, catalog);
    return { changes, answer: null };
  });
}
