/** The events of a shard that pass a test, by entity row, if they are few in relation to the entities. */
import { lowerBound, SEGMENT_ROWS_SHIFT } from '../../base/index.js';
import type { EventTest } from '../../ir/index.js';
import type { DimensionShard } from '../../storage/index.js';
import { EventSelection, rowsOfEvents } from '../condition/event-selection.js';
import { listSelectedRows } from '../condition/selected-rows.js';
import type { QueryRun } from '../query-run.js';

/** With more events, a counting sort over the rows is faster. */
const ROWS_PER_EVENT_MIN = 16;
const EVENT_BYTES = 12;

/** Events in the order of their entities' rows: event events[i] belongs to row rows[i]. */
export class FewEvents {
  readonly #rows: Uint32Array;
  readonly events: Uint32Array;
  #lastRow = -1;
  #start = 0;

  private constructor(rows: Uint32Array, events: Uint32Array) {
    this.#rows = rows;
    this.events = events;
  }

  /**
   * The events, each as segment << 16 | row in the segment, of entities in `rows` (null = all); null = there are too
   * many. Their memory stays reserved in `run`. Throws 9005, 9006.
   */
  static of(
    shard: DimensionShard,
    event: EventTest,
    rows: Uint8Array | null,
    run: QueryRun,
  ): FewEvents | null {
    const countMax = Math.floor(shard.rowEnd / ROWS_PER_EVENT_MIN);
    const selection = new EventSelection(shard, event, run);
    const memory = run.child();
    const segments = selection.table?.segments ?? [];
    try {
      const pairs = memory.u32(countMax * 2);
      const longest = segments.reduce((most, { eventCount }) => Math.max(most, eventCount), 0);
      const segmentRows = memory.u32(longest);
      let count = 0;
      for (const { index, segment, selected } of selection.ofRows(rows, run)) {
        if (count + selected.count > countMax) return null;
        listSelectedRows(segment.arena, selected, segmentRows);
        const owners = rowsOfEvents(segment, selected);
        for (let at = 0; at < selected.count; at++, count++) {
          pairs[count * 2] = index * 2 ** SEGMENT_ROWS_SHIFT + segmentRows[at];
          pairs[count * 2 + 1] = owners[at];
        }
      }
      // Read as little-endian 64-bit numbers, the pairs sort by row.
      new BigUint64Array(pairs.buffer, 0, count).sort();
      run.reserve(count * EVENT_BYTES);
      const found = new FewEvents(new Uint32Array(count), new Uint32Array(count));
      for (let at = 0; at < count; at++) {
        found.events[at] = pairs[at * 2];
        found.#rows[at] = pairs[at * 2 + 1];
      }
      return found;
    } finally {
      selection.release();
      memory.releaseAll();
    }
  }

  get bytes(): number {
    return this.events.length * EVENT_BYTES;
  }

  /** The index of the first event of the row, or of the next row that has one. */
  startOf(row: number): number {
    if (row !== this.#lastRow) {
      // Rows mostly ascend.
      this.#start = lowerBound(this.#rows, row, row > this.#lastRow ? this.#start : 0);
      this.#lastRow = row;
    }
    return this.#start;
  }

  /** Whether event `at` exists and belongs to the row. */
  isOf(row: number, at: number): boolean {
    return at < this.#rows.length && this.#rows[at] === row;
  }
}
