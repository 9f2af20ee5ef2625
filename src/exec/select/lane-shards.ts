/** The rows of a SELECT in the shards of one lane. */
import type { GroupPartial, SelectPlan } from '../../ir/index.js';
import type { OperatorStats } from '../../protocol/index.js';
import type { Arena, DimensionShard, Shard } from '../../storage/index.js';
import type { QueryRun } from '../query-run.js';
import { ShardFigures } from './figures.js';
import { groupByCells } from './group-cells.js';
import type { JoinedTable } from './join-lookup.js';
import { ShardRows } from './shard-rows.js';

/** One shard in which the dimension has entities. */
export interface LaneShard {
  readonly dimension: DimensionShard;
  readonly figures: ShardFigures;
}

export class LaneShards {
  readonly plan: SelectPlan;
  readonly run: QueryRun;
  readonly all: readonly LaneShard[];
  readonly #tables: readonly JoinedTable[];
  readonly #scratch: Arena;

  constructor(
    shards: Iterable<Shard>,
    plan: SelectPlan & { readonly dimensionId: number },
    tables: readonly JoinedTable[],
    scratch: Arena,
    run: QueryRun,
    profiled: boolean,
  ) {
    const all: LaneShard[] = [];
    for (const shard of shards) {
      const dimension = shard.find(plan);
      if (dimension === undefined || dimension.entityCount === 0) continue;
      all.push({ dimension, figures: new ShardFigures(shard.index, profiled) });
    }
    this.plan = plan;
    this.run = run;
    this.all = all;
    this.#tables = tables;
    this.#scratch = scratch;
  }

  /** The rows in one of them; `release` must be called at the end. Throws 9005, 9006. */
  rows({ dimension, figures }: LaneShard): ShardRows {
    return new ShardRows(dimension, this.plan, this.#tables, this.#scratch, this.run, figures);
  }

  /**
   * The groups of one of them, where kernels can make them (else null); the memory that they take stays taken from the run.
   * Throws 9005, 9006.
   */
  groupsByCells({ dimension, figures }: LaneShard): GroupPartial | null {
    const source = { dimension, plan: this.plan, tables: this.#tables, scratch: this.#scratch };
    return groupByCells(source, this.run, figures);
  }

  /** What the operators did since the last call. */
  takeFigures(): OperatorStats[] {
    return this.all.flatMap(({ figures }) => figures.take());
  }
}
