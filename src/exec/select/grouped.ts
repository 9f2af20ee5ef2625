/** The groups of a plan with grouping, of each shard of a lane that holds something of the dimension. */
import type { Allocator } from '../../answer/index.js';
import { type IsOver, invariant, runSlice, stopTask, type Task } from '../../base/index.js';
import type { GroupPartial } from '../../ir/index.js';
import type { SelectPart } from '../../protocol/index.js';
import { groupShard, USUAL_GROUPS } from './group.js';
import type { LaneShard, LaneShards } from './lane-shards.js';
import type { ShardRows } from './shard-rows.js';
import { freshMemory } from './text-partitions.js';

/** What the part holds, without what is the same in all of them. */
export type PartGroups = Omit<Extract<SelectPart, { readonly gives: 'groups' }>, 'done' | 'figures'>;

export class GroupedShards {
  readonly #lane: LaneShards;
  /** Memory for texts. */
  readonly #room: Allocator;
  readonly #work: Task<GroupPartial[]>;
  /** Of the shard that is grouped. */
  #rows: ShardRows | null = null;
  /** What the groups take when the work has ended, done or not. */
  #bytes = 0;
  isDone = false;

  /** `release` must be called at the end. */
  constructor(lane: LaneShards, room: Allocator = freshMemory) {
    this.#lane = lane;
    this.#room = room;
    this.#work = this.#groups();
  }

  /** All groups; null = the slice was over before. Not to be called again once they were given. Throws 6000, 9005, 9006. */
  next(_rowsMax: number, _bytesMax: number, isOver: IsOver): PartGroups | null {
    invariant(!this.isDone, 'groups are given once');
    const partials = runSlice(this.#work, isOver);
    if (partials === null) {
      this.#rows?.rest(false);
      return null;
    }
    this.isDone = true;
    return { gives: 'groups', partials };
  }

  *#groups(): Task<GroupPartial[]> {
    const { all, run } = this.#lane;
    const before = run.reservedBytes;
    const partials: GroupPartial[] = [];
    try {
      for (const shard of all) {
        partials.push(this.#lane.groupsByCells(shard) ?? (yield* this.#groupsByRows(shard)));
        yield;
      }
      return partials;
    } finally {
      this.#bytes = run.reservedBytes - before;
    }
  }

  *#groupsByRows(shard: LaneShard): Task<GroupPartial> {
    const { plan, run } = this.#lane;
    const rows = this.#lane.rows(shard);
    this.#rows = rows;
    try {
      return yield* groupShard(rows, plan, run, shard.figures, { ...USUAL_GROUPS, room: this.#room });
    } finally {
      this.#rows = null;
      rows.release();
    }
  }

  release(): void {
    stopTask(this.#work);
    this.#lane.run.release(this.#bytes);
    this.#bytes = 0;
  }
}
