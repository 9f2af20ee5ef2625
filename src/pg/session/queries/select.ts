/** SELECT and EXPLAIN on the engine: authorized, bound and started in one turn of the event loop. */
import { type Access, bindQuestionTable } from '../../../api/index.js';
import type { CatalogChange, SavedQuery } from '../../../catalog/index.js';
import type { EngineApi, QueryFacts, QueryPlan, QueryProgress } from '../../../engine/index.js';
import { EXPLAIN_FIELDS } from '../../../engine/index.js';
import { compile, ONE_ROW } from '../../../expression/index.js';
import type { ReadPlan } from '../../../ir/index.js';
import type { DatabaseModel } from '../../../schema/index.js';
import * as sql from '../../../sql/index.js';
import { type Field, valueAt } from '../../../vector/index.js';
import { formatsFor, rowsInFormats } from '../../protocol/binary.js';
import { type RowField, rowDescription } from '../../protocol/messages.js';
import { rowField } from '../../protocol/types.js';
import type { Answer } from '../answer.js';
import type { SessionTables } from '../session-tables.js';
import type { TransactionVersion } from '../transaction-mode.js';
import type { Waiting } from '../waiting.js';

/** A caller's view of a database, in the turn in which it was authorized. */
export interface DatabaseContext {
  readonly databaseId: number;
  readonly model: DatabaseModel;
  /** The saved queries of the database, by name. */
  readonly savedQueries: ReadonlyMap<string, SavedQuery>;
  readonly access: Access;
  readonly nowMs: number;
  readonly caller: { readonly kind: string; readonly hash?: string };
}

/** An authorized statement. */
export interface PostgresRequest {
  readonly context: DatabaseContext;
  /** The caller's permission to write. Throws 503 or 507 for callers that may only read. */
  grantWrite(): {
    readonly customKey: boolean;
    /** Throws 511 if the caller may not create tables, or delete them (`deletes`). */
    readonly checkTables: (deletes: boolean) => void;
    readonly checkColumns: (deletes: boolean) => void;
    /** Throws 503 if the caller may not create views, or drop them (`drops`). */
    readonly checkViews: (drops: boolean) => void;
    readonly charge: (insertedCount: number, updatedCount: number) => void;
  };
  /** Reports changes of the catalog, for the audit. */
  changed(changes: readonly CatalogChange[]): void;
  /** Reports the plan, for the log of slow queries. */
  planned(plan: QueryPlan): void;
  begun(progress: () => QueryProgress): void;
  measured(facts: QueryFacts): void;
  /** To be called once. `error`: null = success. */
  ended(error: unknown, rowCount: number): void;
}

export interface BoundSelect {
  readonly plan: ReadPlan;
  readonly explain: sql.ReadStatement['explain'];
  readonly fields: readonly Field[];
}

/** Throws 6000, with the source position, and 506. */
export function planSelect(
  select: sql.ReadStatement,
  context: DatabaseContext,
  dialect: sql.SqlDialect,
  tables: Pick<SessionTables, 'all'> | null = null,
): ReadPlan {
  return sql.bindRead(select, requestOf(context, dialect, tables));
}

export function requestOf(
  { model, savedQueries, nowMs, access }: DatabaseContext,
  dialect: sql.SqlDialect,
  tables: Pick<SessionTables, 'all'> | null = null,
): sql.SqlRequest {
  return {
    ...(tables === null ? {} : { sessionTables: tables.all }),
    dialect,
    model,
    savedQueries,
    nowMs,
    access,
    questions: (kind, json) => bindQuestionTable(kind, json, model, nowMs, access),
    evaluate: (expression) => valueAt(compile(expression)(ONE_ROW), 0),
  };
}

/** Throws 6000, with the source position, and 506. */
export function bindSelect(
  statement: sql.PostgresStatement,
  parameters: readonly sql.SqlParameter[],
  admission: DatabaseContext,
  dialect: sql.SqlDialect,
  tables: Pick<SessionTables, 'all'> | null = null,
): BoundSelect {
  const select = sql.readPostgresSelect(statement, parameters, dialect);
  const plan = planSelect(select, admission, dialect, tables);
  const { explain } = select;
  return { plan, explain, fields: explain === 'no' ? plan.outputs : EXPLAIN_FIELDS };
}

export const rowFields = ({ fields }: BoundSelect): readonly RowField[] => fields.map(rowField);

export interface SelectOptions {
  /** The format codes of the Bind message. */
  readonly formats: readonly number[];
  readonly waiting: Waiting;
  /** What the version of the transaction needs to know; null = the SELECT reads a version of its own. */
  readonly version: ReturnType<TransactionVersion['begin']> | null;
}

/** Starts the query. `fields` are the fields of its rows, or the described fields to which they convert without loss. */
export function answerSelect(
  engine: Pick<EngineApi, 'select'>,
  request: PostgresRequest,
  bound: BoundSelect,
  fields: readonly RowField[],
  { formats, waiting, version }: SelectOptions,
): Answer {
  const wanted = formatsFor(formats, fields.length);
  const { plan, explain } = bound;
  request.planned({ kind: 'select', plan });
  const isRestricted = request.context.access.fingerprint !== '';
  const { parts, done } = engine.select([{ plan, explain, isRestricted }], 'postgres', {
    cancellation: waiting,
    bypassCache: false,
    onBegin: (progress) => request.begun(progress),
    onEnd: (facts) => {
      version?.onEnd(facts);
      request.measured(facts);
    },
  });
  return {
    description: rowDescription(fields, wanted),
    notice: null,
    rows: converted(
      parts,
      done,
      fields.map(({ typeId }) => typeId),
      wanted,
      version,
    ),
    tag: (rowCount) => (explain === 'no' ? `SELECT ${rowCount}` : 'EXPLAIN'),
    over: (error, rowCount) => request.ended(error, rowCount),
  };
}

async function* converted(
  parts: AsyncGenerator<Uint8Array, void, void>,
  done: ((part: Uint8Array) => void) | undefined,
  typeIds: readonly number[],
  formats: readonly number[],
  version: SelectOptions['version'],
): AsyncGenerator<Buffer, void, void> {
  const isText = formats.every((format) => format === 0);
  for await (const part of parts) {
    if (part.length === 0) continue;
    const rows = Buffer.from(part.buffer, part.byteOffset, part.byteLength);
    // Rows are copied: the socket reads them until they are sent, and the engine reuses the memory of a part.
    const own = isText ? Buffer.from(rows) : rowsInFormats(rows, typeIds, formats);
    done?.(part);
    yield own;
  }
  version?.check();
}
