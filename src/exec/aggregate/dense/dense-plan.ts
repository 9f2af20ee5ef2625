/**
 * Plans a dense aggregation: the group of a row is a slot. It applies if every key is a stored column of discrete
 * values whose indexes together take at most 64 bits, and every operand is a stored column or an integer expression that
 * kernels compute (integer-program.ts).
 * Index  of a key value: 0 is the missing value, i > 0 the value least + i - 1: a code, an integer, days, or a bit.
 *        Integers whose ranges are too large have numbers in order of appearance: index i is number i - 1.
 * Slots  If the ranges span few slots in relation to the rows, slot = sum of (index of key k) * stride of key k.
 *        Otherwise the indexes are packed into a key word, sum of (index of key k) << shift of key k, and a hash table
 *        numbers the different key words.
 */
import { type Aggregate, type Expression, type Grouping, keyOf, type SelectPlan } from '../../../ir/index.js';
import type { DimensionShard } from '../../../storage/index.js';
import { ORDERED_MAX } from '../../../vector/index.js';
import { type Attribute, attributeOf } from '../groups/slot-aggregates.js';
import { type AggregationKind, aggregationKindOf } from '../states/aggregate-kinds.js';
import type { ComputedColumn } from './computed-columns.js';
import { integerProgram } from './integer-program.js';
import { type StoredIntegers, storedIntegers } from './stored-integers.js';

/** The largest number of slots of a table, regardless of the available memory. */
const SLOTS_MAX = 2 ** 22;
/** A table of at most this many slots always counts as small. */
const FEW_SLOTS = 65_536;
/** A larger table has at most this many slots per entity: each slot is read once, at about the cost of a row. */
const SLOTS_PER_ENTITY = 2;
const WORD_BITS = 64;
const INT32_END = 2 ** 31;
/** A sum whose magnitude is below this fits in 64 bits, however its bounds were rounded. */
const SUM_END = 2 ** 62;
/** The largest number of bits of a bitmap of distinct values: 64 MiB. */
const BITMAP_BITS_MAX = 2 ** 29;
/** The largest number of bits of such a bitmap per entity. */
const BITS_PER_ENTITY = 64;

export interface DenseKey {
  readonly columnId: number;
  readonly kind: 'code' | 'i32' | 'i64' | 'bits';
  /** How values become indexes; `word`: the only key, which no row misses, is the key word as it is. */
  readonly form: 'offset' | 'number' | 'word';
  /** The value of index 1. */
  readonly least: number;
  /** Number of indexes. */
  readonly count: number;
  /** Factor of the index in a slot. */
  readonly stride: number;
  /** Position and number of the index's bits in a key word. */
  readonly shift: number;
  readonly bits: number;
}

/** An aggregated column, and the indexes of the fields of a slot's record that hold its results; null = not needed. */
export interface DenseOperand {
  readonly columnId: number;
  /** Whether the sum may exceed 64 bits. */
  readonly isWide: boolean;
  /** Number of values; null = every row has a value. */
  readonly present: number | null;
  /** The sum. If `isWide`, the sum of the lower 32 bits; the next field holds the sum of the upper 32 bits. */
  readonly sum: number | null;
  /** Two fields: the sums of the lower and the upper 32 bits of the squares. */
  readonly squares: number | null;
  /** Fields of the record of extremes. */
  readonly min: number | null;
  readonly max: number | null;
  /** The values that are collected by slot: all values, or each distinct value once. */
  readonly runs: 'none' | 'all' | 'distinct';
  /** Whether collected values may not be safe integers. */
  readonly isUnsafe: boolean;
  /** The range of the values as a bitmap; null = no bitmap. */
  readonly bitmap: { readonly least: number; readonly span: number } | null;
}

export interface DenseAggregate {
  readonly kind: AggregationKind;
  /** Index of the operand; null = rows are counted. */
  readonly operand: number | null;
}

export interface DensePlan {
  readonly keys: readonly DenseKey[];
  /** null = slots are numbers of key words. */
  readonly slotCount: number | null;
  readonly operands: readonly DenseOperand[];
  /** The columns of operands that are not stored. */
  readonly computed: readonly ComputedColumn[];
  readonly aggregates: readonly DenseAggregate[];
  /** Fields of a record, of 8 bytes each: field 0 counts rows. An even number. */
  readonly fieldCount: number;
  readonly minCount: number;
  readonly maxCount: number;
}

/** The plan for a shard; null = a dense aggregation is not possible or not worthwhile. */
export function planDense(
  dimension: DimensionShard,
  plan: SelectPlan,
  directSlotsMax = SLOTS_MAX,
): DensePlan | null {
  const { grouping, events, joins, filter, items = [] } = plan;
  if (grouping === null || grouping.perEntity || events !== null || items.length > 0) return null;
  if (joins.length > 0 || filter !== null) return null;
  const keys = keysOf(dimension, grouping, plan);
  if (keys === null) return null;
  return planOperands(dimension, grouping, plan, keys.keys, directSlots(dimension, keys, directSlotsMax));
}

interface PlannedKeys {
  readonly keys: readonly DenseKey[];
  /** Whether a key has 64-bit values. */
  readonly isWide: boolean;
}

