/**
 * The aggregates of a grouping by slots: counts, exact sums of integers of at most 32 bits, and extremes of stored
 * columns. Aggregates of one column share its accumulators.
 */
import type { AggregateState, Expression, Grouping, Input, SelectPlan } from '../../../ir/index.js';
import type { EntitySegment, LatestColumn } from '../../../storage/index.js';
import { exactVector, type WireVector } from '../../../vector/index.js';
import type { QueryRun } from '../../query-run.js';
import { type AggregationKind, aggregationKindOf } from '../states/aggregate-kinds.js';
import type { GroupSlotSource } from './slot-plan.js';
import type { ArenaSlotTables, ColumnAccumulators, SlotTables } from './slot-tables.js';

interface ValueColumn extends ColumnAccumulators {
  readonly columnId: number;
}

interface RequestedAggregate {
  readonly kind: AggregationKind;
  /** Index into the value columns; null = rows are counted. */
  readonly column: number | null;
}

/** By value column, the totals of the groups. */
interface ColumnTotals {
  readonly counts: Float64Array;
  readonly sums: WireVector | null;
  readonly least: WireVector | null;
  readonly greatest: WireVector | null;
}

export class SlotAggregates {
  readonly columns: readonly ValueColumn[];
  readonly #requested: readonly RequestedAggregate[];

  private constructor(columns: readonly ValueColumn[], requested: readonly RequestedAggregate[]) {
    this.columns = columns;
    this.#requested = requested;
  }

  /** null if an aggregate is not supported. */
  static of({ aggregates }: Grouping, { plan, dimension }: GroupSlotSource): SlotAggregates | null {
    const columns: { columnId: number; sums: boolean; extremes: boolean }[] = [];
    const requested: RequestedAggregate[] = [];
    for (const aggregate of aggregates) {
      const kind = aggregationKindOf(aggregate);
      if (aggregate.feed !== 'rows') return null;
      const input = aggregate.of === null ? null : attributeOf(aggregate.of, plan);
      if (input === null) {
        if (aggregate.of !== null || kind !== 'count') return null;
        requested.push({ kind, column: null });
        continue;
      }
      if (!isSupported(kind, input, dimension.segments)) return null;
      let column = columns.findIndex(({ columnId }) => columnId === input.columnId);
      if (column < 0) column = columns.push({ columnId: input.columnId, sums: false, extremes: false }) - 1;
      columns[column].sums ||= kind === 'sum';
      columns[column].extremes ||= kind === 'min' || kind === 'max';
      requested.push({ kind, column });
    }
    return new SlotAggregates(columns, requested);
  }

  /**
   * Adds the values of column `at` for the segment's rows that are set in `bitmap` (0 = all rows); `slots` are in the
   * column's arena.
   */
  add(at: number, segment: EntitySegment, slots: ArenaSlotTables, bitmap: number): void {
    const { rowCount, deadCount } = segment;
    const { kernels } = slots.arena;
    const { columnId, sums, extremes } = this.columns[at];
    const column = segment.latest(columnId);
    if (column === undefined || column.presentCount === 0) {
      kernels.countCodesU16(slots.slots, bitmap, rowCount, slots.missing[at]);
      return;
    }
    if (sums) sumColumn(column, slots, bitmap, rowCount, slots.sums[at]);
    const isWhole = column.presentCount === rowCount - deadCount;
    if (extremes) {
      // A missing value is stored as 0, which must not count.
      const present = isWhole ? bitmap : presentRows(column, slots, bitmap, rowCount);
      widenColumn(column, slots, present, rowCount, slots.extremes[at]);
    }
    if (isWhole) return;
    const without = slots.arena.scratchBitmap(1);
    if (bitmap === 0) kernels.fill(rowCount, without);
    const missing = kernels.andNot(bitmap === 0 ? without : bitmap, column.validityAt, rowCount, without);
    if (missing > 0) kernels.countCodesU16(slots.slots, without, rowCount, slots.missing[at]);
  }

