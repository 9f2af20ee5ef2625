/**
 * The writes of POST /v1/sql: all of a body take effect together. Writes that depend on rows (INSERT ... SELECT, UPDATE and DELETE
 * with subqueries, RETURNING) read them through the engine's script.
 */
import { hash } from 'node:crypto';
import * as api from '../../../api/index.js';
import { invariant } from '../../../base/index.js';
import { savedQueriesOf } from '../../../catalog/index.js';
import { readForScript, type ScriptReader, type ScriptRequest, StepRefused } from '../../../engine/index.js';
import { compile, ONE_ROW } from '../../../expression/index.js';
import type { DatabaseModel } from '../../../schema/index.js';
import * as sql from '../../../sql/index.js';
import { valueAt } from '../../../vector/index.js';
import type { DatabaseCall, Members, StreamedAnswer } from './handler.js';

export const sqlRequestOf = (
  { nowMs, access, catalog }: Pick<DatabaseCall, 'access' | 'catalog'> & Pick<sql.SqlRequest, 'nowMs'>,
  model: DatabaseModel,
): sql.SqlRequest => ({
  model,
  savedQueries: savedQueriesOf(catalog, model.id),
  nowMs,
  access,
  questions: (kind, json) => api.bindQuestionTable(kind, json, model, nowMs, access),
  evaluate: (expression) => valueAt(compile(expression)(ONE_ROW), 0),
});

export async function writeScript(
  call: DatabaseCall,
  statements: readonly sql.WriteStatement[],
): Promise<Members | StreamedAnswer> {
  const { databaseId, engine, access, idempotencyId, body, nowMs } = call;
  const begunMs = performance.now();
  const returned: Uint8Array[] = [];
  const repeatable = await repeatableReturning(call, statements);
  const numbers = await engine
    .script({
      databaseId,
      customKey: !call.mayCreate,
      columnIds: access.columnIds(call.model),
      nowMs,
      idempotency:
        idempotencyId === null ? null : { id: idempotencyId, bodyHash: hash('sha256', body, 'base64url') },
      bind: (model) => sql.bindWrites(statements, sqlRequestOf(call, model)),
      prepare: repeatable === null ? prepareOf(call, statements, returned) : null,
      cancellation: call.cancellation,
      charge: (insertedCount, updatedCount) => call.chargeWrites({ insertedCount, updatedCount }),
    })
    .catch((error) => {
      if (!(error instanceof StepRefused)) throw error;
      throw sql.refusedWrite(statements[error.statement], error.row, error.refusal);
    });
  if (statements[0].returning !== null) {
    return { rows: { format: call.format, parts: streamOf(repeatable ?? returned) } };
  }
  const results = resultsOf(statements, numbers);
  if (results.length === 1) return results[0];
  const took = ((performance.now() - begunMs) / 1_000).toFixed(6);
  const list = results.map((members) => `{${members},"took":${took}}`);
  return `"result":[${list.join(',')}],"count":${results.length}`;
}

/** Reads what the statements need; null = nothing. The rows of RETURNING are put into `returned`. */
function prepareOf(
  call: DatabaseCall,
  statements: readonly sql.WriteStatement[],
  returned: Uint8Array[],
): ScriptRequest['prepare'] {
  const requestOf = (model: DatabaseModel): sql.SqlRequest => sqlRequestOf(call, model);
  if (!sql.readRows(statements, call.model, requestOf)) return null;
  return async (reader: ScriptReader) => {
    const prepared = await sql.prepareWrites(statements, call.model, requestOf, reader);
    if (prepared.returning !== null) {
      returned.splice(0, returned.length, ...(await reader.answer(prepared.returning, call.format)));
    }
    return prepared.bind;
  };
}

/**
 * The rows of RETURNING of a request with an Idempotency-Key, which are the same for a repeated request; null = there are none.
 * Rejects with 6000 for statements whose rows depend on more than the statement.
 */
async function repeatableReturning(
  call: DatabaseCall,
  statements: readonly sql.WriteStatement[],
): Promise<readonly Uint8Array[] | null> {
  const returning = statements.find((statement) => statement.returning !== null);
  if (returning === undefined || call.idempotencyId === null) return null;
  const requestOf = (model: DatabaseModel): sql.SqlRequest => sqlRequestOf(call, model);
  if (!sql.returnsOnlyWritten(returning, requestOf(call.model))) {
    const what =
      'with an Idempotency-Key, RETURNING is available for INSERT ... VALUES without ON CONFLICT, and with the columns that it names, because other rows are not stored for a repeated request';
    throw sql.sqlError(what, returning.position);
  }
  const { databaseId, access, model, nowMs, cancellation } = call;
  const columnIds = access.columnIds(model);
  const reading = { databaseId, customKey: !call.mayCreate, columnIds, nowMs, cancellation };
  return readForScript(call.engine, reading, async (reader) => {
    const prepared = await sql.prepareWrites(statements, model, requestOf, reader);
    return prepared.returning === null ? [] : reader.answer(prepared.returning, call.format);
  }).catch((error) => {
    throw error instanceof StepRefused ? sql.refusedWrite(returning, error.row, error.refusal) : error;
  });
}

async function* streamOf(parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array, void, void> {
  yield* parts;
}

/** The members of each statement's answer. `numbers`: the concatenated numbers of all statements (EngineApi.script). */
function resultsOf(statements: readonly sql.WriteStatement[], numbers: readonly number[]): string[] {
  const [only] = statements;
  // Records of earlier versions have numbers for every part of an INSERT ... SELECT.
  if (statements.length === 1 && only.is === 'insert-query') return [insertedResult(numbers)];
  let next = 0;
  const results = statements.map(({ is }) => {
    const count = numbers[next++];
    if (is === 'update') return `"result":{"updated":${count}},"count":${count}`;
    if (is === 'delete') return `"result":{"deleted":${count}},"count":${count}`;
    return insertedResult([count, numbers[next++]]);
  });
  invariant(next === numbers.length, 'a script answers with the numbers of its statements');
  return results;
}

/** `numbers`: entities and values of one or more parts. */
function insertedResult(numbers: readonly number[]): string {
  const sum = (from: number): number =>
    numbers.reduce((total, number, index) => (index % 2 === from ? total + number : total), 0);
  return `"result":{"inserted-entities":${sum(0)},"inserted-values":${sum(1)}},"count":${sum(0)}`;
}
