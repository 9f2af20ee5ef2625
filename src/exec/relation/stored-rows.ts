/** Rows of an input in a store on disk: in order, or in partitions by the hash of some columns. */
import { invariant } from '../../base/index.js';
import type { PartitionedRows, RelationColumn, RelationSortKey } from '../../ir/index.js';
import { vectorKindOf } from '../../vector/index.js';
import type { QueryRun } from '../query-run.js';
import { pagesOf, type RowPage } from '../spill/partition-pages.js';
import { RowPartitions } from '../spill/row-partitions.js';
import { SortedRuns } from '../spill/sorted-runs.js';
import { CollectedRows } from './collected-rows.js';
import type { Operator, RelationBatch } from './operator.js';

/** A partition that is too large is divided again at most so often; then its keys are equal. */
export const PARTITION_DEPTH_MAX = 3;

const indexOf = (columns: readonly RelationColumn[], column: number): number => {
  const index = columns.findIndex((one) => one.column === column);
  invariant(index !== -1, 'keys are columns of the rows');
  return index;
};

/** A store in the order of `keys`. */
export const sortedRuns = (
  columns: readonly RelationColumn[],
  keys: readonly RelationSortKey[],
  run: QueryRun,
): SortedRuns =>
  new SortedRuns(
    columns.map(({ type }) => type),
    keys.map((key) => ({ ...key, column: indexOf(columns, key.column) })),
    run,
  );

/** A store in partitions by the columns `keys`. `partitionCount`: see RowPartitions. */
export const rowPartitions = (
  columns: readonly RelationColumn[],
  keys: readonly number[],
  depth: number,
  run: QueryRun,
  partitionCount: number | null = null,
): RowPartitions =>
  new RowPartitions(
    { types: columns.map(({ type }) => type), keys: keys.map((key) => indexOf(columns, key)), block: 1 },
    depth,
    run,
    partitionCount,
  );

/** Pages as batches of these columns. */
export function* pageBatches(
  columns: readonly RelationColumn[],
  pages: Iterable<RowPage | null>,
): Generator<RelationBatch | null, undefined> {
  for (const page of pages) {
    yield page &&
      new CollectedRows(
        page.count,
        new Map(columns.map(({ column }, index) => [column, page.vectors[index]])),
      );
  }
  return undefined;
}

/** The rows of one partition. */
export const partitionRows = (
  columns: readonly RelationColumn[],
  rows: PartitionedRows,
  partition: number,
  run: QueryRun,
): Operator => ({
  columns,
  batches: () => {
    const kinds = columns.map(({ type }) => vectorKindOf(type));
    return pageBatches(columns, pagesOf(rows, partition, partition + 1, kinds, run));
  },
  release: () => {},
});

/** Reads an operator into a store of partitions and releases it. Throws 6000, 189, 9002, 9005, 9006. */
export function* storeRows(
  input: Operator,
  partitions: RowPartitions,
  run: QueryRun,
): Generator<null, PartitionedRows> {
  let rows = new Uint32Array(0);
  try {
    for (const batch of input.batches()) {
      run.check();
      if (batch !== null && batch.count > 0) {
        if (rows.length < batch.count) rows = Uint32Array.from({ length: batch.count }, (_, row) => row);
        const vectors = input.columns.map(({ column }) => batch.input(column));
        const adding = partitions.add(vectors, rows, batch.count);
        while (adding.next().done !== true) yield null;
      }
      yield null;
    }
  } finally {
    input.release();
  }
  return yield* finishedRows(partitions);
}

/** The rows of a store to which no more are added. */
export function* finishedRows(partitions: RowPartitions): Generator<null, PartitionedRows> {
  const finishing = partitions.finish();
  for (;;) {
    const step = finishing.next();
    if (step.done === true) return step.value;
    yield null;
  }
}
