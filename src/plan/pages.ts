/** Merges the rows of several workers in an extraction's order. */
import { type ExtractedRow, type ExtractPlan, positionOrder, type RowPosition } from '../ir/index.js';
import { PackedRowReader, type PackedRows } from '../protocol/index.js';

/** The first `limit` rows of lists that are each in the plan's order. */
export function firstRows(plan: ExtractPlan, workers: readonly PackedRows[], limit: number): ExtractedRow[] {
  const compare = positionOrder(plan);
  const readers = workers.map((packed) => new PackedRowReader(packed));
  const rows: ExtractedRow[] = [];
  while (rows.length < limit) {
    let first: PackedRowReader | null = null;
    let firstPosition: RowPosition | null = null;
    for (const reader of readers) {
      const { position } = reader;
      if (position === null) continue;
      if (firstPosition !== null && compare(position, firstPosition) >= 0) continue;
      first = reader;
      firstPosition = position;
    }
    if (first === null) break;
    rows.push(first.take());
  }
  return rows;
}
