/**
 * Extractions that return all their rows in one answer: the rows of their SELECTs, encoded and spooled for the reader.
 * Invariants: all rows belong to one version: few rows are requested in one turn of the event loop, more inside the write
 * barrier. The query leaves the barrier and its slot when the last row is made, however little the client has read.
 */
import type { RowStream, StreamEncoder } from '../../answer/index.js';
import { invariant } from '../../base/index.js';
import type { ExtractedRow, ExtractPlan } from '../../ir/index.js';
import { extractedRows, selectOfExtraction, type Table } from '../../plan/index.js';
import type { QueryOptions } from '../api.js';
import type { QueryRunner } from './query-runner.js';
import type { RowSink } from './row-sink.js';
import type { RunningQuery } from './running-query.js';
import type { Selects } from './selects.js';
import { SPOOL_MEMORY_BYTES_MAX, Spool, type SpoolSettings, spooled } from './spool.js';

/** Up to this number of rows, each worker returns its rows at once. */
const ONE_PART_ROWS_MAX = 10_000;
/** Rows that are encoded before other work may run. */
const SLICE_ROWS = 1_024;

export interface ExtractStreamDependencies {
  readonly runner: QueryRunner;
  readonly selects: Pick<Selects, 'wholeWork' | 'slicedWork'>;
  readonly spools: Omit<SpoolSettings, 'memoryBytesMax'>;
}

/** The destination of an answer. */
type Writable = Pick<Spool, 'write' | 'rowCount'>;

export class ExtractStreams {
  readonly #dependencies: ExtractStreamDependencies;

  constructor(dependencies: ExtractStreamDependencies) {
    this.#dependencies = dependencies;
  }

  /** See QueryApi.extractStream. */
  stream(plan: ExtractPlan, encoder: StreamEncoder<ExtractedRow>, options: QueryOptions): RowStream {
    const spool = new Spool({ ...this.#dependencies.spools, memoryBytesMax: SPOOL_MEMORY_BYTES_MAX });
    const parts = spooled(spool, (into) => this.#produce(plan, encoder, options, into));
    return { format: encoder.format, parts, rowCount: () => spool.rowCount };
  }

  #produce(
    plan: ExtractPlan,
    encoder: StreamEncoder<ExtractedRow>,
    options: QueryOptions,
    into: Writable,
  ): Promise<void> {
    const { runner, selects } = this.#dependencies;
    const select = selectOfExtraction(plan);
    return runner.withSlot([plan], options, async (query, checkModel) => {
      const rows = new ExtractedRows(plan, encoder, query, into);
      await into.write(encoder.head());
      if (plan.limit <= ONE_PART_ROWS_MAX) {
        const table = await selects.wholeWork(query).table(select);
        invariant(table !== null, 'an extraction is not limited to a slice');
        await rows.table(table);
      } else {
        await runner.withWritesPaused(query, () => {
          checkModel();
          return selects.slicedWork(query).stream(select, null, rows);
        });
      }
      await into.write(encoder.tail(into.rowCount));
    });
  }
}

/** Encodes the rows of an extraction's SELECT. */
class ExtractedRows implements RowSink {
  readonly #plan: ExtractPlan;
  readonly #encoder: StreamEncoder<ExtractedRow>;
  readonly #query: RunningQuery;
  readonly #into: Writable;

  constructor(plan: ExtractPlan, encoder: StreamEncoder<ExtractedRow>, query: RunningQuery, into: Writable) {
    this.#plan = plan;
    this.#encoder = encoder;
    this.#query = query;
    this.#into = into;
  }

  async table(table: Table): Promise<void> {
    const rows = await this.#query.inSlices(extractedRows(this.#plan, table));
    for (let from = 0; from < rows.length; from += SLICE_ROWS) {
      const slice = rows.slice(from, from + SLICE_ROWS);
      this.#into.rowCount += slice.length;
      await this.#into.write(this.#encoder.rows(slice));
      await this.#query.turn();
    }
  }

  async parts(): Promise<void> {
    invariant(false, 'rows with an order are merged here');
  }
}
