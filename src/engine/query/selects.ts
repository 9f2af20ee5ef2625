/**
 * SELECTs on the main thread: fetches their rows from the workers part by part, merges, encodes and spools them for the reader.
 * Invariants: a call reads one version. Plans of one part are sent in one turn; others read rows that did not change
 * meanwhile, or run inside the write barrier. A SELECT occupies a worker for little more than a slice: one that is not done
 * within the longer first slice is dropped there and started again inside the barrier, slice by slice. Rows leave the workers
 * as fast as they are made, whatever the client does, so that the query leaves the barrier and its slot. Rows that wait for
 * the client are in the spool, in limited memory.
 */
import { type RowFormat, type RowStream, rowEncoder } from '../../answer/index.js';
import { invariant } from '../../base/index.js';
import { dimensionsOf, isRelationPlan, type ReadPlan, type SelectPlan, type Stage } from '../../ir/index.js';
import { optimize, simplifyGrouping, stagesOf, type Table } from '../../plan/index.js';
import { type Exchange, type OperatorStats, PartMemory, type ScanSummary } from '../../protocol/index.js';
import type { DatabaseModel } from '../../schema/index.js';
import type { DimensionKey } from '../../storage/index.js';
import type { Field } from '../../vector/index.js';
import type { QueryOptions, QueryPlan, SelectRequest } from '../api.js';
import type { EngineOptions } from '../options.js';
import { DataStatistics } from './data-statistics.js';
import { type Analysis, EXPLAIN_FIELDS, explainTable } from './explain.js';
import { explainRelationTable, relationLines } from './explain-relation.js';
import { type DimensionQueryPlan, planSummaryLines } from './plan-summary.js';
import type { CheckModel, ConcurrencySlot, QueryRunner, QueryRunnerDependencies } from './query-runner.js';
import { RelationWork, type RelationWorkDependencies } from './relation-work.js';
import { CountedRows, type RowSink } from './row-sink.js';
import { RowWriter } from './row-writer.js';
import type { RunningQuery } from './running-query.js';
import { SelectWork } from './select-work.js';
import {
  SPOOL_MEMORY_BYTES_MAX,
  SPOOL_READER_TIMEOUT_MS,
  Spool,
  type SpoolSettings,
  spooled,
} from './spool.js';
import type { Slices } from './worker-select.js';

/** Length of the first slice. Most SELECTs finish in it and need no write barrier. */
export const FIRST_SLICE_MS = 250;
/** Length of further slices, and so about the time that a short count waits for a long SELECT. */
export const SLICE_MS = 20;

/** If a worker has at least this many groups, the workers merge the groups. Fewer are merged faster on one thread. */
export const PARTITION_GROUPS_MIN = 32_768;

/** Runs the stages that read shards at one version. */
type ReadShards = (work: RelationWork, sink: RowSink) => Promise<unknown>;

/** The fields of a plan that determine the scanned rows. */
type Scanned = Pick<SelectPlan, 'databaseId' | 'dimensionId' | 'condition'>;

/** The destination of an answer. */
type Writable = Pick<Spool, 'write' | 'rowCount'>;

export interface SelectsDependencies extends QueryRunnerDependencies {
  readonly runner: QueryRunner;
  readonly spools: Pick<SpoolSettings, 'fs' | 'dir' | 'store'>;
  /** In milliseconds; see FIRST_SLICE_MS and SLICE_MS. */
  readonly firstSliceMs: number;
  readonly sliceMs: number;
  readonly partitionGroupsMin: number;
  readonly exchange: Exchange;
  readonly disabledRules?: EngineOptions['disabledRules'];
  /** The newest model that is visible to queries. */
  readonly model: (databaseId: number) => DatabaseModel | undefined;
}

export class Selects {
  readonly #dependencies: SelectsDependencies;
  readonly #partMemory: PartMemory;
  readonly #statistics: DataStatistics;
  #lastId = 0;

  constructor(dependencies: SelectsDependencies) {
    this.#dependencies = dependencies;
    this.#partMemory = new PartMemory(dependencies.exchange, dependencies.processBytesMax);
    this.#statistics = new DataStatistics(dependencies.versions, dependencies.elapsedMs);
  }

