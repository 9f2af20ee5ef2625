/**
 * Extractions whose rows are all given in one answer: pages of each lane's rows, merged and encoded here, spooled for
 * whoever reads the answer.
 * Invariants: all rows are of one version: what fits a page of every lane is asked in one turn, more of it behind the gate.
 * The gate and the seat are given back when the last row is made, whatever the client has taken by then.
 */
import type { RowStream, StreamEncoder } from '../../answer/index.js';
import { type ExtractedRow, type ExtractPlan, positionOrder, type RowPosition } from '../../ir/index.js';
import { unpackRows } from '../../protocol/index.js';
import type { Asking } from '../api.js';
import type { QueryRunner } from './query-runner.js';
import type { RunningQuery } from './running-query.js';
import { SPOOL_MEMORY_BYTES_MAX, Spool, type SpoolSettings, spooled } from './spool.js';

/** Rows that a lane gives at once. */
const PAGE_ROWS = 16_384;
/** Rows that are merged and encoded before others get the turn. */
const SLICE_ROWS = 1_024;

export interface ExtractStreamParts {
  readonly runner: QueryRunner;
  readonly spools: Omit<SpoolSettings, 'memoryBytesMax'>;
  /** Left out: PAGE_ROWS. */
  readonly pageRows?: number;
}

/** What a lane gave and was not taken yet. */
interface LaneRows {
  rows: readonly ExtractedRow[];
  /** The first that was not taken. */
  next: number;
  /** Behind which its next page begins. */
  after: RowPosition | null;
  /** It has no rows behind these. */
  done: boolean;
}

export class ExtractStreams {
  readonly #parts: ExtractStreamParts;

  constructor(parts: ExtractStreamParts) {
    this.#parts = parts;
  }

  /** See QueryApi.extractStream. */
  stream(plan: ExtractPlan, encoder: StreamEncoder<ExtractedRow>, asking: Asking): RowStream {
    const spool = new Spool({ ...this.#parts.spools, memoryBytesMax: SPOOL_MEMORY_BYTES_MAX });
    const parts = spooled(spool, (into) => this.#produce(plan, encoder, asking, into));
    return { format: encoder.format, parts, rowCount: () => spool.rowCount };
  }

  #produce(
    plan: ExtractPlan,
    encoder: StreamEncoder<ExtractedRow>,
    asking: Asking,
    into: Pick<Spool, 'write' | 'rowCount'>,
  ): Promise<void> {
    const { runner, pageRows = PAGE_ROWS } = this.#parts;
    return runner.seated([plan], asking, (query, checkModel) => {
      const write = (): Promise<void> => new Production(plan, encoder, query, into, pageRows).run();
      if (plan.limit <= pageRows) return write();
      return runner.behindGate(query, () => {
        checkModel();
        return write();
      });
    });
  }
}

/** One extraction on its way from the lanes into a spool. */
class Production {
  readonly #plan: ExtractPlan;
  readonly #encoder: StreamEncoder<ExtractedRow>;
  readonly #query: RunningQuery;
  readonly #into: Pick<Spool, 'write' | 'rowCount'>;
  readonly #pageRows: number;
  readonly #lanes: LaneRows[] = [];
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
      await this.#ask();
      if (this.#lanes.every(isEmpty)) break;
      await this.#writeRows();
    }
    await this.#into.write(this.#encoder.tail(this.#plan.limit - this.#missing));
  }

  /** The next pages of all lanes that have few rows left, in this turn. */
  async #ask(): Promise<void> {
    const limit = Math.min(this.#pageRows, this.#missing);
    const pages = await this.#query.ask(async (lane, bounds) => {
      const held = this.#lanes[lane.index];
      if (held !== undefined && (held.done || left(held) * 2 > this.#pageRows)) return null;
      const plan = { ...this.#plan, limit, after: held?.after ?? this.#plan.after };
      return lane.send('extract', { plan, bounds });
    });
    pages.forEach((packed, index) => {
      if (packed === null) return;
      const page = unpackRows(packed);
      const held = this.#lanes[index];
      const rows = held === undefined ? page : [...held.rows.slice(held.next), ...page];
      const after = page.at(-1)?.position ?? held?.after ?? null;
      this.#lanes[index] = { rows, next: 0, after, done: page.length < limit };
    });
  }

  /** Writes rows until a lane has none left whose next ones may come before those of others. */
  async #writeRows(): Promise<void> {
    // A new one each time: it remembers all IDs that it compared.
    const compare = positionOrder(this.#plan);
    while (this.#missing > 0 && !this.#lanes.some((lane) => isEmpty(lane) && !lane.done)) {
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
      let first: LaneRows | null = null;
      for (const lane of this.#lanes) {
        if (isEmpty(lane)) {
          if (lane.done) continue;
          return rows;
        }
        const isBefore =
          first === null || compare(lane.rows[lane.next].position, first.rows[first.next].position) < 0;
        if (isBefore) first = lane;
      }
      if (first === null) break;
      rows.push(first.rows[first.next++]);
    }
    return rows;
  }
}

const left = ({ rows, next }: LaneRows): number => rows.length - next;
const isEmpty = (lane: LaneRows): boolean => left(lane) === 0;
