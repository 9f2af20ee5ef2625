/**
 * Grouping by cells: where every key, every inner join and every part of the filter depends on one stored column of few
 * values each, the cell of a row (the combination of its keys' values) is a sum of numbers looked up by these values.
 * What the SELECT says is evaluated per value of a column, not per row.
 */
import { QuarryError } from '../../base/index.js';
import { compile } from '../../expression/index.js';
import { type Expression, inputsOf, type SelectPlan } from '../../ir/index.js';
import type { Arena, DimensionShard } from '../../storage/index.js';
import type { WireVector } from '../../vector/index.js';
import type { QueryRun } from '../query-run.js';
import { type CellDomain, cellDomain, DomainRows } from './cell-domain.js';
import { CellKey } from './cell-key.js';
import { InputReader } from './input-reader.js';
import { type JoinedTable, NOT_FOUND } from './join-lookup.js';
import { ShardJoins } from './joins.js';

/** Cells have 16 bits. */
const CELLS_END = 65_536;
/** So many values are always worth being looked at; of more, half as many as the shard has entities. */
const FEW_VALUES = 1_024;

/** A column, and what each of its values adds to the cell of a row. */
export interface CellColumn {
  readonly domain: CellDomain;
  /** By row of the domain. */
  readonly adds: Uint16Array;
}

export interface CellPlan {
  /** Rows of cells from here on are of no group: a join or the filter leaves them out. */
  readonly cellCount: number;
  readonly columns: readonly CellColumn[];
  /** The keys of cells; the memory that they take is the run's. Throws 9006. */
  keys(cells: Uint32Array, run: QueryRun): WireVector[];
}

export interface CellSource {
  readonly dimension: DimensionShard;
  readonly plan: SelectPlan;
  /** One per join. */
  readonly tables: readonly JoinedTable[];
  readonly scratch: Arena;
}

/** null: it does not go that way, or is not worth it. Memory is taken from `memory`. Throws 9005, 9006. */
export function cellPlan(source: CellSource, run: QueryRun, memory: QueryRun): CellPlan | null {
  const { plan, tables, dimension, scratch } = source;
  const columns = columnsOf(dimension, plan);
  if (columns === null) return null;
  const joins = new ShardJoins(plan, tables, run);
  const reader = new InputReader(dimension, plan.inputs, scratch, run);
  try {
    return new Planner(plan, columns, joins, reader, memory).plan();
  } catch (error) {
    // Of a value that may stand in no row that counts: row by row it will be seen.
    if (error instanceof QuarryError && error.code === 6000) return null;
    throw error;
  } finally {
    reader.release();
    joins.release();
  }
}

/** The parts of the filter that must all hold. */
function filterParts({ filter }: SelectPlan): readonly Expression[] {
  if (filter === null) return [];
  return filter.op === 'and' ? filter.members : [filter];
}

/** By column ID, the columns on which keys, filter and inner joins depend; null where one of these depends on more. */
function columnsOf(dimension: DimensionShard, plan: SelectPlan): Map<number, CellDomain> | null {
  const { grouping, joins } = plan;
  const valuesMax = Math.min(Math.max(FEW_VALUES, dimension.entityCount >> 1), CELLS_END);
  const inner = joins.filter(({ kind }) => kind === 'inner').map(({ on }) => on);
  const columns = new Map<number, CellDomain>();
  let count = 0;
  for (const expression of [...(grouping?.keys ?? []), ...filterParts(plan), ...inner]) {
    const input = onlyAttribute(expression, plan);
    if (input === null) return null;
    if (columns.has(input.columnId)) continue;
    const domain = cellDomain(dimension, input, valuesMax - count);
    if (domain === null) return null;
    count += domain.count;
    columns.set(input.columnId, domain);
  }
  return columns.size === 0 ? null : columns;
}

type Attribute = Extract<SelectPlan['inputs'][number], { readonly from: 'attribute' }>;

/** The only column of the dimension on which the expression depends; null where there are others, or none. */
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

interface PlannedColumn extends CellColumn {
  readonly rows: DomainRows;
}

class Planner {
  readonly #plan: SelectPlan;
  readonly #memory: QueryRun;
  /** By column ID. */
  readonly #columns: ReadonlyMap<number, PlannedColumn>;

  constructor(
    plan: SelectPlan,
    domains: ReadonlyMap<number, CellDomain>,
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
        return [domain.columnId, { domain, rows, adds: new Uint16Array(domain.count) }];
      }),
    );
  }

  plan(): CellPlan | null {
    const keys: CellKey[] = [];
    let cellCount = 1;
    for (const expression of this.#plan.grouping?.keys ?? []) {
      const { rows, adds } = this.#columnOf(expression);
      const key = new CellKey(expression, rows, cellCount, this.#memory);
      cellCount *= key.count;
      if (cellCount > CELLS_END) return null;
      key.addTo(adds);
      keys.push(key);
    }
    const dropping = this.#drop(cellCount);
    if (cellCount * (dropping + 1) > CELLS_END) return null;
    return {
      cellCount,
      columns: [...this.#columns.values()],
      keys: (cells, run) => keys.map((key) => key.values(cells, run)),
    };
  }

  /** The column on which the expression depends. */
  #columnOf(expression: Expression): PlannedColumn {
    const { columnId } = onlyAttribute(expression, this.#plan) as Attribute;
    return this.#columns.get(columnId) as PlannedColumn;
  }

  /** Lets values whose rows are left out add `cellCount`; returns the number of columns that have some. */
  #drop(cellCount: number): number {
    const dropping = new Set<Uint16Array>();
    for (const part of filterParts(this.#plan)) {
      const { rows, adds } = this.#columnOf(part);
      const truth = compile(part, this.#memory)(rows);
      dropUnless(adds, cellCount, dropping, (row) => {
        return truth.kind === 'boolean' && truth.bits[row] === 1 && (truth.valid?.[row] ?? 1) === 1;
      });
    }
    for (const [join, { kind, on }] of this.#plan.joins.entries()) {
      if (kind !== 'inner') continue;
      const { rows, adds } = this.#columnOf(on);
      const found = rows.joined(join);
      dropUnless(adds, cellCount, dropping, (row) => found[row] !== NOT_FOUND);
    }
    return dropping.size;
  }
}

function dropUnless(
  adds: Uint16Array,
  cellCount: number,
  dropping: Set<Uint16Array>,
  holds: (row: number) => boolean,
): void {
  for (let row = 0; row < adds.length; row++) {
    if (holds(row)) continue;
    adds[row] = cellCount;
    dropping.add(adds);
  }
}
