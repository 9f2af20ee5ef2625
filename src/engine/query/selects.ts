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
import {
  dimensionsOf,
  isRelationPlan,
  type ReadPlan,
  type RelationPlan,
  type SelectPlan,
  type Stage,
} from '../../ir/index.js';
import { optimize, simplifyGrouping, stagesOf, type Table } from '../../plan/index.js';
import { type Exchange, type OperatorStats, PartMemory, type ScanSummary } from '../../protocol/index.js';
import type { DatabaseModel } from '../../schema/index.js';
import type { DimensionKey } from '../../storage/index.js';
import type { Field } from '../../vector/index.js';
import type { QueryOptions, QueryPlan, SelectRequest } from '../api.js';
import { DataStatistics } from './data-statistics.js';
import { type Analysis, EXPLAIN_FIELDS, explainTable } from './explain.js';
import { explainRelationTable, type RelationAnalysis, relationLines } from './explain-relation.js';
import { oneTable, type Tables } from './merge-groups.js';
import { type DimensionQueryPlan, planSummaryLines } from './plan-summary.js';
import type { CheckModel, ConcurrencySlot, QueryRunner, QueryRunnerDependencies } from './query-runner.js';
import { RelationWork } from './relation-work.js';
import { CountedRows, type RowSink } from './row-sink.js';
import { RowWriter } from './row-writer.js';
import type { RunningQuery } from './running-query.js';
import { isStreamed, SelectWork } from './select-work.js';
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

