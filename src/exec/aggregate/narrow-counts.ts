/**
 * Counts the rows of each value of a boolean column, or of a column of integers of at most 16 bits, by kernels: groups by
 * such a column, and aggregates of all rows that follow from the counts of their values.
 * Layout  entry v - least of the counts is integer v; entries 0 and 1 are false and true.
 * Cost    0.5 to 1.2 ns per row of integers, less than 0.1 ns per row of booleans, and 1 ns per entry.
 */
import type { AggregateState, GroupPartial, SelectPlan } from '../../ir/index.js';
import type { EntitySegment } from '../../storage/index.js';
import { exactVector, toWire, type WireVector } from '../../vector/index.js';
import { EntitySelection } from '../condition/selection.js';
import type { QueryRun } from '../query-run.js';
import type { ShardOperatorStats } from '../scan/operator-stats.js';
import { type AttributeInput, attributeOf, countedColumn } from './code-counts.js';
import { CodeTables, presentRowsIn } from './code-tables.js';
import type { GroupSlotSource } from './groups/slot-plan.js';
import { type AggregationKind, aggregationKindOf } from './states/aggregate-kinds.js';

const INTEGERS = 65_536;
const BYTES = 256;

/**
 * The groups of a plan that counts entities by one such column; null for any other plan, or if an arena has no capacity.
 * Memory of the result stays reserved in the run. Throws 9005, 9006.
 */
export function countByNarrow(
  source: GroupSlotSource,
  run: QueryRun,
  stats: ShardOperatorStats,
): GroupPartial | null {
  const column = countedColumn(source.plan);
  if (column === null) return null;
  return counted(source, column, run, stats, 'one key, counted by value', ({ counts, least }, rowCount) => {
    const { entries, found, total } = occurring(counts, run);
    const missing = rowCount - total;
    const groupCount = entries.length + (missing > 0 ? 1 : 0);
    run.reserve(groupCount * 24);
    const groupCounts = new Float64Array(groupCount);
    groupCounts.set(found);
    if (missing > 0) groupCounts[entries.length] = missing;
    const valid = missing > 0 ? new Uint8Array(groupCount).fill(1, 0, entries.length) : null;
    const state = { holds: 'count', counts: groupCounts } as const;
    return {
      groupCount,
      keys: [keysOf(column, entries, least, valid, groupCount)],
      states: source.plan.grouping?.aggregates.map(() => state) ?? [],
    };
  });
}

/**
 * The aggregates of all selected entities, if all are of one such column of integers; null for any other plan, or if an
 * arena has no capacity. Memory of the result stays reserved in the run. Throws 9005, 9006.
 */
export function aggregateNarrow(
  source: GroupSlotSource,
  run: QueryRun,
  stats: ShardOperatorStats,
): GroupPartial | null {
  const column = aggregatedColumn(source.plan);
  if (column === null || column.kind === 'bits') return null;
  return counted(source, column, run, stats, 'values counted', ({ counts, least }) => {
    const { entries, found, total } = occurring(counts, run);
    const values = Float64Array.from(entries, (entry) => entry + least);
    const kinds = (source.plan.grouping?.aggregates ?? []).map(aggregationKindOf);
    const states = kinds.map((kind) => stateOf(kind, values, found, total));
    return { groupCount: 1, keys: [], states };
  });
}

/** The column of integers of which all aggregates of a plan without groups are; null for any other plan. */
function aggregatedColumn({
  grouping,
  events,
  filter,
  joins,
  inputs,
  items = [],
}: SelectPlan): AttributeInput | null {
  if (grouping === null || grouping.perEntity || grouping.keys.length > 0) return null;
  if (events !== null || filter !== null || joins.length > 0 || items.length > 0) return null;
  const columns = grouping.aggregates.map(({ of, feed }) =>
    of === null || feed !== 'rows' ? null : attributeOf(of, inputs),
  );
  const [first = null] = columns;
  return columns.every((column) => column?.columnId === first?.columnId) ? first : null;
}

/** Counts the values of the selected rows; null if they are not narrow, or if an arena has no capacity. */
function counted(
  source: GroupSlotSource,
  column: AttributeInput,
  run: QueryRun,
  stats: ShardOperatorStats,
  note: string,
  groupsOf: (counts: CountsByValue, rowCount: number) => GroupPartial,
): GroupPartial | null {
  const { dimension, plan, scratch } = source;
  if (!isNarrow(dimension.segments, column)) return null;
  const selection = new EntitySelection(dimension, plan.condition, scratch, run);
  const memory = run.child();
  const start = stats.start();
  const counts = new NarrowCounts(column);
  try {
    let rowCount = 0;
    for (const [index, segment] of dimension.segments.entries()) {
      const count = selection.select(index);
      rowCount += count;
      if (count > 0 && !counts.add(segment, selection, count)) return null;
    }
    stats.add('scan', start, rowCount);
    stats.note('scan', [`${dimension.segments.length} segments scanned`, `${scratch.kernels.name} kernels`]);
    const groups = groupsOf(counts.byValue(memory), rowCount);
    stats.add('group', stats.start(), groups.groupCount);
    stats.note('group', [note]);
    return groups;
  } finally {
    counts.release();
    selection.release();
    memory.releaseAll();
  }
}

