/** The operator `sort`: ORDER BY, LIMIT and OFFSET. Rows whose keys are equal keep the order of the input. */

import type { RelationOf, RelationSortKey } from '../../ir/index.js';
import { gather, rowsInOrder, sortWords } from '../../vector/index.js';
import type { QueryRun } from '../query-run.js';
import type { CollectedRows } from '../relation/collected-rows.js';
import type { Operator, RelationBatch } from '../relation/operator.js';
import { batchesOf, type ColumnRows, MemoryOperator, sliceOf, stepsOf } from '../relation/row-batches.js';
import { SpillableInput } from '../relation/spillable-input.js';
import { pageBatches, sortedRuns } from '../relation/stored-rows.js';
import type { SortedRuns } from '../spill/sorted-runs.js';
import { TOP_ROWS_MAX, topRows } from './top-rows.js';

/** The rows of `input` in the order of the relation; the relation's own input is not read. */
export function sortRows(input: Operator, relation: RelationOf<'sort'>, run: QueryRun): Operator {
  const { keys, offset, limit } = relation;
  return new MemoryOperator(input.columns, input, run, (memory) => {
    if (keys.length === 0 || limit === 0) return limitedRows(input, offset, limit);
    if (limit !== null && offset + limit <= TOP_ROWS_MAX) {
      return topRows(input, keys, { offset, limit }, memory);
    }
    return sortedRows(input, relation, memory);
  });
}

function* limitedRows(
  input: Operator,
  offset: number,
  limit: number | null,
): Generator<RelationBatch | null, undefined> {
  if (limit !== 0) yield* limitedBatches(input.batches(), offset, limit);
}

function* limitedBatches(
  batches: Iterable<RelationBatch | null>,
  offset: number,
  limit: number | null,
): Generator<RelationBatch | null, undefined> {
  let [skipped, left] = [offset, limit ?? Number.POSITIVE_INFINITY];
  for (const batch of batches) {
    const count = batch?.count ?? 0;
    const from = Math.min(skipped, count);
    const to = Math.min(count, from + left);
    skipped -= from;
    left -= to - from;
    yield batch === null || from === to ? null : sliceOf(batch, from, to);
    if (left === 0) return;
  }
}

function* sortedRows(
  input: Operator,
  { keys, offset, limit }: RelationOf<'sort'>,
  memory: QueryRun,
): Generator<RelationBatch | null, undefined> {
  const spillable = new SpillableInput(input, memory, 0, () => sortedRuns(input.columns, keys, memory));
  try {
    const sorted = yield* spillable.run((rows, run) => orderOf(rows, keys, run));
    if (sorted === null) {
      const runs = spillable.store as SortedRuns;
      yield* limitedBatches(pageBatches(input.columns, runs.merged()), offset, limit);
      return;
    }
    const { rows, order } = sorted;
    const columns = new Map<number, ColumnRows>();
    for (const { column } of input.columns) {
      const vector = rows.input(column);
      columns.set(column, (from, to) => gather(vector, order.subarray(from, to), to - from));
    }
    const end = limit === null ? rows.count : Math.min(rows.count, offset + limit);
    yield* batchesOf(columns, Math.min(offset, rows.count), end, memory);
  } finally {
    spillable.store?.release();
  }
}

function* orderOf(
  rows: CollectedRows,
  keys: readonly RelationSortKey[],
  run: QueryRun,
): Generator<null, { readonly rows: CollectedRows; readonly order: Uint32Array }> {
  const scratch = run.child();
  const orders = keys.map((key) => ({ ...key, vector: rows.input(key.column) }));
  const words = yield* stepsOf(sortWords(orders, rows.count, scratch), run);
  const order = yield* stepsOf(rowsInOrder(words, rows.count, run), run);
  scratch.releaseAll();
  return { rows, order };
}
