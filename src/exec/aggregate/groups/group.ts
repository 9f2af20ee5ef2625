/**
 * Groups the rows of a SELECT within one shard and computes the exact partial state of each aggregate and group, for
 * the merge across shards. Batches go to dense tables where these can hold them. For the others, keys become group
 * numbers, and accumulators add values by group number. Both give groups, which are merged like those of two shards.
 */
import type { Allocator } from '../../../answer/index.js';
import { grownWithin, invariant, type Task } from '../../../base/index.js';
import { compile, type Evaluate } from '../../../expression/index.js';
import type {
  Aggregate,
  AggregateState,
  Expression,
  Feed,
  Grouping,
  GroupPartial,
  SelectPlan,
} from '../../../ir/index.js';
import type { Vector } from '../../../vector/index.js';
import type { QueryMemories } from '../../query-memory.js';
import type { QueryRun } from '../../query-run.js';
import type { ShardOperatorStats } from '../../scan/operator-stats.js';
import { BATCH_ROWS_MAX, type RowBatch } from '../../scan/row-batches.js';
import type { DenseOptions } from '../dense/dense-table.js';
import { VectorGroups } from '../dense/vector-groups.js';
import {
  type AccumulatorOptions,
  type AggregationKind,
  aggregationKindOf,
  createAccumulator,
} from '../states/aggregate-kinds.js';
import type { BatchGroups, GroupAccumulator } from '../states/aggregate-state.js';
import { GRID_BITS_MAX } from '../states/distinct-grid.js';
import { type RowGroups, rowGroups } from './group-keys.js';
import { DIRECT_PAIRS_MAX } from './group-pairs.js';
import { allocateFresh } from './text-partitions.js';

/** The input rows of a grouping. */
export interface GroupInput {
  /** Exclusive upper limit of the entity rows. */
  readonly rowEnd: number;
  /** Batches of rows; null = a step that yields no row. */
  batches(): Iterable<RowBatch | null>;
  /** Batches of the events that pass feed `feed`, in any order; events of entities without a row do not count. */
  feedBatches(feed: number): Iterable<RowBatch | null>;
}

export interface GroupOptions {
  /** Allocates the texts of the result. */
  readonly allocator?: Allocator;
  /** The largest number of slots of a direct table of key pairs. */
  readonly directPairsMax: number;
  /** The largest number of bits of a grid of groups and values. */
  readonly gridBitsMax: number;
  /** Memories for dense tables; absent = rows are grouped without them. */
  readonly memories?: QueryMemories;
  readonly dense?: DenseOptions;
}

export const DEFAULT_GROUP_OPTIONS: GroupOptions = {
  directPairsMax: DIRECT_PAIRS_MAX,
  gridBitsMax: GRID_BITS_MAX,
};

/**
 * `plan` must have a grouping. Memory of the result stays reserved in the run. Throws 6000 (from expressions), 9005,
 * 9006.
 */
export function* groupShard(
  rows: GroupInput,
  plan: SelectPlan,
  run: QueryRun,
  stats: ShardOperatorStats,
  settings: GroupOptions = DEFAULT_GROUP_OPTIONS,
): Task<GroupPartial[]> {
  invariant(plan.grouping !== null, 'a grouped plan has a grouping');
  const memory = run.child();
  const grouper = new Grouper(rows, plan.grouping, settings, memory, stats);
  try {
    return yield* grouper.answer(run);
  } finally {
    grouper.release();
    memory.releaseAll();
  }
}

/** An accumulator that several aggregates may share. */
interface SharedAccumulator {
  readonly feed: Feed;
  readonly operand: Operand | null;
  readonly aggregation: GroupAccumulator;
  state: AggregateState | null;
}

class Grouper {
  readonly #rows: GroupInput;
  readonly #memory: QueryRun;
  readonly #stats: ShardOperatorStats;
  readonly #groups: RowGroups;
  readonly #isOneGroup: boolean;
  readonly #keys: readonly Operand[];
  readonly #operands = new Map<string, Operand>();
  readonly #shared = new Map<string, SharedAccumulator>();
  /** By aggregate of the grouping. */
  readonly #aggregates: readonly SharedAccumulator[];
  readonly #dense: VectorGroups | null;
  readonly #allocator: Allocator;
  /** Whether rows were grouped without dense tables. */
  #isByNumber = false;
  readonly #numbers = new Uint32Array(BATCH_ROWS_MAX);
  readonly #narrowed = new Uint32Array(BATCH_ROWS_MAX);
  /** By group: the entity that was counted last, plus 1. */
  #lastEntities: Uint32Array<ArrayBuffer>;

