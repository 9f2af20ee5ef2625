/** The spilled rows of all workers, grouped for a merge of partitions, and the merged groups that wait on disk. */
import type { Task } from '../../base/index.js';
import type { GroupPartial, PartitionedRows, SelectPlan } from '../../ir/index.js';
import type { Vector } from '../../vector/index.js';
import type { QueryRun } from '../query-run.js';
import { StoredParts, storedFields } from '../sort/stored-parts.js';
import { type GroupRowsPlan, groupsOfRows } from './group-rows.js';
import { SortedRuns } from './sorted-runs.js';

/** Memory per column of a row while it is grouped: its page, its key and its state. */
const COLUMN_BYTES = 40;
const ROW_BYTES = 64;
/** Rows that are grouped at once: about what fits in a core's cache. */
const ROWS_MAX = 65_536;
/** The part of the free memory that the groups of one step may take. */
const STEP_PART = 3;
const STORED_ROWS = 4_096;

export class SpilledMerge {
  readonly #rowsPlan: GroupRowsPlan | null;
  readonly #ordered: SelectPlan;
  readonly #run: QueryRun;
  readonly #memory: QueryRun;
  #stored: SortedRuns | null = null;
  readonly rowsMax: number;

  /**
   * `rowsPlan`: how rows were spilled; null = they were not. `ordered`: the plan of the rows that groups become. `close` must
   * be called at the end.
   */
  constructor(rowsPlan: GroupRowsPlan | null, ordered: SelectPlan, run: QueryRun) {
    this.#rowsPlan = rowsPlan;
    this.#ordered = ordered;
    this.#run = run;
    this.#memory = run.child();
    const rowBytes = (rowsPlan?.layout.types.length ?? 0) * COLUMN_BYTES + ROW_BYTES;
    this.rowsMax = Math.min(ROWS_MAX, Math.floor(run.freeBytes / STEP_PART / rowBytes));
  }

  groups(rows: PartitionedRows, from: number, to: number): Task<GroupPartial> {
    return groupsOfRows(this.#rowsPlan as GroupRowsPlan, { rows, from, to }, this.#memory);
  }

  /** Releases the memory of the groups of spilled rows. */
  release(): void {
    this.#memory.releaseAll();
  }

  *store(columns: readonly Vector[], count: number): Task<void> {
    this.#stored ??= this.#sortedRuns();
    for (let from = 0; from < count; from += STORED_ROWS) {
      const length = Math.min(STORED_ROWS, count - from);
      const rows = Uint32Array.from({ length }, (_, row) => from + row);
      yield* this.#stored.add(columns, rows, length);
    }
  }

  #sortedRuns(): SortedRuns {
    const { outputs, order } = this.#ordered;
    const keys = order.map(({ descending }, index) => ({
      ...{ column: outputs.length + index, descending, missingFirst: false },
    }));
    return new SortedRuns(
      storedFields(this.#ordered).map(({ type }) => type),
      keys,
      this.#run,
    );
  }

  /** All stored rows in order, after which no more may be stored; null = none were. */
  parts(): StoredParts | null {
    return this.#stored && new StoredParts(this.#ordered, this.#stored.merged(), this.#run);
  }

  /** Releases everything; may be called repeatedly. */
  close(): void {
    this.#stored?.release();
    this.#memory.releaseAll();
  }
}
