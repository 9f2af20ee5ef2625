/**
 * Groups the rows of a shard by slots in dense tables (see dense-plan.ts), with kernels.
 * Cost  about 1 ns per row and key, 2 to 4 ns per row for the records, 0.5 ns per row and aggregated column; a hash
 *       table adds 3 ns per row, its partitions 6. Values that are collected for percentiles cost 20 to 40 ns each.
 */
import { type Allocator, allocateDoubles } from '../../../answer/index.js';
import type { Task } from '../../../base/index.js';
import type { GroupPartial, SelectPlan } from '../../../ir/index.js';
import type { Arena, DimensionShard } from '../../../storage/index.js';
import { exactVector64, Texts, toWire, type WireVector } from '../../../vector/index.js';
import type { QueryMemories, QueryMemory } from '../../query-memory.js';
import type { QueryRun } from '../../query-run.js';
import type { ShardOperatorStats } from '../../scan/operator-stats.js';
import { SegmentRows } from '../../scan/segment-rows.js';
import { Allocations } from './allocations.js';
import { type DenseKey, type DensePlan, planDense } from './dense-plan.js';
import { denseStates, slotsWithRows } from './dense-results.js';
import { type DenseInput, type DenseOptions, DenseTable } from './dense-table.js';
import { indexesOfKey, StoredKeys } from './key-words.js';
import { SegmentColumns } from './segment-columns.js';
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
      const input = this.#input(memory, account);
      const table = input && DenseTable.create(this.#plan, input, memory, account, this.#source.options);
      if (
        input === null ||
        table === null ||
        !(yield* this.#addSegments(table, input.columns)) ||
        !(yield* this.#finish(table))
      )
        return null;
      return yield* this.#partial(table, input.keys, memory, account);
    } finally {
      account.releaseAll();
      this.#source.memories.release(memory, this.#run);
    }
  }

  /** null = the query has no memory for the columns. */
  #input(memory: QueryMemory, account: QueryRun): (DenseInput & { readonly keys: StoredKeys }) | null {
    const { keys, operands, computed } = this.#plan;
    const allocations = new Allocations(memory, account);
    const columnIds = [...keys, ...operands].map(({ columnId }) => columnId);
    const columns = new SegmentColumns({ columnIds, computed }, memory, allocations.at);
    const stored = new StoredKeys(keys, columns, memory, account, allocations.at);
    return allocations.isFull
      ? null
      : { columns, keys: stored, writeWords: (block, words) => stored.write(block, words) };
  }

  *#addSegments(table: DenseTable, columns: SegmentColumns): Task<boolean> {
    const { segments } = this.#source.dimension;
    const segmentCounts = { none: 0, whole: 0, some: 0 };
    for (const segment of segments) {
      const { rowCount } = segment;
      const scanStart = this.#stats.start();
      const count = this.#selection.select(this.#segment);
      this.#stats.add('scan', scanStart, count);
      segmentCounts[count === 0 ? 'none' : count === rowCount ? 'whole' : 'some']++;
      const start = this.#stats.start();
      const isWhole = count === rowCount;
      if (count > 0) columns.copy(segment, isWhole ? null : this.#selection.bitmap);
      const isAdded = count === 0 || table.add(rowCount, isWhole);
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

  *#partial(
    table: DenseTable,
    { numbers }: StoredKeys,
    memory: QueryMemory,
    account: QueryRun,
  ): Task<GroupPartial | null> {
    const start = this.#stats.start();
    const { keys, fieldCount } = this.#plan;
    const { slotCount } = table;
    account.reserve(slotCount * 4);
    const slots =
      keys.length === 0 ? Uint32Array.of(0) : slotsWithRows(memory, table.records, fieldCount, slotCount);
    yield;
    const states = yield* denseStates(this.#plan, table, slots, {
      memory,
      account,
      run: this.#run,
      allocator: this.#source.allocator,
    });
    if (states === null) return null;
    const wires = keys.map((key, index) => this.#keyWire(key, numbers[index], slots, table, memory));
    this.#stats.add('group', start, slots.length);
    const keyCount = keys.length === 1 ? 'one key' : `${keys.length} keys`;
    this.#stats.note('group', [`${keyCount}, ${table.note}`]);
    return { groupCount: slots.length, keys: wires, states };
  }

  #keyWire(
    key: DenseKey,
    numbers: ValueNumbers | null,
    slots: Uint32Array,
    table: DenseTable,
    { u32, i64 }: QueryMemory,
  ): WireVector {
    const { columnId, kind, form, least, count, stride } = key;
    const groupCount = slots.length;
    this.#run.reserve(groupCount * 9);
    const indexes = allocateDoubles(this.#source.allocator, groupCount);
    if (form === 'word') {
      const words = new BigInt64Array(indexes.buffer, indexes.byteOffset, groupCount);
      words.set(i64.subarray(table.words / 8, table.words / 8 + groupCount));
      return exactVector64(null, words);
    }
    // Every number of a key word has rows, so that the groups are the slots.
    if (this.#plan.slotCount === null) indexesOfKey(key, u32, table.words / 4, indexes);
    else
      for (let group = 0; group < groupCount; group++)
        indexes[group] = indexOfSlot(slots[group], stride, count);
    const valid = withIndex(indexes);
    if (numbers !== null) return exactVector64(valid, numbers.valuesOf(indexes));
    for (let group = 0; group < groupCount; group++) if (indexes[group] !== 0) indexes[group] += least - 1;
    if (kind === 'bits') return { kind: 'boolean', count: groupCount, valid, bits: Uint8Array.from(indexes) };
    if (kind !== 'code') return { kind: 'exact', count: groupCount, valid, numbers: indexes, wide: null };
    const texts = this.#textsOf(columnId);
    return toWire({ kind: 'text', count: groupCount, valid, codes: Uint32Array.from(indexes), texts }, true);
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

const indexOfSlot = (slot: number, stride: number, count: number): number =>
  Math.floor(slot / stride) % count;

/** The groups that have a value; null = all. */
function withIndex(indexes: Float64Array): Uint8Array | null {
  let present: Uint8Array | null = null;
  for (let group = 0; group < indexes.length; group++) {
    if (indexes[group] !== 0) continue;
    present ??= new Uint8Array(indexes.length).fill(1);
    present[group] = 0;
  }
  return present;
}
