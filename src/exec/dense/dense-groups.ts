/**
 * Groups the rows of a shard by slots in dense tables (see dense-plan.ts), with kernels.
 * Cost  about 1 ns per row and key, 2 to 4 ns per row for the records, 0.5 ns per row and aggregated column; a hash
 *       table adds 3 ns per row, its partitions 6. Values that are collected for percentiles cost 20 to 40 ns each.
 */
import type { Allocator } from '../../answer/index.js';
import { invariant, type Task } from '../../base/index.js';
import type { AggregateState, GroupPartial, SelectPlan } from '../../ir/index.js';
import type { Arena, DimensionShard } from '../../storage/index.js';
import {
  exactVector,
  exactVector64,
  putOrdered,
  Texts,
  toWire,
  type Vector,
  type WireVector,
} from '../../vector/index.js';
import type { QueryMemories, QueryMemory } from '../query-memory.js';
import type { QueryRun } from '../query-run.js';
import type { ShardOperatorStats } from '../select/operator-stats.js';
import { SegmentRows } from '../select/segment-rows.js';
import { type DenseKey, type DenseOperand, type DensePlan, planDense } from './dense-plan.js';
import { type DenseOptions, DenseTable } from './dense-table.js';
import { indexesOfKey } from './key-words.js';
import type { ValueNumbers } from './value-numbers.js';

export interface DenseSource {
  readonly dimension: DimensionShard;
  readonly plan: SelectPlan;
  readonly scratch: Arena;
  readonly memories: QueryMemories;
  /** Allocates collected values. */
  readonly allocator: Allocator;
  readonly options?: DenseOptions;
}

export class DenseGroups {
  readonly #source: DenseSource;
  readonly #plan: DensePlan;
  readonly #run: QueryRun;
  readonly #stats: ShardOperatorStats;
  readonly #selection: SegmentRows;
  #segment = 0;

  private constructor(source: DenseSource, plan: DensePlan, run: QueryRun, stats: ShardOperatorStats) {
    const { dimension, scratch } = source;
    this.#source = source;
    this.#plan = plan;
    this.#run = run;
    this.#stats = stats;
    this.#selection = new SegmentRows(dimension, source.plan.condition, scratch, run);
  }

  /**
   * null if a dense aggregation is not possible or not worthwhile. `release` must be called at the end. Throws 9005,
   * 9006.
   */
  static of(source: DenseSource, run: QueryRun, stats: ShardOperatorStats): DenseGroups | null {
    const plan = planDense(source.dimension, source.plan, source.options?.directSlotsMax);
    return plan === null ? null : new DenseGroups(source, plan, run, stats);
  }

  /**
   * null = the query has no memory for dense tables. The groups' memory stays reserved in the run. Throws 9005, 9006.
   */
  *groups(): Task<GroupPartial | null> {
    const memory = this.#source.memories.acquire();
    const account = this.#run.child();
    try {
      const table = DenseTable.create(this.#plan, memory, account, this.#source.options);
      if (table === null || !(yield* this.#addSegments(table)) || !(yield* this.#finish(table))) return null;
      return yield* this.#partial(table, memory, account);
    } finally {
      account.releaseAll();
      this.#source.memories.release(memory, this.#run);
    }
  }

  *#addSegments(table: DenseTable): Task<boolean> {
    const { segments } = this.#source.dimension;
    const segmentCounts = { none: 0, whole: 0, some: 0 };
    for (const segment of segments) {
      const { rowCount } = segment;
      const scanStart = this.#stats.start();
      const count = this.#selection.select(this.#segment);
      this.#stats.add('scan', scanStart, count);
      segmentCounts[count === 0 ? 'none' : count === rowCount ? 'whole' : 'some']++;
      const start = this.#stats.start();
      const isAdded = count === 0 || table.add(segment, count === rowCount ? null : this.#selection.bitmap);
      this.#stats.add('group', start, 0);
      if (!isAdded) return false;
      this.#segment++;
      yield;
    }
    this.#stats.note('scan', [
      `${segments.length} of ${segments.length} segments scanned`,
      `${segmentCounts.none} without matching rows`,
      `${segmentCounts.whole} matched entirely`,
      `${this.#source.scratch.kernels.name} kernels`,
    ]);
    return true;
  }

  *#finish(table: DenseTable): Task<boolean> {
    const start = this.#stats.start();
    const isAdded = yield* table.finish();
    this.#stats.add('group', start, 0);
    return isAdded;
  }

