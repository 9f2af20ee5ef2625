/**
 * The writes of a session: each takes effect at once, or in a transaction block all of them at COMMIT, as one record.
 * Invariants: a write is bound when it is sent, so that its errors are those of the statement; the writes of a block take effect
 * whole or not at all; their memory is reserved.
 */
import { type Cancellation, QuarryError, rememberLast } from '../../../base/index.js';
import type { Catalog, CatalogChange } from '../../../catalog/index.js';
import {
  type EngineApi,
  readForScript,
  type ScriptReader,
  type ScriptRequest,
  StepRefused,
} from '../../../engine/index.js';
import type { DatabaseModel } from '../../../schema/index.js';
import * as sql from '../../../sql/index.js';
import { ProtocolError } from '../../protocol/errors.js';
import { type DatabaseContext, type PostgresRequest, requestOf } from '../queries/select.js';
import type { SessionTables } from '../session-tables.js';
import type { Waiting } from '../waiting.js';
import { changingStatement, checkRowCounts, rowCountIn } from './block-counts.js';
import {
  BlockCatalogs,
  type BlockScope,
  blockSteps,
  catalogOf,
  changesOf,
  contextIn,
  grantChange,
  type ModelWrite,
} from './block-model.js';
import { linesOf } from './table-answers.js';

/** An insert body of at most ENTITIES_PER_INSERT_MAX rows. */
export interface CopiedRows {
  readonly rowCount: number;
  /** Members of a JSON object. */
  readonly members: readonly string[];
}

export type PendingWrite =
  | ModelWrite
  | {
      readonly is: 'statement';
      readonly statement: sql.WriteStatement;
      readonly bytes: number;
      /** The number of rows that was answered. */
      readonly rowCount?: number;
    }
  | {
      readonly is: 'copy';
      readonly table: sql.TableName;
      readonly parts: readonly CopiedRows[];
      readonly bytes: number;
    };

const BYTES_MAX = 32 * 2 ** 20;
const STATEMENTS_MAX = 1_000;
const SAVEPOINTS_MAX = 1_000;
const NO_RETURNING =
  'in a transaction block, whose writes take effect at COMMIT, RETURNING is available for INSERT ... VALUES without ON CONFLICT, and with the columns that it names';

const WRITTEN =
  'a table to which a statement of the transaction block writes cannot be dropped or renamed in it, nor lose columns: COMMIT before';

type Engine = Pick<EngineApi, 'script' | 'select' | 'holdMemory'>;

export class TransactionWrites {
  readonly #engine: Engine;
  #pending: PendingWrite[] = [];
  /** What `#pending` writes; null = not collected. */
  #earlier: sql.EarlierWrites | null = null;
  /** What the first writes of `#pending` do to entities, and how many these are. */
  #touched = { entities: new sql.TouchedEntities(), writeCount: 0 };
  readonly #catalogs = new BlockCatalogs();
  #byteCount = 0;
  readonly #releases: (() => void)[] = [];
  /** The savepoints of the block, with the number of writes before each. */
  readonly #savepoints: { readonly name: string; readonly writeCount: number }[] = [];

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  get isEmpty(): boolean {
    return this.#pending.length === 0;
  }

