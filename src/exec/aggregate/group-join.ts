/** From entries of rows to entries of groups: each place once for every group of its row. */
import type { DimensionShard } from '../../storage/index.js';
import type { QueryRun } from '../query-run.js';
import { Joined, type RowGroups } from './group-rows.js';
import { BATCH_MAX } from './value-batch.js';

/** Entry i is places[i] in groups[i]. Views, valid during the call. */
export type VisitGrouped = (places: Uint32Array, groups: Uint32Array) => void;

export class GroupJoin {
  readonly #groups: RowGroups;
  readonly #memory: QueryRun;
  readonly #joined: Joined;
  readonly #places: Uint32Array;

  /** Throws 9006. */
  constructor(shard: DimensionShard, groups: RowGroups, run: QueryRun) {
    this.#groups = groups;
    this.#memory = run.child();
    this.#joined = new Joined(shard, groups.groupsOfRowMax, this.#memory);
    this.#places = this.#memory.u32(BATCH_MAX);
  }

  /** Place places[i] belongs to row rows[i] of the shard. Calls `visit` with at most BATCH_MAX entries at a time. */
  each(rows: Uint32Array, places: Uint32Array, visit: VisitGrouped): void {
    const joined = this.#joined;
    for (let from = 0; from < rows.length; ) {
      this.#memory.check();
      from = this.#groups.join(rows, from, rows.length, joined);
      for (let done = 0; done < joined.count; done += BATCH_MAX) {
        const count = Math.min(BATCH_MAX, joined.count - done);
        for (let at = 0; at < count; at++) this.#places[at] = places[joined.entries[done + at]];
        visit(this.#places.subarray(0, count), joined.groups.subarray(done, done + count));
      }
    }
  }

  /** Gives the memory back. */
  release(): void {
    this.#memory.releaseAll();
  }
}