  *#partial(table: DenseTable, memory: QueryMemory, account: QueryRun): Task<GroupPartial | null> {
    const start = this.#stats.start();
    const { keys, operands, aggregates, fieldCount } = this.#plan;
    const { slotCount } = table;
    account.reserve(slotCount * 4);
    const slots =
      keys.length === 0 ? Uint32Array.of(0) : slotsWithRows(memory, table.records, fieldCount, slotCount);
    yield;
    const results = new DenseResults(this.#plan, table, memory, slots, this.#run);
    const collected: (AggregateState | null)[] = [];
    for (const [index, operand] of operands.entries()) {
      const state = yield* collectedState(operand, index, {
        table,
        memory,
        slots,
        slotCount,
        account,
        run: this.#run,
        allocator: this.#source.allocator,
      });
      if (state === undefined) return null;
      collected.push(state);
    }
    const wires = keys.map((key, index) =>
      toWire(this.#keyVector(key, table.numbers[index], slots, table, memory)),
    );
    const states = aggregates.map(({ kind, operand }): AggregateState => {
      if (operand === null) return { holds: 'count', counts: results.rows };
      if (kind === 'counted' || kind === 'distinct') return collected[operand] as AggregateState;
      return results.state(operands[operand], kind);
    });
    this.#stats.add('group', start, slots.length);
    const keyCount = keys.length === 1 ? 'one key' : `${keys.length} keys`;
    this.#stats.note('group', [`${keyCount}, ${table.note}`]);
    return { groupCount: slots.length, keys: wires, states };
  }

  #keyVector(
    key: DenseKey,
    numbers: ValueNumbers | null,
    slots: Uint32Array,
    table: DenseTable,
    { u32, i64 }: QueryMemory,
  ): Vector {
    const { columnId, kind, form, least, count, stride } = key;
    const groupCount = slots.length;
    this.#run.reserve(groupCount * 9);
    if (form === 'word') {
      return exactVector64(null, i64.slice(table.words / 8, table.words / 8 + groupCount));
    }
    // Every number of a key word has rows, so that the groups are the slots.
    const indexes =
      this.#plan.slotCount === null
        ? indexesOfKey(key, u32, table.words / 4, groupCount)
        : indexesOfSlots(slots, stride, count);
    const numbered = numbers?.valuesOf(indexes) ?? null;
    const valid = valuesOfIndexes(indexes, least);
    if (numbered !== null) return exactVector64(valid, numbered);
    if (kind === 'bits') return { kind: 'boolean', count: groupCount, valid, bits: Uint8Array.from(indexes) };
    if (kind !== 'code') return { kind: 'exact', count: groupCount, valid, numbers: indexes, wide: null };
    const texts = this.#textsOf(columnId);
    return { kind: 'text', count: groupCount, valid, codes: Uint32Array.from(indexes), texts };
  }

  #textsOf(columnId: number): Texts {
    const dictionary = this.#source.dimension.dictionaries.get(columnId);
    if (dictionary === undefined) return Texts.ofStrings(['']);
    const { codeCount, offsets, bytes, hashes } = dictionary;
    // Code 0 is the missing value and spans no bytes.
    return Texts.ofBytes({ offsets: offsets.subarray(0, codeCount + 1), bytes }, codeCount, true, hashes);
  }

  /** Releases all arena memory between two slices. */
  rest(): void {
    this.#selection.settle(this.#segment);
  }

  release(): void {
    this.#selection.release();
  }
}

function indexesOfSlots(slots: Uint32Array, stride: number, count: number): Float64Array {
  const indexes = new Float64Array(slots.length);
  for (let group = 0; group < slots.length; group++)
    indexes[group] = Math.floor(slots[group] / stride) % count;
  return indexes;
}

/** Replaces indexes by values, 0 for the missing value. Returns the groups that have a value; null = all. */
function valuesOfIndexes(indexes: Float64Array, least: number): Uint8Array | null {
  const present = new Uint8Array(indexes.length);
  let missing = 0;
  for (let group = 0; group < indexes.length; group++) {
    const index = indexes[group];
    if (index === 0) missing++;
    else {
      present[group] = 1;
      indexes[group] = index - 1 + least;
    }
  }
  return missing === 0 ? null : present;
}

/** The slots that have rows, ascending. */
function slotsWithRows(
  { u32 }: QueryMemory,
  records: number,
  fieldCount: number,
  slotCount: number,
): Uint32Array {
  const slots = new Uint32Array(slotCount);
  let found = 0;
  // The lower word of the row count is enough: a shard has fewer than 2^32 rows.
  for (let slot = 0, at = records / 4; slot < slotCount; slot++, at += fieldCount * 2) {
    if (u32[at] !== 0) slots[found++] = slot;
  }
  return slots.slice(0, found);
}

