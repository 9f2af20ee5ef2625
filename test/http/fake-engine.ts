/**
 * An engine for tests of the server: it has a real catalog, returns the answers that the test sets, and records its
 * queries. Like the real engine it copies insert bodies before `insert` returns.
 */
import type { RowFormat, RowStream, StreamEncoder } from '../../src/answer/index.js';
import { Histogram, type HistogramStats, NO_DATA_MEMORY } from '../../src/base/index.js';
import {
  applyChanges,
  type Catalog,
  type CatalogChange,
  EMPTY_CATALOG,
  hashOfKey,
  TEAM_PERMISSIONS,
} from '../../src/catalog/index.js';
import {
  type Backup,
  type DatabaseUsage,
  type Decision,
  type EngineApi,
  type EngineStats,
  type InsertAnswer,
  type InsertRequest,
  type MutationRequest,
  NO_USAGE,
  type QueryApi,
  type QueryOptions,
  type QueryPlan,
  type ScriptRequest,
  type SegmentAddition,
  type SegmentAnswer,
  type SegmentRemoval,
  type SelectRequest,
} from '../../src/engine/index.js';
import {
  type AggregateAnswer,
  type AggregatePlan,
  type BehaviourAnswer,
  type BehaviourPlan,
  type CountEntityPlan,
  type ExtractedRow,
  type ExtractPlan,
  slotsPerGroup,
} from '../../src/ir/index.js';
import { ScriptCache } from '../../src/sql/index.js';

/** Keys of the team and of the first database, which is of type production. */
export const KEYS = {
  team: 'team-key-text',
  master: 'master-key-text',
  write: 'write-key-text',
  read: 'read-key-text',
} as const;

export const DATABASE_ID = 1;

function firstChanges(): CatalogChange[] {
  const ofDatabase = (['master', 'write', 'read'] as const).map((kind): CatalogChange => {
    return { change: 'key-created', key: { hash: hashOfKey(KEYS[kind]), kind, databaseId: DATABASE_ID } };
  });
  const hash = hashOfKey(KEYS.team);
  return [
    { change: 'database-created', id: DATABASE_ID, name: 'quarry', type: 'production' },
    { change: 'key-created', key: { hash, kind: 'team', name: 'first', permissions: TEAM_PERMISSIONS } },
    ...ofDatabase,
  ];
}

function seconds(values: readonly number[]): HistogramStats {
  const distribution = new Histogram([0.005, 0.05, 0.5]);
  for (const value of values) distribution.observe(value);
  return distribution.stats;
}

export class FakeEngine implements EngineApi {
  ready = true;
  degraded: EngineApi['degraded'] = [];
  readonly statements = new ScriptCache();
  readonly inserts: { databaseId: number; bytes: Uint8Array; request: InsertRequest }[] = [];
  readonly mutations: MutationRequest[] = [];
  readonly plans: (readonly CountEntityPlan[])[] = [];
  readonly notedRequests: { databaseId: number; isQuery: boolean }[] = [];
  /** The behavior of the next inserts; may throw or wait. */
  onInsert: (bytes: Uint8Array, request: InsertRequest) => Promise<InsertAnswer> = () =>
    Promise.resolve({ entityCount: 1, valueCount: 2 });
  onMutate: (request: MutationRequest) => Promise<number> = () => Promise.resolve(0);
  readonly scripts: ScriptRequest[] = [];
  onScript: (request: ScriptRequest) => Promise<readonly number[]> = () => Promise.resolve([]);
  counts: readonly number[] = [42];
  existing: ReadonlySet<string> = new Set();
  readonly aggregations: { plans: readonly AggregatePlan[]; options: QueryOptions }[] = [];
  aggregateAnswers: readonly AggregateAnswer[] = [];
  readonly behaviours: (readonly BehaviourPlan[])[] = [];
  readonly extracts: { plan: ExtractPlan; options: QueryOptions }[] = [];
  readonly extractions: ExtractedRow[][] = [];
  readonly selects: { requests: readonly SelectRequest[]; format: RowFormat; options: QueryOptions }[] = [];
  /** Parts of the next answers of SELECTs. */
  readonly streams: Uint8Array[][] = [];
  /** The columns of the next answers of SELECTs. */
  selectRowCount = 0;
  readonly texts = new Map<string, string>();
  usages = new Map<number, DatabaseUsage>();
  /** The result of `describeData`. */
  data: Awaited<ReturnType<EngineApi['describeData']>> = [];
  closeCount = 0;
  #catalog = applyChanges(EMPTY_CATALOG, firstChanges());

