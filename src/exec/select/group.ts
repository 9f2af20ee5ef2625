/**
 * Groups the rows of a SELECT within one shard and adds up what each aggregate needs of each group, exactly: what the
 * groups of all shards are merged from. Batch by batch: keys become the number of each row's group, and aggregates add
 * their values under these numbers.
 */
import type { Allocator } from '../../answer/index.js';
import { grownWithin, invariant, type Task } from '../../base/index.js';
import { compile, type Evaluate } from '../../expression/index.js';
import type {
  Aggregate,
  AggregateState,
  Expression,
  Feed,
  Grouping,
  GroupPartial,
  SelectPlan,
} from '../../ir/index.js';
import type { Vector } from '../../vector/index.js';
import type { QueryRun } from '../query-run.js';
import { type AggregationKind, type AggregationSettings, aggregationOf, kindOf } from './aggregate-kinds.js';
import type { Aggregation, BatchGroups } from './aggregate-state.js';
import { GRID_BITS_MAX } from './distinct-grid.js';
import type { ShardFigures } from './figures.js';
import { type RowGroups, rowGroups } from './group-keys.js';
import { DIRECT_PAIRS_MAX } from './group-pairs.js';
import { BATCH_ROWS_MAX, type RowBatch } from './row-batches.js';
import { freshMemory } from './text-partitions.js';

/** The rows to be grouped. */
export interface GroupedRows {
  /** Above the row of every entity. */
  readonly rowEnd: number;
  /** null = a step without a row. */
  batches(): Iterable<RowBatch | null>;
  /** The events that pass feed `feed`, in any order; those of entities without a row do not count. */
  feedBatches(feed: number): Iterable<RowBatch | null>;
}

export interface GroupSettings {
  /** Memory for texts of the answer. */
  readonly room?: Allocator;
  /** Places of a table with a place for every pair of keys, at most. */
  readonly directMax: number;
  /** Bits of a grid with one for every pair of group and value, at most. */
  readonly gridMax: number;
}

export const USUAL_GROUPS: GroupSettings = { directMax: DIRECT_PAIRS_MAX, gridMax: GRID_BITS_MAX };

/**
 * `plan` has a grouping. Memory of the answer stays taken from the run. Throws 6000 (from expressions), 9005, 9006.
 */
export function* groupShard(
  rows: GroupedRows,
  plan: SelectPlan,
  run: QueryRun,
  figures: ShardFigures,
  settings: GroupSettings = USUAL_GROUPS,
): Task<GroupPartial> {
  invariant(plan.grouping !== null, 'only what has a grouping is grouped');
  const memory = run.child();
  try {
    return yield* new Grouper(rows, plan.grouping, settings, memory, figures).answer(run);
  } finally {
    memory.releaseAll();
  }
}

/** What the aggregates that share an aggregation add up. */
interface Shared {
  readonly feed: Feed;
  readonly operand: Operand | null;
  readonly aggregation: Aggregation;
  state: AggregateState | null;
}

class Grouper {
  readonly #rows: GroupedRows;
  readonly #memory: QueryRun;
  readonly #figures: ShardFigures;
  readonly #groups: RowGroups;
  readonly #isOneGroup: boolean;
  readonly #keys: readonly Operand[];
  readonly #operands = new Map<string, Operand>();
  readonly #shared = new Map<string, Shared>();
  /** By aggregate of the grouping. */
  readonly #aggregates: readonly Shared[];
  readonly #numbers = new Uint32Array(BATCH_ROWS_MAX);
  readonly #narrowed = new Uint32Array(BATCH_ROWS_MAX);
  /** By group, the entity that counted last plus one. */
  #lastEntities: Uint32Array<ArrayBuffer>;

  /** Throws 9006. */
  constructor(
    rows: GroupedRows,
    grouping: Grouping,
    limits: GroupSettings,
    memory: QueryRun,
    figures: ShardFigures,
  ) {
    this.#rows = rows;
    this.#memory = memory;
    this.#figures = figures;
    this.#groups = rowGroups(grouping, limits.directMax, memory);
    this.#isOneGroup = grouping.keys.length === 0 && !grouping.perEntity;
    this.#keys = grouping.keys.map((key) => this.#operandOf(key));
    const settings = { isOneGroup: this.#isOneGroup, ...limits, room: limits.room ?? freshMemory };
    this.#aggregates = grouping.aggregates.map((aggregate) => this.#sharedOf(aggregate, settings));
    this.#lastEntities = memory.u32(0);
  }

  #operandOf(expression: Expression): Operand {
    const key = textOf(expression);
    const operand = this.#operands.get(key) ?? new Operand(expression, this.#memory);
    this.#operands.set(key, operand);
    return operand;
  }

