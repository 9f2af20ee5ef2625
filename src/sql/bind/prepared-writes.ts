/** Runs the reads that writes need, and binds the writes to the rows that were read. */
import { quoted } from '../../base/index.js';
import { dimensionsOf, type ReadPlan } from '../../ir/index.js';
import type { DatabaseModel } from '../../schema/index.js';
import type { RowStatement } from '../query/row-query.js';
import { sqlError } from '../sql-error.js';
import type { SourcePosition, TableName, WriteStatement } from '../tree.js';
import { dimensionOf } from './clauses/sources.js';
import { bindConflicts, checkConflict } from './conflicts.js';
import type { SqlRequest } from './request.js';
import { bindReturning, returnedOutputs } from './returning.js';
import type { RowReader } from './row-reader.js';
import { bindSelected, bindSelectedRows } from './selected-rows.js';
import { type BoundInsert, type BoundWrite, bindWrite, checkInserted, readsRows } from './writes.js';
import { concatenated, inOrder, rowsOfBatches, rowsOfCondition, type WrittenRows } from './written-rows.js';

type OfModel<T> = (model: DatabaseModel) => T;

export interface PreparedWrites {
  readonly bind: OfModel<readonly BoundWrite[]>;
  /** The query of RETURNING, which must read the same version; null = there is none. */
  readonly returning: OfModel<ReadPlan> | null;
}

/** Rows that are written like a statement. */
export interface WrittenTable {
  readonly is: 'rows';
  readonly table: TableName;
  readonly returning: null;
  /** `index`: that of the statement. */
  readonly bind: (index: number) => readonly BoundInsert[];
}

export type PreparedStatement = WriteStatement | WrittenTable;

const readsAny = (statement: PreparedStatement, request: SqlRequest): statement is RowStatement =>
  statement.is !== 'rows' && readsRows(statement, request);

/** Whether one of the statements must read rows before it can be written. Throws 6000, 506. */
export const readRows = (statements: readonly PreparedStatement[], request: SqlRequest): boolean =>
  statements.some((statement) => readsAny(statement, request));

/** Binds statements that read no rows. Throws like `bindWrites`. */
export const bindPrepared = (
  statements: readonly PreparedStatement[],
  request: SqlRequest,
): readonly BoundWrite[] =>
  statements.flatMap((statement, index): readonly BoundWrite[] =>
    statement.is === 'rows' ? statement.bind(index) : [bindWrite(statement, index, request)],
  );

/** Binds a statement that follows the statements `before` in its body, to refuse it. Throws like `prepareWrites`. */
export function checkWrite(
  statement: WriteStatement,
  before: readonly PreparedStatement[],
  request: SqlRequest,
): void {
  if ('conflict' in statement && statement.conflict !== null) {
    checkConflict(statement, request);
    refuseWrittenTable(statement.table, before, request.model, statement.position);
  }
  if (statement.is === 'insert' || !readsRows(statement, request)) bindWrite(statement, 0, request);
  else refuseWritten(bindSelected(statement, request), before, request.model, statement.position);
}

/**
 * Prepares the writes of a body in their order; `model` is that of the request. Each reads the data as it is before the body, so
 * one that reads a dimension which an earlier one writes is refused. Rejects with 6000, 506, and the errors of queries.
 */
export async function prepareWrites(
  statements: readonly PreparedStatement[],
  model: DatabaseModel,
  requestOf: OfModel<SqlRequest>,
  reader: RowReader,
): Promise<PreparedWrites> {
  checkInserted(statements.filter((statement) => statement.is !== 'rows'));
  const returns = statements.find(
    (statement): statement is WriteStatement => statement.is !== 'rows' && statement.returning !== null,
  );
  if (returns !== undefined && statements.length > 1) {
    throw sqlError('a write with RETURNING is the only statement of its body', returns.position);
  }
  // RETURNING is checked before anything is read.
  if (returns !== undefined) returnedOutputs(returns, requestOf(model));
  const bound: OfModel<readonly BoundWrite[]>[] = [];
  for (const [index, statement] of statements.entries()) {
    if (statement.is === 'rows') {
      bound.push(() => statement.bind(index));
      continue;
    }
    bound.push(await prepareWrite(statement, statements.slice(0, index), model, requestOf, reader));
  }
  const bind = (newest: DatabaseModel): readonly BoundWrite[] => bound.flatMap((one) => one(newest));
  if (returns === undefined) return { bind, returning: null };
  const written = await writtenRows(bind(model), reader);
  return { bind, returning: (newest) => bindReturning(returns, written, requestOf(newest)) };
}

/** Prepares the statement that follows the statements `before`. */
async function prepareWrite(
  statement: WriteStatement,
  before: readonly PreparedStatement[],
  model: DatabaseModel,
  requestOf: OfModel<SqlRequest>,
  reader: RowReader,
): Promise<OfModel<readonly BoundWrite[]>> {
  const index = before.length;
  const hasConflict = 'conflict' in statement && statement.conflict !== null;
  if (hasConflict) {
    checkConflict(statement, requestOf(model));
    refuseWrittenTable(statement.table, before, model, statement.position);
  }
  const isRead = statement.is !== 'insert' && readsRows(statement, requestOf(model));
  const lines = isRead
    ? await reader.lines((newest) => {
        const plan = bindSelected(statement, requestOf(newest));
        refuseWritten(plan, before, newest, statement.position);
        return plan;
      })
    : null;
  if (hasConflict) {
    const parts = await bindConflicts(statement, { lines, index }, model, requestOf, reader);
    return () => parts;
  }
  if (statement.is === 'insert' || lines === null) {
    return (newest) => [bindWrite(statement, index, requestOf(newest))];
  }
  return (newest) => bindSelectedRows(statement, lines, requestOf(newest), index);
}

/** Throws 6000 if one of the statements writes the table, whose entities this one reads. */
function refuseWrittenTable(
  table: TableName,
  before: readonly PreparedStatement[],
  model: DatabaseModel,
  position: SourcePosition,
): void {
  const { id } = dimensionOf(table, model);
  refuseRead(new Set([id]), before, model, position);
}

/** Throws 6000 if the plan reads a dimension that one of the statements writes. */
function refuseWritten(
  plan: ReadPlan,
  before: readonly PreparedStatement[],
  model: DatabaseModel,
  position: SourcePosition,
): void {
  const read = new Set(dimensionsOf(plan).map(({ dimensionId }) => dimensionId));
  refuseRead(read, before, model, position);
}

function refuseRead(
  read: ReadonlySet<number>,
  before: readonly PreparedStatement[],
  model: DatabaseModel,
  position: SourcePosition,
): void {
  const written = before.map(({ table }) => dimensionOf(table, model)).find(({ id }) => read.has(id));
  if (written === undefined) return;
  const what = `this statement reads ${quoted(written.apiName)}, which an earlier statement writes`;
  throw sqlError(`${what}; send it when that one has taken effect`, position);
}

/** The entities of the writes as they will be stored. */
async function writtenRows(writes: readonly BoundWrite[], reader: RowReader): Promise<WrittenRows> {
  const parts: WrittenRows[] = [];
  for (const write of writes) {
    if (write.write === 'insert') {
      parts.push(inOrder(rowsOfBatches(await reader.stored(write)), write.ids?.() ?? []));
    } else parts.push(rowsOfCondition(write.condition));
  }
  return concatenated(parts);
}