  /** Throws 9006. */
  constructor(
    rows: GroupInput,
    grouping: Grouping,
    limits: GroupOptions,
    memory: QueryRun,
    stats: ShardOperatorStats,
  ) {
    this.#rows = rows;
    this.#memory = memory;
    this.#stats = stats;
    this.#groups = rowGroups(grouping, limits.directPairsMax, memory);
    this.#isOneGroup = grouping.keys.length === 0 && !grouping.perEntity;
    this.#keys = grouping.keys.map((key) => this.#operandOf(key));
    this.#allocator = limits.allocator ?? allocateFresh;
    const settings = { isOneGroup: this.#isOneGroup, ...limits, allocator: this.#allocator };
    this.#aggregates = grouping.aggregates.map((aggregate) => this.#sharedOf(aggregate, settings));
    this.#lastEntities = memory.u32(0);
    const operands = this.#aggregates.map(({ operand }) => operand);
    const { memories, dense: options } = limits;
    this.#dense =
      memories === undefined
        ? null
        : new VectorGroups(grouping, operands, { memories, run: memory, options });
  }

  #operandOf(expression: Expression): Operand {
    const key = expressionKey(expression);
    const operand = this.#operands.get(key) ?? new Operand(expression, this.#memory);
    this.#operands.set(key, operand);
    return operand;
  }

