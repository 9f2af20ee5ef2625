/**
 * The tables of a dense aggregation in the memory of a query, and the block of rows that is added to them.
 * Layout  records      fieldCount i64 per slot
 *         extremes     minCount + maxCount i64 per slot
 *         key words    u64 per slot, if slots are numbers of key words
 *         columns      values and validity of one segment of each column
 *         block        for DENSE_BLOCK_ROWS rows: slots (u32), key words, records, records of extremes, values (i64)
 * Key words are numbered in order of appearance while the tables fit in a core's cache. After that, rows are
 * partitioned by the hash of their key words, and added partition by partition at the end.
 */
import type { Task } from '../../../base/index.js';
import type { QueryMemory } from '../../query-memory.js';
import type { QueryRun } from '../../query-run.js';
import { type Allocate, Allocations } from './allocations.js';
import { type Block, DENSE_BLOCK_ROWS, FIELD_BYTES, type FieldTarget } from './block.js';
import type { DenseOperand, DensePlan } from './dense-plan.js';
import { writeDirectSlots } from './direct-slots.js';
import { HashPartitions, PARTITION_COUNT } from './hash-partitions.js';
import { HashTable } from './hash-table.js';
import type { SegmentColumns } from './segment-columns.js';
import { SlotRecords } from './slot-records.js';

/** Tables of numbered key words are partitioned when they are larger than about half of a core's L2 cache. */
const CACHED_BYTES = 2 ** 20;
/** The number of rows of a partition that are added between two steps. */
const ROWS_PER_STEP = 65_536;

/** Collected values of one operand: a slot (u32) and a value (i64) per row. */
export interface Chunk {
  readonly slots: number;
  readonly values: number;
  readonly count: number;
}

export interface DenseOptions {
  /** The largest number of slots that are computed from key values. */
  readonly directSlotsMax?: number;
  /** Rows are partitioned when tables of numbered key words have more bytes. */
  readonly cachedBytes?: number;
}

/** Where a table's rows come from. */
export interface DenseInput {
  readonly columns: SegmentColumns;
  /**
   * Writes the key words of the block's rows, at least of the selected ones, to `words`. Returns false if the query has
   * no memory for them.
   */
  readonly writeWords: (block: Block, words: number) => boolean;
}

export class DenseTable {
  readonly #plan: DensePlan;
  readonly #memory: QueryMemory;
  readonly #run: QueryRun;
  readonly #columns: SegmentColumns;
  readonly #records: SlotRecords;
  /** null = slots are computed from key values. */
  readonly #hash: HashTable | null;
  readonly #writeWords: DenseInput['writeWords'];
  #partitions: HashPartitions | null = null;
  readonly #cachedBytes: number;
  /** By operand: the bitmap of its values; 0 = none. */
  readonly bitmaps: readonly number[];
  /** By operand: its collected values. */
  readonly chunks: readonly Chunk[][];
  readonly #words: number;
  readonly #slots: number;
  readonly #blockRecords: number;
  readonly #blockExtremes: number;
  readonly #presence: number;
  readonly #blockSlots: number;
  readonly #blockWords: number;
  readonly #blockValues: number;

  private constructor(
    plan: DensePlan,
    { columns, writeWords }: DenseInput,
    memory: QueryMemory,
    run: QueryRun,
    cachedBytes: number,
    at: Allocate,
  ) {
    const { operands, slotCount } = plan;
    this.#plan = plan;
    this.#memory = memory;
    this.#run = run;
    this.#cachedBytes = cachedBytes;
    this.bitmaps = operands.map(({ bitmap }) => (bitmap === null ? 0 : at(bitmap.span / 8)));
    this.chunks = operands.map(() => []);
    this.#columns = columns;
    this.#writeWords = writeWords;
    this.#records = new SlotRecords(plan, memory, run);
    this.#hash = slotCount === null ? new HashTable(memory, run) : null;
    const wordBytes = slotCount === null ? FIELD_BYTES : 0;
    this.#words = at(DENSE_BLOCK_ROWS * wordBytes);
    this.#blockWords = at(DENSE_BLOCK_ROWS * wordBytes);
    this.#slots = at(DENSE_BLOCK_ROWS * 4);
    this.#blockSlots = at(DENSE_BLOCK_ROWS * 4);
    this.#blockRecords = at(DENSE_BLOCK_ROWS * this.#records.recordBytes);
    this.#blockExtremes = at(DENSE_BLOCK_ROWS * this.#records.extremeBytes);
    this.#presence = at(DENSE_BLOCK_ROWS * this.#records.extremeBytes);
    this.#blockValues = at(DENSE_BLOCK_ROWS * FIELD_BYTES);
  }

