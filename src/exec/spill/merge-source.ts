/** Groups the spilled rows of all workers, for a merge of partitions. */
import type { Task } from '../../base/index.js';
import type { GroupPartial, PartitionedRows } from '../../ir/index.js';
import type { QueryRun } from '../query-run.js';
import { type GroupRowsPlan, groupsOfRows } from './group-rows.js';

/** Memory per column of a row while it is grouped: its page, its key and its state. */
const COLUMN_BYTES = 40;
const ROW_BYTES = 64;
/** Rows that are grouped at once: about what fits in a core's cache. */
const ROWS_MAX = 65_536;
/** The part of the free memory that the groups of one step may take. */
const STEP_PART = 3;

export class SpilledRowsMerge {
  readonly #plan: GroupRowsPlan;
  readonly #memory: QueryRun;
  readonly rowsMax: number;

  constructor(plan: GroupRowsPlan, run: QueryRun) {
    this.#plan = plan;
    this.#memory = run.child();
    const rowBytes = plan.layout.types.length * COLUMN_BYTES + ROW_BYTES;
    this.rowsMax = Math.min(ROWS_MAX, Math.floor(run.freeBytes / STEP_PART / rowBytes));
  }

  groups(rows: PartitionedRows, from: number, to: number): Task<GroupPartial> {
    return groupsOfRows(this.#plan, { rows, from, to }, this.#memory);
  }

  release(): void {
    this.#memory.releaseAll();
  }
}
