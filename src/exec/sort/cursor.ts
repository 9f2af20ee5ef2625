/**
 * A cursor over a SELECT on the shards of one worker. It returns the result in parts.
 * Invariants  the shards must not be written between the first part and the last. Between parts, and between the time
 *             slices of one part, the cursor holds no arena memory, so that other queries can run meanwhile.
 */
import type { Allocator, RowFormat } from '../../answer/index.js';
import { type IsOver, invariant, isOutOfMemory, type MemoryAccount, NEVER_OVER } from '../../base/index.js';
import { countsTexts, type JoinTable, type PartitionedTexts, type SelectPlan } from '../../ir/index.js';
import type { OperatorStats, SelectPart } from '../../protocol/index.js';
import type { Arena, Shard } from '../../storage/index.js';
import { GroupedShards, type GroupsPart } from '../aggregate/groups/grouped.js';
import { UngroupedRows } from '../aggregate/groups/ungrouped.js';
import { countDistinctTexts } from '../aggregate/states/count-distinct-texts.js';
import { JoinedTable } from '../join/join-lookup.js';
import type { QueryMemories } from '../query-memory.js';
import type { QueryRun } from '../query-run.js';
import type { PartRows } from '../scan/part-rows.js';
import { WorkerShards } from '../scan/worker-shards.js';
import type { GroupInputs } from '../spill/group-rows.js';
import { spilledStats } from '../spill/query-spill.js';
import { OrderedRows } from './ordered.js';
import { StoredOrder } from './stored-order.js';

export interface SelectOptions {
  readonly plan: SelectPlan;
  readonly tables: readonly JoinTable[];
  /** null = the result is returned as columns. */
  readonly format: RowFormat | null;
  readonly profiled: boolean;
  /**
   * If the plan counts rows by one key: about this many groups of each shard, those with the greatest counts, may be
   * returned instead of all. null or absent = all groups are returned.
   */
  readonly best?: number | null;
  /** Allocates encoded parts and the texts of groups; omitted = newly allocated memory. */
  readonly allocator?: Allocator;
  /** Memory for the tables of kernels. */
  readonly memories: QueryMemories;
}

export class SelectCursor {
  /** Whether `countTexts` may be called after the last part. */
  readonly countsTexts: boolean;
  readonly #run: QueryRun;
  readonly #memory: MemoryAccount;
  readonly #workerShards: WorkerShards;
  #rows: GroupedShards | UngroupedRows | OrderedRows | StoredOrder;
  #hasReturned = false;

  /** Throws 9005, 9006. `release` must be called at the end. */
  constructor(shards: Iterable<Shard>, settings: SelectOptions, scratch: Arena, run: QueryRun) {
    const { plan, format, profiled } = settings;
    const { dimensionId } = plan;
    invariant(dimensionId !== null, 'a SELECT without FROM is not sent to workers');
    invariant(
      format === null || (plan.grouping === null && plan.order.length === 0),
      'merged rows are returned as columns',
    );
    this.countsTexts = countsTexts(plan);
    this.#run = run;
    this.#memory = run.child();
    const tables = settings.tables.map((table) => new JoinedTable(table, this.#memory));
    this.#workerShards = new WorkerShards(
      shards,
      { ...plan, dimensionId },
      tables,
      scratch,
      settings.memories,
      run,
      profiled,
    );
    if (plan.grouping !== null)
      this.#rows = new GroupedShards(this.#workerShards, settings.best ?? null, settings.allocator);
    else if (plan.order.length > 0) this.#rows = new OrderedRows(this.#workerShards);
    else this.#rows = new UngroupedRows(this.#workerShards, format, settings.allocator);
  }

  /**
   * Returns the next rows, or all groups. A part has at most `rowsMax` rows and ends with the batch that reaches
   * `bytesMax` bytes. Works until the slice ends, but at least one batch; the next call, whose limits must not be
   * lower, continues unfinished work. Must not be called again after the last part. Throws 6000, 9005, 9006.
   */
  next(rowsMax: number, bytesMax = Number.POSITIVE_INFINITY, isOver: IsOver = NEVER_OVER): SelectPart {
    this.#run.check();
    const part = this.#nextPart(rowsMax, bytesMax, isOver);
    this.#hasReturned ||= part !== null;
    if (part === null) return { done: false, operatorStats: this.takeStats(), gives: 'nothing' };
    const done = this.#rows.isDone;
    // Groups keep their memory until `release`.
    if (done && part.gives !== 'groups') this.release();
    return { done, operatorStats: this.takeStats(), ...part };
  }

  /** Returns and resets the operator statistics since the last call. */
  takeStats(): OperatorStats[] {
    const spilled = this.#rows instanceof StoredOrder ? spilledStats('sort', this.#run.spill) : [];
    return [...this.#workerShards.takeStats(), ...spilled];
  }

  /**
   * The number of distinct texts in partitions [from, to) of the lists that workers returned for this SELECT; null =
   * the count would take too long. Throws 9005, 9006.
   */
  countTexts(lists: readonly PartitionedTexts[], from: number, to: number): number | null {
    return countDistinctTexts(lists, from, to, this.#run);
  }

  /** If there is no memory to sort the rows, they are sorted on disk. */
  #nextPart(rowsMax: number, bytesMax: number, isOver: IsOver): GroupsPart | PartRows | null {
    const sortsAll = this.#rows instanceof OrderedRows && this.#rows.sortsAll;
    const spill = sortsAll && !this.#hasReturned ? this.#run.spill : null;
    if (spill === null) return this.#rows.next(rowsMax, bytesMax, isOver);
    try {
      if (spill.shareBytesMax === Number.POSITIVE_INFINITY) return this.#rows.next(rowsMax, bytesMax, isOver);
    } catch (error) {
      if (!isOutOfMemory(error)) throw error;
    }
    this.#rows.release();
    this.#rows = new StoredOrder(this.#workerShards);
    return this.#rows.next(rowsMax, bytesMax, isOver);
  }

  /** All rows of a plan with a grouping again, from the first; no parts may be requested afterwards. Throws 9005, 9006. */
  groupInputs(): GroupInputs {
    this.#rows.release();
    return this.#workerShards.groupInputs();
  }

  /** Releases all memory; may be called repeatedly. */
  release(): void {
    this.#rows.release();
    this.#memory.releaseAll();
  }
}
