/** Calls of handlers for one database, without a server. */
import type { RowFormat } from '../../src/answer/index.js';
import { type Access, accessOf, FULL_ACCESS } from '../../src/api/index.js';
import { type CustomKey, databaseOf } from '../../src/catalog/index.js';
import { BoundBodies } from '../../src/http/endpoints/bound-bodies.js';
import type {
  DatabaseCall,
  Handler,
  Members,
  StreamedAnswer,
} from '../../src/http/endpoints/handlers/handler.js';
import { RequestNotes } from '../../src/http/observability/request-notes.js';
import { RunningQueries } from '../../src/http/observability/running-queries.js';
import { SlowQueries } from '../../src/http/observability/slow-queries.js';
import { DATABASE_ID, type FakeEngine } from './fake-engine.js';

export const NOW_MS = Date.UTC(2018, 5, 30, 12);
const MASTER = { kind: 'master', hash: 'ab', databaseId: DATABASE_ID } as const;

export interface CallOptions {
  /** Replaces the master key. */
  readonly key?: CustomKey;
  readonly idempotencyId?: string;
  readonly charge?: (entityCount: number) => void;
  readonly format?: RowFormat;
}

/** A call with `body` as its JSON body and the current catalog of the engine. */
export function callOf(engine: FakeEngine, body: string, options: CallOptions = {}): DatabaseCall {
  const { key, idempotencyId = null, charge = () => {}, format = 'json' } = options;
  const access: Access = key === undefined ? FULL_ACCESS : accessOf(key);
  const catalog = engine.catalog();
  return {
    ...{
      records: null,
      quarantine: null,
      engine,
      catalog,
      nowMs: NOW_MS,
      pathName: '',
      access,
      mayCreate: key === undefined,
      idempotencyId,
      charge,
    },
    format,
    lines: null,
    body: new TextEncoder().encode(body),
    caller: key ?? MASTER,
    checkAgain: () => {},
    chargeWrites: () => {},
    openLive: null,
    boundBodies: new BoundBodies(),
    queries: new RunningQueries({ elapsedMs: () => 0, nowMs: () => NOW_MS, instanceId: 'test' }),
    slowQueries: new SlowQueries(null),
    notes: new RequestNotes('test', ''),
    cancellation: { isCancelled: false, onCancel: () => {} },
    databaseId: DATABASE_ID,
    model: databaseOf(catalog, DATABASE_ID),
  };
}

/** The answer of the handler as a parsed object. */
export async function answerTo(
  handler: Handler<DatabaseCall, Members | StreamedAnswer>,
  call: DatabaseCall,
): Promise<Record<string, unknown>> {
  const members = await handler(call);
  if (typeof members !== 'string') throw new Error('the answer is a stream');
  return JSON.parse(`{${members}}`) as Record<string, unknown>;
}
