/**
 * Extractions that return all their rows in one answer. The main thread fetches each worker's rows in pages, merges and encodes
 * them, and spools the bytes for the reader.
 * Invariants: all rows belong to one version: the first page of every worker is requested in one turn of the event loop,
 * further pages inside the write barrier. The query leaves the barrier and its slot when the last row is made, however
 * little the client has read.
 */
import type { RowStream, StreamEncoder } from '../../answer/index.js';
import { type ExtractedRow, type ExtractPlan, positionOrder, type RowPosition } from '../../ir/index.js';
import { unpackRows } from '../../protocol/index.js';
import type { QueryOptions } from '../api.js';
import type { QueryRunner } from './query-runner.js';
import type { RunningQuery } from './running-query.js';
import { SPOOL_MEMORY_BYTES_MAX, Spool, type SpoolSettings, spooled } from './spool.js';

/** Rows per page of a worker. */
const PAGE_ROWS = 16_384;
/** Rows that are merged and encoded before other work may run. */
const SLICE_ROWS = 1_024;

export interface ExtractStreamDependencies {
  readonly runner: QueryRunner;
  readonly spools: Omit<SpoolSettings, 'memoryBytesMax'>;
  /** Default: PAGE_ROWS. */
  readonly pageRows?: number;
}

/** Rows of a worker that are fetched and not yet merged. */
interface WorkerRows {
  rows: readonly ExtractedRow[];
  /** Index of the next row to merge. */
  next: number;
  /** The position after which the next page begins. */
  after: RowPosition | null;
  /** The worker has no further rows. */
  done: boolean;
}

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
    into: Pick<Spool, 'write' | 'rowCount'>,
  ): Promise<void> {
    const { runner, pageRows = PAGE_ROWS } = this.#dependencies;
    return runner.withSlot([plan], options, (query, checkModel) => {
      const write = (): Promise<void> => new Production(plan, encoder, query, into, pageRows).run();
      if (plan.limit <= pageRows) return write();
      return runner.withWritesPaused(query, () => {
        checkModel();
        return write();
      });
    });
  }
}

/** One extraction from the workers into a spool. */
class Production {
  readonly #plan: ExtractPlan;
  readonly #encoder: StreamEncoder<ExtractedRow>;
  readonly #query: RunningQuery;
  readonly #into: Pick<Spool, 'write' | 'rowCount'>;
  readonly #pageRows: number;
  readonly #workers: WorkerRows[] = [];
  #missing: number;

  constructor(
    plan: ExtractPlan,
    encoder: StreamEncoder<ExtractedRow>,
    query: RunningQuery,
    into: Pick<Spool, 'write' | 'rowCount'>,
    pageRows: number,
  ) {
    this.#plan = plan;
    this.#encoder = encoder;
    this.#query = query;
    this.#into = into;
    this.#pageRows = pageRows;
    this.#missing = plan.limit;
  }

  async run(): Promise<void> {
    await this.#into.write(this.#encoder.head());
    while (this.#missing > 0) {
      await this.#fetchPages();
      if (this.#workers.every(isEmpty)) break;
      await this.#writeRows();
    }
    await this.#into.write(this.#encoder.tail(this.#plan.limit - this.#missing));
  }

  /** Requests, in this turn, the next page of every worker that has few rows left. */
  async #fetchPages(): Promise<void> {
    const limit = Math.min(this.#pageRows, this.#missing);
    const pages = await this.#query.sendAll(async (worker, bounds) => {
      const buffered = this.#workers[worker.index];
      if (buffered !== undefined && (buffered.done || left(buffered) * 2 > this.#pageRows)) return null;
      const plan = { ...this.#plan, limit, after: buffered?.after ?? this.#plan.after };
      return worker.send('extract', { plan, bounds });
    });
    pages.forEach((packed, index) => {
      if (packed === null) return;
      const page = unpackRows(packed);
      const buffered = this.#workers[index];
      const rows = buffered === undefined ? page : [...buffered.rows.slice(buffered.next), ...page];
      const after = page.at(-1)?.position ?? buffered?.after ?? null;
      this.#workers[index] = { rows, next: 0, after, done: page.length < limit };
    });
  }

  /** Writes rows until the fetched rows of a worker that has further ones are used up. */
  async #writeRows(): Promise<void> {
    // A new comparison for each slice, because it retains all IDs that it has compared.
    const compare = positionOrder(this.#plan);
    while (this.#missing > 0 && !this.#workers.some((worker) => isEmpty(worker) && !worker.done)) {
      const rows = this.#firstRows(compare, Math.min(SLICE_ROWS, this.#missing));
      if (rows.length === 0) return;
      this.#missing -= rows.length;
      this.#into.rowCount += rows.length;
      await this.#into.write(this.#encoder.rows(rows));
      await this.#query.turn();
    }
  }

  #firstRows(compare: (a: RowPosition, b: RowPosition) => number, rowsMax: number): ExtractedRow[] {
    const rows: ExtractedRow[] = [];
    while (rows.length < rowsMax) {
      let first: WorkerRows | null = null;
      for (const worker of this.#workers) {
        if (isEmpty(worker)) {
          if (worker.done) continue;
          return rows;
        }
        const isBefore =
          first === null || compare(worker.rows[worker.next].position, first.rows[first.next].position) < 0;
        if (isBefore) first = worker;
      }
      if (first === null) break;
      rows.push(first.rows[first.next++]);
    }
    return rows;
  }
}

const left = ({ rows, next }: WorkerRows): number => rows.length - next;
const isEmpty = (worker: WorkerRows): boolean => left(worker) === 0;
