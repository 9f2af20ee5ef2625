/**
 * Row encoders, one per format of an answer of rows. An answer is a head, any number of parts of rows, and a tail. Parts can be
 * encoded on any thread; except for `first` they are independent of each other.
 *   json    the members of a JSON answer: "result":[{...},{...}],"count":2
 *   ndjson  one JSON object per line                   csv  RFC 4180, with a header line of names
 *   arrow   an Arrow IPC stream: schema, a record batch per part, end of stream
 *   postgres  DataRow messages of the Postgres protocol, without head and tail
 */
import type { Vector } from '../vector/index.js';

export const ROW_FORMATS = ['json', 'ndjson', 'csv', 'arrow', 'postgres'] as const;
export type RowFormat = (typeof ROW_FORMATS)[number];

/** Encodes one answer on one thread. It reuses its memory; the arrays that it returns belong to the caller. */
export interface RowEncoder {
  head(): Uint8Array;
  /**
   * Encodes rows [from, to) of `columns`, one column per field; returns an empty array for no rows. `first` means that no row
   * precedes; it matters only in json, where every other part starts with a comma. Throws 6000 for values that the format
   * cannot represent: integers of more than 64 bits in arrow.
   */
  rows(columns: readonly Vector[], from: number, to: number, first: boolean): Uint8Array;
  /** Converts bytes that `rows` encoded with `first` = false to the first part of an answer. May return a view of `bytes`. */
  asFirst(bytes: Uint8Array): Uint8Array;
  tail(rowCount: number): Uint8Array;
}
