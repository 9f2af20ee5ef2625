/** Answers CREATE TABLE, CREATE TABLE ... AS and DROP TABLE: dimensions are created and deleted. */
import { createTable, dropTable } from '../../api/index.js';
import { QuarryError } from '../../base/index.js';
import type { CatalogChange } from '../../catalog/index.js';
import { type EngineApi, StepRefused } from '../../engine/index.js';
import type { DatabaseModel } from '../../schema/index.js';
import * as sql from '../../sql/index.js';
import { ProtocolError } from '../protocol/errors.js';
import { notice } from '../protocol/messages.js';
import { type Answer, done } from './answer.js';
import { type PostgresRequest, requestOf } from './select.js';
import type { Waiting } from './waiting.js';

type Engine = Pick<EngineApi, 'script' | 'change'>;

/** If it rejects, nothing has been changed. */
export async function answerTables(
  statement: sql.ModelStatement,
  engine: Engine,
  request: PostgresRequest,
  waiting: Waiting,
): Promise<Answer> {
  request.grantWrite().checkTables(statement.is === 'drop-table');
  if (statement.is === 'drop-table') {
    await change(engine, request, (model) => dropped(statement, model));
    request.ended(null, 0);
    return done('DROP TABLE');
  }
  const { table, ifNotExists, query } = statement;
  const name = sql.apiNameOf(table.name, table.position);
  const tag = query === null ? 'CREATE TABLE' : null;
  if (ifNotExists && sql.tableNamed(table.name, request.context.model) !== null) {
    request.ended(null, 0);
    const what = `relation ${JSON.stringify(table.name)} already exists, skipping`;
    return done(tag ?? 'CREATE TABLE AS', notice('42P07', what));
  }
  if (query === null) {
    const columns = sql.listedColumns(statement.columns ?? []);
    await change(engine, request, (model) =>
      sql.tableChanges(table.position, () => createTable(name, columns, model)),
    );
  }
  const rowCount = query === null ? 0 : await createAs(statement, name, engine, request, waiting);
  request.ended(null, rowCount);
  return done(tag ?? `SELECT ${rowCount}`);
}

const dropped = (statement: sql.DropTableStatement, model: DatabaseModel): readonly CatalogChange[] =>
  sql
    .droppedTables(statement, model)
    .flatMap(({ name, position }) => sql.tableChanges(position, () => dropTable(name, model)));

async function change(
  engine: Engine,
  request: PostgresRequest,
  decide: (model: DatabaseModel) => readonly CatalogChange[],
): Promise<void> {
  await engine.change((catalog) => {
    const model = catalog.databases.get(request.context.databaseId);
    if (model === undefined) throw new QuarryError(8002, 'the database was deleted');
    const changes = decide(model);
    request.changed(changes);
    return { changes, answer: null };
  });
}

/** The table and its rows are one record, so that both or neither exist. Resolves with the number of rows. */
async function createAs(
  statement: sql.CreateTableStatement,
  name: string,
  engine: Engine,
  request: PostgresRequest,
  waiting: Waiting,
): Promise<number> {
  const { context } = request;
  const { customKey, charge } = request.grantWrite();
  const sqlRequest = (model: DatabaseModel): sql.SqlRequest => requestOf({ ...context, model }, 'postgres');
  let bound: sql.BoundTable | null = null;
  const tableOf = (): sql.BoundTable => {
    if (bound === null) throw new ProtocolError('XX000', 'the query was not bound');
    return bound;
  };
  const [rowCount] = await engine
    .script({
      ...{ databaseId: context.databaseId, customKey, columnIds: null, nowMs: context.nowMs },
      ...{ idempotency: null, bind: () => [], cancellation: waiting, charge },
      prepare: async (reader) => {
        const lines = await reader.lines((model) => {
          bound = sql.bindTableOf(statement, sqlRequest(model));
          return bound.plan;
        });
        return (model) => sql.bindTableRows(statement, tableOf(), lines, sqlRequest(model));
      },
      creates: (model) => {
        const { position } = statement.table;
        const changes = sql.tableChanges(position, () => createTable(name, tableOf().columns, model));
        request.changed(changes);
        return changes;
      },
    })
    .catch((error) => {
      throw error instanceof StepRefused ? sql.refusedAt(statement.position, error.refusal) : error;
    });
  return rowCount;
}
