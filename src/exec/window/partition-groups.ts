/** Divides rows in the order of their partitions into groups of whole partitions. */
import type { RelationColumn } from '../../ir/index.js';
import { compareRows, type Vector } from '../../vector/index.js';
import type { QueryRun } from '../query-run.js';
import { type CollectedRows, RowCollector } from '../relation/collected-rows.js';
import type { RelationBatch } from '../relation/operator.js';
import { sliceOf, VALUE_BYTES } from '../relation/row-batches.js';

/** A group takes about this part of the free memory; its functions and their order take more. */
const GROUP_PART = 16;

/**
 * Groups of whole partitions, the last one of a group being complete; null = a step without a group. The memory of a group is
 * reserved until the next one is requested. Throws 9006 if a partition does not fit.
 */
export function* partitionGroups(
  columns: readonly RelationColumn[],
  partition: readonly RelationColumn[],
  batches: Iterable<RelationBatch | null>,
  memory: QueryRun,
): Generator<CollectedRows | null, undefined> {
  const rowsMax = Math.max(1, memory.freeBytes / GROUP_PART / (columns.length * VALUE_BYTES));
  let run = memory.child();
  let collector = new RowCollector(columns, run);
  let count = 0;
  /** The last row of the group: its batch. */
  let last: RelationBatch | null = null;
  for (const batch of batches) {
    if (batch === null || batch.count === 0) {
      yield null;
      continue;
    }
    let from = 0;
    if (count >= rowsMax || count + batch.count >= rowsMax) {
      const end = firstOfLastPartition(partition, last, batch);
      if (end !== null) {
        if (end > 0) collector.add(sliceOf(batch, 0, end));
        if (count + end > 0) yield* finished(collector);
        run.releaseAll();
        run = memory.child();
        collector = new RowCollector(columns, run);
        count = 0;
        from = end;
      }
    }
    collector.add(sliceOf(batch, from, batch.count));
    count += batch.count - from;
    last = batch;
  }
  if (count > 0) yield* finished(collector);
  run.releaseAll();
  return undefined;
}

function* finished(collector: RowCollector): Generator<CollectedRows | null, undefined> {
  const finishing = collector.finish();
  for (;;) {
    const step = finishing.next();
    if (step.done === true) {
      yield step.value;
      return undefined;
    }
    yield null;
  }
}

/** The first row of the batch's last partition, if a partition before it ends in the batch or with `before`; else null. */
function firstOfLastPartition(
  partition: readonly RelationColumn[],
  before: RelationBatch | null,
  batch: RelationBatch,
): number | null {
  const keys = partition.map(({ column }) => batch.input(column));
  for (let row = batch.count - 1; row > 0; row--) if (!areEqual(keys, row, keys, row - 1)) return row;
  if (before === null) return null;
  const lastKeys = partition.map(({ column }) => before.input(column));
  return areEqual(keys, 0, lastKeys, before.count - 1) ? null : 0;
}

function areEqual(
  keys: readonly Vector[],
  row: number,
  others: readonly Vector[],
  otherRow: number,
): boolean {
  return keys.every((key, index) => {
    const other = others[index];
    const isMissing = key.valid !== null && key.valid[row] === 0;
    const isOtherMissing = other.valid !== null && other.valid[otherRow] === 0;
    if (isMissing || isOtherMissing) return isMissing === isOtherMissing;
    return compareRows(key, row, other, otherRow) === 0;
  });
}
