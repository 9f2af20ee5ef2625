/** CREATE and DROP of tables and views that last, as the only write of a transaction block: they take effect at COMMIT. */
import type { EngineApi } from '../../../engine/index.js';
import * as sql from '../../../sql/index.js';
import { ProtocolError } from '../../protocol/errors.js';
import { type Answer, done } from '../answer.js';
import { type PostgresRequest, requestOf } from '../queries/select.js';
import type { Waiting } from '../waiting.js';
import { answerTables, type ModelAnswer } from './table-answers.js';
import { answerViews } from './view-answers.js';

type Engine = Pick<EngineApi, 'script' | 'change'>;

/** If it rejects, nothing has been changed. `text` and `dialect` are those of views. */
export function answerModel(
  statement: sql.ModelStatement,
  { text, dialect }: { readonly text: string; readonly dialect: sql.SqlDialect },
  engine: Engine,
  request: PostgresRequest,
  waiting: Waiting,
): Promise<ModelAnswer> {
  if (statement.is === 'create-view' || (statement.is === 'drop-table' && statement.ofView)) {
    return answerViews(statement, text, dialect, engine, request);
  }
  return answerTables(statement, engine, request, waiting);
}

/** Checks a statement of a block as far as possible before COMMIT, and returns its answer. Throws 6000, 42P07, and refusals. */
export function checkBlockChange(statement: sql.ModelStatement, request: PostgresRequest): Answer {
  const { context } = request;
  const sqlRequest = requestOf(context, 'postgres');
  const grant = request.grantWrite();
  if (statement.is === 'drop-table') {
    if (statement.ofView) grant.checkViews(true);
    else {
      grant.checkTables(true);
      sql.droppedTables(statement, context.model);
    }
    return done(statement.ofView ? 'DROP VIEW' : 'DROP TABLE');
  }
  if (statement.is === 'create-view') {
    grant.checkViews(false);
    sql.bindColumns(statement.query.query, sqlRequest);
    return done('CREATE VIEW');
  }
  grant.checkTables(false);
  const { table, query, ifNotExists, columns } = statement;
  if (!ifNotExists && sql.tableNamed(table.name, context.model) !== null) {
    throw new ProtocolError('42P07', `relation ${JSON.stringify(table.name)} already exists`);
  }
  if (query === null) sql.listedColumns(columns ?? []);
  else sql.bindColumns(query.query, sqlRequest);
  // The number of rows is known at COMMIT.
  return done(query === null ? 'CREATE TABLE' : 'CREATE TABLE AS');
}