/** The number of slots if they are computed from the key values; null = they are numbers of key words. */
function directSlots(
  { entityCount }: DimensionShard,
  { keys, isWide }: PlannedKeys,
  directSlotsMax: number,
): number | null {
  const slotCount = keys.reduce((product, { count }) => product * count, 1);
  const slotsMax = Math.min(directSlotsMax, Math.max(FEW_SLOTS, entityCount * SLOTS_PER_ENTITY));
  return keys.length > 0 && (isWide || slotCount > slotsMax) ? null : slotCount;
}

function keysOf(dimension: DimensionShard, { keys }: Grouping, plan: SelectPlan): PlannedKeys | null {
  const columns: PlannedKey[] = [];
  for (const key of keys) {
    const input = attributeOf(key, plan);
    if (input === null || input.kind === 'geo') return null;
    columns.push({
      columnId: input.columnId,
      kind: input.kind,
      form: 'offset',
      ...rangeOf(dimension, input),
    });
  }
  const [only] = columns;
  if (columns.length === 1 && !only.isExact && !storedIntegers(dimension, only.columnId).hasMissing) {
    const placed = { least: 0, stride: 1, shift: 0, bits: WORD_BITS };
    return { keys: [{ ...only, ...placed, form: 'word' }], isWide: true };
  }
  if (!numberLargest(columns, numberRange(dimension))) return null;
  const found: DenseKey[] = [];
  let [stride, shift] = [1, 0];
  for (const column of columns) {
    const bits = bitsOf(column.count);
    found.push({ ...column, stride, shift, bits });
    stride *= column.count;
    shift += bits;
  }
  return { keys: found, isWide: columns.some(({ isWide, form }) => isWide || form === 'number') };
}

interface PlannedKey extends Pick<DenseKey, 'columnId' | 'kind'>, KeyRange {
  form: DenseKey['form'];
}

/** The range of the numbers of a column's values. */
const numberRange = ({ segments }: DimensionShard): KeyRange => ({
  least: 0,
  count: segments.reduce((sum, { rowCount }) => sum + rowCount, 0) + 1,
  isWide: true,
  isExact: true,
});

/**
 * Numbers the values of columns whose range is not exact, and of those with the largest ranges until all indexes fit in
 * a key word. Returns false if they do not fit.
 */
function numberLargest(columns: PlannedKey[], numbered: KeyRange): boolean {
  for (;;) {
    const bitCount = columns.reduce((sum, { count }) => sum + bitsOf(count), 0);
    let largest: PlannedKey | null = null;
    for (const column of columns) {
      if (column.form !== 'offset' || (column.kind !== 'i64' && column.kind !== 'i32')) continue;
      if (column.isExact && column.count <= numbered.count) continue;
      if (largest === null || column.count > largest.count) largest = column;
    }
    if (columns.every(({ isExact }) => isExact) && bitCount <= WORD_BITS) return true;
    if (largest === null) return false;
    Object.assign(largest, numbered, { form: 'number' });
  }
}

/** The number of bits that tell `count` indexes apart. */
function bitsOf(count: number): number {
  let bits = 0;
  while (2 ** bits < count) bits++;
  return bits;
}

interface KeyRange {
  readonly least: number;
  /** Number of indexes, including the index of the missing value. */
  readonly count: number;
  readonly isWide: boolean;
  /** Whether `least` and `count` are exact: those of integers beyond 2^53 are not. */
  readonly isExact: boolean;
}

/** The range of a key's values. */
function rangeOf(dimension: DimensionShard, { columnId, kind }: Attribute): KeyRange {
  if (kind === 'bits') return { least: 0, count: 3, isWide: false, isExact: true };
  if (kind === 'code') {
    const count = dimension.dictionaries.get(columnId)?.codeCount ?? 1;
    return { least: 1, count, isWide: false, isExact: true };
  }
  const { min, max, isWide } = storedIntegers(dimension, columnId);
  if (min > max) return { least: 1, count: 1, isWide, isExact: true };
  const count = max - min + 2;
  const isExact = Number.isSafeInteger(min - 1) && Number.isSafeInteger(max) && Number.isSafeInteger(count);
  return { least: min, count, isWide, isExact };
}

/** A column that is aggregated. */
interface Wanted {
  readonly columnId: number;
  readonly kind: Attribute['kind'];
  readonly integers: StoredIntegers;
  /** null = the column is stored. */
  readonly steps: ComputedColumn['steps'] | null;
  readonly kinds: Set<AggregationKind>;
}

