/**
 * Executes requests in a worker thread, which is the only owner of the state of its shards.
 * Invariants: requests take effect one at a time, in the order sent; only a checkpoint step spans several turns of the event
 * loop, and it reads copies. Refusals and corrupt files are replies; any other error ends the thread.
 */
import { threadId } from 'node:worker_threads';
import type { DataUse } from '../base/index.js';
import { type DataMemory, HEAP_USES, type HeapUse, invariant, QuarryError } from '../base/index.js';
import { applyChanges, type Catalog, type CatalogChange, EMPTY_CATALOG } from '../catalog/index.js';
import { decodeBatch } from '../column/index.js';
import {
  behaviourOfShards,
  behaviourRanking,
  countEntities,
  describeColumns,
  lookUp,
  mutateEntities,
  QueryMemories,
  SpillStore,
  summarizeScan,
  totalsOfShards,
} from '../exec/index.js';
import { createLz4 } from '../format/index.js';
import { createIngestScratch, type IngestScratch } from '../ingest/index.js';
import type { FileSystem } from '../io/index.js';
import { compileKernels } from '../kernels/index.js';
import type { DimensionData } from '../protocol/index.js';
import {
  bytesAt,
  locate,
  QUERY_SLOTS,
  SpillSpace,
  sentGroups,
  toRefusal,
  type WorkerOp,
  type WorkerReply,
  type WorkerRequest,
  type WorkerRequests,
  type WorkerResponses,
  type WorkerResult,
  type WorkerStart,
  type WorkerTask,
} from '../protocol/index.js';
import { loadSnapshot, type SnapshotStore, WorkerCheckpoint } from '../recovery/index.js';
import type { DatabaseModel } from '../schema/index.js';
import { Arena, ArenaPool, type DimensionShard, Shard } from '../storage/index.js';
import { OpenQueries } from './open-queries.js';
import { parseRecord, parseSetRecord } from './parse-record.js';
import { stopFlagsOf } from './stop-flags.js';

/** Time after which a checkpoint step starts no further file. */
const CHECKPOINT_STEP_MS = 20;
const DISK_FULL_CODES = new Set(['ENOSPC', 'EDQUOT']);

/** Shortest time between two memory counts after batches, since a count reads every column. */
const MEMORY_COUNT_MS = 20;

/** Requests after which memory is counted. */
const CHANGES_MEMORY: ReadonlySet<WorkerOp> = new Set<WorkerOp>([
  'apply',
  'mutate',
  'expire',
  'drop-dimension',
  'drop-column',
  'drop-database',
  'load',
]);

type Handlers = {
  [Op in WorkerOp]: (request: WorkerRequests[Op]) => WorkerResponses[Op] | Promise<WorkerResponses[Op]>;
};

export class ShardWorker {
  readonly #pool: ArenaPool;
  /** Bitmaps that combine several columns. */
  readonly #scratch: Arena;
  readonly #shards: ReadonlyMap<number, Shard>;
  /** Workers receive only the models of the catalog. */
  #catalog: Catalog = EMPTY_CATALOG;
  readonly #ingest: IngestScratch;
  readonly #store: SnapshotStore;
  readonly #inserts: SharedArrayBuffer;
  readonly #queries: OpenQueries;
  #checkpoint: WorkerCheckpoint | null = null;
  #nextSequence = 0;
  /** A memory count that is not reported yet. */
  #memory: DataMemory | null = null;
  #dictionaryBytesMax = 0;
  #memoryCountedMs = 0;
  readonly #handlers: Handlers;

