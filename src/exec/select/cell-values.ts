/**
 * The values that a grouping by cells adds up: of stored columns counts, exact sums of integers of 32 bits at most, and least
 * and greatest ones. What each aggregate asks for is told from what was kept of its column.
 */
import type { AggregateState, Expression, Grouping, Input, SelectPlan } from '../../ir/index.js';
import type { EntitySegment, LatestColumn } from '../../storage/index.js';
import { exactVector, type WireVector } from '../../vector/index.js';
import type { QueryRun } from '../query-run.js';
import { type AggregationKind, kindOf } from './aggregate-kinds.js';
import type { CellSource } from './cell-plan.js';
import type { ArenaTables, CellTables, KeptOfColumn } from './cell-tables.js';

interface ValueColumn extends KeptOfColumn {
  readonly columnId: number;
}

interface AskedOf {
  readonly kind: AggregationKind;
  /** Place among the columns; null = rows are counted. */
  readonly column: number | null;
}

/** What is told of the groups, by column. */
interface ColumnTotals {
  readonly counts: Float64Array;
  readonly sums: WireVector | null;
  readonly least: WireVector | null;
  readonly greatest: WireVector | null;
}

export class CellValues {
  readonly columns: readonly ValueColumn[];
  readonly #asked: readonly AskedOf[];

  private constructor(columns: readonly ValueColumn[], asked: readonly AskedOf[]) {
    this.columns = columns;
    this.#asked = asked;
  }

  /** null where an aggregate wants something else. */
  static of({ aggregates }: Grouping, { plan, dimension }: CellSource): CellValues | null {
    const columns: { columnId: number; sums: boolean; extremes: boolean }[] = [];
    const asked: AskedOf[] = [];
    for (const aggregate of aggregates) {
      const kind = kindOf(aggregate);
      if (aggregate.feed !== 'rows') return null;
      const input = aggregate.of === null ? null : attributeOf(aggregate.of, plan);
      if (input === null) {
        if (aggregate.of !== null || kind !== 'count') return null;
        asked.push({ kind, column: null });
        continue;
      }
      if (!isKept(kind, input, dimension.segments)) return null;
      let column = columns.findIndex(({ columnId }) => columnId === input.columnId);
      if (column < 0) column = columns.push({ columnId: input.columnId, sums: false, extremes: false }) - 1;
      columns[column].sums ||= kind === 'sum';
      columns[column].extremes ||= kind === 'min' || kind === 'max';
      asked.push({ kind, column });
    }
    return new CellValues(columns, asked);
  }

  /** Adds the values of column `at` of the segment's rows that are set in `bitmap` (0 = all); `cells` in the column's arena. */
  add(at: number, segment: EntitySegment, cells: ArenaTables, bitmap: number): void {
    const { rowCount, deadCount } = segment;
    const { kernels } = cells.arena;
    const { columnId, sums, extremes } = this.columns[at];
    const column = segment.latest(columnId);
    if (column === undefined || column.presentCount === 0) {
      kernels.countCodesU16(cells.cells, bitmap, rowCount, cells.missing[at]);
      return;
    }
    if (sums) sumColumn(column, cells, bitmap, rowCount, cells.sums[at]);
    const isWhole = column.presentCount === rowCount - deadCount;
    if (extremes) {
      // A missing value is stored as 0, which is none.
      const present = isWhole ? bitmap : presentRows(column, cells, bitmap, rowCount);
      widenColumn(column, cells, present, rowCount, cells.extremes[at]);
    }
    if (isWhole) return;
    const without = cells.arena.scratchBitmap(1);
    if (bitmap === 0) kernels.fill(rowCount, without);
    const missing = kernels.andNot(bitmap === 0 ? without : bitmap, column.validityAt, rowCount, without);
    if (missing > 0) kernels.countCodesU16(cells.cells, without, rowCount, cells.missing[at]);
  }

  /** Of the groups that these cells are; `counts`: rows by cell. The memory that they take is the run's. Throws 9006. */
  states(tables: CellTables, counts: Float64Array, groups: Uint32Array, run: QueryRun): AggregateState[] {
    const ofRows = pickCounts(counts, groups, run);
    const totals = this.columns.map(({ sums, extremes }, at): ColumnTotals => {
      const missing = tables.totals(({ missing: all }) => all[at], counts.length);
      const present = counts.map((count, cell) => count - missing[cell]);
      return {
        counts: pickCounts(present, groups, run),
        sums: sums ? sumsOf(tables, at, groups, run) : null,
        least: extremes ? extremesOf(tables, at, groups, 'least', run) : null,
        greatest: extremes ? extremesOf(tables, at, groups, 'greatest', run) : null,
      };
    });
    return this.#asked.map(({ kind, column }): AggregateState => {
      if (column === null) return { holds: 'count', counts: ofRows };
      const { counts: present, sums, least, greatest } = totals[column];
      if (kind === 'sum' && sums !== null) return { holds: 'sum', counts: present, sums };
      const extremes = kind === 'min' ? least : kind === 'max' ? greatest : null;
      return extremes === null ? { holds: 'count', counts: present } : { holds: 'extreme', values: extremes };
    });
  }
}

