/** Answers INSERT, UPDATE, DELETE and COPY ... FROM STDIN, at once or, in a transaction block, as a part of it. */
import type { EngineApi } from '../../engine/index.js';
import * as sql from '../../sql/index.js';
import { ProtocolError } from '../protocol/errors.js';
import { copyResponse, TEXT_FORMAT } from '../protocol/messages.js';
import { type Answer, done } from './answer.js';
import { CopyIn } from './copy-in.js';
import type { CopyStatement } from './copy-statement.js';
import { type PostgresRequest, requestOf } from './select.js';
import type { SessionState } from './session-statement.js';
import { type PendingWrite, runWrites } from './transaction-writes.js';
import type { Waiting } from './waiting.js';

type Engine = Pick<EngineApi, 'script' | 'holdMemory'>;

/** If it rejects, nothing has been written. */
export async function answerWrite(
  statement: sql.PostgresStatement,
  parameters: readonly sql.SqlParameter[],
  state: SessionState,
  engine: Engine,
  request: PostgresRequest,
): Promise<Answer> {
  const write = sql.readPostgresWrite(statement, parameters);
  const parameterBytes = parameters.reduce((sum, one) => sum + ('text' in one ? one.text.length : 1), 0);
  const pending = {
    is: 'statement',
    statement: write,
    bytes: statement.text.length + parameterBytes,
  } as const;
  const verb = write.is.toUpperCase();
  if (state.isInBlock) {
    state.writes.add(pending, request);
    request.ended(null, 0);
    // The number of entities of a change is known when it takes effect.
    return done(write.is === 'insert' ? `INSERT 0 ${write.rows.length}` : verb);
  }
  const [count] = await runWrites(engine, [pending], request);
  request.ended(null, count);
  return done(write.is === 'insert' ? `INSERT 0 ${count}` : `${verb} ${count}`);
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
  request.grantWrite();
  const name = { name: table.name, alias: null, position: table.position };
  const target = sql.bindCopy(name, table.columns, requestOf(request.context, 'postgres'));
  const copy = new CopyIn(options, target, (bytes) => engine.holdMemory(bytes));
  const rows = async function* (): AsyncGenerator<Buffer, void, void> {
    yield copyResponse('G', TEXT_FORMAT, target.columnCount);
    const forget = waiting.alsoOnCancel(() => copy.fail(new ProtocolError('57014', 'the query was stopped')));
    state.beginCopy(copy);
    try {
      await copy.whole;
      const write: PendingWrite = { is: 'copy', parts: copy.parts, bytes: copy.byteCount };
      if (state.isInBlock) state.writes.add(write, request);
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
