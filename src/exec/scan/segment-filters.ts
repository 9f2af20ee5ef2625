/**
 * Applies column filters to the rows of each segment, starting with the filters that have left the fewest rows so far.
 * A filter that nearly all rows pass is dropped.
 */
import { SEGMENT_ROWS_MAX } from '../../base/index.js';
import type { EntitySegment } from '../../storage/index.js';
import type { Texts } from '../../vector/index.js';
import { type ColumnFilter, keepPresent } from './column-filter.js';

/** After this many rows a filter is dropped if more than this share of them passed. */
const TRIAL_ROWS = SEGMENT_ROWS_MAX / 2;
const PASSED_SHARE_MAX = 0.9;

interface Measured {
  readonly columnId: number;
  readonly filter: ColumnFilter;
  testedRows: number;
  passedRows: number;
}

/** Rows of a segment, ascending; `rows` null = all below `count`. */
export interface RemainingRows {
  readonly rows: Uint32Array | null;
  readonly count: number;
}

export class SegmentFilters {
  #filters: Measured[] = [];

  add(columnId: number, filter: ColumnFilter): void {
    this.#filters.unshift({ columnId, filter, testedRows: 0, passedRows: 0 });
  }

  get isEmpty(): boolean {
    return this.#filters.length === 0;
  }

  /** Whether a row of the segment may pass, by the bounds of its values. */
  mayPass(segment: EntitySegment): boolean {
    return this.#filters.every(({ columnId, filter }) => {
      const column = segment.latest(columnId);
      if (column === undefined || column.presentCount === 0) return false;
      return column.kind === 'code' || filter.mayPass(column.min, column.max);
    });
  }

  /**
   * The rows that pass, among `remaining`; `out` has capacity for them and may be their array. `textsOf` returns the
   * dictionary of a column. Throws 9006.
   */
  keep(
    segment: EntitySegment,
    remaining: RemainingRows,
    out: Uint32Array,
    textsOf: (columnId: number) => Texts | null,
  ): RemainingRows {
    let { rows, count } = remaining;
    for (const measured of this.#filters) {
      const { columnId, filter } = measured;
      const column = segment.latest(columnId);
      if (count === 0 || column === undefined) return { rows: out, count: 0 };
      measured.testedRows += count;
      count = filter.keepStored(column, textsOf(columnId), rows, count, out);
      if (column.presentCount < segment.rowCount - segment.deadCount) count = keepPresent(column, out, count);
      measured.passedRows += count;
      rows = out;
    }
    this.#order();
    return { rows, count };
  }

  #order(): void {
    if (this.#filters.length === 0) return;
    const share = ({ testedRows, passedRows }: Measured): number =>
      testedRows === 0 ? 1 : passedRows / testedRows;
    this.#filters = this.#filters
      .filter((one) => one.testedRows < TRIAL_ROWS || share(one) <= PASSED_SHARE_MAX)
      .sort((a, b) => share(a) - share(b));
  }
}
