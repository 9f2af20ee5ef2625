/**
 * Plans a grouping by slots (a perfect hash aggregation). A slot represents a combination of key values. The plan
 * applies if every key, every inner join and every conjunct of the filter depends on one stored column of few values.
 * The slot of a row is then a sum of offsets that are looked up by these columns' values. Expressions are evaluated per
 * value of a column, not per row.
 */
import { QuarryError } from '../../../base/index.js';
import { compile } from '../../../expression/index.js';
import { type Expression, inputsOf, type SelectPlan } from '../../../ir/index.js';
import type { Arena, DimensionShard } from '../../../storage/index.js';
import type { WireVector } from '../../../vector/index.js';
import { type JoinedTable, NOT_FOUND } from '../../join/join-lookup.js';
import { ShardJoins } from '../../join/joins.js';
import type { QueryRun } from '../../query-run.js';
import { type ColumnDomain, columnDomain, DomainRows } from '../../scan/column-domain.js';
import { InputReader } from '../../scan/input-reader.js';
import { SlotKey } from './slot-key.js';

/** Slots are u16 numbers. */
const SLOTS_MAX = 65_536;
/** More groups than this are found faster by hash tables of key words, which have an entry only for groups with rows. */
const GROUPS_MAX = 16_384;
/** Number of values that are always evaluated; more values only up to half of the shard's entity count. */
const FEW_VALUES = 1_024;

/** A column, and the offset that each of its values adds to the slot of a row. */
export interface SlotColumn {
  readonly domain: ColumnDomain;
  /** By row of the domain. */
  readonly slotOffsets: Uint16Array;
}

export interface GroupSlotPlan {
  /** Slots from here on belong to no group: a join or the filter excludes their rows. */
  readonly slotCount: number;
  readonly columns: readonly SlotColumn[];
  /** The keys of the given slots. Their memory is reserved in the run. Throws 9006. */
  keys(slots: Uint32Array, run: QueryRun): WireVector[];
}

export interface GroupSlotSource {
  readonly dimension: DimensionShard;
  readonly plan: SelectPlan;
  /** One table per join. */
  readonly tables: readonly JoinedTable[];
  readonly scratch: Arena;
}

/**
 * The plan, or null if grouping by slots is not possible or not worthwhile. Memory is reserved in `memory`. Throws
 * 9005, 9006.
 */
export function planGroupSlots(
  source: GroupSlotSource,
  run: QueryRun,
  memory: QueryRun,
): GroupSlotPlan | null {
  const { plan, tables, dimension, scratch } = source;
  const columns = columnsOf(dimension, plan);
  if (columns === null) return null;
  const joins = new ShardJoins(plan, tables, run);
  const reader = new InputReader(dimension, plan.inputs, scratch, run);
  try {
    return new GroupSlotPlanner(plan, columns, joins, reader, memory).plan();
  } catch (error) {
    // The failing value may not occur in any row that counts: row-by-row evaluation decides.
    if (error instanceof QuarryError && error.code === 6000) return null;
    throw error;
  } finally {
    reader.release();
    joins.release();
  }
}

/** The conjuncts of the filter. */
function filterParts({ filter }: SelectPlan): readonly Expression[] {
  if (filter === null) return [];
  return filter.op === 'and' ? filter.members : [filter];
}

/**
 * By column ID, the domains of the columns on which keys, filter and inner joins depend; null if one of these depends
 * on several columns, or if the domains are too large.
 */
function columnsOf(dimension: DimensionShard, plan: SelectPlan): Map<number, ColumnDomain> | null {
  const { grouping, joins } = plan;
  const valuesMax = Math.min(Math.max(FEW_VALUES, dimension.entityCount >> 1), SLOTS_MAX);
  // Each value of a column that is a key is a group of its own.
  const isWholeKey = (expression: Expression): boolean =>
    expression.op === 'input' &&
    plan.inputs[expression.input].from === 'attribute' &&
    grouping?.keys.includes(expression) === true;
  const inner = joins.filter(({ kind }) => kind === 'inner').map(({ on }) => on);
  const columns = new Map<number, ColumnDomain>();
  let count = 0;
  for (const expression of [...(grouping?.keys ?? []), ...filterParts(plan), ...inner]) {
    const input = onlyAttribute(expression, plan);
    if (input === null) return null;
    if (columns.has(input.columnId)) continue;
    const domain = columnDomain(dimension, input, valuesMax - count);
    if (domain === null) return null;
    if (isWholeKey(expression) && domain.count > GROUPS_MAX) return null;
    count += domain.count;
    columns.set(input.columnId, domain);
  }
  return columns.size === 0 ? null : columns;
}

