/**
 * POST /v1/quarantine/retry: inserts the lines of a quarantine again, as they were sent.
 * Invariant: a line is inserted and leaves the quarantine in one record of the log, so that it takes effect once, whatever ends
 * the server or the connection.
 */
import * as api from '../../../api/index.js';
import { QuarryError, quoted } from '../../../base/index.js';
import { type ScriptReader, type ScriptWrite, StepRefused } from '../../../engine/index.js';
import {
  bodyOfLine,
  isLineError,
  type QuarantinedLine,
  quarantineOf,
  type RecordMapping,
} from '../../../ingest/index.js';
import { type DatabaseModel, DEFAULT_DIMENSION } from '../../../schema/index.js';
import * as sql from '../../../sql/index.js';
import { recordMappingOf } from '../record-parameters.js';
import { type DatabaseCall, handleMembersOf, type Members } from './handler.js';
import { sqlRequestOf } from './sql-write.js';

/** Lines of one request. */
const LINES_MAX = 1_000;
/** Lines of one record of the log. */
const LINES_PER_RECORD = 100;

/** Columns of a quarantine. */
const READ = ['line', 'parameters', 'header', 'received'] as const;

interface Retried {
  readonly inserted: number;
  readonly refused: readonly QuarryError[];
  /** The last line that was read; null = there was none. */
  readonly last: string | null;
}

export async function retryQuarantine(call: DatabaseCall): Promise<Members> {
  const { dimension, after } = api.readQuarantineRetry(api.parseJson(call.body));
  const quarantine = quarantineAt(call.model, dimension ?? DEFAULT_DIMENSION);
  let inserted = 0;
  let last = after;
  const refused: QuarryError[] = [];
  for (
    let lineCount = 0;
    lineCount < LINES_MAX && !call.cancellation.isCancelled;
    lineCount += LINES_PER_RECORD
  ) {
    const retried = await retryLines(call, quarantine, last).catch((error: unknown) => {
      // What was done so far is the answer; the next request, which begins here, gets the error.
      if (lineCount > 0 && error instanceof QuarryError) return null;
      throw error;
    });
    if (retried === null) break;
    inserted += retried.inserted;
    refused.push(...retried.refused);
    last = retried.last;
    if (last === null) break;
  }
  const [first] = refused;
  const found = first === undefined ? {} : { first: { code: first.code, message: first.message } };
  return handleMembersOf({ inserted, refused: refused.length, ...found, after: last });
}

/** The name of the quarantine. Throws 5008. */
function quarantineAt(model: DatabaseModel, dimension: string): string {
  const { apiName, columns } = api.dimensionAt(model, quarantineOf(dimension));
  if (READ.every((name) => columns.has(name))) return apiName;
  throw new QuarryError(5008, `the dimension ${quoted(apiName)} is no quarantine`);
}

/** Inserts the next lines after the one with the ID `after`. */
async function retryLines(call: DatabaseCall, quarantine: string, after: string | null): Promise<Retried> {
  let retried: Retried = { inserted: 0, refused: [], last: null };
  await call.engine
    .script({
      databaseId: call.databaseId,
      customKey: true,
      columnIds: null,
      nowMs: call.nowMs,
      idempotency: null,
      cancellation: call.cancellation,
      charge: (insertedCount, updatedCount) => call.chargeWrites({ insertedCount, updatedCount }),
      bind: () => [],
      prepare: async (reader) => {
        const lines = (await reader.lines((model) => readLines(call, model, quarantine, after))).map(
          quarantinedLine,
        );
        const refused: QuarryError[] = [];
        const accepted: (readonly [string, ScriptWrite])[] = [];
        for (const line of lines) {
          const found = await tried(line, accepted.length, reader, call.nowMs);
          if ('write' in found) accepted.push([line.id, found.write]);
          else refused.push(found.refusal);
        }
        const isLast = lines.length < LINES_PER_RECORD;
        retried = { inserted: accepted.length, refused, last: isLast ? null : (lines.at(-1)?.id ?? null) };
        if (accepted.length === 0) throw new NothingToWrite();
        const ids = accepted.map(([id]) => id);
        const writes = accepted.map(([, write]) => write);
        return (model) => [...writes, removal(call, model, quarantine, ids)];
      },
    })
    .catch((error) => {
      if (!(error instanceof NothingToWrite)) throw error;
    });
  return retried;
}

class NothingToWrite extends Error {
  override name = 'NothingToWrite';
}

/** The write of a line, or why it is still refused. */
async function tried(
  line: QuarantinedLine,
  statement: number,
  reader: ScriptReader,
  nowMs: number,
): Promise<{ readonly write: ScriptWrite } | { readonly refusal: QuarryError }> {
  try {
    const { body, numbers } = bodyOfLine(line);
    if (body.length === 0) throw new QuarryError(1503, `the row ${quoted(line.id)} has no line`);
    const write = {
      ...({ write: 'insert', statement, rowCount: 1 } as const),
      body: () => body,
      // A row that was written by hand may have no time.
      lines: { numbers, records: mappingOf(line), receivedMs: line.receivedMs || nowMs },
    };
    await reader.stored(write);
    return { write };
  } catch (error) {
    if (error instanceof StepRefused) return { refusal: error.refusal };
    if (error instanceof QuarryError && isOfLine(error)) return { refusal: error };
    throw error;
  }
}

/** Whether the row is wrong: its line, or the parameters that were written by hand. */
const isOfLine = ({ code }: QuarryError): boolean => code === 4049 || isLineError(code);

/** How the record becomes an entity; null = the line is one. Nothing is created. */
function mappingOf({ parameters, header }: QuarantinedLine): RecordMapping | null {
  if (!new URLSearchParams(parameters).has('id')) return null;
  const mapping = recordMappingOf(parameters, header === '' ? 'json' : 'csv');
  const unknown = mapping.unknown === 'create' ? 'refuse' : mapping.unknown;
  return { ...mapping, unknown, createsColumns: false, createsDimension: false };
}

/** A row of the SELECT of `readLines`. */
function quarantinedLine(row: string): QuarantinedLine {
  const { id, line, parameters, header, received } = JSON.parse(row) as Record<string, unknown>;
  const joined = (pieces: unknown): string => (Array.isArray(pieces) ? pieces.join('') : '');
  return {
    id: String(id),
    line: joined(line),
    parameters: joined(parameters),
    header: joined(header),
    receivedMs: Date.parse(String(received)),
  };
}

const quotedText = (text: string): string => `'${text.replaceAll("'", "''")}'`;

function readLines(call: DatabaseCall, model: DatabaseModel, quarantine: string, after: string | null) {
  const where = after === null ? '' : `WHERE [entity-id] > ${quotedText(after)}`;
  const script = sql.readScript(
    `SELECT [entity-id] AS id, ${READ.join(', ')} FROM [${quarantine}] ${where} ORDER BY [entity-id] LIMIT ${LINES_PER_RECORD}`,
  );
  return sql.bindRead(script.statements[0] as sql.ReadStatement, sqlRequestOf(call, model));
}

function removal(
  call: DatabaseCall,
  model: DatabaseModel,
  quarantine: string,
  ids: readonly string[],
): ScriptWrite {
  const list = ids.map(quotedText).join(', ');
  const script = sql.readScript(`DELETE FROM [${quarantine}] WHERE [entity-id] IN (${list})`);
  const [write] = sql.bindWrites(script.statements as sql.WriteStatement[], sqlRequestOf(call, model));
  return { ...write, statement: ids.length };
}