type Attribute = Extract<Input, { readonly from: 'attribute' }>;

function attributeOf(of: Expression, { inputs }: SelectPlan): Attribute | null {
  if (of.op !== 'input') return null;
  const input = inputs[of.input];
  return input.from === 'attribute' ? input : null;
}

/** Whether that can be kept of the column: anything is counted; of 2^31 integers of 32 bits a sum has 64. */
function isKept(
  kind: AggregationKind,
  { columnId, kind: stored }: Attribute,
  segments: readonly EntitySegment[],
): boolean {
  switch (kind) {
    case 'count':
      return true;
    case 'sum':
    case 'min':
    case 'max':
      if (stored === 'i32') return kind !== 'sum';
      return stored === 'i64' && segments.every((segment) => segment.latest(columnId)?.width !== 8);
    default:
      return false;
  }
}

/** Those of the chosen rows that have a value, as a bitmap in the arena. */
function presentRows(
  { validityAt }: LatestColumn,
  { arena }: ArenaTables,
  bitmap: number,
  rowCount: number,
): number {
  if (bitmap === 0) return validityAt;
  const present = arena.scratchBitmap(2);
  arena.kernels.and(bitmap, validityAt, rowCount, present);
  return present;
}

function sumColumn(
  { kind, width, valuesAt }: LatestColumn,
  { arena: { kernels }, cells }: ArenaTables,
  bitmap: number,
  rowCount: number,
  sums: number,
): void {
  if (kind === 'i32' || width === 4) kernels.sumGroupSlotsI32(valuesAt, cells, bitmap, rowCount, sums);
  else if (width === 2) kernels.sumGroupSlotsI16(valuesAt, cells, bitmap, rowCount, sums);
  else kernels.sumGroupSlotsI8(valuesAt, cells, bitmap, rowCount, sums);
}

function widenColumn(
  { kind, width, valuesAt }: LatestColumn,
  { arena: { kernels }, cells }: ArenaTables,
  bitmap: number,
  rowCount: number,
  extremes: number,
): void {
  if (kind === 'i32' || width === 4)
    kernels.extremesGroupSlotsI32(valuesAt, cells, bitmap, rowCount, extremes);
  else if (width === 2) kernels.extremesGroupSlotsI16(valuesAt, cells, bitmap, rowCount, extremes);
  else kernels.extremesGroupSlotsI8(valuesAt, cells, bitmap, rowCount, extremes);
}

function sumsOf(tables: CellTables, column: number, groups: Uint32Array, run: QueryRun): WireVector {
  run.take(groups.length * 8);
  const sums = new Array<bigint>(groups.length).fill(0n);
  for (const { arena, sums: all } of tables.all) {
    const first = all[column] >> 2;
    for (let group = 0; group < groups.length; group++) {
      const at = first + groups[group] * 2;
      sums[group] += (BigInt(arena.i32[at + 1]) << 32n) + BigInt(arena.u32[at]);
    }
  }
  return exactVector(null, sums);
}

/** Missing where the group has no value: there the least one is above the greatest. */
function extremesOf(
  tables: CellTables,
  column: number,
  groups: Uint32Array,
  which: 'least' | 'greatest',
  run: QueryRun,
): WireVector {
  const count = groups.length;
  run.take(count * 9);
  const numbers = new Float64Array(count);
  const valid = new Uint8Array(count);
  for (const { arena, extremes: all } of tables.all) {
    const first = all[column] >> 2;
    for (let group = 0; group < count; group++) {
      const at = first + groups[group] * 2;
      const [least, greatest] = [arena.i32[at], arena.i32[at + 1]];
      if (least > greatest) continue;
      const value = which === 'least' ? least : greatest;
      const isBetter = which === 'least' ? value < numbers[group] : value > numbers[group];
      if (valid[group] === 0 || isBetter) numbers[group] = value;
      valid[group] = 1;
    }
  }
  return { kind: 'exact', count, valid: valid.includes(0) ? valid : null, numbers, wide: null };
}

/** The counts of some cells. The memory that they take is the run's. Throws 9006. */
function pickCounts(counts: Float64Array, cells: Uint32Array, run: QueryRun): Float64Array {
  run.take(cells.length * 8);
  return Float64Array.from(cells, (cell) => counts[cell]);
}