  /** See QueryApi.select. */
  select(requests: readonly SelectRequest[], format: RowFormat, options: QueryOptions): RowStream {
    invariant(requests.length === 1 || format === 'json', 'several SELECTs are answered in JSON only');
    const done = (part: Uint8Array): void => this.#partMemory.release(part);
    const spool = new Spool({
      ...this.#dependencies.spools,
      memoryBytesMax: SPOOL_MEMORY_BYTES_MAX,
      readerTimeoutMs: SPOOL_READER_TIMEOUT_MS,
      done,
    });
    const parts = spooled(spool, (into) => this.#produce(requests, format, options, into));
    return { format, parts, done, rowCount: () => spool.rowCount };
  }

  async #produce(
    requests: readonly SelectRequest[],
    format: RowFormat,
    options: QueryOptions,
    spool: Writable,
  ): Promise<void> {
    const { runner } = this.#dependencies;
    const dimensions = requests.flatMap(({ plan }) => dimensionsOf(plan));
    const work = async (
      query: RunningQuery,
      checkModel: CheckModel,
      slot: ConcurrencySlot,
    ): Promise<void> => {
      const [only] = requests;
      const turn = { query, checkModel, slot, dimensions };
      if (requests.length > 1) {
        await runner.withWritesPaused(query, () => {
          checkModel();
          return this.#list(requests, query, spool);
        });
      } else {
        await write(only, format, query, spool, (writer) =>
          this.#answer(only, format, query, writer, (work, sink) => this.#readShards(work, sink, turn)),
        );
      }
    };
    await runner.withSlot(dimensions, options, work, true);
  }

  get #onlySlice(): Slices {
    return { ms: this.#dependencies.firstSliceMs, isOnly: true };
  }

  get #manySlices(): Slices {
    return { ms: this.#dependencies.sliceMs, isOnly: false };
  }

  /** The answers of several statements, as a list. */
  async #list(requests: readonly SelectRequest[], query: RunningQuery, spool: Writable): Promise<void> {
    await spool.write(utf8('"result":['));
    for (const [index, request] of requests.entries()) {
      const begunMs = this.#dependencies.elapsedMs();
      await spool.write(utf8(index === 0 ? '{' : ',{'));
      await write(request, 'json', query, spool, (writer) =>
        this.#answer(request, 'json', query, writer, (work, sink) => work.readShards(this.#manySlices, sink)),
      );
      const seconds = (this.#dependencies.elapsedMs() - begunMs) / 1_000;
      await spool.write(utf8(`,"took":${seconds.toFixed(6)}}`));
    }
    await spool.write(utf8(`],"count":${requests.length}`));
  }