  catalog(): Catalog {
    return this.#catalog;
  }

  /** Changes the catalog like a request of another client. */
  apply(...changes: readonly CatalogChange[]): void {
    this.#catalog = applyChanges(this.#catalog, changes);
  }

  async insert(request: InsertRequest): Promise<InsertAnswer> {
    const bytes = request.body.slice();
    this.inserts.push({ databaseId: request.databaseId, bytes, request });
    return this.onInsert(bytes, request);
  }

  async mutate(request: MutationRequest): Promise<number> {
    this.mutations.push(request);
    return this.onMutate(request);
  }

  async script(request: ScriptRequest): Promise<readonly number[]> {
    this.scripts.push(request);
    return this.onScript(request);
  }

  async change<T>(decide: (catalog: Catalog) => Decision<T>): Promise<T> {
    const { changes, answer } = decide(this.#catalog);
    this.apply(...changes);
    return answer;
  }

  /** IDs of static segments that were added, or removed. */
  readonly segmentIds: { readonly change: 'added' | 'removed'; readonly ids: readonly string[] }[] = [];

  async addSegmentIds<T>({ decide, charge }: SegmentAddition<T>): Promise<SegmentAnswer<T>> {
    const { changes, answer, added } = decide(this.#catalog);
    charge(added.ids.length);
    this.apply(...changes);
    this.segmentIds.push({ change: 'added', ids: added.ids });
    return { answer, count: added.ids.length };
  }

  async removeSegmentIds({ decide }: SegmentRemoval): Promise<number> {
    const { ids } = decide(this.#catalog);
    this.segmentIds.push({ change: 'removed', ids });
    return ids.length;
  }

  /** The first counts of `counts`; missing counts are 0. */
  async countEntities(plans: readonly CountEntityPlan[], _options: QueryOptions): Promise<readonly number[]> {
    this.plans.push(plans);
    return plans.map((_, index) => this.counts[index] ?? 0);
  }

  async exist(_plan: CountEntityPlan, ids: readonly string[]): Promise<readonly boolean[]> {
    return ids.map((id) => this.existing.has(id));
  }

  /** The first of `aggregateAnswers`, or else a count of 0. */
  async aggregate(
    plans: readonly AggregatePlan[],
    options: QueryOptions,
  ): Promise<readonly AggregateAnswer[]> {
    this.aggregations.push({ plans, options });
    return plans.map((_, index) => this.aggregateAnswers[index] ?? { answers: 'metric', token: '0' });
  }

  /** Counts of 0. */
  async behaviour(plans: readonly BehaviourPlan[]): Promise<readonly BehaviourAnswer[]> {
    this.behaviours.push(plans);
    return plans.map((plan) => {
      const counts = new Float64Array(slotsPerGroup(plan) * (plan.breakdown === null ? 1 : 3));
      return { counts, samples: [], groups: [] };
    });
  }

  /** The next of `extractions`, in the order of the queries. */
  async extract(plan: ExtractPlan, options: QueryOptions): Promise<readonly ExtractedRow[]> {
    this.extracts.push({ plan, options });
    return (this.extractions.shift() ?? []).slice(0, plan.limit);
  }

  atOneVersion<T>(read: (extract: QueryApi['extract']) => Promise<T>): Promise<T> {
    return read((plan, options) => this.extract(plan, options));
  }

  /** The next of `extractions`. */
  extractStream(plan: ExtractPlan, encoder: StreamEncoder<ExtractedRow>, options: QueryOptions): RowStream {
    this.extracts.push({ plan, options });
    const rows = (this.extractions.shift() ?? []).slice(0, plan.limit);
    async function* parts(): AsyncGenerator<Uint8Array, void, void> {
      yield encoder.head();
      yield encoder.rows(rows);
      yield encoder.tail(rows.length);
    }
    return { format: encoder.format, parts: parts() };
  }

  /** The next of `streams`. */
  select(requests: readonly SelectRequest[], format: RowFormat, options: QueryOptions): RowStream {
    this.selects.push({ requests, format, options });
    const parts = this.streams.shift() ?? [];
    async function* streamed(): AsyncGenerator<Uint8Array, void, void> {
      yield* parts;
    }
    return { format, parts: streamed(), rowCount: () => this.selectRowCount };
  }

  /** The lines of the next described plans. */
  outlines: readonly string[] = ['scan'];

  async summarizePlan(request: QueryPlan): Promise<readonly string[]> {
    return this.outlines.map((line) => `${request.kind}: ${line}`);
  }

  /** A cache without expiry, by database and key. */
  async remembered(
    databaseId: number,
    key: string,
    _seconds: number,
    compute: () => Promise<string>,
  ): Promise<string> {
    const name = `${databaseId} ${key}`;
    const text = this.texts.get(name) ?? (await compute());
    this.texts.set(name, text);
    return text;
  }

  usage(databaseId: number): DatabaseUsage {
    return this.usages.get(databaseId) ?? NO_USAGE;
  }

  /** LSN of the last record, and of the last one that changed rows or the catalog. */
  lsn = 7;
  changed = 7;
  readonly #followers = new Set<() => void>();
  readonly records: EngineApi['records'] = this.#fakeRecords();

  /** Tells followers of a record that was sent. */
  send(): void {
    this.lsn++;
    this.changed = this.lsn;
    for (const act of this.#followers) act();
  }

  #fakeRecords(): EngineApi['records'] {
    const engine = this;
    return {
      get lsn() {
        return engine.lsn;
      },
      changedLsn: () => engine.changed,
      databaseChangedLsn: () => engine.changed,
      follow: (act) => {
        engine.#followers.add(act);
        return () => engine.#followers.delete(act);
      },
      sent: () => {},
      usageOf: async (databaseId) => ({ lsn: engine.lsn, usage: engine.usage(databaseId) }),
    };
  }

  noteRequest(databaseId: number, isQuery: boolean): void {
    this.notedRequests.push({ databaseId, isQuery });
  }

  async describeData(): Promise<Awaited<ReturnType<EngineApi['describeData']>>> {
    return this.data;
  }

  stats(): EngineStats {
    return {
      lsnAppended: 7,
      lsnDurable: 7,
      lsnApplied: 7,
      lsnCheckpoint: 3,
      logFsyncCount: 5,
      logFsyncSeconds: seconds([0.004, 0.006, 0.04, 0.1, 0.1]),
      logGroupRecords: seconds([1, 1, 2, 3, 0]),
      logBytesSinceCheckpoint: 600,
      logBytesWritten: 1000,
      logRecordCount: 7,
      checkpointCount: 1,
      checkpointSeconds: seconds([0.5]),
      checkpointFailureCount: 2,
      checkpointAgeSeconds: 60,
      replayBytes: 900,
      replayBytesDone: 450,
      replayRecordCount: 3,
      memoryUsedBytes: 10,
      memory: {
        ...NO_DATA_MEMORY,
        values: 7,
        'idempotency-keys': 2,
        'line-keys': 0,
        'writes-under-way': 1,
        'postgres-catalog': 0,
      },
      memoryLimitBytes: 100,
      workerCount: 2,
      shardCount: 2,
      workersDown: 0,
      workerRestartCount: 0,
      retentionSuspended: 0,
      archivedFileCount: 0,
      archiveWaitingCount: 0,
      archiveFailureCount: 0,
      idempotencyKeyCount: 4,
      lineKeyCount: 5,
      duplicateLineCount: 6,
      cacheBytes: 300,
      cacheHitCount: 2,
      cacheMissCount: 1,
      querySpillBytes: 0,
      querySpilledBytes: 0,
    };
  }

  /** Memory that `holdMemory` reserved and that was not released. */
  reservedBytes = 0;

  holdMemory(bytes: number): (() => void) | null {
    this.reservedBytes += bytes;
    return () => {
      this.reservedBytes -= bytes;
    };
  }

  backup(): Promise<Backup> {
    return Promise.reject(new Error('backups are not available over HTTP'));
  }

  async close(): Promise<void> {
    this.closeCount++;
  }
}
