/**
 * A SELECT over the shards of one lane, given in parts: what is found out once stays from part to part.
 * Invariants: nothing may be written to the shards between the first part and the last; between parts nothing is held in
 * an arena, so that other queries run meanwhile as if this one were not there.
 */
import type { Room, RowFormat } from '../../answer/index.js';
import { invariant } from '../../base/index.js';
import type { GroupPartial, JoinTable, SelectPlan } from '../../ir/index.js';
import type { SelectPart } from '../../protocol/index.js';
import type { Arena, Shard } from '../../storage/index.js';
import { HeldMemory } from '../held-memory.js';
import type { QueryRun } from '../query-run.js';
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
  /** For encoded parts; absent = fresh memory. */
  readonly room?: Room;
}

export class SelectCursor {
  readonly #run: QueryRun;
  readonly #memory: HeldMemory;
  readonly #lane: LaneShards;
  /** null = the plan is grouped. */
  readonly #rows: UngroupedRows | OrderedRows | null;
  /** What the groups that were given take. */
  #groupBytes = 0;

  /** Throws 9005, 9006. `release` must be called at the end. */
  constructor(shards: Iterable<Shard>, settings: SelectSettings, scratch: Arena, run: QueryRun) {
    const { plan, format, profiled } = settings;
    const { dimensionId } = plan;
    invariant(dimensionId !== null, 'a SELECT without FROM is not sent to lanes');
    invariant(
      format === null || (plan.grouping === null && plan.order.length === 0),
      'rows that are merged are given as columns',
    );
    this.#run = run;
    this.#memory = new HeldMemory(run);
    const tables = settings.tables.map((table) => new JoinedTable(table, this.#memory));
    this.#lane = new LaneShards(shards, { ...plan, dimensionId }, tables, scratch, run, profiled);
    if (plan.grouping !== null) this.#rows = null;
    else
      this.#rows =
        plan.order.length > 0
          ? new OrderedRows(this.#lane)
          : new UngroupedRows(this.#lane, format, settings.room);
  }

  /**
   * The next rows, `rowsMax` at most, and no batch behind the one with which they take `bytesMax` bytes; not to be called
   * again once it was done. Throws 6000, 9005, 9006.
   */
  next(rowsMax: number, bytesMax = Number.POSITIVE_INFINITY): SelectPart {
    this.#run.check();
    const rows = this.#rows;
    if (rows === null) {
      const partials = this.#groups();
      return { done: true, figures: this.#lane.takeFigures(), gives: 'groups', partials };
    }
    const part = rows.next(rowsMax, bytesMax);
    const done = rows.isDone;
    if (done) this.release();
    return { done, figures: this.#lane.takeFigures(), ...part };
  }

  /** The groups of each shard that holds something of the dimension. */
  #groups(): GroupPartial[] {
    const before = this.#run.takenBytes;
    const partials = this.#lane.all.map((shard) => this.#lane.groups(shard));
    this.#groupBytes = this.#run.takenBytes - before;
    return partials;
  }

  /** Gives all back; may be called again. */
  release(): void {
    if (this.#rows !== null) this.#rows.release();
    this.#run.give(this.#groupBytes);
    this.#groupBytes = 0;
    this.#memory.release();
  }
}
