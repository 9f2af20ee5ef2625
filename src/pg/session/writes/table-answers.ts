/** Answers CREATE, DROP and RENAME of tables and views that only the session has. */
import { readLines } from '../../../answer/index.js';
import type { EngineApi } from '../../../engine/index.js';
import type { ReadPlan } from '../../../ir/index.js';
import * as sql from '../../../sql/index.js';
import { ProtocolError } from '../../protocol/errors.js';
import { type Answer, done } from '../answer.js';
import { type PostgresRequest, requestOf } from '../queries/select.js';
import type { SessionTables } from '../session-tables.js';
import type { Waiting } from '../waiting.js';

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
  if (statement.is === 'rename-table') {
    if (tables.has(name)) throw new ProtocolError('0A000', 'a temporary table or view keeps its name');
    return null;
  }
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
