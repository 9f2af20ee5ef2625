/**
 * The records of the slots: counts and sums, extremes, and the key word of each slot if slots are numbers of key words.
 * Invariant  records of slots that no row was added to are empty: sums 0, least values the greatest integer, and vice
 *            versa.
 */
import type { QueryMemory } from '../../query-memory.js';
import type { QueryRun } from '../../query-run.js';
import { FIELD_BYTES } from './block.js';
import type { DensePlan } from './dense-plan.js';
import type { PartitionedRows } from './hash-partitions.js';

const I64_LEAST = -(2n ** 63n);
const I64_GREATEST = 2n ** 63n - 1n;

export class SlotRecords {
  readonly #plan: DensePlan;
  readonly #memory: QueryMemory;
  readonly #run: QueryRun;
  readonly recordBytes: number;
  readonly extremeBytes: number;
  /** Bytes of a slot's key word. */
  readonly #wordBytes: number;
  /** Byte offsets of slot 0. */
  records = 0;
  extremes = 0;
  words = 0;
  #capacity = 0;
  /** Slots before this one are complete; slot numbers count from here. */
  used = 0;

  constructor(plan: DensePlan, memory: QueryMemory, run: QueryRun) {
    this.#plan = plan;
    this.#memory = memory;
    this.#run = run;
    this.recordBytes = plan.fieldCount * FIELD_BYTES;
    this.extremeBytes = (plan.minCount + plan.maxCount) * FIELD_BYTES;
    this.#wordBytes = plan.slotCount === null ? FIELD_BYTES : 0;
  }

  /** The values that extremes start with: a field for the least value starts with the greatest integer. */
  readonly greatest = I64_GREATEST;
  readonly least = I64_LEAST;

  /** Bytes per slot. */
  get slotBytes(): number {
    return this.recordBytes + this.extremeBytes + this.#wordBytes;
  }

  /** Offset of the key words from slot `used` on. */
  get wordsInUse(): number {
    return this.words + this.used * this.#wordBytes;
  }

  /** Ensures that `count` slots follow the used ones. Returns false if the query has no memory for them. */
  reserve(count: number): boolean {
    const needed = this.used + count;
    if (needed <= this.#capacity) return true;
    const capacity = this.#capacity === 0 ? needed : Math.max(needed, this.#capacity * 2);
    const before = this.#capacity;
    const tables = [
      { at: this.records, bytes: this.recordBytes },
      { at: this.extremes, bytes: this.extremeBytes },
      { at: this.words, bytes: this.#wordBytes },
    ];
    const moved: number[] = [];
    for (const { at, bytes } of tables) {
      const to = this.#memory.allocate(capacity * bytes, this.#run);
      if (to === null) return false;
      this.#memory.u8.copyWithin(to, at, at + before * bytes);
      moved.push(to);
    }
    [this.records, this.extremes, this.words] = moved;
    this.#capacity = capacity;
    this.#emptyExtremes(before, capacity);
    return true;
  }

  #emptyExtremes(from: number, end: number): void {
    const { minCount, maxCount } = this.#plan;
    if (minCount + maxCount === 0) return;
    const first = this.extremes + from * this.extremeBytes;
    if (maxCount === 0 || minCount === 0) {
      const value = maxCount === 0 ? I64_GREATEST : I64_LEAST;
      this.#memory.kernels.fillI64(value, (end - from) * (minCount + maxCount), first);
      return;
    }
    const { i64 } = this.#memory;
    for (let slot = from, at = first / FIELD_BYTES; slot < end; slot++) {
      for (let field = 0; field < minCount; field++) i64[at++] = I64_GREATEST;
      for (let field = 0; field < maxCount; field++) i64[at++] = I64_LEAST;
    }
  }

  /** Adds rows to their slots (u32), which count from the first slot that is not used. */
  add(slots: number, count: number, staged: number, stagedExtremes: number): void {
    const { minCount, maxCount, slotCount } = this.#plan;
    const { kernels } = this.#memory;
    const records = this.records + this.used * this.recordBytes;
    if (slotCount === 1) kernels.sumRecords(count, staged, this.recordBytes, records);
    else kernels.addRecords(slots, count, staged, this.recordBytes, records);
    if (minCount + maxCount === 0) return;
    const extremes = this.extremes + this.used * this.extremeBytes;
    kernels.widenRecords(slots, count, stagedExtremes, minCount, maxCount, extremes);
  }

  /** The records of slots [from, from + count), as rows. */
  rows(from: number, count: number): PartitionedRows {
    const words = this.words + from * this.#wordBytes;
    const records = this.records + from * this.recordBytes;
    return { words, records, extremes: this.extremes + from * this.extremeBytes, count };
  }

  /** Empties the first `count` slots. */
  clear(count: number): void {
    this.#memory.u8.fill(0, this.records, this.records + count * this.recordBytes);
    this.#emptyExtremes(0, count);
  }

  /** The next `count` slots are complete. */
  use(count: number): void {
    this.used += count;
  }
}