function isNarrow(segments: readonly EntitySegment[], { columnId, kind }: AttributeInput): boolean {
  if (kind === 'bits') return true;
  return kind === 'i64' && segments.every((segment) => (segment.latest(columnId)?.width ?? 1) <= 2);
}

interface CountsByValue {
  readonly counts: Uint32Array;
  /** The integer of entry 0. */
  readonly least: number;
}

class NarrowCounts {
  readonly #column: AttributeInput;
  /** By the bits of an integer of one byte, and of two. */
  readonly #bytes = new CodeTables(BYTES);
  readonly #words = new CodeTables(INTEGERS);
  readonly #bits = new Uint32Array(2);

  constructor(column: AttributeInput) {
    this.#column = column;
  }

  /** Counts the `count` selected rows of a segment. Returns false if the arena has no capacity. */
  add(segment: EntitySegment, selection: EntitySelection, count: number): boolean {
    const column = segment.latest(this.#column.columnId);
    if (column === undefined || column.presentCount === 0) return true;
    const rows = presentRowsIn(column, segment, selection, count);
    const { arena, valuesAt, width } = column;
    if (this.#column.kind !== 'bits') {
      const tables = width === 1 ? this.#bytes : this.#words;
      return rows.count === 0 || tables.add(column, rows.bitmapAt, segment.rowCount);
    }
    const bitmapAt = rows.bitmapAt === 0 ? valuesAt : rows.bitmapAt;
    const set = arena.kernels.and(valuesAt, bitmapAt, segment.rowCount, arena.scratchBitmap(0));
    this.#bits[0] += rows.count - set;
    this.#bits[1] += set;
    return true;
  }

  byValue(memory: QueryRun): CountsByValue {
    if (this.#column.kind === 'bits') return { counts: this.#bits, least: 0 };
    const least = -(this.#words.isEmpty ? BYTES : INTEGERS) / 2;
    const counts = memory.u32(-least * 2);
    const bytes = memory.u32(BYTES);
    this.#bytes.addCountsTo(bytes);
    for (let byte = 0; byte < BYTES; byte++) counts[((byte << 24) >> 24) - least] = bytes[byte];
    if (this.#words.isEmpty) return { counts, least };
    const words = memory.u32(INTEGERS);
    this.#words.addCountsTo(words);
    for (let word = 0; word < INTEGERS; word++) counts[((word << 16) >> 16) - least] += words[word];
    return { counts, least };
  }

  release(): void {
    this.#bytes.release();
    this.#words.release();
  }
}

interface Occurring {
  readonly entries: Uint32Array;
  /** The counts of the entries, all above 0, and their sum. */
  readonly found: Float64Array;
  readonly total: number;
}

function occurring(counts: Uint32Array, run: QueryRun): Occurring {
  let entryCount = 0;
  let total = 0;
  for (let entry = 0; entry < counts.length; entry++) {
    if (counts[entry] > 0) entryCount++;
    total += counts[entry];
  }
  run.reserve(entryCount * 20);
  const entries = new Uint32Array(entryCount);
  for (let entry = 0, at = 0; at < entryCount; entry++) if (counts[entry] > 0) entries[at++] = entry;
  return { entries, found: Float64Array.from(entries, (entry) => counts[entry]), total };
}

/** `count`: entries, and possibly the missing value. */
function keysOf(
  { kind }: AttributeInput,
  entries: Uint32Array,
  least: number,
  valid: Uint8Array | null,
  count: number,
): WireVector {
  if (kind === 'bits') {
    const bits = new Uint8Array(count);
    bits.set(entries);
    return toWire({ kind: 'boolean', count, valid, bits });
  }
  const numbers = new Float64Array(count);
  for (let at = 0; at < entries.length; at++) numbers[at] = entries[at] + least;
  return { kind: 'exact', count, valid, numbers, wide: null };
}

function stateOf(
  kind: AggregationKind,
  values: Float64Array,
  found: Float64Array,
  total: number,
): AggregateState {
  const counts = Float64Array.of(total);
  const sumOf = (power: 1 | 2): WireVector => {
    let sum = 0n;
    for (let at = 0; at < values.length; at++) sum += BigInt(values[at] ** power) * BigInt(found[at]);
    return exactVector(null, [sum]);
  };
  switch (kind) {
    case 'count':
      return { holds: 'count', counts };
    case 'sum':
      return { holds: 'sum', counts, sums: sumOf(1) };
    case 'squares':
      return { holds: 'squares', counts, sums: sumOf(1), squares: sumOf(2) };
    case 'min':
    case 'max': {
      const value = values[kind === 'min' ? 0 : values.length - 1] ?? 0;
      return { holds: 'extreme', values: exactVector(total > 0 ? null : Uint8Array.of(0), [BigInt(value)]) };
    }
    case 'distinct':
    case 'counted': {
      const { length: count } = values;
      const distinct: WireVector = { kind: 'exact', count, valid: null, numbers: values, wide: null };
      return { holds: 'values', groups: null, counts: found, values: distinct };
    }
  }
}
