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