  #sharedOf(aggregate: Aggregate, settings: AggregationSettings): Shared {
    const { of, feed } = aggregate;
    const kind: AggregationKind = kindOf(aggregate);
    const key = `${kind} ${feed} ${textOf(of)}`;
    const known = this.#shared.get(key);
    if (known !== undefined) return known;
    const aggregation = aggregationOf(kind, of?.type ?? { type: 'integer' }, settings, this.#memory);
    const shared = { feed, operand: of === null ? null : this.#operandOf(of), aggregation, state: null };
    this.#shared.set(key, shared);
    return shared;
  }

  *answer(run: QueryRun): Task<GroupPartial> {
    const feeds = new Set([...this.#shared.values()].map(({ feed }) => feed));
    const ofEntities = yield* this.#addRows(feeds);
    for (const feed of feeds) if (typeof feed === 'number') yield* this.#addFeed(feed, ofEntities);
    const groups = this.#groups;
    const groupCount = groups.count;
    const start = this.#figures.start();
    const keys = groups.keys(run);
    this.#figures.add('group', start, groupCount);
    for (const shared of this.#shared.values()) {
      yield;
      const stateStart = this.#figures.start();
      shared.state = shared.aggregation.state(groupCount, run);
      this.#figures.add('group', stateStart, 0);
    }
    this.#figures.note('group', [groups.note]);
    return { groupCount, keys, states: this.#aggregates.map(stateOf) };
  }

  /** Adds all rows; returns the group of each entity where there are feeds of events. */
  *#addRows(feeds: ReadonlySet<Feed>): Task<Uint32Array> {
    const byEvents = [...feeds].some((feed) => typeof feed === 'number');
    const looksAtEntities = byEvents || feeds.has('entities') || this.#groups.byEntity;
    const ofEntities = this.#memory.u32(byEvents ? this.#rows.rowEnd : 0);
    for (const rows of this.#rows.batches()) {
      this.#memory.check();
      if (rows !== null) {
        const start = this.#figures.start();
        const entityRows = this.#addBatch(rows, looksAtEntities, feeds.has('entities'));
        if (byEvents) putGroups(this.#numbers, entityRows, ofEntities);
        this.#figures.add('group', start, 0);
      }
      yield;
    }
    return ofEntities;
  }

  /** Leaves the group of each row in `#numbers`; returns the rows of their entities, where they are looked at. */
  #addBatch(rows: RowBatch, looksAtEntities: boolean, countsEntities: boolean): Uint32Array {
    const { count } = rows;
    const keys = this.#keys.map((key) => key.of(rows));
    // Of some columns, rows are made when they are asked for: not where nothing depends on them.
    const entityRows = looksAtEntities ? rows.entityRows : NOTHING;
    this.#groups.number(keys, entityRows, count, this.#numbers);
    const groupEnd = this.#groups.count + 1;
    const batch: BatchGroups = { count, groups: this.#numbers, isOne: this.#isOneGroup, groupEnd };
    this.#add('rows', rows, batch);
    if (countsEntities) this.#add('entities', rows, this.#onceEach(batch, entityRows));
    return entityRows;
  }

  /** Rows of an entity that has counted for its group already are of none. */
  #onceEach({ count, groups, groupEnd }: BatchGroups, entityRows: Uint32Array): BatchGroups {
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
        const start = this.#figures.start();
        const { count, entityRows } = events;
        const groups = this.#numbers;
        for (let row = 0; row < count; row++) groups[row] = ofEntities[entityRows[row]];
        this.#add(feed, events, { count, groups, isOne: false, groupEnd });
        this.#figures.add('group', start, 0);
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

const NOTHING = new Uint32Array(0);

/** Notes the group of each entity. */
function putGroups(groups: Uint32Array, entityRows: Uint32Array, ofEntities: Uint32Array): void {
  for (let row = 0; row < entityRows.length; row++) ofEntities[entityRows[row]] = groups[row];
}

function stateOf({ state }: Shared): AggregateState {
  invariant(state !== null, 'every aggregation has answered');
  return state;
}

/** An expression whose vector is worked out once per batch. */
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

/** The same for equal expressions alone. */
function textOf(expression: Expression | null): string {
  return JSON.stringify(expression, (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value));
}
