/**
 * SELECTs on the main thread: asked of the lanes part by part, merged, encoded, and spooled for whoever reads the answer.
 * Invariants: what a call asks reads one version: plans of one part by being sent in one turn, others over rows that did
 * not change meanwhile or behind the gate. No lane is held by a SELECT for much longer than a slice: one that is not done
 * within the first, longer one is dropped there and begun again behind the gate, slice by slice. Rows leave the lanes as fast
 * as they are made, whatever the client does, so that the gate and the seat are given back; what waits for the client lies
 * in the spool, in bounded memory.
 */
import { type RowFormat, type RowStream, rowEncoder } from '../../answer/index.js';
import { invariant } from '../../base/index.js';
import type { SelectPlan } from '../../ir/index.js';
import type { Table } from '../../plan/index.js';
import { type OperatorStats, PartMemory, type ScanSummary } from '../../protocol/index.js';
import type { DatabaseModel } from '../../schema/index.js';
import type { DimensionKey } from '../../storage/index.js';
import type { Field } from '../../vector/index.js';
import type { AskedPlan, Asking, SelectRequest } from '../api.js';
import { type Analysis, EXPLAIN_FIELDS, explainTable } from './explain.js';
import { outlineLines } from './plan-summary.js';
import type { QueryRunner, QueryRunnerParts } from './query-runner.js';
import { RowWriter } from './row-writer.js';
import type { RunningQuery } from './running-query.js';
import { isStreamed, SelectWork } from './select-work.js';
import { SPOOL_MEMORY_BYTES_MAX, SPOOL_PATIENCE_MS, Spool, type SpoolSettings, spooled } from './spool.js';
import type { Slices } from './worker-select.js';

/** Most SELECTs are done within this, in one slice and without the gate. */
export const FIRST_SLICE_MS = 250;
/** A count that comes beside a SELECT that is not waits about so long. */
export const SLICE_MS = 20;

/** What of a plan says which rows are scanned. */
type Scanned = Pick<SelectPlan, 'databaseId' | 'dimensionId' | 'condition'>;

/** Where an answer is written. */
type Writable = Pick<Spool, 'write' | 'rowCount'>;

export interface SelectsParts extends QueryRunnerParts {
  readonly runner: QueryRunner;
  readonly spools: Pick<SpoolSettings, 'fs' | 'dir' | 'store'>;
  /** Milliseconds: see FIRST_SLICE_MS and SLICE_MS. */
  readonly firstSliceMs: number;
  readonly sliceMs: number;
  /** The newest model that queries see. */
  readonly model: (databaseId: number) => DatabaseModel | undefined;
}

export class Selects {
  readonly #parts: SelectsParts;
  readonly #partMemory = new PartMemory();
  #lastId = 0;

  constructor(parts: SelectsParts) {
    this.#parts = parts;
  }

