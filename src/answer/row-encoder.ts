/**
 * Rows as bytes: one encoder per format that an answer of rows can have. An answer is head, then any number of parts of
 * rows, one behind the other, then tail; parts are encoded on any thread and do not know of each other but for `first`.
 *   json    the members of a JSON answer: "result":[{...},{...}],"count":2
 *   ndjson  a JSON object a line                       csv  RFC 4180, a first line of names
 *   arrow   an Arrow IPC stream: schema, a record batch a part, end of stream
 *   postgres  DataRow messages of the protocol of Postgres, neither head nor tail
 */
import type { Vector } from '../vector/index.js';

export const ROW_FORMATS = ['json', 'ndjson', 'csv', 'arrow', 'postgres'] as const;
export type RowFormat = (typeof ROW_FORMATS)[number];

/** For one answer on one thread: it uses its memory again, and what it gives is its caller's. */
export interface RowEncoder {
  head(): Uint8Array;
  /**
   * Rows [from, to) of `columns`, one per field; nothing at all of no rows. `first`: no row came before. It decides in json
   * alone, where a part that is not the first is the same with a comma before it. Throws 6000 for what the format cannot
   * hold: in arrow integers of more than 64 bits.
   */
  rows(columns: readonly Vector[], from: number, to: number, first: boolean): Uint8Array;
  /** The first rows of an answer, given as `rows` wrote them where they were not the first. May be a view of `bytes`. */
  asFirst(bytes: Uint8Array): Uint8Array;
  tail(rowCount: number): Uint8Array;
}
