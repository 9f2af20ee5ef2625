/** Runs the reads that writes need, and binds the writes to the rows that were read. */
import type { ReadPlan } from '../../ir/index.js';
import type { DatabaseModel } from '../../schema/index.js';
import type { RowStatement } from '../query/row-query.js';
import { sqlError } from '../sql-error.js';
import type { TableName, WriteStatement } from '../tree.js';
import { bindConflicts, checkConflict } from './conflicts.js';
import { EarlierWrites } from './earlier-writes.js';
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

/** Binds a statement that follows others in its body, to refuse it. Throws like `prepareWrites`. */
export function checkWrite(statement: WriteStatement, before: EarlierWrites, request: SqlRequest): void {
  if (hasConflict(statement)) refuseConflict(statement, before, request);
  if (statement.is === 'insert' || !readsRows(statement, request)) bindWrite(statement, 0, request);
  else before.refusePlan(bindSelected(statement, request), request, statement.position);
}

type Inserted = Extract<WriteStatement, { readonly conflict: unknown }>;

const hasConflict = (
  statement: WriteStatement,
): statement is Inserted & { readonly conflict: NonNullable<Inserted['conflict']> } =>
  'conflict' in statement && statement.conflict !== null;

/** Throws 6000 if the conflict cannot be bound, or if it reads what an earlier statement writes. */
function refuseConflict(statement: Inserted, before: EarlierWrites, request: SqlRequest): void {
  const queries = checkConflict(statement, request);
  before.refuseConflict(statement, request);
  if (queries !== null) before.refusePlan(queries, request, statement.position);
}

/**
 * Prepares the writes of a body in their order; `model` is that of the request. Each reads the data as it is before the body, so
 * one that reads what an earlier one writes is refused. Rejects with 6000, 506, and the errors of queries.
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
  const before = new EarlierWrites();
  for (const [index, statement] of statements.entries()) {
    if (statement.is === 'rows') bound.push(() => statement.bind(index));
    else bound.push(await prepareWrite(statement, { index, before, model }, requestOf, reader));
    if (index + 1 < statements.length) before.add(statement, requestOf(model));
  }
  const bind = (newest: DatabaseModel): readonly BoundWrite[] => bound.flatMap((one) => one(newest));
  if (returns === undefined) return { bind, returning: null };
  const written = await writtenRows(bind(model), reader);
  return { bind, returning: (newest) => bindReturning(returns, written, requestOf(newest)) };
}

/** The place of a statement in its body. */
interface Place {
  readonly index: number;
  readonly before: EarlierWrites;
  readonly model: DatabaseModel;
}

async function prepareWrite(
  statement: WriteStatement,
  { index, before, model }: Place,
  requestOf: OfModel<SqlRequest>,
  reader: RowReader,
): Promise<OfModel<readonly BoundWrite[]>> {
  if (hasConflict(statement)) refuseConflict(statement, before, requestOf(model));
  const isRead = statement.is !== 'insert' && readsRows(statement, requestOf(model));
  const lines = isRead
    ? await reader.lines((newest) => {
        const plan = bindSelected(statement, requestOf(newest));
        before.refusePlan(plan, requestOf(newest), statement.position);
        return plan;
      })
    : null;
  if (hasConflict(statement)) {
    const parts = await bindConflicts(statement, { lines, index }, model, requestOf, reader);
    return () => parts;
  }
  if (statement.is === 'insert' || lines === null) {
    return (newest) => [bindWrite(statement, index, requestOf(newest))];
  }
  return (newest) => bindSelectedRows(statement, lines, requestOf(newest), index);
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