  /** Adds a write to the block. Throws 54000, 53200, 0A000, and the errors of binding. */
  add(write: PendingWrite, request: PostgresRequest, tables: Pick<SessionTables, 'all'> | null = null): void {
    request.grantWrite();
    const scope = { context: request.context, tables };
    const catalogs = this.#catalogs.of(this.#pending, scope);
    const requestAt = requestsIn(catalogs, scope);
    const at = requestAt(this.#pending.length);
    const before = this.#writesBefore(requestAt);
    if (write.is === 'statement') sql.checkWrite(write.statement, before, at);
    if (write.is === 'model') {
      const catalog = catalogs[this.#pending.length];
      grantChange(write, catalog, request);
      refuseWritten(changesOf(write, catalog, scope), before);
      sql.checkChange(write.statement, before, at);
    }
    const byteCount = this.#byteCount + write.bytes;
    if (byteCount > BYTES_MAX || this.#pending.length >= STATEMENTS_MAX) {
      const limits = `${STATEMENTS_MAX} statements of ${BYTES_MAX} bytes`;
      throw new ProtocolError('54000', `a transaction block has at most ${limits}; COMMIT more often`);
    }
    // A parsed statement takes several times its text.
    const release = this.#engine.holdMemory(write.bytes * 4);
    if (release === null)
      throw new ProtocolError('53200', 'the memory limit is reached; COMMIT or try again later');
    this.#releases.push(release);
    this.#byteCount = byteCount;
    this.#pending.push(write);
    const after = (): sql.SqlRequest =>
      requestsIn(this.#catalogs.of(this.#pending, scope), scope)(this.#pending.length);
    before.addStatement(statementOf(write), at, write.is === 'model' ? after : () => at);
  }

  /**
   * The number of rows that the last write changes, and the plan that counts them; COMMIT refuses another number. null = it is
   * known at COMMIT only. Rejects with the errors of queries.
   */
  async countLast(
    request: PostgresRequest,
    tables: Pick<SessionTables, 'all'>,
    waiting: Waiting,
  ): Promise<{ readonly rowCount: number; readonly plan: sql.TouchedCount['plan'] } | null> {
    const last = this.#pending.length - 1;
    const write = this.#pending[last];
    const changing = changingStatement(statementOf(write));
    if (write.is !== 'statement' || changing === null) return null;
    const { model } = request.context;
    const scope = { context: request.context, tables };
    const requestAt = requestsIn(this.#catalogs.of(this.#pending, scope), scope);
    const touched = this.#touched;
    for (; touched.writeCount < last; touched.writeCount++) {
      touched.entities.add(statementOf(this.#pending[touched.writeCount]), requestAt(touched.writeCount));
    }
    const count = touched.entities.count(changing, requestAt(last), model);
    if (count === null) return null;
    const [line] = count.plan === null ? [] : await linesOf(this.#engine, count.plan, request, waiting);
    const rowCount = rowCountIn(count, line);
    this.#pending[last] = { ...write, rowCount };
    return { rowCount, plan: count.plan };
  }

  /** Whether the block creates, alters or drops tables or views. */
  get changesModel(): boolean {
    return this.#pending.some(({ is }) => is === 'model');
  }

  /** The context of the next statement: with the tables and views as the block makes them. Throws like `add`. */
  contextAfter(context: DatabaseContext, tables: Pick<SessionTables, 'all'>): DatabaseContext {
    if (!this.changesModel) return context;
    const catalogs = this.#catalogs.of(this.#pending, { context, tables });
    return contextIn(context, catalogs[this.#pending.length]);
  }

  #writesBefore(requestAt: (index: number) => sql.SqlRequest): sql.EarlierWrites {
    if (this.#earlier === null) {
      this.#earlier = new sql.EarlierWrites();
      for (const [index, write] of this.#pending.entries()) {
        this.#earlier.addStatement(statementOf(write), requestAt(index), () => requestAt(index + 1));
      }
    }
    return this.#earlier;
  }

  /** Executes the writes of the block as one record. Rejects, with nothing written, if one of them is refused. */
  async commit(
    request: PostgresRequest,
    tables: Pick<SessionTables, 'all'>,
    waiting: Waiting,
  ): Promise<void> {
    try {
      await runWrites(this.#engine, this.#pending, request, tables, waiting);
    } finally {
      this.drop();
    }
  }

  /** Marks the present writes, to which `rollbackTo` returns. Throws 54000. */
  savepoint(name: string): void {
    if (this.#savepoints.length >= SAVEPOINTS_MAX) {
      throw new ProtocolError('54000', `a transaction block has at most ${SAVEPOINTS_MAX} savepoints`);
    }
    this.#savepoints.push({ name, writeCount: this.#pending.length });
  }

  /** Drops the writes and savepoints after the newest savepoint of the name, and returns its number, from 0. Throws 3B001. */
  rollbackTo(name: string): number {
    const at = this.#savepointIndex(name);
    this.#cutTo(this.#savepoints[at].writeCount);
    this.#savepoints.length = at + 1;
    return at;
  }

  /** Forgets the newest savepoint of the name and those after it, and returns its number, from 0. Throws 3B001. */
  releaseSavepoint(name: string): number {
    const at = this.#savepointIndex(name);
    this.#savepoints.length = at;
    return at;
  }

  #savepointIndex(name: string): number {
    const at = this.#savepoints.findLastIndex((one) => one.name === name);
    if (at !== -1) return at;
    throw new ProtocolError('3B001', `savepoint ${JSON.stringify(name)} does not exist`);
  }

  drop(): void {
    this.#cutTo(0);
    this.#savepoints.length = 0;
    for (const release of this.#releases.splice(0)) release();
  }

  /** Drops the writes after the first `writeCount`. */
  #cutTo(writeCount: number): void {
    this.#pending = this.#pending.slice(0, writeCount);
    this.#catalogs.cut(writeCount);
    this.#earlier = null;
    this.#touched = { entities: new sql.TouchedEntities(), writeCount: 0 };
    this.#byteCount = this.#pending.reduce((sum, { bytes }) => sum + bytes, 0);
  }
}

/** The requests in which the statements of a block are bound. */
const requestsIn =
  (catalogs: readonly Catalog[], { context, tables }: BlockScope) =>
  (index: number): sql.SqlRequest =>
    requestOf(contextIn(context, catalogs[index]), 'postgres', tables);

/** Throws 0A000 if a table to which the block writes is dropped or renamed, or loses columns. */
function refuseWritten(changes: readonly CatalogChange[], before: sql.EarlierWrites): void {
  const isWritten = changes.some(
    (one) =>
      (one.change === 'dimension-deleted' ||
        one.change === 'dimension-renamed' ||
        one.change === 'column-deleted') &&
      before.writesTo(one.dimensionId),
  );
  if (isWritten) throw new ProtocolError('0A000', WRITTEN);
}

function statementOf(write: PendingWrite): sql.PreparedStatement {
  if (write.is === 'statement') return write.statement;
  if (write.is === 'model') return { is: 'model', statement: write.statement };
  return {
    ...{ is: 'rows', table: write.table, returning: null },
    bind: (statement) =>
      write.parts.map(({ rowCount, members }) => ({
        ...{ write: 'insert', statement, rowCount, updates: false },
        body: (rows) => sql.bodyOf(members.slice(0, rows)),
      })),
  };
}

/** What the engine answered: its numbers (EngineApi.script), and the DataRow messages of RETURNING. */
export interface Written {
  readonly numbers: readonly number[];
  readonly rows: readonly Uint8Array[];
}

/**
 * The DataRow messages of RETURNING of a write whose rows depend on nothing but the statement. Nothing is written. Rejects with
 * 0A000 for other writes.
 */
export async function returnedRows(
  engine: Pick<EngineApi, 'script'>,
  statement: sql.WriteStatement,
  request: PostgresRequest,
  cancellation: Cancellation,
): Promise<readonly Uint8Array[]> {
  const { customKey } = request.grantWrite();
  const { databaseId, access, model, nowMs } = request.context;
  const sqlRequest = (newest: DatabaseModel): sql.SqlRequest =>
    requestOf({ ...request.context, model: newest }, 'postgres');
  if (!sql.returnsOnlyWritten(statement, sqlRequest(model))) throw new ProtocolError('0A000', NO_RETURNING);
  const columnIds = access.columnIds(model);
  const reading = { databaseId, customKey, columnIds, nowMs, cancellation };
  return readForScript(engine, reading, async (reader) => {
    const { returning } = await sql.prepareWrites([statement], model, sqlRequest, reader);
    return returning === null ? [] : reader.answer(returning, 'postgres');
  }).catch((error) => {
    throw error instanceof StepRefused ? sql.refusedWrite(statement, error.row, error.refusal) : error;
  });
}

/** Resolves when the writes are durable and visible. */
export async function runWrites(
  engine: Pick<EngineApi, 'script'>,
  writes: readonly PendingWrite[],
  request: PostgresRequest,
  tables: Pick<SessionTables, 'all'> | null = null,
  cancellation: Cancellation | null = null,
): Promise<Written> {
  const { customKey, charge } = request.grantWrite();
  const { databaseId, access, model, nowMs } = request.context;
  const scope = { context: request.context, tables };
  const hasChange = writes.some(({ is }) => is === 'model');
  const stepsOf = rememberLast((newest: DatabaseModel) =>
    blockSteps(writes, catalogOf(newest, scope.context), scope),
  );
  const requestAt: sql.RequestAt = (newest, index) => requestsIn(stepsOf(newest).catalogs, scope)(index);
  for (const [index, write] of writes.entries()) {
    if (write.is === 'model') grantChange(write, stepsOf(model).catalogs[index], request);
  }
  const statements = writes.map(statementOf);
  const counted = writes.map((write, index) => ({
    statement: statements[index],
    ...(write.is === 'statement' ? { rowCount: write.rowCount } : {}),
  }));
  const changesIn = (catalog: Catalog): readonly CatalogChange[] => {
    const { changes } = blockSteps(writes, catalog, scope);
    request.changed(changes);
    return changes;
  };
  let rows: readonly Uint8Array[] = [];
  const bind: ScriptRequest['bind'] = (_newest, before) => sql.bindPrepared(statements, before, requestAt);
  const reads = sql.readRows(statements, model, requestAt);
  const prepare = async (reader: ScriptReader) => {
    await checkRowCounts(counted, model, requestAt, reader);
    if (!reads) return bind;
    const prepared = await sql.prepareWrites(statements, model, requestAt, reader);
    if (prepared.returning !== null) rows = await reader.answer(prepared.returning, 'postgres');
    return prepared.bind;
  };
  const numbers = await engine
    .script({
      databaseId,
      customKey,
      columnIds: access.columnIds(model),
      nowMs,
      idempotency: null,
      bind,
      prepare: reads || counted.some(({ rowCount }) => rowCount !== undefined) ? prepare : null,
      ...(hasChange ? { creates: (_model, catalog) => changesIn(catalog) } : {}),
      cancellation,
      charge,
    })
    .catch((error) => {
      throw error instanceof StepRefused ? refusalOf(writes, error) : error;
    });
  return { numbers, rows };
}

/** The error of the statement, or of the row of COPY, that was refused. */
function refusalOf(writes: readonly PendingWrite[], { statement, row, refusal }: StepRefused): QuarryError {
  const write = writes[statement];
  if (write.is === 'statement') return sql.refusedWrite(write.statement, row, refusal);
  if (write.is === 'model') return sql.refusedAt(write.statement.position, refusal);
  const where = row === null ? '' : `, row ${row + 1} of COPY`;
  return new QuarryError(refusal.code, `${refusal.message}${where}`, refusal.moreInfo);
}
