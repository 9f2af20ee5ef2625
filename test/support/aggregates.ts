/** Aggregates that many tests compute. */
import { type Aggregate, INTEGER } from '../../src/ir/index.js';

/** COUNT(*). */
export const COUNT_ROWS: Aggregate = {
  function: 'count',
  of: null,
  distinct: false,
  feed: 'rows',
  fraction: null,
  type: INTEGER,
};