/** A request for a plan of one kind. */
type RequestOf<Plan extends ReadPlan> = SelectRequest & { readonly plan: Plan };

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
    const simplified = requests.map((request) =>
      isRelation(request)
        ? request
        : { ...request, plan: simplifyGrouping((request as RequestOf<SelectPlan>).plan) },
    );
    const spool = new Spool({
      ...this.#dependencies.spools,
      memoryBytesMax: SPOOL_MEMORY_BYTES_MAX,
      readerTimeoutMs: SPOOL_READER_TIMEOUT_MS,
      done,
    });
    const parts = spooled(spool, (into) => this.#produce(simplified, format, options, into));
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
          isRelation(only)
            ? this.#relation(only, format, query, writer, (work, sink) => this.#readShards(work, sink, turn))
            : this.#select(only as RequestOf<SelectPlan>, format, turn, writer),
        );
      }
    };
    await runner.withSlot(dimensions, options, work, true);
  }

  /** The answer of a SELECT that begins outside the write barrier. */
  async #select(
    request: RequestOf<SelectPlan>,
    format: RowFormat,
    { query, checkModel, slot, dimensions }: Turn,
    writer: RowWriter,
  ): Promise<void> {
    const { runner } = this.#dependencies;
    if (isFetchedInParts(request)) {
      return runner.withWritesPaused(query, () => {
        checkModel();
        return this.#answer(request, format, query, writer);
      });
    }
    const inOneSlice = (): Promise<Tables | null> => this.#tables(request, query, this.#onlySlice);
    const found = await (request.plan.joins.length === 0
      ? inOneSlice()
      : runner.atOneVersion(dimensions, query, checkModel, inOneSlice));
    await writeTables(
      found ??
        (await runner.longWithWritesPaused(query, slot, checkModel, () => this.#allTables(request, query))),
      writer,
    );
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
        isRelation(request)
          ? this.#relation(request, 'json', query, writer, (work, sink) =>
              work.readShards(this.#manySlices, sink),
            )
          : this.#answer(request as RequestOf<SelectPlan>, 'json', query, writer),
      );
      const seconds = (this.#dependencies.elapsedMs() - begunMs) / 1_000;
      await spool.write(utf8(`,"took":${seconds.toFixed(6)}}`));
    }
    await spool.write(utf8(`],"count":${requests.length}`));
  }

  /** Must be called inside the write barrier. */
  async #answer(
    request: RequestOf<SelectPlan>,
    format: RowFormat,
    query: RunningQuery,
    writer: RowWriter,
  ): Promise<void> {
    const { plan, explain } = request;
    return explain === 'no' && isStreamed(plan)
      ? this.#work(query, this.#manySlices, null).stream(plan, format, writer)
      : writeTables(await this.#allTables(request, query), writer);
  }

  /** The answer of a query of stages. */
  async #relation(
    { plan, explain, isRestricted }: RequestOf<RelationPlan>,
    format: RowFormat,
    query: RunningQuery,
    writer: RowWriter,
    readShards: ReadShards,
  ): Promise<void> {
    const { elapsedMs, model } = this.#dependencies;
    const stages = await this.#stages(plan, query);
    const databaseModel = model(plan.databaseId);
    const explained = (analysis: RelationAnalysis | null): Promise<void> =>
      writer.table(explainRelationTable(stages, analysis, databaseModel, isRestricted));
    if (explain === 'plan') return explained(null);
    const isAnalysed = explain === 'analyze';
    const stats: OperatorStats[][] = stages.map(() => []);
    const counted = new CountedRows();
    const sink = isAnalysed ? counted : writer;
    const begunMs = elapsedMs();
    const work = new RelationWork(stages, {
      ...this.#workDependencies(query),
      freeSlices: this.#manySlices,
      stats: isAnalysed ? stats : null,
      fields: plan.outputs,
      encoding: isAnalysed ? null : { format, fields: plan.outputs },
    });
    try {
      if (work.readsShards) await readShards(work, sink);
      await work.finish(sink);
    } finally {
      work.end();
    }
    if (!isAnalysed) return;
    const { rowCount: rows } = counted;
    return explained({ stats, rows, milliseconds: elapsedMs() - begunMs, facts: query.facts });
  }

  /** The plan of execution. */
  async #stages(plan: RelationPlan, query: RunningQuery): Promise<readonly Stage[]> {
    return stagesOf(optimize(plan, await this.#statistics.of(dimensionsOf(plan), query)));
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
    const inOneSlice = (): Promise<boolean> => work.readShards(this.#onlySlice, sink);
    const done = await (work.isOneRequest
      ? inOneSlice()
      : runner.atOneVersion(dimensions, query, checkModel, inOneSlice));
    if (done) return;
    await runner.longWithWritesPaused(query, slot, checkModel, () => work.readShards(this.#manySlices, sink));
  }

  /** Like `#tables`, inside the write barrier. */
  async #allTables(request: RequestOf<SelectPlan>, query: RunningQuery): Promise<Tables> {
    const tables = await this.#tables(request, query, this.#manySlices);
    invariant(tables !== null, 'a SELECT of many slices returns its whole answer');
    return tables;
  }

  /** The whole answer of a request that is not streamed; null = only one slice is allowed, and it is too short. */
  async #tables(request: RequestOf<SelectPlan>, query: RunningQuery, slices: Slices): Promise<Tables | null> {
    if (request.explain === 'no') return this.#work(query, slices, null).tables(request.plan);
    const table = await this.#explained(request, query, slices);
    return table && oneTable(table);
  }

  async #explained(
    { plan, explain, isRestricted }: RequestOf<SelectPlan>,
    query: RunningQuery,
    slices: Slices,
  ): Promise<Table | null> {
    const { databaseId } = plan;
    const summaries = await this.#scanSummaries(plan, query);
    const analysis = explain === 'analyze' ? await this.#analysed(plan, query, slices) : null;
    if (explain === 'analyze' && analysis === null) return null;
    return explainTable(plan, summaries, analysis, this.#dependencies.model(databaseId), isRestricted);
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

  /** null as in `#tables`. */
  async #analysed(plan: SelectPlan, query: RunningQuery, slices: Slices): Promise<Analysis | null> {
    const stats: OperatorStats[] = [];
    const work = this.#work(query, slices, stats);
    const begunMs = this.#dependencies.elapsedMs();
    const rows = isStreamed(plan) ? await work.drain(plan) : await rowCountOf(await work.tables(plan));
    if (rows === null) return null;
    return { stats, rows, milliseconds: this.#dependencies.elapsedMs() - begunMs, facts: query.facts };
  }

  /** Runs SELECTs in one slice of any length. */
  wholeWork(query: RunningQuery): SelectWork {
    return this.#work(query, { ms: Number.POSITIVE_INFINITY, isOnly: false }, null);
  }

  #work(query: RunningQuery, slices: Slices, stats: OperatorStats[] | null): SelectWork {
    return new SelectWork({ ...this.#workDependencies(query), slices, stats });
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

const isRelation = (request: SelectRequest): request is RequestOf<RelationPlan> =>
  isRelationPlan(request.plan);

const scannedBy = (queryPlan: DimensionQueryPlan): Scanned =>
  queryPlan.kind === 'aggregate' ? { ...queryPlan.plan, condition: queryPlan.plan.entities } : queryPlan.plan;

const fieldsOf = ({ plan, explain }: SelectRequest): readonly Field[] =>
  explain === 'no' ? plan.outputs : EXPLAIN_FIELDS;

/** Whether its rows are fetched from the workers in several requests. */
const isFetchedInParts = ({ plan, explain }: RequestOf<SelectPlan>): boolean =>
  explain !== 'plan' && isStreamed(plan);

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

async function writeTables(tables: Tables, sink: RowSink): Promise<void> {
  for await (const table of tables) await sink.table(table);
}

async function rowCountOf(tables: Tables | null): Promise<number | null> {
  if (tables === null) return null;
  const counted = new CountedRows();
  await writeTables(tables, counted);
  return counted.rowCount;
}

const utf8 = (text: string): Uint8Array => Buffer.from(text, 'utf8');