  /**
   * The aggregate states of the given slots; `counts`: rows by slot. Their memory is reserved in the run. Throws 9006.
   */
  states(tables: SlotTables, counts: Float64Array, groups: Uint32Array, run: QueryRun): AggregateState[] {
    const ofRows = pickCounts(counts, groups, run);
    const totals = this.columns.map(({ sums, extremes }, at): ColumnTotals => {
      const missing = tables.totals(({ missing: all }) => all[at], counts.length);
      const present = counts.map((count, slot) => count - missing[slot]);
      return {
        counts: pickCounts(present, groups, run),
        sums: sums ? sumsOf(tables, at, groups, run) : null,
        least: extremes ? extremesOf(tables, at, groups, 'least', run) : null,
        greatest: extremes ? extremesOf(tables, at, groups, 'greatest', run) : null,
      };
    });
    return this.#requested.map(({ kind, column }): AggregateState => {
      if (column === null) return { holds: 'count', counts: ofRows };
      const { counts: present, sums, least, greatest } = totals[column];
      if (kind === 'sum' && sums !== null) return { holds: 'sum', counts: present, sums };
      const extremes = kind === 'min' ? least : kind === 'max' ? greatest : null;
      return extremes === null ? { holds: 'count', counts: present } : { holds: 'extreme', values: extremes };
    });
  }
}

export type Attribute = Extract<Input, { readonly from: 'attribute' }>;

/** The stored column that the expression reads unchanged; null for any other expression. */
export function attributeOf(of: Expression, { inputs }: SelectPlan): Attribute | null {
  if (of.op !== 'input') return null;
  const input = inputs[of.input];
  return input.from === 'attribute' ? input : null;
}

/**
 * Whether the column supports an aggregate of this kind. Any column can be counted; sums need integers of at most 32
 * bits, because the sum of 2^31 of them fits in 64 bits.
 */
function isSupported(
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

/** The selected rows that have a value, as a bitmap in the arena. */
function presentRows(
  { validityAt }: LatestColumn,
  { arena }: ArenaSlotTables,
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
  { arena: { kernels }, slots }: ArenaSlotTables,
  bitmap: number,
  rowCount: number,
  sums: number,
): void {
  if (kind === 'i32' || width === 4) kernels.sumGroupSlotsI32(valuesAt, slots, bitmap, rowCount, sums);
  else if (width === 2) kernels.sumGroupSlotsI16(valuesAt, slots, bitmap, rowCount, sums);
  else kernels.sumGroupSlotsI8(valuesAt, slots, bitmap, rowCount, sums);
}

function widenColumn(
  { kind, width, valuesAt }: LatestColumn,
  { arena: { kernels }, slots }: ArenaSlotTables,
  bitmap: number,
  rowCount: number,
  extremes: number,
): void {
  if (kind === 'i32' || width === 4)
    kernels.extremesGroupSlotsI32(valuesAt, slots, bitmap, rowCount, extremes);
  else if (width === 2) kernels.extremesGroupSlotsI16(valuesAt, slots, bitmap, rowCount, extremes);
  else kernels.extremesGroupSlotsI8(valuesAt, slots, bitmap, rowCount, extremes);
}

function sumsOf(tables: SlotTables, column: number, groups: Uint32Array, run: QueryRun): WireVector {
  run.reserve(groups.length * 8);
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

/** The extremes of the groups; missing for a group without a value, whose least value is above its greatest. */
function extremesOf(
  tables: SlotTables,
  column: number,
  groups: Uint32Array,
  which: 'least' | 'greatest',
  run: QueryRun,
): WireVector {
  const count = groups.length;
  run.reserve(count * 9);
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

/** The counts of the given slots. Their memory is reserved in the run. Throws 9006. */
function pickCounts(counts: Float64Array, slots: Uint32Array, run: QueryRun): Float64Array {
  run.reserve(slots.length * 8);
  return Float64Array.from(slots, (slot) => counts[slot]);
}