  /** `arenaBytes` lets tests with many workers use smaller arenas. */
  constructor(start: WorkerStart, fs: FileSystem, arenaBytes?: number) {
    const module = start.kernels === null ? null : compileKernels(start.kernels);
    this.#ingest = createIngestScratch(module);
    this.#pool = new ArenaPool(module, arenaBytes);
    this.#scratch = new Arena(module, arenaBytes);
    this.#shards = new Map(start.shards.map((index) => [index, new Shard(this.#pool, index)]));
    const { spill, workerIndex } = start;
    this.#queries = new OpenQueries({
      spills: new SpillStore({
        ...{ fs, dir: spill.dir, workerIndex, threadId, shareBytesMax: spill.shareBytesMax },
        space: new SpillSpace(
          spill.space ?? SpillSpace.memory(QUERY_SLOTS, spill.threadCount),
          spill,
          spill.threadCount,
        ),
      }),
      shards: this.#shards,
      scratch: this.#scratch,
      memories: new QueryMemories(module),
      stops: stopFlagsOf(start.stops),
      exchange: start.exchange,
      processBytesMax: start.processBytesMax,
    });
    this.#inserts = start.inserts;
    this.#store = { fs, dir: start.storeDir, lz4: createLz4() };
    this.#handlers = {
      model: ({ model }) => {
        this.#setModels(new Map(this.#catalog.databases).set(model.id, model));
        return null;
      },
      'change-models': ({ changes }) => {
        this.#catalog = applyChanges(this.#catalog, changes);
        return null;
      },
      parse: (request) =>
        parseRecord(
          request,
          bytesAt(request.shared, this.#inserts),
          this.#model(request, request.changes),
          start.shardCount,
          this.#ingest,
        ),
      'parse-set': (request) => parseSetRecord(request, this.#model(request, request.changes), this.#ingest),
      apply: (request) => this.#apply(request),
      mutate: (request) => this.#mutate(request),
      expire: (request) =>
        this.#each((shard) => shard.expire(request, request.columnId, request.beforeSeconds)),
      'oldest-events': ({ columns }) =>
        Float64Array.from(columns, (column) =>
          Math.min(...[...this.#shards.values()].map((shard) => shard.oldestEvent(column, column.columnId))),
        ),
      'drop-dimension': (request) => this.#each((shard) => shard.drop(request)),
      'drop-column': (request) => this.#each((shard) => shard.dropColumn(request, request.columnId)),
      'drop-database': ({ databaseId }) => {
        const models = new Map(this.#catalog.databases);
        models.delete(databaseId);
        this.#setModels(models);
        return this.#each((shard) => shard.dropDatabase(databaseId));
      },
      'count-entities': ({ plans, bounds }) => {
        const run = this.#queries.runOf(bounds);
        return plans.map((plan) => this.#sum((shard) => countEntities(shard, plan, this.#scratch, run)));
      },
      'describe-columns': ({ dimensions }) =>
        dimensions.map((dimension) => describeColumns(this.#shards.values(), dimension)),
      totals: ({ plan, bounds }) =>
        totalsOfShards(this.#shards.values(), plan, this.#scratch, this.#queries.runOf(bounds)).map(
          (groups) => sentGroups(groups, start.exchange),
        ),
      behaviour: ({ plan, chosen, bounds }) =>
        behaviourOfShards(this.#shards.values(), plan, chosen, this.#scratch, this.#queries.runOf(bounds)),
      'behaviour-values': ({ plan, bounds }) =>
        behaviourRanking(this.#shards.values(), plan, this.#scratch, this.#queries.runOf(bounds)),
      'select-begin': (request) => this.#queries.beginSelect(request),
      'select-merge': (request) => this.#queries.merge(request),
      'select-partitions': (request) => this.#queries.partitions(request),
      'select-groups': (request) => this.#queries.receiveGroups(request),
      'select-merge-step': (request) => this.#queries.mergeStep(request),
      'select-next': (request) => this.#queries.next(request),
      'select-count-texts': (request) => this.#queries.countTexts(request),
      'select-end': ({ selectId }) => this.#queries.end(selectId),
      'stage-rows': (request) => this.#queries.receive(request),
      'stage-begin': (request) => this.#queries.beginStage(request),
      'stage-rows-end': (request) => this.#queries.endRows(request),
      'outline-scan': ({ bounds, ...request }) => {
        const run = this.#queries.runOf(bounds);
        return [...this.#shards.values()].flatMap((shard) => {
          const dimension = shard.find(request);
          if (dimension === undefined) return [];
          return [summarizeScan(shard.index, dimension, request.condition, this.#scratch, run)];
        });
      },
      exist: (request) =>
        lookUp(
          this.#shards,
          start.shardCount,
          request,
          request.ids,
          request.condition,
          this.#scratch,
          this.#queries.runOf(request.bounds),
        ),
      'checkpoint-begin': ({ lsn, models }) => {
        this.#checkpoint = new WorkerCheckpoint(
          this.#store,
          lsn,
          start.shardCount,
          this.#shards.values(),
          models,
        );
        return null;
      },
      'checkpoint-step': () => this.#checkpointStep(),
      'describe-data': () => describeData(this.#shards.values()),
      load: ({ files }) => loadSnapshot(this.#store, files, this.#shards),
    };
  }

  /** Runs the requests of a task in order. Rejects only for a bug. */
  async run(task: WorkerTask): Promise<WorkerResult> {
    invariant(task.sequence === this.#nextSequence, `task ${task.sequence} is out of order`);
    this.#nextSequence++;
    const replies: WorkerReply[] = [];
    for (const request of task.requests) {
      const reply = this.#reply(request);
      const alone = task.requests.length === 1;
      invariant(alone || !(reply instanceof Promise), `${request.op} is not the only request of its task`);
      replies.push(reply instanceof Promise ? await reply : reply);
    }
    this.#countMemory(task);
    const memory = this.#memory;
    this.#memory = null;
    return { replies, memory, dictionaryBytesMax: this.#dictionaryBytesMax };
  }

  #countMemory({ requests }: WorkerTask): void {
    if (!requests.some(({ op }) => CHANGES_MEMORY.has(op))) return;
    const nowMs = performance.now();
    const batchesOnly = requests.every(({ op }) => op === 'apply' || !CHANGES_MEMORY.has(op));
    if (batchesOnly && nowMs - this.#memoryCountedMs < MEMORY_COUNT_MS) return;
    this.#memoryCountedMs = nowMs;
    this.#memory = { ...this.#pool.used, ...this.#heapMemory() };
    this.#dictionaryBytesMax = 0;
    for (const shard of this.#shards.values()) {
      for (const { shard: dimension } of shard.dimensions()) {
        for (const { byteCount } of dimension.dictionaries.values())
          this.#dictionaryBytesMax = Math.max(this.#dictionaryBytesMax, byteCount);
      }
    }
  }

  #heapMemory(): Record<HeapUse, number> {
    const memory = { 'entity-indexes': 0, dictionaries: 0, lists: 0, segments: 0 };
    for (const { heapMemory } of this.#shards.values()) {
      for (const use of HEAP_USES) memory[use] += heapMemory[use];
    }
    return memory;
  }

  #reply(request: WorkerRequest): WorkerReply | Promise<WorkerReply> {
    try {
      const handler = this.#handlers[request.op] as (
        request: WorkerRequest,
      ) => WorkerResponses[WorkerOp] | Promise<WorkerResponses[WorkerOp]>;
      const answer = handler(request);
      if (!(answer instanceof Promise)) return { value: answer };
      return answer.then((value) => ({ value }), refusal);
    } catch (error) {
      return refusal(error);
    }
  }

  #sum(of: (shard: Shard) => number): number {
    let sum = 0;
    for (const shard of this.#shards.values()) sum += of(shard);
    return sum;
  }

  #each(act: (shard: Shard) => void): null {
    for (const shard of this.#shards.values()) act(shard);
    return null;
  }

  #setModels(databases: ReadonlyMap<number, DatabaseModel>): void {
    this.#catalog = { ...this.#catalog, databases };
  }

  /** `changes` are made to the model first, for this request alone. */
  #model(
    { databaseId }: { readonly databaseId: number },
    changes: readonly CatalogChange[] = [],
  ): DatabaseModel {
    const model = applyChanges(this.#catalog, changes).databases.get(databaseId);
    if (model === undefined) throw new QuarryError(8002, 'the database was deleted');
    return model;
  }

  #apply({ records }: WorkerRequests['apply']): null {
    for (const { databaseId, buffer: location, batches } of records) {
      const { buffer, at } = locate(location, this.#inserts);
      for (const { shard, offset, byteLength } of batches) {
        const owned = this.#shards.get(shard);
        invariant(
          owned !== undefined,
          `a batch for shard ${shard} was sent to a worker that does not own it`,
        );
        owned.apply(databaseId, decodeBatch(buffer, at + offset, byteLength));
      }
    }
    return null;
  }

  #mutate({ batch, ...plan }: WorkerRequests['mutate']): number {
    const set = batch === null ? null : decodeBatch(batch.buffer, batch.byteOffset, batch.byteLength);
    return this.#sum((shard) => mutateEntities(shard, plan, set, this.#scratch));
  }

  async #checkpointStep(): Promise<WorkerResponses['checkpoint-step']> {
    const checkpoint = this.#checkpoint;
    invariant(checkpoint !== null, 'a checkpoint step without a checkpoint');
    const until = performance.now() + CHECKPOINT_STEP_MS;
    let done = false;
    try {
      while (!done && performance.now() < until) done = await checkpoint.step();
      if (!done) return { done, files: [] };
      this.#checkpoint = null;
      return { done, files: await checkpoint.finish() };
    } catch (error) {
      // The data is unchanged and no manifest names the files written so far: the next checkpoint starts over.
      this.#checkpoint = null;
      if (DISK_FULL_CODES.has((error as NodeJS.ErrnoException).code ?? '')) {
        throw new QuarryError(9002, 'disk full: not enough space for the snapshot');
      }
      throw error;
    }
  }
}

function refusal(error: unknown): WorkerReply {
  const refusal = toRefusal(error);
  if (refusal === null) throw error;
  return { refusal };
}

/** Data and memory by dimension and column: one entry per shard and dimension with data. Cost: reads the sizes of every column. */
function describeData(shards: Iterable<Shard>): DimensionData[] {
  const described: DimensionData[] = [];
  for (const shard of shards) {
    for (const { databaseId, dimensionId, shard: dimension } of shard.dimensions()) {
      described.push({
        databaseId,
        dimensionId,
        entityCount: dimension.entityCount,
        eventCounts: [...dimension.events.values()].map(({ columnId, eventCount: count }) => ({
          columnId,
          count,
        })),
        memory: memoryOf(dimension),
      });
    }
  }
  return described;
}

/** Memory by use and column. */
function memoryOf(dimension: DimensionShard): DimensionData['memory'] {
  const pieces = new Map<string, { use: DataUse; columnId: number; bytes: number }>();
  dimension.noteMemory((use, columnId, bytes) => {
    const key = `${use} ${columnId}`;
    const piece = pieces.get(key);
    if (piece === undefined) pieces.set(key, { use, columnId, bytes });
    else piece.bytes += bytes;
  });
  return [...pieces.values()];
}