/** Reads the fields of the groups as aggregate states. The memory of the states is reserved in the run. */
class DenseResults {
  readonly rows: Float64Array;
  readonly #plan: DensePlan;
  readonly #table: DenseTable;
  readonly #memory: QueryMemory;
  readonly #slots: Uint32Array;
  readonly #run: QueryRun;
  readonly #byField = new Map<number, Float64Array>();

  constructor(plan: DensePlan, table: DenseTable, memory: QueryMemory, slots: Uint32Array, run: QueryRun) {
    this.#plan = plan;
    this.#table = table;
    this.#memory = memory;
    this.#slots = slots;
    this.#run = run;
    this.rows = this.#counts(0);
  }

  state(operand: DenseOperand, kind: 'count' | 'sum' | 'squares' | 'min' | 'max'): AggregateState {
    const { present, sum, squares, isWide, min, max } = operand;
    const counts = present === null ? this.rows : this.#counts(present);
    switch (kind) {
      case 'count':
        return { holds: 'count', counts };
      case 'min':
      case 'max':
        return {
          holds: 'extreme',
          values: this.#extremes(kind === 'min' ? min : max, present === null ? null : counts),
        };
      case 'sum':
        return { holds: 'sum', counts, sums: this.#sums(sum, isWide) };
      case 'squares':
        return {
          holds: 'squares',
          counts,
          sums: this.#sums(sum, isWide),
          squares: this.#sums(squares, true),
        };
    }
  }

  #counts(field: number): Float64Array {
    let counts = this.#byField.get(field);
    if (counts === undefined) {
      this.#run.reserve(this.#slots.length * 8);
      counts = new Float64Array(this.#slots.length);
      const { u32 } = this.#memory;
      const step = this.#plan.fieldCount * 2;
      const first = this.#table.records / 4 + field * 2;
      for (let group = 0; group < counts.length; group++)
        counts[group] = u32[first + this.#slots[group] * step];
      this.#byField.set(field, counts);
    }
    return counts;
  }

  /** `isSplit`: the field holds the sum of the lower 32 bits, and the next field the sum of the upper 32 bits. */
  #sums(field: number | null, isSplit: boolean): WireVector {
    invariant(field !== null, 'the fields of a sum are planned');
    const first = this.#table.records / 8 + field;
    const step = this.#plan.fieldCount;
    return this.#integers(first, step, null, isSplit);
  }

  #extremes(field: number | null, counts: Float64Array | null): WireVector {
    invariant(field !== null, 'the field of an extreme is planned');
    const { minCount, maxCount } = this.#plan;
    const first = this.#table.extremes / 8 + field;
    // Without keys there is a group even without rows.
    const valid = Uint8Array.from(counts ?? this.rows, (count) => (count > 0 ? 1 : 0));
    return this.#integers(first, minCount + maxCount, valid.includes(0) ? valid : null, false);
  }

  /** Reads an i64 field by slot: slot s has it at element `first` + s * `step`. */
  #integers(first: number, step: number, valid: Uint8Array | null, isSplit: boolean): WireVector {
    const { length: count } = this.#slots;
    this.#run.reserve(count * 9);
    const { i32, u32, i64 } = this.#memory;
    const numbers = new Float64Array(count);
    let isSafe = true;
    for (let group = 0; group < count; group++) {
      if (valid !== null && valid[group] === 0) continue;
      const at = (first + this.#slots[group] * step) * 2;
      let value = i32[at + 1] * TWO_32 + u32[at];
      if (isSplit) value += (i32[at + 3] * TWO_32 + u32[at + 2]) * TWO_32;
      isSafe &&= Number.isSafeInteger(value) && i32[at + 1] < LOW_SUM_HIGH_MAX;
      numbers[group] = value;
    }
    if (isSafe) return { kind: 'exact', count, valid, numbers, wide: null };
    const wide: bigint[] = [];
    for (let group = 0; group < count; group++) {
      const at = first + this.#slots[group] * step;
      const isMissing = valid !== null && valid[group] === 0;
      wide.push(isMissing ? 0n : isSplit ? i64[at] + i64[at + 1] * 2n ** 32n : i64[at]);
    }
    return { ...exactVector(null, wide), valid };
  }
}

const TWO_32 = 2 ** 32;
/** Exclusive limit of the upper word of a number below 2^53. Doubles cannot represent all greater numbers. */
const LOW_SUM_HIGH_MAX = 2 ** 21;

/** The input from which the state of collected values is built. */
interface Collection {
  readonly table: DenseTable;
  readonly memory: QueryMemory;
  /** The slots of the groups. */
  readonly slots: Uint32Array;
  readonly slotCount: number;
  /** The memory account of the tables. */
  readonly account: QueryRun;
  /** The memory account of the state. */
  readonly run: QueryRun;
  /** Allocates the state. */
  readonly allocator: Allocator;
}

