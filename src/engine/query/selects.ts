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
import type { SelectPlan } from '../../ir/index.js';
import type { Table } from '../../plan/index.js';
import { type OperatorStats, PartMemory, type ScanSummary } from '../../protocol/index.js';
import type { DatabaseModel } from '../../schema/index.js';
import type { DimensionKey } from '../../storage/index.js';
import type { Field } from '../../vector/index.js';
import type { QueryOptions, QueryPlan, SelectRequest } from '../api.js';
import { type Analysis, EXPLAIN_FIELDS, explainTable } from './explain.js';
import { planSummaryLines } from './plan-summary.js';
import type { QueryRunner, QueryRunnerDependencies } from './query-runner.js';
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
  /** The newest model that is visible to queries. */
  readonly model: (databaseId: number) => DatabaseModel | undefined;
}

export class Selects {
  readonly #dependencies: SelectsDependencies;
  readonly #partMemory = new PartMemory();
  #lastId = 0;

  constructor(dependencies: SelectsDependencies) {
    this.#dependencies = dependencies;
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
    await runner.withSlot(dimensions, options, async (query, checkModel, slot) => {
      const [only] = requests;
      if (requests.length > 1 || isFetchedInParts(only)) {
        await runner.withWritesPaused(query, () => {
          checkModel();
          return requests.length > 1
            ? this.#list(requests, query, spool)
            : this.#answer(only, format, query, spool);
        });
        return;
      }
      const inOneSlice = (): Promise<Table | null> => this.#table(only, query, this.#onlySlice);
      const found = await (only.plan.joins.length === 0
        ? inOneSlice()
        : runner.atOneVersion(dimensions, query, checkModel, inOneSlice));
      const table =
        found ??
        (await runner.longWithWritesPaused(query, slot, checkModel, () => this.#wholeTable(only, query)));
      await write(fieldsOf(only), format, query, spool, (writer) => writer.table(table));
    });
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
      await this.#answer(request, 'json', query, spool);
      const seconds = (this.#dependencies.elapsedMs() - begunMs) / 1_000;
      await spool.write(utf8(`,"took":${seconds.toFixed(6)}}`));
    }
    await spool.write(utf8(`],"count":${requests.length}`));
  }

  /** Must be called inside the write barrier. */
  #answer(request: SelectRequest, format: RowFormat, query: RunningQuery, spool: Writable): Promise<void> {
    const { plan, explain } = request;
    return write(fieldsOf(request), format, query, spool, async (writer) =>
      explain === 'no' && isStreamed(plan)
        ? this.#work(query, this.#manySlices, null).stream(plan, format, writer)
        : writer.table(await this.#wholeTable(request, query)),
    );
  }

  /** Like `#table`, inside the write barrier. */
  async #wholeTable(request: SelectRequest, query: RunningQuery): Promise<Table> {
    const table = await this.#table(request, query, this.#manySlices);
    invariant(table !== null, 'a SELECT of many slices returns its whole answer');
    return table;
  }

  /** The whole answer of a request that is not streamed; null = only one slice is allowed, and it is too short. */
  async #table(request: SelectRequest, query: RunningQuery, slices: Slices): Promise<Table | null> {
    return request.explain === 'no'
      ? this.#work(query, slices, null).table(request.plan)
      : this.#explained(request, query, slices);
  }

  async #explained(
    { plan, explain, isRestricted }: SelectRequest,
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
    const nobody: QueryOptions = { cancellation: null, bypassCache: true };
    return this.#dependencies.runner.run(nobody, async (query) =>
      planSummaryLines(
        queryPlan,
        await this.#scanSummaries(scannedBy(queryPlan), query),
        this.#dependencies.model(queryPlan.plan.databaseId),
      ),
    );
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

  /** null as in `#table`. */
  async #analysed(plan: SelectPlan, query: RunningQuery, slices: Slices): Promise<Analysis | null> {
    const stats: OperatorStats[] = [];
    const work = this.#work(query, slices, stats);
    const begunMs = this.#dependencies.elapsedMs();
    const rows = isStreamed(plan) ? await work.drain(plan) : (await work.table(plan))?.rowCount;
    if (rows === undefined) return null;
    return { stats, rows, milliseconds: this.#dependencies.elapsedMs() - begunMs };
  }

  #work(query: RunningQuery, slices: Slices, stats: OperatorStats[] | null): SelectWork {
    const { workers, limits } = this.#dependencies;
    const nextId = (): number => ++this.#lastId;
    const { bytesMax } = limits;
    return new SelectWork({ workers, bytesMax, nextId, query, slices, stats, partMemory: this.#partMemory });
  }
}

const scannedBy = (queryPlan: QueryPlan): Scanned =>
  queryPlan.kind === 'aggregate' ? { ...queryPlan.plan, condition: queryPlan.plan.entities } : queryPlan.plan;

const fieldsOf = ({ plan, explain }: SelectRequest): readonly Field[] =>
  explain === 'no' ? plan.outputs : EXPLAIN_FIELDS;

/** Whether its rows are fetched from the workers in several requests. */
const isFetchedInParts = ({ plan, explain }: SelectRequest): boolean =>
  explain !== 'plan' && isStreamed(plan);

async function write(
  fields: readonly Field[],
  format: RowFormat,
  query: RunningQuery,
  spool: Writable,
  rows: (writer: RowWriter) => Promise<void>,
): Promise<void> {
  const encoder = rowEncoder(format, fields);
  await spool.write(encoder.head());
  const writer = new RowWriter(encoder, query, spool);
  await rows(writer);
  spool.rowCount += writer.rowCount;
  await spool.write(encoder.tail(writer.rowCount));
}

/** The dimensions whose rows a plan reads. */
function dimensionsOf({ databaseId, dimensionId, joins }: SelectPlan): readonly DimensionKey[] {
  const ids = [...(dimensionId === null ? [] : [dimensionId]), ...joins.map((join) => join.dimensionId)];
  return ids.map((id) => ({ databaseId, dimensionId: id }));
}

const utf8 = (text: string): Uint8Array => Buffer.from(text, 'utf8');
