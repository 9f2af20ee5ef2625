/** Writes an answer into its spool: the head before the first row, the rows in parts, and the tail. */
import type { RowEncoder } from '../../answer/index.js';
import type { Table } from '../../plan/index.js';
import type { EncodedRows, RowSink } from './row-sink.js';
import type { RunningQuery } from './running-query.js';
import type { Spool } from './spool.js';

/** Rows that the main thread encodes before it lets other work run. */
const ENCODED_ROWS = 2_048;

export class RowWriter implements RowSink {
  readonly #encoder: RowEncoder;
  readonly #query: RunningQuery;
  readonly #spool: Pick<Spool, 'write'>;
  #rowCount = 0;
  #begun = false;

  constructor(encoder: RowEncoder, query: RunningQuery, spool: Pick<Spool, 'write'>) {
    this.#encoder = encoder;
    this.#query = query;
    this.#spool = spool;
  }

  /** Rows written so far. */
  get rowCount(): number {
    return this.#rowCount;
  }

  /** Encodes and writes all rows of the table. Rejects with 6000, 9002, 9005, 9006. */
  async table({ columns, rowCount }: Table): Promise<void> {
    for (let from = 0; from < rowCount; from += ENCODED_ROWS) {
      const to = Math.min(rowCount, from + ENCODED_ROWS);
      await this.#begin();
      await this.#spool.write(this.#encoder.rows(columns, from, to, this.#rowCount === 0));
      this.#rowCount += to - from;
      await this.#query.turn();
    }
  }

  async parts({ parts, rowCount }: EncodedRows): Promise<void> {
    for (const [index, bytes] of parts.entries()) {
      this.#query.check();
      await this.#begin();
      const isFirst = this.#rowCount === 0 && index === 0;
      await this.#spool.write(isFirst ? this.#encoder.asFirst(bytes) : bytes);
    }
    this.#rowCount += rowCount;
  }

  /** Must be called after the last row. */
  async end(): Promise<void> {
    await this.#begin();
    await this.#spool.write(this.#encoder.tail(this.#rowCount));
  }

  async #begin(): Promise<void> {
    if (this.#begun) return;
    this.#begun = true;
    await this.#spool.write(this.#encoder.head());
  }
}