type Attribute = Extract<SelectPlan['inputs'][number], { readonly from: 'attribute' }>;

/** The only column of the dimension on which the expression depends; null if it depends on others or on none. */
function onlyAttribute(expression: Expression, plan: SelectPlan): Attribute | null {
  let only: Attribute | null = null;
  for (const index of inputsOf(expression)) {
    const input = plan.inputs[index];
    const attribute =
      input.from === 'attribute'
        ? input
        : input.from === 'joined'
          ? onlyAttribute(plan.joins[input.join].on, plan)
          : null;
    if (attribute === null || (only !== null && only.columnId !== attribute.columnId)) return null;
    only = attribute;
  }
  return only;
}

interface PlannedColumn extends SlotColumn {
  readonly rows: DomainRows;
}

class GroupSlotPlanner {
  readonly #plan: SelectPlan;
  readonly #memory: QueryRun;
  /** By column ID. */
  readonly #columns: ReadonlyMap<number, PlannedColumn>;

  constructor(
    plan: SelectPlan,
    domains: ReadonlyMap<number, ColumnDomain>,
    joins: ShardJoins,
    reader: InputReader,
    memory: QueryRun,
  ) {
    const all = [...domains.values()];
    memory.reserve(all.reduce((sum, { count }) => sum + count * 2, 0));
    this.#plan = plan;
    this.#memory = memory;
    const textsOf = (columnId: number) => reader.textsOf(columnId);
    this.#columns = new Map(
      all.map((domain) => {
        const rows = new DomainRows(domain, plan.inputs, joins, textsOf);
        return [domain.columnId, { domain, rows, slotOffsets: new Uint16Array(domain.count) }];
      }),
    );
  }

  plan(): GroupSlotPlan | null {
    const keys: SlotKey[] = [];
    let slotCount = 1;
    for (const expression of this.#plan.grouping?.keys ?? []) {
      const { rows, slotOffsets } = this.#columnOf(expression);
      const key = new SlotKey(expression, rows, slotCount, this.#memory);
      slotCount *= key.count;
      if (slotCount > GROUPS_MAX) return null;
      key.addSlotOffsets(slotOffsets);
      keys.push(key);
    }
    const dropping = this.#excludeRows(slotCount);
    if (slotCount * (dropping + 1) > SLOTS_MAX) return null;
    return {
      slotCount,
      columns: [...this.#columns.values()],
      keys: (slots, run) => keys.map((key) => key.values(slots, run)),
    };
  }

  /** The column on which the expression depends. */
  #columnOf(expression: Expression): PlannedColumn {
    const { columnId } = onlyAttribute(expression, this.#plan) as Attribute;
    return this.#columns.get(columnId) as PlannedColumn;
  }

  /**
   * Sets the offset of values whose rows are excluded to `slotCount`; returns the number of columns with such values.
   */
  #excludeRows(slotCount: number): number {
    const dropping = new Set<Uint16Array>();
    for (const part of filterParts(this.#plan)) {
      const { rows, slotOffsets } = this.#columnOf(part);
      const truth = compile(part, this.#memory)(rows);
      excludeUnless(slotOffsets, slotCount, dropping, (row) => {
        return truth.kind === 'boolean' && truth.bits[row] === 1 && (truth.valid?.[row] ?? 1) === 1;
      });
    }
    for (const [join, { kind, on }] of this.#plan.joins.entries()) {
      if (kind !== 'inner') continue;
      const { rows, slotOffsets } = this.#columnOf(on);
      const found = rows.joined(join);
      excludeUnless(slotOffsets, slotCount, dropping, (row) => found[row] !== NOT_FOUND);
    }
    return dropping.size;
  }
}

function excludeUnless(
  slotOffsets: Uint16Array,
  slotCount: number,
  dropping: Set<Uint16Array>,
  holds: (row: number) => boolean,
): void {
  for (let row = 0; row < slotOffsets.length; row++) {
    if (holds(row)) continue;
    slotOffsets[row] = slotCount;
    dropping.add(slotOffsets);
  }
}
