/** Reads the values of selected rows of a segment, as a batch or directly into one group. */
import type { EntitySegment } from '../../storage/index.js';
import { NO_ROWS, type SelectedRows } from '../condition/selected-rows.js';
import type { MomentSink } from './moment-table.js';
import type { RowFilter } from './row-filter.js';
import { type BatchBuffers, numbersInPlace, type StoredColumn, type ValueBatch } from './value-batch.js';

/** Adds the values of the selected rows, at least one, to group key 0, by kernels if possible. Throws 9006. */
export function addSelected(
  column: StoredColumn,
  segmentRows: SelectedRows,
  sink: MomentSink,
  buffers: BatchBuffers,
): void {
  const { start, bitmapAt, to, count } = segmentRows;
  if (!segmentRows.isRange && sink.acceptsBitmaps(column.kind)) {
    sink.addBitmap(0, column, start, bitmapAt, to - start, count);
  } else sink.addRun(0, valuesAt(column, segmentRows, sink, buffers), 0, count);
}

/** The values of the rows if the sink needs them, else null. Throws 9006. */
export function valuesAt(
  column: StoredColumn,
  segmentRows: SelectedRows,
  sink: MomentSink,
  buffers: BatchBuffers,
): ValueBatch | null {
  if (!sink.requiresValues) return null;
  const isNumber = column.kind === 'i64' || column.kind === 'i32';
  if (segmentRows.isRange && isNumber && sink.acceptsViews)
    return numbersInPlace(column, segmentRows.from, segmentRows.to);
  return buffers.gather(column, buffers.list(column.arena, segmentRows));
}

/** The rows of a segment that the filter selects, as a list that is valid until the next call. Throws 9005 and 9006. */
export function chosenRows(
  { rowCount }: EntitySegment,
  index: number,
  filter: RowFilter,
  buffers: BatchBuffers,
): Uint32Array {
  const count = filter.select(index);
  const { arena, bitmapAt } = filter;
  const segmentRows = { from: 0, to: rowCount, count, isRange: count === rowCount, start: 0, bitmapAt };
  return buffers.list(arena, count === 0 ? NO_ROWS : segmentRows);
}
