/** Receives the rows of an answer, as columns or encoded by a worker. */
import type { Table } from '../../plan/index.js';

/** Rows that a worker has encoded as rows after the first. */
export interface EncodedRows {
  readonly parts: readonly Uint8Array[];
  readonly rowCount: number;
}

export interface RowSink {
  table(table: Table): Promise<void>;
  parts(rows: EncodedRows): Promise<void>;
}

/** Counts rows that are not read. */
export class CountedRows implements RowSink {
  rowCount = 0;

  async table({ rowCount }: Table): Promise<void> {
    this.rowCount += rowCount;
  }

  async parts({ rowCount }: EncodedRows): Promise<void> {
    this.rowCount += rowCount;
  }
}
