/**
 * A SELECT over the shards of one lane, given in parts: what is found out once stays from part to part.
 * Invariants: nothing may be written to the shards between the first part and the last; between parts, and between the
 * slices in which one is made, nothing is held in an arena, so that other queries run meanwhile as if this one were not there.
 */
import type { Allocator, RowFormat } from '../../answer/index.js';
import { type IsOver, invariant, type MemoryAccount, NEVER_OVER } from '../../base/index.js';
import { countsTexts, type JoinTable, type PartitionedTexts, type SelectPlan } from '../../ir/index.js';
import type { SelectPart } from '../../protocol/index.js';
import type { Arena, Shard } from '../../storage/index.js';
import type { QueryRun } from '../query-run.js';
import { countDifferentTexts } from './count-texts.js';
import { GroupedShards } from './grouped.js';
import { JoinedTable } from './join-lookup.js';
import { LaneShards } from './lane-shards.js';
import { OrderedRows } from './ordered.js';
import { UngroupedRows } from './ungrouped.js';

export interface SelectSettings {
  readonly plan: SelectPlan;
  readonly tables: readonly JoinTable[];
  /** null = as columns. */
  readonly format: RowFormat | null;
  readonly profiled: boolean;
  /** For encoded parts and for texts of groups; absent = fresh memory. */
  readonly room?: Allocator;
}

export class SelectCursor {
  /** Whether `countTexts` may be called once it is done. */
  readonly countsTexts: boolean;
  readonly #run: QueryRun;
  readonly #memory: MemoryAccount;
  readonly #lane: LaneShards;
  readonly #rows: GroupedShards | UngroupedRows | OrderedRows;

  /** Throws 9005, 9006. `release` must be called at the end. */
  constructor(shards: Iterable<Shard>, settings: SelectSettings, scratch: Arena, run: QueryRun) {
    const { plan, format, profiled } = settings;
    const { dimensionId } = plan;
    invariant(dimensionId !== null, 'a SELECT without FROM is not sent to lanes');
    invariant(
      format === null || (plan.grouping === null && plan.order.length === 0),
      'rows that are merged are given as columns',
    );
    this.countsTexts = countsTexts(plan);
    this.#run = run;
    this.#memory = run.child();
    const tables = settings.tables.map((table) => new JoinedTable(table, this.#memory));
    this.#lane = new LaneShards(shards, { ...plan, dimensionId }, tables, scratch, run, profiled);
    if (plan.grouping !== null) this.#rows = new GroupedShards(this.#lane, settings.room);
    else if (plan.order.length > 0) this.#rows = new OrderedRows(this.#lane);
    else this.#rows = new UngroupedRows(this.#lane, format, settings.room);
  }

  /**
   * The next rows, `rowsMax` at most, and no batch behind the one with which they take `bytesMax` bytes, or all groups; not
   * to be called again once it was done. Works until the slice is over, but for a batch at least: what is not ready then is
   * worked on by the next call, which may ask for no less. Throws 6000, 9005, 9006.
   */
  next(rowsMax: number, bytesMax = Number.POSITIVE_INFINITY, isOver: IsOver = NEVER_OVER): SelectPart {
    this.#run.check();
    const part = this.#rows.next(rowsMax, bytesMax, isOver);
    if (part === null) return { done: false, figures: this.#lane.takeFigures(), gives: 'nothing' };
    const done = this.#rows.isDone;
    // Groups take their memory until it is forgotten.
    if (done && part.gives !== 'groups') this.release();
    return { done, figures: this.#lane.takeFigures(), ...part };
  }

  /**
   * The different texts of the partitions [from, to) of lists that lanes gave of this SELECT; null: it would take too long.
   * Throws 9005, 9006.
   */
  countTexts(lists: readonly PartitionedTexts[], from: number, to: number): number | null {
    return countDifferentTexts(lists, from, to, this.#run);
  }

  /** Gives all back; may be called again. */
  release(): void {
    this.#rows.release();
    this.#memory.releaseAll();
  }
}