  /** Runs one statement, or explains it. */
  async #answer(
    request: SelectRequest,
    format: RowFormat,
    query: RunningQuery,
    writer: RowWriter,
    readShards: ReadShards,
  ): Promise<void> {
    const { plan, explain } = request;
    const stages = await this.#stages(plan, query);
    if (explain === 'no') {
      const encoding = { format, fields: plan.outputs };
      return this.#run(this.#work(plan, stages, query, { stats: null, encoding }), writer, readShards);
    }
    const analysis = explain === 'plan' ? null : await this.#analysed(plan, stages, query, readShards);
    await writer.table(await this.#explained(request, stages, query, analysis));
  }

  async #run(work: RelationWork, sink: RowSink, readShards: ReadShards): Promise<void> {
    try {
      if (work.readsShards) await readShards(work, sink);
      await work.finish(sink);
    } finally {
      work.end();
    }
  }

  /** Runs a statement without its answer. */
  async #analysed(
    plan: ReadPlan,
    stages: readonly Stage[],
    query: RunningQuery,
    readShards: ReadShards,
  ): Promise<Analysis> {
    const { elapsedMs } = this.#dependencies;
    const stats: OperatorStats[][] = stages.map(() => []);
    const counted = new CountedRows();
    const begunMs = elapsedMs();
    await this.#run(this.#work(plan, stages, query, { stats, encoding: null }), counted, readShards);
    return { stats, rows: counted.rowCount, milliseconds: elapsedMs() - begunMs, facts: query.facts };
  }

  async #explained(
    { plan, isRestricted }: SelectRequest,
    stages: readonly Stage[],
    query: RunningQuery,
    analysis: Analysis | null,
  ): Promise<Table> {
    const model = this.#dependencies.model(plan.databaseId);
    const [only] = stages;
    if (isRelationPlan(plan) || only.runs !== 'select') {
      return explainRelationTable(stages, analysis, model, isRestricted);
    }
    const summaries = await this.#scanSummaries(only.plan, query);
    return explainTable(only.plan, summaries, analysis, model, isRestricted);
  }

  /** The plan of execution. */
  async #stages(plan: ReadPlan, query: RunningQuery): Promise<readonly Stage[]> {
    if (!isRelationPlan(plan)) return [selectStage(simplifyGrouping(plan))];
    const statistics = await this.#statistics.of(dimensionsOf(plan), query);
    return stagesOf(optimize(plan, statistics, this.#dependencies.disabledRules?.()));
  }

  /** Outside the write barrier. */
  async #readShards(
    work: RelationWork,
    sink: RowSink,
    { query, checkModel, slot, dimensions }: Turn,
  ): Promise<void> {
    const { runner } = this.#dependencies;
    // The query waited for statistics.
    checkModel();
    if (work.takesManySlices) {
      return runner.withWritesPaused(query, async () => {
        checkModel();
        await work.readShards(this.#manySlices, sink);
      });
    }
    const inOneSlice = (): Promise<boolean> => work.readShards(this.#onlySlice, sink);
    const done = await (work.isOneRequest
      ? inOneSlice()
      : runner.atOneVersion(dimensions, query, checkModel, inOneSlice));
    if (done) return;
    await runner.longWithWritesPaused(query, slot, checkModel, () => work.readShards(this.#manySlices, sink));
  }

  /** See QueryApi.summarizePlan. */
  summarizePlan(queryPlan: QueryPlan): Promise<readonly string[]> {
    const { runner, model } = this.#dependencies;
    const databaseModel = model(queryPlan.plan.databaseId);
    const { plan } = queryPlan;
    const nobody: QueryOptions = { cancellation: null, bypassCache: true };
    return runner.run(nobody, async (query) => {
      if (isRelationPlan(plan)) return relationLines(await this.#stages(plan, query), databaseModel);
      const overDimension = queryPlan as DimensionQueryPlan;
      const summaries = await this.#scanSummaries(scannedBy(overDimension), query);
      return planSummaryLines(overDimension, summaries, databaseModel);
    });
  }

  /** Summaries of the scan of the plan's own dimension, in the order of shards. */
  async #scanSummaries(
    { databaseId, dimensionId, condition }: Scanned,
    query: RunningQuery,
  ): Promise<ScanSummary[]> {
    if (dimensionId === null) return [];
    const found = await query.sendAll((worker, bounds) =>
      worker.send('outline-scan', { databaseId, dimensionId, condition, bounds }),
    );
    return found.flat().sort((a, b) => a.shard - b.shard);
  }

  /** Runs SELECTs in one slice of any length. */
  wholeWork(query: RunningQuery): SelectWork {
    const slices = { ms: Number.POSITIVE_INFINITY, isOnly: false };
    return new SelectWork({ ...this.#workDependencies(query), slices, stats: null });
  }

  /** Runs SELECTs slice by slice; the caller pauses writes. */
  slicedWork(query: RunningQuery): SelectWork {
    return new SelectWork({ ...this.#workDependencies(query), slices: this.#manySlices, stats: null });
  }

  #work(
    { outputs }: ReadPlan,
    stages: readonly Stage[],
    query: RunningQuery,
    more: Pick<RelationWorkDependencies, 'stats' | 'encoding'>,
  ): RelationWork {
    const freeSlices = this.#manySlices;
    return new RelationWork(stages, {
      ...this.#workDependencies(query),
      ...more,
      freeSlices,
      fields: outputs,
    });
  }

  #workDependencies(query: RunningQuery) {
    const { workers, partitionGroupsMin, exchange } = this.#dependencies;
    const nextId = (): number => ++this.#lastId;
    const partMemory = this.#partMemory;
    const { bytesMax } = query;
    return { workers, bytesMax, nextId, query, partMemory, partitionGroupsMin, exchange };
  }
}

/** A query that begins outside the write barrier. */
interface Turn {
  readonly query: RunningQuery;
  readonly checkModel: CheckModel;
  readonly slot: ConcurrencySlot;
  readonly dimensions: readonly DimensionKey[];
}

const selectStage = (plan: SelectPlan): Stage => ({
  runs: 'select',
  plan,
  columns: plan.outputs.map(({ type }, column) => ({ column, type })),
});

const scannedBy = (queryPlan: DimensionQueryPlan): Scanned =>
  queryPlan.kind === 'aggregate' ? { ...queryPlan.plan, condition: queryPlan.plan.entities } : queryPlan.plan;

const fieldsOf = ({ plan, explain }: SelectRequest): readonly Field[] =>
  explain === 'no' ? plan.outputs : EXPLAIN_FIELDS;

async function write(
  request: SelectRequest,
  format: RowFormat,
  query: RunningQuery,
  spool: Writable,
  rows: (writer: RowWriter) => Promise<void>,
): Promise<void> {
  const writer = new RowWriter(rowEncoder(format, fieldsOf(request)), query, spool);
  await rows(writer);
  spool.rowCount += writer.rowCount;
  await writer.end();
}

const utf8 = (text: string): Uint8Array => Buffer.from(text, 'utf8');