  /**
   * Creates empty tables; null = the query has no memory for them. The memory of the tables stays reserved in `run`.
   */
  static create(
    plan: DensePlan,
    input: DenseInput,
    memory: QueryMemory,
    run: QueryRun,
    { cachedBytes = CACHED_BYTES }: DenseOptions = {},
  ): DenseTable | null {
    const allocations = new Allocations(memory, run);
    const table = new DenseTable(plan, input, memory, run, cachedBytes, allocations.at);
    if (allocations.isFull || !table.#records.reserve(plan.slotCount ?? DENSE_BLOCK_ROWS)) return null;
    memory.kernels.stageOnes(DENSE_BLOCK_ROWS, table.#blockRecords, table.#records.recordBytes);
    return table;
  }

  /** Byte offsets of the tables. */
  get records(): number {
    return this.#records.records;
  }
  get extremes(): number {
    return this.#records.extremes;
  }
  get words(): number {
    return this.#records.words;
  }

  /** The number of slots, including those without rows. */
  get slotCount(): number {
    return this.#plan.slotCount ?? this.#records.used + (this.#hash as HashTable).count;
  }

  /** How slots are found, for EXPLAIN. */
  get note(): string {
    if (this.#hash === null) return `a dense table of ${this.slotCount} slots`;
    return this.#partitions === null
      ? 'a hash table'
      : `${PARTITION_COUNT} partitions by hash, a hash table each`;
  }

  /**
   * Adds the selected rows of the input's columns; `isWhole`: all are selected. Returns false, with the tables in an
   * undefined state, if the query has no memory for collected values or new slots.
   */
  add(rowCount: number, isWhole: boolean): boolean {
    for (const block of this.#columns.blocks(rowCount, isWhole)) {
      if (!this.#addBlock(block)) return false;
    }
    return true;
  }

  #addBlock(block: Block): boolean {
    if (this.#partitions !== null) return this.#partitionBlock(block, this.#partitions);
    if (!this.#findSlots(block)) return false;
    const { operands } = this.#plan;
    const { selected, rows, count } = block;
    const slots = selected === 0 ? this.#slots : this.#blockSlots;
    if (selected !== 0) this.#memory.kernels.gatherU32(selected, rows, this.#slots, slots);
    for (const operand of operands) this.#stage(operand, block);
    this.#records.add(slots, count, this.#blockRecords, this.#blockExtremes);
    return (
      operands.every((operand, index) => this.#collect(operand, index, block)) && this.#startPartitions()
    );
  }

  /** Writes the slots of the block's rows, at least of the selected ones. */
  #findSlots(block: Block): boolean {
    const { keys } = this.#plan;
    if (this.#hash === null) {
      writeDirectSlots(keys, this.#columns, block, this.#memory, this.#slots);
      return true;
    }
    return (
      this.#writeWords(block, this.#words) &&
      this.#findGroups(this.#hash, { words: this.#words, selected: block.selected, count: block.rows })
    );
  }

  /** Writes the slot of each of `count` rows that is selected. */
  #findGroups(
    hash: HashTable,
    rows: { readonly words: number; readonly selected: number; readonly count: number },
  ): boolean {
    const records = this.#records;
    if (!records.reserve(hash.count + rows.count) || !hash.reserve(rows.count, records.wordsInUse))
      return false;
    hash.find(rows.words, rows.selected, rows.count, records.wordsInUse, this.#slots);
    return true;
  }

  /**
   * Starts to partition rows, including the existing slots, if the tables have outgrown the cache. Does nothing if
   * values are collected, because collected values need their slots at once.
   */
  #startPartitions(): boolean {
    const hash = this.#hash;
    const records = this.#records;
    if (hash === null || hash.count * (records.slotBytes + 8) <= this.#cachedBytes) return true;
    if (this.#plan.operands.some(({ runs, bitmap }) => runs !== 'none' || bitmap !== null)) return true;
    const { recordBytes, extremeBytes } = records;
    const partitions = HashPartitions.create(this.#memory, this.#run, recordBytes, extremeBytes);
    if (partitions === null) return false;
    for (let from = 0; from < hash.count; from += DENSE_BLOCK_ROWS) {
      const count = Math.min(DENSE_BLOCK_ROWS, hash.count - from);
      if (!partitions.add(records.rows(from, count))) return false;
    }
    records.clear(hash.count);
    hash.clear();
    this.#partitions = partitions;
    return true;
  }

  #partitionBlock(block: Block, partitions: HashPartitions): boolean {
    const { operands } = this.#plan;
    const { rows, selected, count } = block;
    if (!this.#writeWords(block, this.#words)) return false;
    const words = selected === 0 ? this.#words : this.#blockWords;
    if (selected !== 0) this.#memory.kernels.stageI64(this.#words, selected, rows, words, FIELD_BYTES);
    for (const operand of operands) this.#stage(operand, block);
    return partitions.add({ words, records: this.#blockRecords, extremes: this.#blockExtremes, count });
  }

  /** Adds the partitioned rows to the tables. Returns false if the query has no memory for them. Throws 9005. */
  *finish(): Task<boolean> {
    const [hash, partitions] = [this.#hash, this.#partitions];
    if (hash === null || partitions === null) return true;
    let rowsOfStep = 0;
    for (let partition = 0; partition < PARTITION_COUNT; partition++) {
      for (const { words, records, extremes, count } of partitions.rowsOf(partition)) {
        if (!this.#findGroups(hash, { words, selected: 0, count })) return false;
        this.#records.add(this.#slots, count, records, extremes);
        rowsOfStep += count;
        if (rowsOfStep < ROWS_PER_STEP) continue;
        rowsOfStep = 0;
        this.#run.check();
        yield;
      }
      // The next partition's slots follow.
      this.#records.use(hash.count);
      hash.clear();
      // Partitions have about as many groups each, so that the tables grow once.
      if (partition === 0 && !this.#records.reserve(Math.ceil(this.#records.used * PARTITION_COUNT * 1.02)))
        return false;
    }
    return true;
  }

  /** Writes the operand's fields of the selected rows of the block. */
  #stage(operand: DenseOperand, block: Block): void {
    const { present, sum, squares, isWide, min, max, columnId } = operand;
    const { kernels } = this.#memory;
    const { recordBytes } = this.#records;
    const { count } = block;
    const field = (index: number): FieldTarget => ({
      at: this.#blockRecords + index * FIELD_BYTES,
      recordBytes,
    });
    if (present !== null) this.#columns.stagePresence(columnId, block, field(present));
    if (sum !== null) {
      const { at } = field(sum);
      this.#columns.stageValues(columnId, block, field(sum));
      if (squares !== null) {
        const squaresAt = field(squares).at;
        kernels.squareFields(at, count, squaresAt, squaresAt + FIELD_BYTES, recordBytes);
      }
      if (isWide) kernels.splitFields(at, count, at, at + FIELD_BYTES, recordBytes);
    }
    if (min !== null) this.#stageExtreme(columnId, block, min, this.#records.greatest);
    if (max !== null) this.#stageExtreme(columnId, block, max, this.#records.least);
  }

  #stageExtreme(columnId: number, block: Block, index: number, otherwise: bigint): void {
    const offset = index * FIELD_BYTES;
    const recordBytes = this.#records.extremeBytes;
    const at = this.#blockExtremes + offset;
    this.#columns.stageValues(columnId, block, { at, recordBytes });
    if (this.#columns.column(columnId).isFull) return;
    const presence = this.#presence + offset;
    this.#columns.stagePresence(columnId, block, { at: presence, recordBytes });
    this.#memory.kernels.replaceMissing(at, presence, block.count, otherwise, recordBytes);
  }

  /**
   * Collects the operand's values of the selected rows that have one. Returns false if the query has no memory for
   * them.
   */
  #collect(operand: DenseOperand, index: number, block: Block): boolean {
    const { runs, bitmap, columnId } = operand;
    if ((runs === 'none' && bitmap === null) || this.#columns.column(columnId).stored === null) return true;
    const { from, rows } = block;
    const present = this.#columns.presentRows(columnId, block);
    const count = present === 0 ? rows : this.#memory.kernels.count(present, rows);
    if (count === 0) return true;
    const chosen = { from, rows, selected: present };
    if (bitmap !== null) {
      const { least, span } = bitmap;
      this.#columns.stageValues(columnId, chosen, { at: this.#blockValues, recordBytes: FIELD_BYTES });
      // Without keys, slot 0 is the only slot.
      this.#memory.u32.fill(0, this.#blockSlots / 4, this.#blockSlots / 4 + count);
      const { kernels } = this.#memory;
      kernels.setSlotBits(
        this.#blockSlots,
        this.#blockValues,
        count,
        BigInt(least),
        span,
        this.bitmaps[index],
      );
    }
    if (runs === 'none') return true;
    const slots = this.#memory.allocateUnset(count * 4, this.#run);
    const values = slots === null ? null : this.#memory.allocateUnset(count * FIELD_BYTES, this.#run);
    if (slots === null || values === null) return false;
    if (present === 0) this.#memory.u8.copyWithin(slots, this.#slots, this.#slots + rows * 4);
    else this.#memory.kernels.gatherU32(present, rows, this.#slots, slots);
    this.#columns.stageValues(columnId, chosen, { at: values, recordBytes: FIELD_BYTES });
    this.chunks[index].push({ slots, values, count });
    return true;
  }
}
