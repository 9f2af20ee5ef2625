/**
 * The writes of a session: each takes effect at once, or in a transaction block all of them at COMMIT, as one record.
 * Invariants: a write is bound when it is sent, so that its errors are those of the statement; the writes of a block take effect
 * whole or not at all; their memory is reserved.
 */
import { QuarryError } from '../../base/index.js';
import { type EngineApi, type ScriptWrite, StepRefused } from '../../engine/index.js';
import * as sql from '../../sql/index.js';
import { ProtocolError } from '../protocol/errors.js';
import { type PostgresRequest, requestOf } from './select.js';

/** An insert body of at most ENTITIES_PER_INSERT_MAX rows. */
export interface CopiedRows {
  readonly rowCount: number;
  /** Members of a JSON object. */
  readonly members: readonly string[];
}

export type PendingWrite =
  | { readonly is: 'statement'; readonly statement: sql.WriteStatement; readonly bytes: number }
  | { readonly is: 'copy'; readonly parts: readonly CopiedRows[]; readonly bytes: number };

const BYTES_MAX = 32 * 2 ** 20;
const STATEMENTS_MAX = 1_000;
const SAVEPOINTS_MAX = 1_000;

type Engine = Pick<EngineApi, 'script' | 'holdMemory'>;

export class TransactionWrites {
  readonly #engine: Engine;
  #pending: PendingWrite[] = [];
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

  /** Adds a write to the block. Throws 54000, 53200, and the errors of binding. */
  add(write: PendingWrite, request: PostgresRequest): void {
    request.grantWrite();
    scriptWrites([write], request, request.context.model);
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
  }

  /** Executes the writes of the block as one record. Rejects, with nothing written, if one of them is refused. */
  async commit(request: PostgresRequest): Promise<void> {
    const writes = this.#pending;
    try {
      await runWrites(this.#engine, writes, request);
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

  /** Drops the writes and savepoints after the newest savepoint of the name. Throws 3B001. */
  rollbackTo(name: string): void {
    const at = this.#savepointIndex(name);
    this.#pending.length = this.#savepoints[at].writeCount;
    this.#savepoints.length = at + 1;
    this.#byteCount = this.#pending.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Forgets the newest savepoint of the name and those after it. Throws 3B001. */
  releaseSavepoint(name: string): void {
    this.#savepoints.length = this.#savepointIndex(name);
  }

  #savepointIndex(name: string): number {
    const at = this.#savepoints.findLastIndex((one) => one.name === name);
    if (at !== -1) return at;
    throw new ProtocolError('3B001', `savepoint ${JSON.stringify(name)} does not exist`);
  }

  drop(): void {
    this.#pending = [];
    this.#byteCount = 0;
    this.#savepoints.length = 0;
    for (const release of this.#releases.splice(0)) release();
  }
}

/** Resolves with the numbers of EngineApi.script when the writes are durable and visible. */
export async function runWrites(
  engine: Pick<EngineApi, 'script'>,
  writes: readonly PendingWrite[],
  request: PostgresRequest,
): Promise<readonly number[]> {
  const { customKey, charge } = request.grantWrite();
  const { databaseId, access, model, nowMs } = request.context;
  return engine
    .script({
      databaseId,
      customKey,
      columnIds: access.columnIds(model),
      nowMs,
      idempotency: null,
      bind: (newest) => scriptWrites(writes, request, newest),
      charge,
    })
    .catch((error) => {
      throw error instanceof StepRefused ? refusalOf(writes, error) : error;
    });
}

function scriptWrites(
  writes: readonly PendingWrite[],
  { context }: PostgresRequest,
  model: PostgresRequest['context']['model'],
): readonly ScriptWrite[] {
  const request = requestOf({ ...context, model }, 'postgres');
  return writes.flatMap((write): readonly ScriptWrite[] => {
    if (write.is === 'statement') return sql.bindWrites([write.statement], request);
    return write.parts.map(({ rowCount, members }) => ({
      write: 'insert',
      rowCount,
      body: (rows) => sql.bodyOf(members.slice(0, rows)),
    }));
  });
}

/** The error of the statement, or of the row of COPY, that was refused. */
function refusalOf(writes: readonly PendingWrite[], { step, row, refusal }: StepRefused): QuarryError {
  let next = 0;
  for (const write of writes) {
    if (write.is === 'statement') {
      if (next++ === step) return sql.refusedWrite(write.statement, row, refusal);
      continue;
    }
    if (step < next + write.parts.length) {
      const before = write.parts.slice(0, step - next).reduce((sum, { rowCount }) => sum + rowCount, 0);
      const where = row === null ? '' : `, row ${before + row + 1} of COPY`;
      return new QuarryError(refusal.code, `${refusal.message}${where}`, refusal.moreInfo);
    }
    next += write.parts.length;
  }
  return refusal;
}
