/** Evaluates expressions over whole columns, batch by batch. In slices. */
import { inSlices, type MemoryAccount, type Task } from '../../base/index.js';
import { compile, trueRows } from '../../expression/index.js';
import type { Expression } from '../../ir/index.js';
import { gather, memoryBytesOf, slice, type Vector } from '../../vector/index.js';
import { gatherRows, joinColumns } from './columns.js';

/** Rows that are evaluated at once. */
const BATCH_ROWS = 4_096;

/** Rows of columns, as the inputs of an expression. */
export interface Selected {
  readonly columns: readonly Vector[];
  readonly count: number;
  /** The rows of the columns; null = the first `count`. */
  readonly rows: Uint32Array | null;
}

/** The value of each row. Throws 6000, 9006. */
export function* evaluated(expression: Expression, selected: Selected, budget: MemoryAccount): Task<Vector> {
  const { columns, count, rows } = selected;
  if (expression.op === 'input') {
    const column = columns[expression.input];
    return rows === null ? column : yield* gatherRows(column, rows, budget);
  }
  const parts: Vector[] = [];
  yield* eachBatch(expression, selected, budget, (values) => {
    budget.reserve(memoryBytesOf(values));
    parts.push(values);
  });
  if (count > BATCH_ROWS) yield;
  return yield* joinColumns(parts, expression.type, budget);
}

/** The rows for which the expression is true, as row numbers of the columns. Throws 6000, 9006. */
export function* satisfying(
  expression: Expression,
  selected: Selected,
  budget: MemoryAccount,
): Task<Uint32Array> {
  const { count, rows } = selected;
  budget.reserve(count * 4);
  const passing = new Uint32Array(count);
  let selectedCount = 0;
  yield* eachBatch(expression, selected, budget, (values, from) => {
    for (const row of trueRows(values))
      passing[selectedCount++] = rows === null ? from + row : rows[from + row];
  });
  return passing.subarray(0, selectedCount);
}

function* eachBatch(
  expression: Expression,
  { columns, count, rows }: Selected,
  budget: MemoryAccount,
  take: (values: Vector, from: number) => void,
): Task<void> {
  const evaluate = compile(expression, budget);
  yield* inSlices(
    count,
    (from, to) => {
      const inputs: Vector[] = [];
      const input = (index: number): Vector => {
        inputs[index] ??=
          rows === null
            ? slice(columns[index], from, to)
            : gather(columns[index], rows.subarray(from, to), to - from);
        return inputs[index];
      };
      take(evaluate({ count: to - from, input }), from);
    },
    BATCH_ROWS,
  );
}
