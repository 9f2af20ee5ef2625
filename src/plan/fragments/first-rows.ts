/** Finds the first rows of each partition where the rows are stored, so that the window is computed over these rows alone. */
import {
  columnsOf,
  compareOf,
  constantOf,
  firstRowsOf,
  inputExpression,
  type Relation,
  type RelationOf,
} from '../../ir/index.js';
import type { ColumnNumbers } from '../relations/tree.js';

/** If a filter lets more rows of a partition pass, all rows are sent. */
const FIRST_ROWS_MAX = 1_000;

/**
 * Those rows of `input`, which is the input of the filter's window or a part of it, that may pass the filter; null = there may be
 * many.
 */
export function firstRowsPerPartition(
  filter: RelationOf<'filter'>,
  input: Relation,
  numbers: ColumnNumbers,
): Relation | null {
  const limit = firstRowsOf(filter);
  if (filter.input.op !== 'window' || limit === null || limit > FIRST_ROWS_MAX) return null;
  const window = filter.input;
  const [{ type }] = window.functions;
  const column = numbers.next();
  return {
    op: 'project',
    input: {
      op: 'filter',
      input: { ...window, input, functions: [{ ...window.functions[0], column }] },
      condition: compareOf('<=', inputExpression(type, column), constantOf(type, BigInt(limit))),
    },
    columns: columnsOf(input).map((own) => ({
      column: own.column,
      of: inputExpression(own.type, own.column),
    })),
  };
}
