/**
 * Groups rows for which there is too little memory at once: their keys and the operands of their aggregates are put in
 * partitions by the hash of the keys, and then grouped partition by partition.
 */
import { runSlice, stopTask, type Task } from '../../base/index.js';
import { compile, type Evaluate } from '../../expression/index.js';
import {
  type Aggregate,
  type Expression,
  type Grouping,
  type GroupPartial,
  inputExpression,
  type PartitionedRows,
  type SelectPlan,
} from '../../ir/index.js';
import { groupBlock, type SqlType, type Vector, vectorKindOf } from '../../vector/index.js';
import { DEFAULT_GROUP_OPTIONS, type GroupInput, groupShard } from '../aggregate/groups/group.js';
import type { QueryRun } from '../query-run.js';
import { ShardOperatorStats } from '../scan/operator-stats.js';
import { BATCH_ROWS_MAX, type RowBatch } from '../scan/row-batches.js';
import { pagesOf } from './partition-pages.js';
import { type RowLayout, RowPartitions } from './row-partitions.js';

/** The rows of a grouping, input by input, for example shard by shard. */
export interface GroupInputs {
  /** Each input is valid until the next one is requested. */
  each(): Generator<GroupInput, undefined>;
  /** Releases all arena memory between two slices. */
  rest(): void;
  /** Releases all memory; may be called repeatedly. */
  release(): void;
}

/** The columns of the partitioned rows: keys, operands, and the number of the entity if an aggregate counts entities. */
export interface GroupRowsPlan {
  readonly layout: RowLayout;
  readonly columns: readonly Expression[];
  readonly hasEntities: boolean;
  /** The same groups over these columns. */
  readonly plan: SelectPlan;
}

const ENTITY_TYPE: SqlType = { type: 'integer' };

/** null = the groups cannot be computed from partitions of rows. */
export function planGroupRows(plan: SelectPlan): GroupRowsPlan | null {
  const { grouping } = plan;
  if (grouping === null || grouping.perEntity || grouping.keys.length === 0) return null;
  const { keys, aggregates } = grouping;
  if (aggregates.some(({ feed }) => typeof feed === 'number')) return null;
  const columns = [...keys];
  const texts = new Map<string, Expression>();
  const columnOf = (expression: Expression): Expression => {
    const text = JSON.stringify(expression, (_, value) => (typeof value === 'bigint' ? `${value}n` : value));
    const found = texts.get(text) ?? inputExpression(expression.type, columns.push(expression) - 1);
    texts.set(text, found);
    return found;
  };
  const own = aggregates.map(
    (aggregate): Aggregate => ({ ...aggregate, of: aggregate.of === null ? null : columnOf(aggregate.of) }),
  );
  const hasEntities = aggregates.some(({ feed }) => feed === 'entities');
  const types = [...columns.map(({ type }) => type), ...(hasEntities ? [ENTITY_TYPE] : [])];
  const ownGrouping: Grouping = {
    keys: keys.map(({ type }, column) => inputExpression(type, column)),
    perEntity: false,
    aggregates: own,
  };
  return {
    // Groups that other workers have in memory must be in the same partitions.
    layout: { types, keys: [...keys.keys()], block: groupBlock(keys.length) },
    columns,
    hasEntities,
    plan: { ...plan, grouping: ownGrouping },
  };
}

const IDENTITY = (): Uint32Array => Uint32Array.from({ length: BATCH_ROWS_MAX }, (_, row) => row);

/** Puts the rows of a grouping in partitions. */
export class GroupRows {
  readonly #inputs: GroupInputs;
  readonly #plan: GroupRowsPlan;
  readonly #memory: QueryRun;
  readonly #partitions: RowPartitions;
  readonly #work: Task<PartitionedRows>;

  /** `release` must be called at the end. Throws 9006. */
  constructor(inputs: GroupInputs, plan: GroupRowsPlan, run: QueryRun) {
    this.#inputs = inputs;
    this.#plan = plan;
    this.#memory = run.child();
    this.#partitions = new RowPartitions(plan.layout, 0, run);
    this.#work = this.#all();
  }

  /** All rows, once they are in partitions; null = the slice ended. Throws 6000, 189, 9002, 9005, 9006. */
  next(isOver: () => boolean): PartitionedRows | null {
    const rows = runSlice(this.#work, isOver);
    if (rows === null) this.#inputs.rest();
    else {
      this.#inputs.release();
      this.#memory.releaseAll();
    }
    return rows;
  }

  *#all(): Task<PartitionedRows> {
    const { columns } = this.#plan;
    let entityBase = 0;
    for (const input of this.#inputs.each()) {
      const evaluates = columns.map((column) => evaluateOf(column, this.#memory));
      for (const batch of input.batches()) {
        this.#memory.check();
        if (batch !== null && batch.count > 0) yield* this.#add(batch, evaluates, entityBase);
        yield;
      }
      entityBase += input.rowEnd;
    }
    return yield* this.#partitions.finish();
  }

  readonly #identity = IDENTITY();

  *#add(batch: RowBatch, evaluates: readonly Evaluate[], entityBase: number): Task<void> {
    const vectors: Vector[] = evaluates.map((evaluate) => evaluate(batch));
    if (this.#plan.hasEntities) {
      const { entityRows, count } = batch;
      const numbers = Float64Array.from({ length: count }, (_, row) => entityRows[row] + entityBase);
      vectors.push({ kind: 'exact', count, valid: null, numbers, wide: null });
    }
    yield* this.#partitions.add(vectors, this.#identity, batch.count);
  }

  /** Releases the rows and their memory; may be called repeatedly. */
  release(): void {
    stopTask(this.#work);
    this.#inputs.release();
    this.#partitions.release();
    this.#memory.releaseAll();
  }
}

const evaluateOf = (expression: Expression, memory: QueryRun): Evaluate =>
  expression.op === 'input' ? (rows) => rows.input(expression.input) : compile(expression, memory);

/** Partitions of the rows of one worker. */
export interface PartitionRange {
  readonly rows: PartitionedRows;
  readonly from: number;
  readonly to: number;
}

/** The groups of some partitions; their memory stays reserved in the run. Throws 189, 9005, 9006. */
export function* groupsOfRows(
  { layout, hasEntities, plan }: GroupRowsPlan,
  { rows, from, to }: PartitionRange,
  run: QueryRun,
): Task<GroupPartial> {
  const kinds = layout.types.map(vectorKindOf);
  const input: GroupInput = {
    rowEnd: 0,
    *batches() {
      for (const { count, vectors } of pagesOf(rows, from, to, kinds, run)) {
        const entityRows = hasEntities ? entityRowsOf(vectors[vectors.length - 1]) : NO_ENTITIES;
        yield { count, entityRows, input: (column) => vectors[column] };
      }
    },
    feedBatches: () => [],
  };
  const stats = new ShardOperatorStats(0, false);
  const [partial] = yield* groupShard(input, plan, run, stats, DEFAULT_GROUP_OPTIONS);
  return partial;
}

const NO_ENTITIES = new Uint32Array(0);

const entityRowsOf = (vector: Vector): Uint32Array =>
  Uint32Array.from((vector as { readonly numbers: Float64Array }).numbers);
