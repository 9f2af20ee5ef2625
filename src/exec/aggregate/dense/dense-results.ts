/** The results of dense tables as aggregate states. Their memory is reserved in the run of the query. */
import { type Allocator, allocateDoubles } from '../../../answer/index.js';
import { invariant, type Task } from '../../../base/index.js';
import type { AggregateState } from '../../../ir/index.js';
import { exactVector, putOrdered, type WireVector } from '../../../vector/index.js';
import type { QueryMemory } from '../../query-memory.js';
import type { QueryRun } from '../../query-run.js';
import type { DenseOperand, DensePlan } from './dense-plan.js';
import type { DenseTable } from './dense-table.js';

export interface ResultMemory {
  /** The memory of the tables, and its account. */
  readonly memory: QueryMemory;
  readonly account: QueryRun;
  /** The account of the states. */
  readonly run: QueryRun;
  /** Allocates the states. */
  readonly allocator: Allocator;
}

/**
 * The states of the plan's aggregates for the groups in `slots`, ascending. null = there is no memory to sort collected
 * values. Throws 9005, 9006.
 */
export function* denseStates(
  plan: DensePlan,
  table: DenseTable,
  slots: Uint32Array,
  { memory, account, run, allocator }: ResultMemory,
): Task<AggregateState[] | null> {
  const { operands, aggregates } = plan;
  const results = new DenseResults(plan, table, slots, { memory, run, allocator });
  const collected: (AggregateState | null)[] = [];
  for (const [index, operand] of operands.entries()) {
    const collection = { table, memory, slots, slotCount: table.slotCount, account, run, allocator };
    const state = yield* collectedState(operand, index, collection);
    if (state === undefined) return null;
    collected.push(state);
  }
  return aggregates.map(({ kind, operand }): AggregateState => {
    if (operand === null) return { holds: 'count', counts: results.rows };
    if (kind === 'counted' || kind === 'distinct') return collected[operand] as AggregateState;
    return results.state(operands[operand], kind);
  });
}

/** The slots that have rows, ascending. */
export function slotsWithRows(
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
  return found === slotCount ? slots : slots.slice(0, found);
}

/** Reads the fields of the groups as aggregate states. The memory of the states is reserved in the run. */
class DenseResults {
  readonly rows: Float64Array;
  readonly #plan: DensePlan;
  readonly #table: DenseTable;
  readonly #memory: QueryMemory;
  readonly #slots: Uint32Array;
  readonly #run: QueryRun;
  readonly #allocator: Allocator;
  readonly #byField = new Map<number, Float64Array>();

  constructor(
    plan: DensePlan,
    table: DenseTable,
    slots: Uint32Array,
    { memory, run, allocator }: Omit<ResultMemory, 'account'>,
  ) {
    this.#plan = plan;
    this.#table = table;
    this.#memory = memory;
    this.#slots = slots;
    this.#run = run;
    this.#allocator = allocator;
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
      counts = allocateDoubles(this.#allocator, this.#slots.length);
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
    const numbers = allocateDoubles(this.#allocator, count);
    let isSafe = true;
    for (let group = 0; group < count; group++) {
      numbers[group] = 0;
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
