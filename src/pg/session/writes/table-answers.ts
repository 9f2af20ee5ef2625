/** Answers CREATE TABLE, CREATE TABLE ... AS and DROP TABLE: dimensions are created and deleted. */
import { readLines } from '../../../answer/index.js';
import { createTable, dropTable } from '../../../api/index.js';
import { QuarryError } from '../../../base/index.js';
import type { CatalogChange } from '../../../catalog/index.js';
import { type EngineApi, StepRefused } from '../../../engine/index.js';
import type { ReadPlan } from '../../../ir/index.js';
import type { DatabaseModel } from '../../../schema/index.js';
import * as sql from '../../../sql/index.js';
import { ProtocolError } from '../../protocol/errors.js';
import { notice } from '../../protocol/messages.js';
import { type Answer, done } from '../answer.js';
import { type PostgresRequest, requestOf } from '../queries/select.js';
import type { SessionTables } from '../session-tables.js';
import type { Waiting } from '../waiting.js';

type Engine = Pick<EngineApi, 'script' | 'change'>;

/** What CREATE TEMP changes. */
export interface SessionScope {
  readonly tables: SessionTables;
  /** Reserves memory; null = the limit does not allow it. */
  readonly hold: (bytes: number) => (() => void) | null;
}

/** The answer of a statement that concerns only tables of the session; null for other statements. */
export async function answerSessionTables(
  statement: sql.ModelStatement,
  { tables, hold }: SessionScope,
  engine: Pick<EngineApi, 'select'>,
  request: PostgresRequest,
  waiting: Waiting,
): Promise<Answer | null> {
  if (statement.is === 'drop-table') {
    if (!statement.tables.every(({ name, database }) => database === undefined && tables.has(name)))
      return null;
    for (const { name } of statement.tables) tables.drop(name);
    return done(statement.ofView ? 'DROP VIEW' : 'DROP TABLE');
  }
  const { name } = statement.table;
  if (!statement.temporary) return null;
  const sqlRequest = requestOf(request.context, 'postgres', tables);
  if (statement.is === 'create-view') {
    sql.bindColumns(statement.query.query, sqlRequest);
    if (!statement.replaces) tables.checkNew(name);
    const { columnNames } = statement;
    tables.add(name, { is: 'view', query: statement.query.query, columnNames, tables: tables.all }, () => {});
    return done('CREATE VIEW');
  }
  if (statement.ifNotExists && tables.has(name)) return done('CREATE TABLE AS');
  tables.checkNew(name);
  if (statement.query === null) throw new ProtocolError('0A000', TEMP_COLUMNS);
  const { plan, columns } = sql.bindColumns(statement.query.query, sqlRequest);
  const lines = await linesOf(engine, plan, request, waiting);
  const release = hold(lines.reduce((sum, line) => sum + line.length, 0) * MEMORY_PER_CHARACTER);
  if (release === null) throw new ProtocolError('53200', 'the memory limit is reached; try again later');
  tables.add(name, { is: 'rows', columns, rows: sql.sessionRows(lines, columns) }, release);
  return done(`SELECT ${lines.length}`);
}

const TEMP_COLUMNS = 'a temporary table is made of a query: CREATE TEMP TABLE name AS SELECT ...';
/** The text, and the values made of it. */
const MEMORY_PER_CHARACTER = 8;
const ROWS_MAX = 50_000;
const BYTES_MAX = 16 * 2 ** 20;

function linesOf(
  engine: Pick<EngineApi, 'select'>,
  plan: ReadPlan,
  { context }: PostgresRequest,
  cancellation: Waiting,
): Promise<readonly string[]> {
  const isRestricted = context.access.fingerprint !== '';
  const options = { cancellation, bypassCache: false };
  const stream = engine.select([{ plan, explain: 'no', isRestricted }], 'ndjson', options);
  let byteCount = 0;
  return readLines(stream, (lineCount, partBytes) => {
    byteCount += partBytes;
    if (lineCount <= ROWS_MAX && byteCount <= BYTES_MAX) return;
    const most = `${ROWS_MAX} rows and ${BYTES_MAX} bytes`;
    throw new ProtocolError('54000', `a temporary table has at most ${most}`);
  });
}

/** The answer of a change of the model that has taken effect, and the number of rows written. */
export interface ModelAnswer {
  readonly answer: Answer;
  readonly rowCount: number;
}

/** If it rejects, nothing has been changed. `statement` concerns dimensions. */
export async function answerTables(
  statement: Exclude<sql.ModelStatement, sql.CreateViewStatement>,
  engine: Engine,
  request: PostgresRequest,
  waiting: Waiting,
): Promise<ModelAnswer> {
  request.grantWrite().checkTables(statement.is === 'drop-table');
  if (statement.is === 'drop-table') {
    await change(engine, request, (model) => dropped(statement, model));
    return { answer: done('DROP TABLE'), rowCount: 0 };
  }
  const { table, ifNotExists, query } = statement;
  const name = sql.apiNameOf(table.name, table.position);
  const tag = query === null ? 'CREATE TABLE' : null;
  if (ifNotExists && sql.tableNamed(table.name, request.context.model) !== null) {
    const what = `relation ${JSON.stringify(table.name)} already exists, skipping`;
    return { answer: done(tag ?? 'CREATE TABLE AS', notice('42P07', what)), rowCount: 0 };
  }
  sql.refuseView(table, request.context);
  if (query === null) {
    const columns = sql.listedColumns(statement.columns ?? []);
    await change(engine, request, (model) =>
      sql.tableChanges(table.position, () => createTable(name, columns, model)),
    );
  }
  const rowCount = query === null ? 0 : await createAs(statement, name, engine, request, waiting);
  return { answer: done(tag ?? `SELECT ${rowCount}`), rowCount };
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
  const table = sql.tableScript(
    statement,
    (model) => requestOf({ ...context, model }, 'postgres'),
    (columns, model) => {
      const changes = createTable(name, columns, model);
      request.changed(changes);
      return changes;
    },
  );
  const [rowCount] = await engine
    .script({
      ...{ databaseId: context.databaseId, customKey, columnIds: null, nowMs: context.nowMs },
      ...{ ...table, idempotency: null, cancellation: waiting, charge },
    })
    .catch((error) => {
      throw error instanceof StepRefused ? sql.refusedAt(statement.position, error.refusal) : error;
    });
  return rowCount;
}
