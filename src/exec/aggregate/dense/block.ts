/** A block of rows as kernels read it, and where they find its columns and write its fields. */

import type { Kernels } from '../../../kernels/index.js';
import type { LatestColumn } from '../../../storage/index.js';

/** The number of rows that are added at once, chosen so that the block stays in the L2 cache. A multiple of 128. */
export const DENSE_BLOCK_ROWS = 4_096;
export const FIELD_BYTES = 8;

/** A column of the current segment or batch; `values` and `validity` are byte offsets of its first row. */
export interface SegmentColumn {
  values: number;
  validity: number;
  /** How its values are stored; null = no row has a value. */
  stored: Pick<LatestColumn, 'kind' | 'width'> | null;
  /** Whether every row that is not deleted has a value. */
  isFull: boolean;
}

/** Rows [from, from + rows) of the segment. */
export interface Block {
  readonly from: number;
  readonly rows: number;
  /** Bitmap of the selected rows; 0 = all. */
  readonly selected: number;
  /** Number of selected rows. */
  readonly count: number;
}

/** Where staged fields are written: the first of them, and the bytes from one record to the next. */
export interface FieldTarget {
  readonly at: number;
  readonly recordBytes: number;
}

/** Writes the stored values of the selected rows of a block as 64-bit integers, with 0 for a missing value. */
export function stageStored(
  { kind, width }: NonNullable<SegmentColumn['stored']>,
  values: number,
  { from, rows, selected }: Omit<Block, 'count'>,
  { at: out, recordBytes }: FieldTarget,
  kernels: Kernels,
): void {
  const valueBytes = kind === 'i32' ? 4 : width;
  const at = values + from * valueBytes;
  if (valueBytes === 8) kernels.stageI64(at, selected, rows, out, recordBytes);
  else if (valueBytes === 4) kernels.stageI32(at, selected, rows, out, recordBytes);
  else if (valueBytes === 2) kernels.stageI16(at, selected, rows, out, recordBytes);
  else kernels.stageI8(at, selected, rows, out, recordBytes);
}
