/**
 * POST /v1/sql. SELECTs are bound and started in one turn of the event loop. The engine binds writes, again whenever the model
 * changes. If the caller may only read, a text that does not begin with a read is refused before it is parsed.
 */
import { hash } from 'node:crypto';
import { invariant } from '../../../base/index.js';
import { type QueryFacts, type ScriptQuery, StepRefused } from '../../../engine/index.js';
import { compile, ONE_ROW } from '../../../expression/index.js';
import type { DatabaseModel } from '../../../schema/index.js';
import * as sql from '../../../sql/index.js';
import { valueAt } from '../../../vector/index.js';
import { checkWriter } from '../../auth/write-permission.js';
import type { DatabaseCall, Members, StreamedAnswer } from './handler.js';

const decoder = new TextDecoder('utf-8', { fatal: true });

export function runSql(call: DatabaseCall): Promise<Members> | StreamedAnswer {
  const text = textOf(call.body);
  if (!sql.beginsWithRead(text)) checkWriter(call.caller);
  const script = call.engine.statements.read(text);
  if (script.kind === 'reads') return read(call, script.statements);
  checkWriter(call.caller);
  return write(call, script.statements);
}

function textOf(body: Uint8Array): string {
  try {
    return decoder.decode(body);
  } catch {
    throw sql.sqlError('the body is not UTF-8', null);
  }
}

const requestOf = ({ nowMs, access }: DatabaseCall, model: DatabaseModel): sql.SqlRequest => ({
  model,
  nowMs,
  access,
  evaluate: (expression) => valueAt(compile(expression)(ONE_ROW), 0),
});

function read(call: DatabaseCall, statements: readonly sql.ReadStatement[]): StreamedAnswer {
  const { engine, cancellation, format } = call;
  const request = requestOf(call, call.model);
  const requests = statements.map((statement) => ({
    plan: sql.bindRead(statement, request),
    explain: statement.explain,
    isRestricted: call.access.fingerprint !== '',
  }));
  if (requests.length > 1 && format !== 'json') {
    throw sql.sqlError('the rows of several statements are answered as JSON only', statements[1].position);
  }
  call.notes.plans = () => requests.map(({ plan }) => ({ kind: 'select', plan }));
  const onEnd = (facts: QueryFacts): void => {
    call.notes.facts = facts;
  };
  return { rows: engine.select(requests, format, { cancellation, bypassCache: false, onEnd }) };
}

async function write(call: DatabaseCall, statements: readonly sql.WriteStatement[]): Promise<Members> {
  const { databaseId, engine, access, idempotencyId, body, nowMs } = call;
  const begunMs = performance.now();
  const numbers = await engine
    .script({
      databaseId,
      customKey: !call.mayCreate,
      columnIds: access.columnIds(call.model),
      nowMs,
      idempotency:
        idempotencyId === null ? null : { id: idempotencyId, bodyHash: hash('sha256', body, 'base64url') },
      bind: (model) => sql.bindWrites(statements, requestOf(call, model)),
      query: queryOf(call, statements),
      charge: (insertedCount, updatedCount) => call.chargeWrites({ insertedCount, updatedCount }),
    })
    .catch((error) => {
      if (!(error instanceof StepRefused)) throw error;
      throw sql.refusedWrite(statements[error.step], error.row, error.refusal);
    });
  const results = resultsOf(statements, numbers);
  if (results.length === 1) return results[0];
  const took = ((performance.now() - begunMs) / 1_000).toFixed(6);
  const list = results.map((members) => `{${members},"took":${took}}`);
  return `"result":[${list.join(',')}],"count":${results.length}`;
}

/** The query of INSERT ... SELECT; null for other statements. */
function queryOf(call: DatabaseCall, [first]: readonly sql.WriteStatement[]): ScriptQuery | null {
  if (first.is !== 'insert-query') return null;
  return {
    plan: (model) => sql.bindSelected(first, requestOf(call, model)),
    bind: (model, lines) => sql.bindSelectedRows(first, lines, requestOf(call, model)),
    cancellation: call.cancellation,
  };
}

/** The members of each statement's answer. `numbers`: the concatenated numbers of all statements (EngineApi.script). */
function resultsOf(statements: readonly sql.WriteStatement[], numbers: readonly number[]): string[] {
  if (statements[0].is === 'insert-query') return [insertedResult(numbers)];
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
