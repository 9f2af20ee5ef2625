/**
 * A cursor over a SELECT on the shards of one worker. It returns the result in parts.
 * Invariants  the shards must not be written between the first part and the last. Between parts, and between the time
 *             slices of one part, the cursor holds no arena memory, so that other queries can run meanwhile.
 */
import type { Allocator, RowFormat } from '../../answer/index.js';
import { type IsOver, invariant, type MemoryAccount, NEVER_OVER } from '../../base/index.js';
import { countsTexts, type JoinTable, type PartitionedTexts, type SelectPlan } from '../../ir/index.js';
import type { SelectPart } from '../../protocol/index.js';
import type { Arena, Shard } from '../../storage/index.js';
import { GroupedShards } from '../aggregate/groups/grouped.js';
import { UngroupedRows } from '../aggregate/groups/ungrouped.js';
import { countDistinctTexts } from '../aggregate/states/count-distinct-texts.js';
import { JoinedTable } from '../join/join-lookup.js';
import type { QueryMemories } from '../query-memory.js';
import type { QueryRun } from '../query-run.js';
import { WorkerShards } from '../scan/worker-shards.js';
import { OrderedRows } from './ordered.js';

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
  readonly #rows: GroupedShards | UngroupedRows | OrderedRows;

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
    const part = this.#rows.next(rowsMax, bytesMax, isOver);
    if (part === null)
      return { done: false, operatorStats: this.#workerShards.takeStats(), gives: 'nothing' };
    const done = this.#rows.isDone;
    // Groups keep their memory until `release`.
    if (done && part.gives !== 'groups') this.release();
    return { done, operatorStats: this.#workerShards.takeStats(), ...part };
  }

  /**
   * The number of distinct texts in partitions [from, to) of the lists that workers returned for this SELECT; null =
   * the count would take too long. Throws 9005, 9006.
   */
  countTexts(lists: readonly PartitionedTexts[], from: number, to: number): number | null {
    return countDistinctTexts(lists, from, to, this.#run);
  }

  /** Releases all memory; may be called repeatedly. */
  release(): void {
    this.#rows.release();
    this.#memory.releaseAll();
  }
}
