/** Answers CREATE, DROP and ALTER of tables and views that only the session has. */
import { readLines } from '../../../answer/index.js';
import type { EngineApi } from '../../../engine/index.js';
import type { ReadPlan } from '../../../ir/index.js';
import * as sql from '../../../sql/index.js';
import { ProtocolError } from '../../protocol/errors.js';
import { type Answer, done } from '../answer.js';
import { type PostgresRequest, requestOf } from '../queries/select.js';
import { NO_MEMORY, type SessionTables, type TableMemory } from '../session-tables.js';
import type { Waiting } from '../waiting.js';

/** What CREATE TEMP changes. */
export interface SessionScope {
  readonly tables: SessionTables;
  /** Characters of the text of the statement. */
  readonly textLength: number;
  /** Reserves memory; null = the limit does not allow it. */
  readonly hold: (bytes: number) => (() => void) | null;
}

/**
 * The answer of a statement that concerns only tables of the session; null for other statements, a DROP that also names lasting
 * tables among them. Throws 42P07, 42809, 53200.
 */
export async function answerSessionTables(
  statement: sql.ModelStatement,
  { tables, textLength, hold }: SessionScope,
  engine: Pick<EngineApi, 'select'>,
  request: PostgresRequest,
  waiting: Waiting,
): Promise<Answer | null> {
  if (statement.is === 'drop-table') {
    const own = statement.tables.filter((table) => tables.hides(table));
    for (const { name } of own) tables.checkKind(name, statement.ofView);
    if (own.length < statement.tables.length) return null;
    for (const { name } of own) tables.drop(name);
    return done(statement.ofView ? 'DROP VIEW' : 'DROP TABLE');
  }
  const { name } = statement.table;
  if (statement.is === 'rename-table' || statement.is === 'alter-table') {
    if (!tables.hides(statement.table)) return null;
    throw new ProtocolError('0A000', 'ALTER is not available for temporary tables and views');
  }
  if (!statement.temporary) return null;
  const sqlRequest = requestOf(request.context, 'postgres', tables);
  if (statement.is === 'create-view') {
    sql.bindColumns(statement.query.query, sqlRequest);
    if (statement.replaces && tables.has(name)) tables.checkKind(name, true);
    else tables.checkNew(name);
    const { columnNames } = statement;
    const view = { is: 'view', query: statement.query.query, columnNames, tables: tables.all } as const;
    tables.add(name, view, reserved(textLength, hold));
    return done('CREATE VIEW');
  }
  const { query, onCommit } = statement;
  if (statement.ifNotExists && tables.has(name))
    return done(query === null ? 'CREATE TABLE' : 'CREATE TABLE AS');
  tables.checkNew(name);
  if (query === null) {
    const listed = sql.sessionColumns(statement.columns ?? []);
    tables.add(name, { is: 'rows', columns: listed, rows: [], origin: {} }, NO_MEMORY, onCommit);
    return done('CREATE TABLE');
  }
  const { plan, columns } = sql.bindColumns(query.query, sqlRequest);
  const lines = await linesOf(engine, plan, request, waiting);
  const rows = sql.sessionRows(lines, columns);
  const table = { is: 'rows', columns, rows, origin: {} } as const;
  tables.add(name, table, reserved(charactersOf(lines), hold), onCommit);
  return done(`SELECT ${lines.length}`);
}

const charactersOf = (lines: readonly string[]): number => lines.reduce((sum, { length }) => sum + length, 0);

/** Reserves the memory of rows. Throws 53200. */
function reserved(characters: number, hold: SessionScope['hold']): TableMemory {
  const release = hold(characters * MEMORY_PER_CHARACTER);
  if (release === null) throw new ProtocolError('53200', 'the memory limit is reached; try again later');
  return { characters, release };
}

/** The answer of a write to a temporary table; null = the statement writes to another. If it rejects, nothing is written. */
export async function answerSessionWrite(
  statement: sql.WriteStatement,
  { tables, hold }: SessionScope,
  engine: Pick<EngineApi, 'select'>,
  request: PostgresRequest,
  waiting: Waiting,
): Promise<Answer | null> {
  const { name } = statement.table;
  const table = tables.hides(statement.table) ? tables.all.get(name.toLowerCase()) : undefined;
  if (table === undefined) return null;
  if (table.is === 'view') throw new ProtocolError('42809', 'a view cannot be written to');
  const { columns, rows: before } = table;
  const query = sql.sessionWrite(statement, columns);
  const { plan } = sql.bindColumns(query, requestOf(request.context, 'postgres', tables));
  const lines = await linesOf(engine, plan, request, waiting);
  const isUpdate = statement.is === 'update';
  const flagged = isUpdate ? [...columns, CHANGED] : columns;
  const rows = sql.sessionRows(lines, flagged);
  const isInsert = statement.is === 'insert' || statement.is === 'insert-query';
  const after = isInsert ? [...before, ...rows] : rows.map((row) => row.slice(0, columns.length));
  if (after.length > ROWS_MAX) throw tooLarge();
  const characters = charactersOf(lines) + (isInsert ? tables.charactersOf(name) : 0);
  tables.add(name, { ...table, rows: after }, reserved(characters, hold));
  if (isInsert) return done(`INSERT 0 ${rows.length}`);
  if (statement.is === 'delete' && statement.truncates === true) return done('TRUNCATE TABLE');
  if (!isUpdate) return done(`DELETE ${before.length - rows.length}`);
  return done(`UPDATE ${rows.filter((row) => row[columns.length] === true).length}`);
}

/** The text, and the values made of it. */
const MEMORY_PER_CHARACTER = 8;
const ROWS_MAX = 50_000;
const BYTES_MAX = 16 * 2 ** 20;

/** The rows of a query as JSON. Rejects with 54000 for more than a temporary table may have. */
export function linesOf(
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
    throw tooLarge();
  });
}

/** The last column of the rows of an UPDATE. */
const CHANGED = {
  name: 'changed',
  type: { type: 'boolean' },
  traits: { points: false, letters: 'mixed' },
} as const;

const tooLarge = (): Error =>
  new ProtocolError('54000', `a temporary table has at most ${ROWS_MAX} rows and ${BYTES_MAX} bytes`);
