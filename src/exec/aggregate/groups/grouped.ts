/** Computes the groups of a plan with a grouping, for each of a worker's shards that has entities of the dimension. */
import type { Allocator } from '../../../answer/index.js';
import { type IsOver, invariant, QuarryError, runSlice, stopTask, type Task } from '../../../base/index.js';
import type { GroupPartial } from '../../../ir/index.js';
import type { SelectPart } from '../../../protocol/index.js';
import type { QueryMemories } from '../../query-memory.js';
import type { WorkerShard, WorkerShards } from '../../scan/worker-shards.js';
import type { DenseGroups } from '../dense/dense-groups.js';
import { DEFAULT_GROUP_OPTIONS, groupShard } from './group.js';
import type { GroupSource } from './group-source.js';
import { allocateFresh } from './text-partitions.js';

/** A part of groups, without the fields common to all parts. */
export type GroupsPart = Omit<Extract<SelectPart, { readonly gives: 'groups' }>, 'done' | 'operatorStats'>;

export class GroupedShards {
  readonly #workerShards: WorkerShards;
  /** See SelectOptions. */
  readonly #best: number | null;
  /** Allocates texts. */
  readonly #allocator: Allocator;
  readonly #work: Task<GroupPartial[]>;
  /** The rows of the shard that is being grouped. */
  #rows: GroupSource | null = null;
  /** The dense tables of the shard that is being grouped. */
  #dense: DenseGroups | null = null;
  /** The query memory of the groups, set when the work ends, completed or not. */
  #bytes = 0;
  isDone = false;

  /** `release` must be called at the end. */
  constructor(workerShards: WorkerShards, best: number | null, allocator: Allocator = allocateFresh) {
    this.#workerShards = workerShards;
    this.#best = best;
    this.#allocator = allocator;
    this.#work = this.#groups();
  }

  /**
   * Returns all groups; null = the slice ended first. Must not be called again after it returned groups. Throws 6000,
   * 9005, 9006.
   */
  next(_rowsMax: number, _bytesMax: number, isOver: IsOver): GroupsPart | null {
    invariant(!this.isDone, 'groups are returned only once');
    const partials = runSlice(this.#work, isOver);
    if (partials === null) {
      this.#rows?.rest();
      this.#dense?.rest();
      return null;
    }
    this.isDone = true;
    return { gives: 'groups', partials };
  }

  *#groups(): Task<GroupPartial[]> {
    const { all, run } = this.#workerShards;
    const before = run.reservedBytes;
    const partials: GroupPartial[] = [];
    try {
      for (const shard of all) {
        const partial =
          this.#workerShards.groupsByKernels(shard, this.#best) ?? (yield* this.#denseGroups(shard));
        partials.push(...(partial === null ? yield* this.#groupsByRows(shard) : [partial]));
        yield;
      }
      return partials;
    } finally {
      this.#bytes = run.reservedBytes - before;
    }
  }

  *#denseGroups(shard: WorkerShard): Task<GroupPartial | null> {
    const dense = this.#workerShards.denseGroups(shard, this.#allocator);
    if (dense === null) return null;
    this.#dense = dense;
    try {
      return yield* dense.groups();
    } finally {
      this.#dense = null;
      dense.release();
    }
  }

  /** Dense tables take twice the memory of their groups while they grow, so that fewer groups fit. */
  *#groupsByRows(shard: WorkerShard): Task<GroupPartial[]> {
    const { run, memories } = this.#workerShards;
    const before = run.reservedBytes;
    try {
      return yield* this.#groupsOfRows(shard, memories);
    } catch (error) {
      if (!(error instanceof QuarryError) || error.code !== 9006) throw error;
      run.release(run.reservedBytes - before);
      return yield* this.#groupsOfRows(shard, undefined);
    }
  }

  *#groupsOfRows(shard: WorkerShard, memories: QueryMemories | undefined): Task<GroupPartial[]> {
    const { plan, run } = this.#workerShards;
    const rows = this.#workerShards.groupRows(shard);
    this.#rows = rows;
    try {
      return yield* groupShard(rows, plan, run, shard.stats, {
        ...DEFAULT_GROUP_OPTIONS,
        allocator: this.#allocator,
        memories,
      });
    } finally {
      this.#rows = null;
      rows.release();
    }
  }

  release(): void {
    stopTask(this.#work);
    this.#workerShards.run.release(this.#bytes);
    this.#bytes = 0;
  }
}