/**
 * The state of the collected values of an operand, or null if no values were collected. undefined = there is no memory
 * to sort them. Throws 9005, 9006.
 */
function* collectedState(
  { runs, bitmap, isUnsafe }: DenseOperand,
  index: number,
  collection: Collection,
): Task<AggregateState | null | undefined> {
  const { table, memory, slotCount, account, run, allocator } = collection;
  if (bitmap !== null && runs === 'none') {
    const bytes = bitmap.span / 8;
    run.reserve(bytes);
    const { buffer, byteOffset } = allocator(bytes);
    const words = new Uint32Array(buffer, byteOffset, bytes / 4);
    words.set(memory.u32.subarray(table.bitmaps[index] / 4, (table.bitmaps[index] + bytes) / 4));
    return { holds: 'bits', least: bitmap.least, words };
  }
  if (runs === 'none') return null;
  const chunks = table.chunks[index];
  const valueCount = chunks.reduce((sum, { count }) => sum + count, 0);
  const startsAt = memory.allocate((slotCount + 1) * 4, account);
  const cursors = startsAt === null ? null : memory.allocate((slotCount + 1) * 4, account);
  const valuesAt = cursors === null ? null : memory.allocateUnset(valueCount * 8, account);
  if (startsAt === null || cursors === null || valuesAt === null) return undefined;
  // Counts by slot, then the start of each slot's run; the cursors advance while the values are moved.
  for (const chunk of chunks) memory.kernels.countCodesU32(chunk.slots, 0, chunk.count, startsAt);
  const longest = startsOfRuns(memory.u32.subarray(startsAt / 4, startsAt / 4 + slotCount + 1));
  memory.u32.copyWithin(cursors / 4, startsAt / 4, startsAt / 4 + slotCount);
  for (const { slots: at, values, count } of chunks) {
    memory.kernels.scatterRuns(at, values, count, cursors, valuesAt);
    account.check();
    yield;
  }
  const scratch = memory.allocateUnset(longest * 8 + 1_024, account);
  if (scratch === null) return undefined;
  const { kernels, u32 } = memory;
  for (let slot = 0; slot < slotCount; ) {
    const from = u32[startsAt / 4 + slot];
    let end = slot + 1;
    while (end < slotCount && u32[startsAt / 4 + end + 1] - from <= SORTED_VALUES) end++;
    kernels.sortRuns(valuesAt, startsAt + slot * 4, end - slot, scratch);
    slot = end;
    account.check();
    yield;
  }
  if (runs === 'distinct') kernels.uniqueRuns(valuesAt, startsAt, slotCount);
  return yield* runsState(startsAt, valuesAt, isUnsafe, collection);
}

/** The number of values that are sorted at once. */
const SORTED_VALUES = 65_536;
/** The number of values that are copied at once. */
const COPIED_VALUES = 262_144;

/** Turns counts into starts; returns the greatest count. The last element gets the total. */
function startsOfRuns(counts: Uint32Array): number {
  let longest = 0;
  let start = 0;
  for (let slot = 0; slot < counts.length - 1; slot++) {
    const count = counts[slot];
    counts[slot] = start;
    start += count;
    if (count > longest) longest = count;
  }
  counts[counts.length - 1] = start;
  return longest;
}

/**
 * Slots without rows have no values, so the runs of the groups are in the same order as the runs of the slots, without
 * gaps.
 */
function* runsState(
  startsAt: number,
  valuesAt: number,
  isUnsafe: boolean,
  { memory: { u32, i32 }, slots, run, allocator }: Collection,
): Task<AggregateState> {
  const starts = new Uint32Array(slots.length + 1);
  for (let group = 0; group < slots.length; group++) starts[group] = u32[startsAt / 4 + slots[group]];
  const last = slots.length === 0 ? 0 : u32[startsAt / 4 + slots[slots.length - 1] + 1];
  starts[slots.length] = last;
  run.reserve(last * 8 + starts.byteLength);
  const bytes = allocator(last * 8);
  const values = new Float64Array(bytes.buffer, bytes.byteOffset, last);
  const halves = new Int32Array(bytes.buffer, bytes.byteOffset, last * 2);
  for (let from = 0; from < last; from += COPIED_VALUES) {
    const end = Math.min(last, from + COPIED_VALUES);
    let at = valuesAt / 4 + from * 2;
    if (isUnsafe)
      for (let value = from; value < end; value++, at += 2)
        putOrdered(halves, value * 2, i32[at], i32[at + 1]);
    else for (let value = from; value < end; value++, at += 2) values[value] = i32[at + 1] * TWO_32 + u32[at];
    yield;
  }
  return { holds: 'runs', starts, values, areOrdered: isUnsafe };
}
