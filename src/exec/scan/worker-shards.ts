/** The shards of one worker that a SELECT reads. */
import type { Allocator } from '../../answer/index.js';
import type { EventTest, GroupPartial, SelectPlan } from '../../ir/index.js';
import type { OperatorStats } from '../../protocol/index.js';
import type { Arena, DimensionShard, Shard } from '../../storage/index.js';
import { bucketTotals } from '../aggregate/bucket-totals.js';
import { countByCode } from '../aggregate/code-counts.js';
import { columnTotals } from '../aggregate/column-totals.js';
import { DenseGroups } from '../aggregate/dense/dense-groups.js';
import { countByEventValue, countEventValues } from '../aggregate/event-counts.js';
import { groupBySlots } from '../aggregate/groups/group-by-slots.js';
import type { GroupSource } from '../aggregate/groups/group-source.js';
import { aggregateNarrow, countByNarrow } from '../aggregate/narrow-counts.js';
import { EventStream, isOfUnsortedEvents } from '../items/event-stream.js';
import { withItems } from '../items/group-rows.js';
import type { JoinedTable } from '../join/join-lookup.js';
import type { QueryMemories } from '../query-memory.js';
import type { QueryRun } from '../query-run.js';
import type { GroupInputs } from '../spill/group-rows.js';
import { ShardOperatorStats } from './operator-stats.js';
import { ShardRows } from './shard-rows.js';

/** A shard that has entities of the dimension. */
export interface WorkerShard {
  readonly dimension: DimensionShard;
  readonly stats: ShardOperatorStats;
}

export class WorkerShards {
  readonly plan: SelectPlan;
  readonly run: QueryRun;
  readonly all: readonly WorkerShard[];
  readonly #tables: readonly JoinedTable[];
  readonly #scratch: Arena;
  readonly memories: QueryMemories;

  constructor(
    shards: Iterable<Shard>,
    plan: SelectPlan & { readonly dimensionId: number },
    tables: readonly JoinedTable[],
    scratch: Arena,
    memories: QueryMemories,
    run: QueryRun,
    profiled: boolean,
  ) {
    const all: WorkerShard[] = [];
    for (const shard of shards) {
      const dimension = shard.find(plan);
      if (dimension === undefined || dimension.entityCount === 0) continue;
      all.push({ dimension, stats: new ShardOperatorStats(shard.index, profiled) });
    }
    this.plan = plan;
    this.run = run;
    this.all = all;
    this.#tables = tables;
    this.#scratch = scratch;
    this.memories = memories;
  }

  /** The rows of one shard; `release` must be called at the end. Throws 9005, 9006. */
  rows({ dimension, stats }: WorkerShard): ShardRows {
    return new ShardRows(dimension, this.plan, this.#tables, this.#scratch, this.run, stats);
  }

  /** The rows that are grouped; `release` must be called at the end. Throws 9005, 9006. */
  groupRows(shard: WorkerShard): GroupSource {
    const { plan, run } = this;
    const { dimension } = shard;
    const rows = isOfUnsortedEvents(plan)
      ? new EventStream(
          dimension,
          plan as SelectPlan & { events: EventTest },
          this.#scratch,
          run,
          shard.stats,
        )
      : this.rows(shard);
    return withItems(rows, dimension, plan, this.#scratch, run);
  }

  /**
   * Groups one shard with kernels that do not read rows one by one, or returns null if that is not possible. `best`: see
   * SelectOptions. The groups' memory stays reserved in the run. Throws 9005, 9006.
   */
  groupsByKernels({ dimension, stats }: WorkerShard, best: number | null): GroupPartial | null {
    const source = { dimension, plan: this.plan, tables: this.#tables, scratch: this.#scratch };
    return (
      columnTotals(source, this.run, stats) ??
      bucketTotals(source, this.run, stats) ??
      countByCode(source, best, this.run, stats) ??
      countByNarrow(source, this.run, stats) ??
      aggregateNarrow(source, this.run, stats) ??
      countByEventValue(source, this.run, stats) ??
      countEventValues(source, this.run, stats) ??
      groupBySlots(source, this.run, stats)
    );
  }

  /**
   * A grouping of one shard by dense tables, or null if that is not possible; `release` must be called at the end.
   * Throws 9005, 9006.
   */
  denseGroups({ dimension, stats }: WorkerShard, allocator: Allocator): DenseGroups | null {
    const { plan } = this;
    return DenseGroups.of(
      { dimension, plan, scratch: this.#scratch, memories: this.memories, allocator },
      this.run,
      stats,
    );
  }

  /** The rows of all shards that are grouped. */
  groupInputs(): GroupInputs {
    let open: GroupSource | null = null;
    const release = (): void => {
      open?.release();
      open = null;
    };
    const shards = this.all;
    const rowsOf = (shard: WorkerShard): GroupSource => this.groupRows(shard);
    return {
      *each() {
        for (const shard of shards) {
          open = rowsOf(shard);
          yield open;
          release();
        }
        return undefined;
      },
      rest: () => open?.rest(),
      release,
    };
  }

  /** Returns and resets the operator statistics since the last call. */
  takeStats(): OperatorStats[] {
    return this.all.flatMap(({ stats }) => stats.take());
  }
}
