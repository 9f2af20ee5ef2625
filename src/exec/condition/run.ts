/** A run of values: consecutive rows of one column, as input of kernels. */
import { bitmapBytes } from '../../kernels/index.js';
import type { ValueKind } from '../../schema/index.js';
import type { Arena, LatestColumn, Width } from '../../storage/index.js';

/** Values of consecutive rows in one arena. */
export interface ColumnRun {
  readonly arena: Arena;
  readonly kind: ValueKind;
  readonly width: Width;
  readonly valuesAt: number;
  /** Bitmap of rows that have a value; 0 = all of them. */
  readonly validityAt: number;
  readonly rowCount: number;
  readonly presentCount: number;
  /** Range of the values as numbers, integers rounded to the nearest double; for codes and integers only. */
  readonly min: number;
  readonly max: number;
}

/** Writes the rows of `run` that have a value to bitmap `out`; returns their number. */
export function presentRows(run: ColumnRun, out: number): number {
  const { u8 } = run.arena;
  if (run.presentCount === run.rowCount) run.arena.kernels.fill(run.rowCount, out);
  else u8.copyWithin(out, run.validityAt, run.validityAt + bitmapBytes(run.rowCount));
  return run.presentCount;
}

/** The values of the first `rowCount` rows of a column. */
export function runOf(column: LatestColumn, rowCount: number): ColumnRun {
  return {
    arena: column.arena,
    kind: column.kind,
    width: column.width,
    valuesAt: column.valuesAt,
    validityAt: column.presentCount === rowCount ? 0 : column.validityAt,
    rowCount,
    presentCount: column.presentCount,
    min: column.min,
    max: column.max,
  };
}
