/**
 * Counts by (value number, group): in an array if there are few combinations, otherwise in a hash table.
 * Invariant  in the array, the count of (number, group) is at number x groupCount + group, so that new numbers only
 *            extend it.
 */
import { grownWithin, nthGreatest } from '../../base/index.js';
import type { ValueCounts } from '../../ir/index.js';
import type { DimensionShard } from '../../storage/index.js';
import type { QueryRun } from '../query-run.js';
import { type GroupsOfRows, JoinedEntries } from './group-rows.js';
import type { ReversibleNumbering } from './numbering.js';
import { WordTable } from './value-table.js';

/** The largest number of combinations that are counted in an array: 16 MiB. A single group always uses an array. */
const DENSE_COUNTS_MAX = 2 ** 22;

export class GroupCounts {
  readonly #groups: GroupsOfRows | null;
  readonly #groupCount: number;
  readonly #denseMax: number;
  readonly #memory: QueryRun;
  readonly #joined: JoinedEntries | null;
  /** By position in the array, or by number of `table`. */
  #counts: Uint32Array<ArrayBuffer>;
  /** Numbers combinations (number, group) once the array would be too long. */
  #table: WordTable | null = null;

  /** `groups` null: all rows are in one group. Throws 9006. */
  constructor(
    shard: DimensionShard,
    groups: GroupsOfRows | null,
    memory: QueryRun,
    denseMax = DENSE_COUNTS_MAX,
  ) {
    this.#groups = groups;
    this.#groupCount = groups?.groupCount ?? 1;
    this.#denseMax = denseMax;
    this.#memory = memory;
    this.#joined = groups === null ? null : new JoinedEntries(shard, groups.groupsOfRowMax, memory);
    this.#counts = memory.u32(0);
  }

  /** The counts by number of a single group, for the caller to increment; at least `numberCount` long. Throws 9006. */
  ofNumbers(numberCount: number): Uint32Array {
    this.#reserve(numberCount);
    return this.#counts;
  }

  /** Counts distinct entries, whose numbers are below `numberCount`. Throws 9006. */
  add(rows: Uint32Array, numbers: Uint32Array, count: number, numberCount: number): void {
    this.#reserve(numberCount);
    if (this.#groups === null || this.#joined === null) {
      const counts = this.#counts;
      for (let at = 0; at < count; at++) counts[numbers[at]]++;
      return;
    }
    for (let from = 0; from < count; ) {
      this.#memory.check();
      from = this.#groups.join(rows, from, count, this.#joined);
      if (this.#table === null) this.#addDense(numbers, this.#joined);
      else this.#addHashed(this.#table, numbers, this.#joined);
    }
  }

  #addDense(numbers: Uint32Array, { entries, groups, count }: JoinedEntries): void {
    const counts = this.#counts;
    const groupCount = this.#groupCount;
    for (let at = 0; at < count; at++) counts[numbers[entries[at]] * groupCount + groups[at]]++;
  }

  #addHashed(table: WordTable, numbers: Uint32Array, { entries, groups, count }: JoinedEntries): void {
    this.#counts = grownWithin(this.#memory, this.#counts, table.count + count);
    const counts = this.#counts;
    for (let at = 0; at < count; at++) counts[table.add(numbers[entries[at]], groups[at])]++;
  }

  #reserve(numberCount: number): void {
    if (this.#table !== null) return;
    const slotCount = numberCount * this.#groupCount;
    if (this.#groupCount > 1 && slotCount > this.#denseMax) this.#hash();
    else this.#counts = grownWithin(this.#memory, this.#counts, slotCount);
  }

  /** Switches from the array to the hash table. */
  #hash(): void {
    const dense = this.#counts;
    const table = new WordTable(this.#memory);
    this.#counts = this.#memory.u32(0);
    for (let slot = 0; slot < dense.length; slot++) {
      if (dense[slot] === 0) continue;
      const group = slot % this.#groupCount;
      const number = table.add((slot - group) / this.#groupCount, group);
      this.#counts = grownWithin(this.#memory, this.#counts, number + 1);
      this.#counts[number] = dense[slot];
    }
    this.#table = table;
    this.#memory.release(dense.byteLength);
  }

  /**
   * The combinations with a count; with `best`, for a single group, about that many of the greatest counts. The
   * result takes memory of the query. Throws 9006.
   */
  result(numbering: ReversibleNumbering, run: QueryRun, best: number | null = null): ValueCounts {
    const counted = this.#counts;
    const restMax = best === null || this.#groups !== null ? 0 : this.#restMax(best);
    let selectedCount = 0;
    for (let slot = 0; slot < counted.length; slot++) if (counted[slot] > restMax) selectedCount++;
    const numbers = this.#memory.u32(selectedCount);
    run.reserve(selectedCount * (this.#groups === null ? 8 : 12));
    const counts = new Float64Array(selectedCount);
    const groupKeys = this.#groups === null ? null : new Uint32Array(selectedCount);
    const keys = this.#table?.keys;
    for (let slot = 0, at = 0; at < selectedCount; slot++) {
      if (counted[slot] <= restMax) continue;
      const group = keys === undefined ? slot % this.#groupCount : keys[slot * 2 + 1];
      numbers[at] = keys === undefined ? (slot - group) / this.#groupCount : keys[slot * 2];
      if (groupKeys !== null) groupKeys[at] = group;
      counts[at++] = counted[slot];
    }
    return { answers: 'values', values: numbering.valuesOf(numbers, run), counts, groupKeys, restMax };
  }

  /** The limit up to which counts are omitted when the `best` greatest counts are kept. */
  #restMax(best: number): number {
    if (this.#counts.length <= best) return 0;
    const heap = this.#memory.u32(best);
    const restMax = nthGreatest(this.#counts, heap, best);
    this.#memory.release(heap.byteLength);
    return restMax;
  }
}