  #sharedOf(aggregate: Aggregate, settings: AccumulatorOptions): SharedAccumulator {
    const { of, feed } = aggregate;
    const kind: AggregationKind = aggregationKindOf(aggregate);
    const key = `${kind} ${feed} ${expressionKey(of)}`;
    const known = this.#shared.get(key);
    if (known !== undefined) return known;
    const aggregation = createAccumulator(kind, of?.type ?? { type: 'integer' }, settings, this.#memory);
    const shared = { feed, operand: of === null ? null : this.#operandOf(of), aggregation, state: null };
    this.#shared.set(key, shared);
    return shared;
  }

  *answer(run: QueryRun): Task<GroupPartial[]> {
    const feeds = new Set([...this.#shared.values()].map(({ feed }) => feed));
    const ofEntities = yield* this.#addRows(feeds);
    for (const feed of feeds) if (typeof feed === 'number') yield* this.#addFeed(feed, ofEntities);
    const dense = this.#dense === null ? [] : yield* this.#densePartials(this.#dense, run);
    return this.#isByNumber || dense.length === 0 ? [...dense, yield* this.#numberedPartial(run)] : dense;
  }

  *#densePartials(dense: VectorGroups, run: QueryRun): Task<GroupPartial[]> {
    const start = this.#stats.start();
    const partials = yield* dense.partials(this.#allocator, run);
    if (partials.length === 0) return [];
    this.#stats.add(
      'group',
      start,
      partials.reduce((sum, { groupCount }) => sum + groupCount, 0),
    );
    this.#stats.note('group', [...dense.notes]);
    run.check();
    return partials;
  }

  *#numberedPartial(run: QueryRun): Task<GroupPartial> {
    const groups = this.#groups;
    const groupCount = groups.count;
    const start = this.#stats.start();
    const keys = groups.keys(run);
    this.#stats.add('group', start, groupCount);
    for (const shared of this.#shared.values()) {
      yield;
      const stateStart = this.#stats.start();
      shared.state = shared.aggregation.state(groupCount, run);
      this.#stats.add('group', stateStart, 0);
    }
    this.#stats.note('group', [groups.note]);
    return { groupCount, keys, states: this.#aggregates.map(stateOf) };
  }

  /** Adds all rows; returns the group of each entity if aggregates read feeds of events. */
  *#addRows(feeds: ReadonlySet<Feed>): Task<Uint32Array> {
    const byEvents = [...feeds].some((feed) => typeof feed === 'number');
    const looksAtEntities = byEvents || feeds.has('entities') || this.#groups.byEntity;
    const ofEntities = this.#memory.u32(byEvents ? this.#rows.rowEnd : 0);
    for (const rows of this.#rows.batches()) {
      this.#memory.check();
      if (rows !== null) {
        const start = this.#stats.start();
        const entityRows = this.#addBatch(rows, looksAtEntities, feeds.has('entities'));
        if (byEvents) recordGroups(this.#numbers, entityRows, ofEntities);
        this.#stats.add('group', start, 0);
      }
      yield;
    }
    return ofEntities;
  }

  release(): void {
    this.#dense?.release();
  }

  /** Writes the group of each row to `#numbers`; returns the rows of their entities if they are needed. */
  #addBatch(rows: RowBatch, looksAtEntities: boolean, countsEntities: boolean): Uint32Array {
    const { count } = rows;
    const keys = this.#keys.map((key) => key.of(rows));
    if (this.#dense?.add(rows, keys)) return EMPTY;
    this.#isByNumber = true;
    // Entity rows are computed on access, so they are read only if needed.
    const entityRows = looksAtEntities ? rows.entityRows : EMPTY;
    this.#groups.number(keys, entityRows, count, this.#numbers);
    const groupEnd = this.#groups.count + 1;
    const batch: BatchGroups = { count, groups: this.#numbers, isOne: this.#isOneGroup, groupEnd };
    this.#add('rows', rows, batch);
    if (countsEntities) this.#add('entities', rows, this.#firstRowPerEntity(batch, entityRows));
    return entityRows;
  }

  /** Assigns rows of an entity that its group has already counted to no group. */
  #firstRowPerEntity({ count, groups, groupEnd }: BatchGroups, entityRows: Uint32Array): BatchGroups {
    this.#lastEntities = grownWithin(this.#memory, this.#lastEntities, groupEnd);
    const [last, narrowed] = [this.#lastEntities, this.#narrowed];
    for (let row = 0; row < count; row++) {
      const group = groups[row];
      const entity = entityRows[row] + 1;
      narrowed[row] = last[group] === entity ? 0 : group;
      last[group] = entity;
    }
    return { count, groups: narrowed, isOne: false, groupEnd };
  }

  *#addFeed(feed: number, ofEntities: Uint32Array): Task<void> {
    const groupEnd = this.#groups.count + 1;
    for (const events of this.#rows.feedBatches(feed)) {
      this.#memory.check();
      if (events !== null) {
        const start = this.#stats.start();
        const { count, entityRows } = events;
        const groups = this.#numbers;
        for (let row = 0; row < count; row++) groups[row] = ofEntities[entityRows[row]];
        this.#add(feed, events, { count, groups, isOne: false, groupEnd });
        this.#stats.add('group', start, 0);
      }
      yield;
    }
  }

  #add(feed: Feed, rows: RowBatch, batch: BatchGroups): void {
    for (const shared of this.#shared.values()) {
      if (shared.feed === feed) shared.aggregation.add(shared.operand?.of(rows) ?? null, batch);
    }
  }
}

const EMPTY = new Uint32Array(0);

/** Records the group of each entity. */
function recordGroups(groups: Uint32Array, entityRows: Uint32Array, ofEntities: Uint32Array): void {
  for (let row = 0; row < entityRows.length; row++) ofEntities[entityRows[row]] = groups[row];
}

function stateOf({ state }: SharedAccumulator): AggregateState {
  invariant(state !== null, 'every accumulator has returned its state');
  return state;
}

/** An expression that is evaluated once per batch. */
class Operand {
  readonly #evaluate: Evaluate;
  #rows: RowBatch | null = null;
  #vector: Vector | null = null;

  constructor(expression: Expression, memory: QueryRun) {
    this.#evaluate =
      expression.op === 'input' ? (rows) => rows.input(expression.input) : compile(expression, memory);
  }

  of(rows: RowBatch): Vector {
    if (this.#rows !== rows || this.#vector === null) {
      this.#vector = this.#evaluate(rows);
      this.#rows = rows;
    }
    return this.#vector;
  }
}

/** A string that is equal exactly for equal expressions. */
function expressionKey(expression: Expression | null): string {
  return JSON.stringify(expression, (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value));
}
