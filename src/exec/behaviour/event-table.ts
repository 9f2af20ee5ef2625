/**
 * A growing table of events: parallel columns of u32. Column 0 is the row of the entity, 1 the date.
 * Memory is reserved in the run of the query.
 */
import type { QueryRun } from '../query-run.js';

const CAPACITY_MIN = 1_024;

export class EventTableBuilder {
  readonly #run: QueryRun;
  columns: Uint32Array[];
  count = 0;

  constructor(columnCount: number, run: QueryRun) {
    this.#run = run;
    run.reserve(CAPACITY_MIN * 4 * columnCount);
    this.columns = Array.from({ length: columnCount }, () => new Uint32Array(CAPACITY_MIN));
  }

  /** Makes place for `more` events. Throws 9006. */
  grow(more: number): void {
    let capacity = this.columns[0].length;
    if (this.count + more <= capacity) return;
    const before = capacity;
    while (capacity < this.count + more) capacity *= 2;
    this.#run.reserve((capacity - before) * 4 * this.columns.length);
    this.columns = this.columns.map((column) => {
      const longer = new Uint32Array(capacity);
      longer.set(column.subarray(0, this.count));
      return longer;
    });
  }
}

/** Events sorted by entity row, then in the order of insertion: entity `row` has events [starts[row], starts[row + 1]). */
export interface SortedEvents {
  readonly starts: Uint32Array;
  /** Without the column of rows. */
  readonly columns: readonly Uint32Array[];
}

/** Sorts by counting. Throws 9006. */
export function sortByRow(table: EventTableBuilder, rowEnd: number, run: QueryRun): SortedEvents {
  const { count } = table;
  const [rows, ...others] = table.columns;
  run.reserve((rowEnd + 1) * 4 + count * 4 * (others.length + 1));
  const starts = new Uint32Array(rowEnd + 1);
  for (let at = 0; at < count; at++) starts[rows[at] + 1]++;
  for (let row = 0; row < rowEnd; row++) starts[row + 1] += starts[row];
  const targets = new Uint32Array(count);
  const ends = starts.slice();
  for (let at = 0; at < count; at++) targets[at] = ends[rows[at]]++;
  const columns = others.map((from) => {
    run.check();
    const to = new Uint32Array(count);
    for (let at = 0; at < count; at++) to[targets[at]] = from[at];
    return to;
  });
  return { starts, columns };
}
