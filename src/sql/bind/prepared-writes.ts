/** Runs the reads that writes need, and binds the writes to the rows that were read. */
import type { ReadPlan } from '../../ir/index.js';
import type { DatabaseModel } from '../../schema/index.js';
import { sqlError } from '../sql-error.js';
import type { CreateTableStatement, ModelStatement, TableName, WriteStatement } from '../tree.js';
import { bindConflicts, checkConflict } from './conflicts.js';
import { bindTableOf, bindTableRows, tableNamed } from './create-table.js';
import { EarlierWrites } from './earlier-writes.js';
import type { SqlRequest } from './request.js';
import { bindReturning, returnedOutputs } from './returning.js';
import type { RowReader } from './row-reader.js';
import { bindSelected, bindSelectedRows } from './selected-rows.js';
import { type BoundInsert, type BoundWrite, bindWrite, checkInserted, readsRows } from './writes.js';
import { concatenated, inOrder, rowsOfBatches, rowsOfCondition, type WrittenRows } from './written-rows.js';

type OfModel<T> = (model: DatabaseModel) => T;

/** The request of statement `index` of a body; the number of statements as index = after the body. `model`: before the body. */
export type RequestAt = (model: DatabaseModel, index: number) => SqlRequest;

export interface PreparedWrites {
  /** `before`: the model before the changes of the body. */
  readonly bind: (model: DatabaseModel, before?: DatabaseModel) => readonly BoundWrite[];
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

/** A change of tables or views, which RequestAt includes. */
export interface ModelChange {
  readonly is: 'model';
  readonly statement: ModelStatement;
}

export type PreparedStatement = WriteStatement | WrittenTable | ModelChange;

const isWrite = (statement: PreparedStatement): statement is WriteStatement =>
  statement.is !== 'rows' && statement.is !== 'model';

/** The CREATE TABLE ... AS of a change; null = it is another one, or the table exists. */
function tableOfQuery({ statement }: ModelChange, { model }: SqlRequest): CreateTableStatement | null {
  if (statement.is !== 'create-table' || statement.query === null) return null;
  return statement.ifNotExists && tableNamed(statement.table.name, model) !== null ? null : statement;
}

const readsAny = (statement: PreparedStatement, request: SqlRequest): boolean => {
  if (statement.is === 'model') return tableOfQuery(statement, request) !== null;
  return isWrite(statement) && readsRows(statement, request);
};

/** Whether one of the statements must read rows before it can be written. Throws 6000, 506. */
export const readRows = (
  statements: readonly PreparedStatement[],
  model: DatabaseModel,
  requestAt: RequestAt,
): boolean => statements.some((statement, index) => readsAny(statement, requestAt(model, index)));

/** Binds statements that read no rows. Throws like `bindWrites`. */
export const bindPrepared = (
  statements: readonly PreparedStatement[],
  model: DatabaseModel,
  requestAt: RequestAt,
): readonly BoundWrite[] =>
  statements.flatMap((statement, index): readonly BoundWrite[] => {
    if (statement.is === 'rows') return statement.bind(index);
    return isWrite(statement) ? [bindWrite(statement, index, requestAt(model, index))] : [];
  });

/** Refuses a CREATE TABLE ... AS that reads what earlier statements of its body write. Throws 6000, 506. */
export function checkChange(statement: ModelStatement, before: EarlierWrites, request: SqlRequest): void {
  const table = tableOfQuery({ is: 'model', statement }, request);
  if (table !== null) before.refusePlan(bindTableOf(table, request).plan, request, table.position);
}

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
  requestAt: RequestAt,
  reader: RowReader,
): Promise<PreparedWrites> {
  const writes = statements.filter(isWrite);
  checkInserted(writes);
  const returns = writes.find(({ returning }) => returning !== null);
  if (returns !== undefined && statements.length > 1) {
    throw sqlError('a write with RETURNING is the only statement of its body', returns.position);
  }
  // RETURNING is checked before anything is read.
  if (returns !== undefined) returnedOutputs(returns, requestAt(model, 0));
  const bound: BindWrites[] = [];
  const before = new EarlierWrites();
  for (const [index, statement] of statements.entries()) {
    const slot: StatementSlot = { index, before, model, requestAt };
    if (statement.is === 'rows') bound.push(() => statement.bind(index));
    else if (statement.is === 'model') bound.push(await prepareChange(statement, slot, reader));
    else bound.push(await prepareWrite(statement, slot, reader));
    if (index + 1 < statements.length) {
      before.addStatement(statement, requestAt(model, index), () => requestAt(model, index + 1));
    }
  }
  const bind: PreparedWrites['bind'] = (newest, old = newest) => bound.flatMap((one) => one(old, newest));
  if (returns === undefined) return { bind, returning: null };
  const written = await writtenRows(bind(model), reader);
  return { bind, returning: (newest) => bindReturning(returns, written, requestAt(newest, 0)) };
}

/** `before` is the model before the body, `model` the one after it. */
type BindWrites = (before: DatabaseModel, model: DatabaseModel) => readonly BoundWrite[];

/** Where a statement is in its body. */
interface StatementSlot {
  readonly index: number;
  readonly before: EarlierWrites;
  readonly model: DatabaseModel;
  readonly requestAt: RequestAt;
}

/** Reads the rows of CREATE TABLE ... AS; other changes have none. */
async function prepareChange(
  change: ModelChange,
  { index, before, model, requestAt }: StatementSlot,
  reader: RowReader,
): Promise<BindWrites> {
  const statement = tableOfQuery(change, requestAt(model, index));
  if (statement === null) return () => [];
  const lines = await reader.lines((newest) => {
    const { plan } = bindTableOf(statement, requestAt(newest, index));
    before.refusePlan(plan, requestAt(newest, index), statement.position);
    return plan;
  });
  return (old, newest) => {
    const [at, after] = [requestAt(old, index), requestAt(old, index + 1)];
    const created = tableNamed(statement.table.name, after.model);
    const dimension = created === null ? undefined : after.model.dimensions.get(created);
    const present = [...newest.dimensions.values()].find(({ id }) => id === dimension?.id);
    // Another statement of the body drops the table.
    if (present === undefined) return [];
    const target = { name: present.apiName, statement: index };
    return bindTableRows(statement, bindTableOf(statement, at), lines, { ...at, model: newest }, target);
  };
}

async function prepareWrite(
  statement: WriteStatement,
  { index, before, model, requestAt }: StatementSlot,
  reader: RowReader,
): Promise<BindWrites> {
  const requestOf = (newest: DatabaseModel): SqlRequest => requestAt(newest, index);
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
