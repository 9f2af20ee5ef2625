/**
 * POST /v1/sql. SELECTs are bound and started in one turn of the event loop. The engine binds writes, again whenever the model
 * changes. If the caller may only read, a text that does not begin with a read is refused before it is parsed.
 */
import { savedQueriesOf } from '../../../catalog/index.js';
import * as sql from '../../../sql/index.js';
import { checkWriter } from '../../auth/write-permission.js';
import { type DatabaseCall, type Members, queryOptionsOf, type StreamedAnswer } from './handler.js';
import { changeTables } from './sql-tables.js';
import { sqlRequestOf, writeScript } from './sql-write.js';

const decoder = new TextDecoder('utf-8', { fatal: true });

export function runSql(call: DatabaseCall): Promise<Members | StreamedAnswer> | StreamedAnswer {
  const text = textOf(call.body);
  if (!sql.beginsWithRead(text)) checkWriter(call.caller);
  const script = call.engine.statements.read(text);
  if (script.kind === 'reads') return read(call, script.statements);
  checkWriter(call.caller);
  if (script.kind === 'model') return changeTables(call, script.statements[0], text);
  return writeScript(call, script.statements);
}

function textOf(body: Uint8Array): string {
  try {
    return decoder.decode(body);
  } catch {
    throw sql.sqlError('the body is not UTF-8', null);
  }
}

function read(call: DatabaseCall, statements: readonly sql.ReadStatement[]): StreamedAnswer {
  const { engine, format, catalog, model } = call;
  const isRestricted = call.access.fingerprint !== '';
  const savedQueries = savedQueriesOf(catalog, model.id);
  const requests = call.boundBodies.bind({ ...call, savedQueries }, 'sql', (nowMs) => {
    const request = sqlRequestOf({ ...call, nowMs }, model);
    return statements.map((statement) => ({
      plan: sql.bindRead(statement, request),
      explain: statement.explain,
      isRestricted,
    }));
  });
  if (requests.length > 1 && format !== 'json') {
    throw sql.sqlError('the rows of several statements are answered as JSON only', statements[1].position);
  }
  call.notes.plans = () => requests.map(({ plan }) => ({ kind: 'select', plan }));
  return { rows: engine.select(requests, format, queryOptionsOf(call, false)) };
}
