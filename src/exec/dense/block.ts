/** A block of rows as kernels read it, and where they find its columns and write its fields. */
import type { LatestColumn } from '../../storage/index.js';

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
