/** Answers CREATE VIEW and DROP VIEW: a view is a saved query of type `sql`, which every client of the database can read. */
import { createView, dropView, type SavedQueryCall } from '../../../api/index.js';
import { QuarryError } from '../../../base/index.js';
import { type CatalogChange, savedQueriesOf } from '../../../catalog/index.js';
import type { EngineApi } from '../../../engine/index.js';
import * as sql from '../../../sql/index.js';
import { done } from '../answer.js';
import { type PostgresRequest, requestOf } from '../queries/select.js';
import type { ModelAnswer } from './table-answers.js';

type ViewStatement = sql.CreateViewStatement | sql.DropTableStatement;

/** `text` is the text to which the positions of the statement refer. If it rejects, nothing has been changed. */
export async function answerViews(
  statement: ViewStatement,
  text: string,
  dialect: sql.SqlDialect,
  engine: Pick<EngineApi, 'change'>,
  request: PostgresRequest,
): Promise<ModelAnswer> {
  request.grantWrite().checkViews(statement.is === 'drop-table');
  await engine.change((catalog) => {
    const { context } = request;
    const model = catalog.databases.get(context.databaseId);
    if (model === undefined) throw new QuarryError(8002, 'the database was deleted');
    const savedQueries = savedQueriesOf(catalog, model.id);
    const scope = requestOf({ ...context, model, savedQueries }, dialect);
    const { caller, access, nowMs } = context;
    const customKey = caller.kind === 'custom' ? (caller.hash ?? null) : null;
    const bindView: SavedQueryCall['bindView'] = (view) => sql.bindView(view, scope);
    const call = { catalog, model, nowMs, access, customKey, bindView };
    const changes = changesOf(statement, text, { ...call, savedQueries, dialect });
    request.changed(changes);
    return { changes, answer: null };
  });
  return { answer: done(statement.is === 'drop-table' ? 'DROP VIEW' : 'CREATE VIEW'), rowCount: 0 };
}

function changesOf(
  statement: ViewStatement,
  text: string,
  call: SavedQueryCall & sql.ViewScope & { readonly dialect: sql.SqlDialect },
): readonly CatalogChange[] {
  if (statement.is === 'drop-table') {
    return sql
      .droppedViews(statement, call)
      .flatMap(({ saved, position }) => sql.tableChanges(position, () => dropView(saved, call)));
  }
  const view = sql.newView(statement, text, call.dialect, call.model);
  call.bindView(view);
  return sql.tableChanges(statement.table.position, () => createView(view, call));
}