function planOperands(
  dimension: DimensionShard,
  { aggregates }: Grouping,
  plan: SelectPlan,
  keys: readonly DenseKey[],
  slotCount: number | null,
): DensePlan | null {
  const wanted: Wanted[] = [];
  const numbers = new Map<string, number>();
  const requested: DenseAggregate[] = [];
  for (const aggregate of aggregates) {
    const kind = aggregationKindOf(aggregate);
    if (aggregate.feed !== 'rows') return null;
    if (aggregate.of === null) {
      requested.push({ kind, operand: null });
      continue;
    }
    const key = keyOf(aggregate.of);
    let operand = numbers.get(key);
    if (operand === undefined) {
      const column = wantedOf(aggregate.of, plan, dimension, -1 - wanted.length);
      if (column === null) return null;
      operand = wanted.push(column) - 1;
      numbers.set(key, operand);
    }
    if (!isSupported(kind, aggregate, wanted[operand])) return null;
    wanted[operand].kinds.add(kind);
    requested.push({ kind, operand });
  }
  const fields = new Fields();
  const operands: DenseOperand[] = [];
  for (const column of wanted) {
    const operand = operandOf(dimension, column, fields, slotCount);
    if (operand === null) return null;
    operands.push(operand);
  }
  const computed = wanted.flatMap(({ columnId, steps }) => (steps === null ? [] : [{ columnId, steps }]));
  return fields.plan({ keys, slotCount, computed, aggregates: requested }, operands);
}

/** The column of an aggregated expression; null = no kernel computes it. `computedId`: its ID if it is not stored. */
function wantedOf(
  of: Expression,
  plan: SelectPlan,
  dimension: DimensionShard,
  computedId: number,
): Wanted | null {
  const input = attributeOf(of, plan);
  if (input !== null) {
    const { columnId, kind } = input;
    return { columnId, kind, integers: storedIntegers(dimension, columnId), steps: null, kinds: new Set() };
  }
  const program = integerProgram(of, plan, dimension);
  if (program === null) return null;
  const { min, max, hasMissing, steps } = program;
  const isWide = min < -INT32_END || max >= INT32_END;
  return {
    columnId: computedId,
    kind: 'i64',
    integers: { min, max, isWide, hasMissing },
    steps,
    kinds: new Set(),
  };
}

/** Places the fields of the records. */
export class Fields {
  /** Field 0 counts rows. */
  count = 1;
  minCount = 0;
  maxCount = 0;

  add(count: number): number {
    this.count += count;
    return this.count - count;
  }

  /** The plan with the operands, whose fields were added here. */
  plan(
    rest: Pick<DensePlan, 'keys' | 'slotCount' | 'computed' | 'aggregates'>,
    operands: readonly DenseOperand[],
  ): DensePlan {
    const { count, minCount, maxCount } = this;
    // The greatest values follow the least ones.
    const placed = operands.map((operand) => ({
      ...operand,
      max: operand.max === null ? null : operand.max + minCount,
    }));
    return { ...rest, operands: placed, fieldCount: count + (count & 1), minCount, maxCount };
  }
}

/** Whether the column supports these aggregates. Any column can be counted; all other aggregates need integers. */
function isSupported(
  kind: AggregationKind,
  { function: name }: Aggregate,
  { kind: stored }: Wanted,
): boolean {
  if (kind === 'count') return stored !== 'geo';
  if (stored !== 'i64' && stored !== 'i32') return false;
  return kind !== 'distinct' || name === 'count';
}

function operandOf(
  dimension: DimensionShard,
  { columnId, integers, kinds }: Wanted,
  fields: Fields,
  slotCount: number | null,
): DenseOperand | null {
  const { min, max, isWide, hasMissing } = integers;
  // Sums of squares need values of at most 32 bits. Collected values are returned as doubles: distinct ones, of which
  // only the number is needed, as doubles whose bits are those of the integer.
  if (isWide && kinds.has('squares')) return null;
  const isUnsafe = isWide && !(Number.isSafeInteger(min) && Number.isSafeInteger(max));
  if (isUnsafe && kinds.has('counted')) return null;
  if (isUnsafe && kinds.has('distinct') && !(min > -ORDERED_MAX && max < ORDERED_MAX)) return null;
  const sums = kinds.has('sum') || kinds.has('squares');
  const isLong = Math.max(-min, max) * dimension.entityCount >= SUM_END;
  const span = max - min + 1;
  const hasBitmap =
    kinds.has('distinct') &&
    slotCount === 1 &&
    !isWide &&
    span <= Math.min(BITMAP_BITS_MAX, Math.max(FEW_SLOTS, dimension.entityCount * BITS_PER_ENTITY));
  return {
    columnId,
    isWide: isLong,
    present: hasMissing ? fields.add(1) : null,
    sum: sums ? fields.add(isLong ? 2 : 1) : null,
    squares: kinds.has('squares') ? fields.add(2) : null,
    min: kinds.has('min') ? fields.minCount++ : null,
    max: kinds.has('max') ? fields.maxCount++ : null,
    isUnsafe,
    runs: kinds.has('counted') ? 'all' : kinds.has('distinct') && !hasBitmap ? 'distinct' : 'none',
    bitmap: hasBitmap ? alignedRange(min, max) : null,
  };
}

/**
 * Rounds the ends of the range to multiples of 32, so that the bitmaps of several shards can be combined word by word.
 */
function alignedRange(min: number, max: number): { readonly least: number; readonly span: number } {
  if (min > max) return { least: 0, span: 32 };
  const least = Math.floor(min / 32) * 32;
  return { least, span: (Math.floor(max / 32) + 1) * 32 - least };
}
