/** Joins entries of rows with the rows' groups: each entry is repeated for every group of its row. */
import type { DimensionShard } from '../../storage/index.js';
import type { QueryRun } from '../query-run.js';
import { type GroupsOfRows, JoinedEntries } from './group-rows.js';
import { BATCH_MAX } from './value-batch.js';

/** Entry i is position segmentRows[i] in group groups[i]. The arrays are views, valid during the call. */
export type VisitGrouped = (segmentRows: Uint32Array, groups: Uint32Array) => void;

export class GroupJoin {
  readonly #groups: GroupsOfRows;
  readonly #memory: QueryRun;
  readonly #joined: JoinedEntries;
  readonly #segmentRows: Uint32Array;

  /** Throws 9006. */
  constructor(shard: DimensionShard, groups: GroupsOfRows, run: QueryRun) {
    this.#groups = groups;
    this.#memory = run.child();
    this.#joined = new JoinedEntries(shard, groups.groupsOfRowMax, this.#memory);
    this.#segmentRows = this.#memory.u32(BATCH_MAX);
  }

  /**
   * Position segmentRows[i] belongs to row rows[i] of the shard. Calls `visit` with at most BATCH_MAX entries at a
   * time.
   */
  each(rows: Uint32Array, segmentRows: Uint32Array, visit: VisitGrouped): void {
    const joined = this.#joined;
    for (let from = 0; from < rows.length; ) {
      this.#memory.check();
      from = this.#groups.join(rows, from, rows.length, joined);
      for (let done = 0; done < joined.count; done += BATCH_MAX) {
        const count = Math.min(BATCH_MAX, joined.count - done);
        for (let at = 0; at < count; at++) this.#segmentRows[at] = segmentRows[joined.entries[done + at]];
        visit(this.#segmentRows.subarray(0, count), joined.groups.subarray(done, done + count));
      }
    }
  }

  /** Releases the memory. */
  release(): void {
    this.#memory.releaseAll();
  }
}
