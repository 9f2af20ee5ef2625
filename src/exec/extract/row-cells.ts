/** The cells of extracted rows, column by column. */
import { SEGMENT_ROWS_MASK, SEGMENT_ROWS_SHIFT } from '../../base/index.js';
import type { Cell, OutputColumn } from '../../ir/index.js';
import type { DimensionShard } from '../../storage/index.js';
import type { QueryRun } from '../query-run.js';
import { RowEvents } from './event-cells.js';
import type { FoundRow } from './found-rows.js';
import { ValueWriter } from './value-cells.js';

/** Memory of a cell beside its letters, and of a letter. */
const CELL_BYTES = 32;
const LETTER_BYTES = 2;

/** Per row its cells, one per column. Throws 9005 and 9006. */
export function cellsOf(
  rows: readonly FoundRow[],
  columns: readonly OutputColumn[],
  run: QueryRun,
): Cell[][] {
  const cells = rows.map((): Cell[] => []);
  let events: RowEvents | null = null;
  for (const column of columns) {
    run.check();
    if (column.from === 'events') {
      events ??= new RowEvents(rows, run);
      events.cells(column, run).forEach((cell, at) => {
        cells[at].push(cell);
      });
    } else if (column.from === 'entity-id') {
      rows.forEach(({ position }, at) => {
        cells[at].push(position.id);
      });
    } else pushValues(rows, column, column.columnId, cells, run);
  }
  return cells;
}

function pushValues(
  rows: readonly FoundRow[],
  column: OutputColumn,
  columnId: number,
  cells: Cell[][],
  run: QueryRun,
): void {
  const writers = new Map<DimensionShard, ValueWriter>();
  rows.forEach(({ shard, row }, at) => {
    let writer = writers.get(shard);
    if (writer === undefined) {
      writer = new ValueWriter(column, shard.dictionaries.get(columnId));
      writers.set(shard, writer);
    }
    const cell = cellOf(shard, row, columnId, writer);
    run.take(bytesOf(cell));
    cells[at].push(cell);
  });
}

function cellOf(
  shard: DimensionShard,
  row: number,
  columnId: number,
  writer: ValueWriter,
): string | string[] | null {
  const segment = shard.segments[row >>> SEGMENT_ROWS_SHIFT];
  const place = row & SEGMENT_ROWS_MASK;
  const latest = segment.latest(columnId);
  if (latest !== undefined) return writer.latest(latest, place);
  const list = segment.list(columnId);
  return list === undefined ? null : writer.list(list, place);
}

function bytesOf(cell: string | readonly string[] | null): number {
  if (cell === null) return 0;
  if (typeof cell === 'string') return CELL_BYTES + cell.length * LETTER_BYTES;
  return cell.reduce((sum, text) => sum + CELL_BYTES + text.length * LETTER_BYTES, CELL_BYTES);
}
