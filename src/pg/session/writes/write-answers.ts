/** Answers INSERT, UPDATE, DELETE and COPY ... FROM STDIN, at once or, in a transaction block, as a part of it. */
import type { EngineApi } from '../../../engine/index.js';
import * as sql from '../../../sql/index.js';
import { formatsFor, rowsInFormats } from '../../protocol/binary.js';
import { ProtocolError } from '../../protocol/errors.js';
import { copyResponse, type RowField, rowDescription, TEXT_FORMAT } from '../../protocol/messages.js';
import { rowField } from '../../protocol/types.js';
import { type Answer, done } from '../answer.js';
import { CopyIn } from '../copy/copy-in.js';
import type { CopyStatement } from '../copy/copy-statement.js';
import { type DatabaseContext, type PostgresRequest, requestOf } from '../queries/select.js';
import type { SessionState } from '../session-statement.js';
import type { Waiting } from '../waiting.js';
import { type PendingWrite, returnedRows, runWrites } from './transaction-writes.js';

type Engine = Pick<EngineApi, 'script' | 'select' | 'holdMemory' | 'records'>;

const NO_RETURNING =
  'RETURNING is not available in a transaction block that creates, alters or drops tables or views';

/** If it rejects, nothing has been written. `formats` are those of the rows of RETURNING. */
export async function answerWrite(
  write: sql.WriteStatement,
  { bytes, formats, waiting }: WriteOptions,
  state: SessionState,
  engine: Engine,
  request: PostgresRequest,
): Promise<Answer> {
  const pending = { is: 'statement', statement: write, bytes } as const;
  const verb = verbOf(write);
  if (state.isInBlock) {
    if (write.returning !== null && state.writes.changesModel) throw new ProtocolError('0A000', NO_RETURNING);
    const rows = write.returning === null ? null : await returnedRows(engine, write, request, waiting);
    state.writes.add({ ...pending, statement: { ...write, returning: null } }, request, state.tables);
    const tag = await tagInBlock(write, { state, engine, request, waiting });
    request.ended(null, 0);
    if (rows === null) return done(tag);
    return withRows(tag, returnedFields(write, request.context), rows, formats);
  }
  const { numbers, rows } = await runWrites(engine, [pending], request, state.tables, waiting);
  request.ended(null, numbers[0]);
  const count = verb === 'TRUNCATE TABLE' ? '' : ` ${numbers[0]}`;
  const tag = verb === 'INSERT' ? `INSERT 0${count}` : `${verb}${count}`;
  return write.returning === null
    ? done(tag)
    : withRows(tag, returnedFields(write, request.context), rows, formats);
}

interface BlockCall {
  readonly state: SessionState;
  readonly engine: Engine;
  readonly request: PostgresRequest;
  readonly waiting: Waiting;
}

/** The command tag of the last write of a block; without a number of rows that is known only when it takes effect. */
async function tagInBlock(
  write: sql.WriteStatement,
  { state, engine, request, waiting }: BlockCall,
): Promise<string> {
  const verb = verbOf(write);
  if (write.is === 'insert') return writesAllRows(write) ? `INSERT 0 ${write.rows.length}` : verb;
  const count = await state.writes.countLast(request, state.tables, waiting);
  if (count === null) return verb;
  const readsOneVersion = state.transaction === 'T' && state.settings.readsOneVersion;
  if (readsOneVersion && count.plan !== null) state.version.check(count.plan, engine.records);
  return `${verb} ${count.rowCount}`;
}

/** Whether every row is written, no matter which entities exist. */
const writesAllRows = ({ conflict }: sql.InsertStatement): boolean =>
  conflict === null || (conflict.update !== null && conflict.update.where === null);

function verbOf(write: sql.WriteStatement): string {
  if (write.is === 'delete' && write.truncates === true) return 'TRUNCATE TABLE';
  return write.is === 'insert-query' ? 'INSERT' : write.is.toUpperCase();
}

export interface WriteOptions {
  /** Approximate size of the statement and its parameters. */
  readonly bytes: number;
  readonly formats: readonly number[];
  readonly waiting: Waiting;
}

export const readOnly = (verb: string): ProtocolError =>
  new ProtocolError('25006', `cannot execute ${verb} in a read-only transaction`);

/** The fields of the rows of RETURNING. Throws 6000, 506. */
export const returnedFields = (write: sql.WriteStatement, context: DatabaseContext): readonly RowField[] =>
  sql.returnedOutputs(write, requestOf(context, 'postgres')).map(rowField);

function withRows(
  tag: string,
  fields: readonly RowField[],
  parts: readonly Uint8Array[],
  formats: readonly number[],
): Answer {
  const wanted = formatsFor(formats, fields.length);
  const typeIds = fields.map(({ typeId }) => typeId);
  const rows = async function* (): AsyncGenerator<Buffer, void, void> {
    for (const part of parts) {
      if (part.length > 0) yield rowsInFormats(Buffer.from(part), typeIds, wanted);
    }
  };
  return { ...done(tag), description: rowDescription(fields, wanted), rows: rows() };
}

/** The rows are requested when the answer is read. */
export function answerCopyFrom(
  { table, options }: Extract<CopyStatement, { readonly is: 'from' }>,
  state: SessionState,
  engine: Engine,
  request: PostgresRequest,
  waiting: Waiting,
): Answer {
  if (options.format === 'binary') {
    throw new ProtocolError('0A000', 'COPY FROM takes the formats text and csv');
  }
  const database = table.schema === null ? undefined : null;
  const name = { name: table.name, alias: null, position: table.position, database };
  if (state.tables.hides(name)) {
    throw new ProtocolError(
      '0A000',
      `${JSON.stringify(table.name)} is temporary; COPY FROM writes to lasting tables, INSERT to both`,
    );
  }
  if (state.settings.isReadOnly) throw readOnly('COPY');
  request.grantWrite();
  const context = state.writes.contextAfter(request.context, state.tables);
  const target = sql.bindCopy(name, table.columns, requestOf(context, 'postgres'));
  const copy = new CopyIn(options, table.name, target, (bytes) => engine.holdMemory(bytes));
  const rows = async function* (): AsyncGenerator<Buffer, void, void> {
    yield copyResponse('G', TEXT_FORMAT, target.names.length);
    const forget = waiting.alsoOnCancel(() => copy.fail(new ProtocolError('57014', 'the query was stopped')));
    state.beginCopy(copy);
    try {
      await copy.whole;
      const write: PendingWrite = { is: 'copy', table: name, parts: copy.parts, bytes: copy.byteCount };
      if (state.isInBlock) state.writes.add(write, request, state.tables);
      else if (copy.rowCount > 0) await runWrites(engine, [write], request);
    } finally {
      forget();
      copy.release();
      state.endCopy();
    }
  };
  return {
    ...done('COPY'),
    rows: rows(),
    tag: () => `COPY ${copy.rowCount}`,
    over: (error) => request.ended(error instanceof ProtocolError ? null : error, copy.rowCount),
  };
}
