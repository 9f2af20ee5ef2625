/** Writes the rows of one answer into its spool, in parts, and counts them. */
import type { RowEncoder } from '../answer/index.js';
import type { Table } from '../plan/index.js';
import type { RunningQuery } from './running-query.js';
import type { Spool } from './spool.js';

/** Rows that the main thread encodes before it may turn to others. */
const ENCODED_ROWS = 2_048;

export class RowWriter {
  readonly #encoder: RowEncoder;
  readonly #query: RunningQuery;
  readonly #spool: Spool;
  #rowCount = 0;

  constructor(encoder: RowEncoder, query: RunningQuery, spool: Spool) {
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
      await this.#spool.write(this.#encoder.rows(columns, from, to, this.#rowCount === 0));
      this.#rowCount += to - from;
      await this.#query.turn();
    }
  }

  /** Writes rows that were encoded elsewhere, as none of the first. */
  async bytes({ bytes, rowCount }: { readonly bytes: Uint8Array; readonly rowCount: number }): Promise<void> {
    if (rowCount === 0) return;
    this.#query.check();
    await this.#spool.write(this.#rowCount === 0 ? this.#encoder.asFirst(bytes) : bytes);
    this.#rowCount += rowCount;
  }
}
