/**
 * An engine at the front end's port: it has a real catalog, answers what the test sets, and keeps what it was asked.
 * It owns insert bodies as the real one does: their buffers are transferred away.
 */
import { createHash } from 'node:crypto';
import {
  applyChange,
  applyChanges,
  type Catalog,
  EMPTY_CATALOG,
  type KeyKind,
} from '../../src/catalog/index.js';
import type {
  Decision,
  EngineApi,
  EngineStats,
  InsertAnswer,
  InsertRequest,
} from '../../src/engine/index.js';
import type { CountEntityPlan } from '../../src/ir/index.js';

export const KEYS: Readonly<Record<KeyKind, string>> = {
  team: 'team-key-text',
  master: 'master-key-text',
  write: 'write-key-text',
  read: 'read-key-text',
};

const DATABASE_ID = 1;

function firstCatalog(): Catalog {
  const made = applyChange(EMPTY_CATALOG, {
    change: 'database-created',
    id: DATABASE_ID,
    name: 'quarry',
    type: 'production',
  });
  return applyChanges(
    made,
    Object.entries(KEYS).map(([kind, text]) => ({
      change: 'key-created',
      key: {
        hash: createHash('sha256').update(text).digest('hex'),
        kind: kind as KeyKind,
        databaseId: kind === 'team' ? null : DATABASE_ID,
      },
    })),
  );
}

export class FakeEngine implements EngineApi {
  ready = true;
  readonly inserts: { databaseId: number; bytes: Uint8Array }[] = [];
  readonly plans: (readonly CountEntityPlan[])[] = [];
  /** What the next inserts do; may throw or wait. */
  onInsert: (bytes: Uint8Array) => Promise<InsertAnswer> = () =>
    Promise.resolve({ entityCount: 1, valueCount: 2 });
  counts: readonly number[] = [42];
  total = 0;
  existing: ReadonlySet<string> = new Set();
  closeCount = 0;
  #catalog = firstCatalog();

  catalog(): Catalog {
    return this.#catalog;
  }

  insert(request: InsertRequest): Promise<InsertAnswer> {
    const { databaseId, body } = request;
    const moved = body.slice();
    this.inserts.push({ databaseId, bytes: moved });
    return this.onInsert(moved);
  }

  async change<T>(decide: (catalog: Catalog) => Decision<T>): Promise<T> {
    const { changes, answer } = decide(this.#catalog);
    this.#catalog = applyChanges(this.#catalog, changes);
    return answer;
  }

  countEntities(plans: readonly CountEntityPlan[]): Promise<readonly number[]> {
    this.plans.push(plans);
    return Promise.resolve(plans.map((_, index) => this.counts[index]));
  }

  countAll(databaseId: number, dimensionIds: readonly number[]): Promise<number> {
    return Promise.resolve(databaseId === DATABASE_ID ? this.total + dimensionIds.length : -1);
  }

  exist(_databaseId: number, _dimensionId: number, ids: readonly string[]): Promise<readonly boolean[]> {
    return Promise.resolve(ids.map((id) => this.existing.has(id)));
  }

  stats(): EngineStats {
    return {
      lsnAppended: 7,
      lsnDurable: 7,
      lsnApplied: 7,
      lsnCheckpoint: 3,
      logFsyncCount: 5,
      logFsyncSecondsSum: 0.25,
      logBytesWritten: 1000,
      logRecordCount: 7,
      checkpointCount: 1,
      memoryUsedBytes: 10,
      memoryLimitBytes: 100,
      laneCount: 2,
      shardCount: 2,
      lanesDown: 0,
      laneRestartCount: 0,
    };
  }

  async close(): Promise<void> {
    this.closeCount++;
  }
}