  /** See QueryApi.select. */
  select(requests: readonly SelectRequest[], format: RowFormat, asking: Asking): RowStream {
    invariant(requests.length === 1 || format === 'json', 'only JSON holds the rows of several SELECTs');
    const done = (part: Uint8Array): void => this.#partMemory.release(part);
    const spool = new Spool({
      ...this.#parts.spools,
      memoryBytesMax: SPOOL_MEMORY_BYTES_MAX,
      patienceMs: SPOOL_PATIENCE_MS,
      done,
    });
    const parts = spooled(spool, (into) => this.#produce(requests, format, asking, into));
    return { format, parts, done, rowCount: () => spool.rowCount };
  }

  async #produce(
    requests: readonly SelectRequest[],
    format: RowFormat,
    asking: Asking,
    spool: Writable,
  ): Promise<void> {
    const { runner } = this.#parts;
    const dimensions = requests.flatMap(({ plan }) => dimensionsOf(plan));
    await runner.seated(dimensions, asking, async (query, checkModel, seat) => {
      const [only] = requests;
      if (requests.length > 1 || takesParts(only)) {
        await runner.behindGate(query, () => {
          checkModel();
          return requests.length > 1
            ? this.#list(requests, query, spool)
            : this.#answer(only, format, query, spool);
        });
        return;
      }
      const atOnce = (): Promise<Table | null> => this.#table(only, query, this.#onlySlice);
      const found = await (only.plan.joins.length === 0
        ? atOnce()
        : runner.atOneVersion(dimensions, query, checkModel, atOnce));
      const table =
        found ?? (await runner.longBehindGate(query, seat, checkModel, () => this.#wholeTable(only, query)));
      await write(fieldsOf(only), format, query, spool, (writer) => writer.table(table));
    });
  }

  get #onlySlice(): Slices {
    return { ms: this.#parts.firstSliceMs, isOnly: true };
  }

  get #manySlices(): Slices {
    return { ms: this.#parts.sliceMs, isOnly: false };
  }

  /** The answers of several statements, as a list. */
  async #list(requests: readonly SelectRequest[], query: RunningQuery, spool: Writable): Promise<void> {
    await spool.write(utf8('"result":['));
    for (const [index, request] of requests.entries()) {
      const begunMs = this.#parts.elapsedMs();
      await spool.write(utf8(index === 0 ? '{' : ',{'));
      await this.#answer(request, 'json', query, spool);
      const seconds = (this.#parts.elapsedMs() - begunMs) / 1_000;
      await spool.write(utf8(`,"took":${seconds.toFixed(6)}}`));
    }
    await spool.write(utf8(`],"count":${requests.length}`));
  }

  /** Behind the gate. */
  #answer(request: SelectRequest, format: RowFormat, query: RunningQuery, spool: Writable): Promise<void> {
    const { plan, explain } = request;
    return write(fieldsOf(request), format, query, spool, async (writer) =>
      explain === 'no' && isStreamed(plan)
        ? this.#work(query, this.#manySlices, null).stream(plan, format, writer)
        : writer.table(await this.#wholeTable(request, query)),
    );
  }

  /** As `#table`; behind the gate. */
  async #wholeTable(request: SelectRequest, query: RunningQuery): Promise<Table> {
    const table = await this.#table(request, query, this.#manySlices);
    invariant(table !== null, 'in many slices everything is done');
    return table;
  }

  /** The whole answer, of a request that is not streamed; null = only one slice is let, and it is too short. */
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
    const outlines = await this.#outlines(plan, query);
    const analysis = explain === 'analyze' ? await this.#analysed(plan, query, slices) : null;
    if (explain === 'analyze' && analysis === null) return null;
    return explainTable(plan, outlines, analysis, this.#parts.model(databaseId), isRestricted);
  }

  /** See QueryApi.outline. */
  outline(asked: AskedPlan): Promise<readonly string[]> {
    const nobody: Asking = { cancellation: null, bypassCache: true };
    return this.#parts.runner.run(nobody, async (query) =>
      outlineLines(
        asked,
        await this.#outlines(scannedBy(asked), query),
        this.#parts.model(asked.plan.databaseId),
      ),
    );
  }

  /** Of the scan of the plan's own dimension, by rising shard. */
  async #outlines(
    { databaseId, dimensionId, condition }: Scanned,
    query: RunningQuery,
  ): Promise<ScanSummary[]> {
    if (dimensionId === null) return [];
    const found = await query.ask((lane, bounds) =>
      lane.send('outline-scan', { databaseId, dimensionId, condition, bounds }),
    );
    return found.flat().sort((a, b) => a.shard - b.shard);
  }

  /** null as from `#table`; nothing of such a run is told. */
  async #analysed(plan: SelectPlan, query: RunningQuery, slices: Slices): Promise<Analysis | null> {
    const figures: OperatorStats[] = [];
    const work = this.#work(query, slices, figures);
    const begunMs = this.#parts.elapsedMs();
    const rows = isStreamed(plan) ? await work.drain(plan) : (await work.table(plan))?.rowCount;
    if (rows === undefined) return null;
    return { figures, rows, milliseconds: this.#parts.elapsedMs() - begunMs };
  }

  #work(query: RunningQuery, slices: Slices, figures: OperatorStats[] | null): SelectWork {
    const { lanes, limits } = this.#parts;
    const nextId = (): number => ++this.#lastId;
    const { bytesMax } = limits;
    return new SelectWork({ lanes, bytesMax, nextId, query, slices, figures, partMemory: this.#partMemory });
  }
}

const scannedBy = (asked: AskedPlan): Scanned =>
  asked.asks === 'aggregate' ? { ...asked.plan, condition: asked.plan.entities } : asked.plan;

const fieldsOf = ({ plan, explain }: SelectRequest): readonly Field[] =>
  explain === 'no' ? plan.outputs : EXPLAIN_FIELDS;

/** Whether the lanes are asked several times for its rows. */
const takesParts = ({ plan, explain }: SelectRequest): boolean => explain !== 'plan' && isStreamed(plan);

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

/** Whose rows a plan reads. */
function dimensionsOf({ databaseId, dimensionId, joins }: SelectPlan): readonly DimensionKey[] {
  const ids = [...(dimensionId === null ? [] : [dimensionId]), ...joins.map((join) => join.dimensionId)];
  return ids.map((id) => ({ databaseId, dimensionId: id }));
}

const utf8 = (text: string): Uint8Array => Buffer.from(text, 'utf8');
