/**
 * Codes of key values: equal values have equal codes. A code is the number of the first row with the value, plus 1;
 * 0 = the value equals nothing.
 */
import type { Vector } from '../../../vector/index.js';
import type { ColumnFilter } from '../../scan/column-filter.js';

/** The values of one key column of a table. */
export interface KeyCodes {
  /** Adds rows [from, to) of the column and writes their codes. Rows are added in order. Throws 9006. */
  add(from: number, to: number, codes: Int32Array): void;
  /** Writes the code of each row of another vector of the type; 0 = no row of the table has the value. */
  find(vector: Vector, codes: Int32Array): void;
  /** A filter that the values of the table pass; null = there is none. Its memory is reserved when it is first used. */
  filter(): ColumnFilter | null;
}
