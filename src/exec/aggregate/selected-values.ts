/** Selected places of a segment: their values, as a batch or straight into one cell. */
import type { EntitySegment } from '../../storage/index.js';
import { NO_PLACES, type Places } from '../condition/places.js';
import type { CellSink } from './moment-table.js';
import type { RowFilter } from './row-filter.js';
import { type BatchBuffers, numbersInPlace, type StoredColumn, type ValueBatch } from './value-batch.js';

/** Adds them, at least one, to cell 0, by kernels where these can. Throws 9006. */
export function addPlaces(column: StoredColumn, places: Places, sink: CellSink, buffers: BatchBuffers): void {
  const { start, bitmapAt, to, count } = places;
  if (!places.isRange && sink.takesBitmaps(column.kind)) {
    sink.addBitmap(0, column, start, bitmapAt, to - start, count);
  } else sink.addRun(0, valuesAt(column, places, sink, buffers), 0, count);
}

/** The values at the places, where the sink needs them, else null. Throws 9006. */
export function valuesAt(
  column: StoredColumn,
  places: Places,
  sink: CellSink,
  buffers: BatchBuffers,
): ValueBatch | null {
  if (!sink.needsValues) return null;
  const isNumber = column.kind === 'i64' || column.kind === 'i32';
  if (places.isRange && isNumber && sink.takesInPlace) return numbersInPlace(column, places.from, places.to);
  return buffers.gather(column, buffers.list(column.arena, places));
}

/** The rows of a segment that the filter chooses, as a list of places, valid until the next one. Throws 9005 and 9006. */
export function chosenRows(
  { rowCount }: EntitySegment,
  index: number,
  filter: RowFilter,
  buffers: BatchBuffers,
): Uint32Array {
  const count = filter.select(index);
  const { arena, bitmapAt } = filter;
  const places = { from: 0, to: rowCount, count, isRange: count === rowCount, start: 0, bitmapAt };
  return buffers.list(arena, count === 0 ? NO_PLACES : places);
}
