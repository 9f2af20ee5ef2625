/**
 * The different values of each group, and how often each stands: what distinct aggregates and percentiles are made from.
 * Which values a group has is told by a bit for each code, while these bits are not too many. Else, and where values are
 * counted within several groups, pairs of group and code are numbered.
 */
import type { Allocator } from '../../answer/index.js';
import { grownWithin, invariant } from '../../base/index.js';
import type { AggregateState } from '../../ir/index.js';
import type { SqlType, Vector } from '../../vector/index.js';
import type { QueryRun } from '../query-run.js';
import { type Aggregation, type BatchGroups, presentGroups } from './aggregate-state.js';
import { GROUPS_MIN } from './array-lengths.js';
import { CodeGrid } from './distinct-grid.js';
import type { Coded, ValueCodes } from './group-codes.js';
import { PairNumbers } from './group-pairs.js';
import { valueCodes } from './group-value-codes.js';
import { BATCH_ROWS_MAX } from './row-batches.js';

/** Values of one group from which on they are put together by their hashes. */
const PARTITIONED_MIN = 4_096;

export interface DistinctSettings {
  /** There is no group but the first. */
  readonly isOneGroup: boolean;
  /** How often each value stands is asked for. */
  readonly isCounted: boolean;
  /** Places of a table of pairs at most. */
  readonly directMax: number;
  /** Bits of a grid at most. */
  readonly gridMax: number;
  /** Memory for texts. */
  readonly room: Allocator;
}

export class DistinctValues implements Aggregation {
  readonly #memory: QueryRun;
  readonly #codes: ValueCodes;
  readonly #settings: DistinctSettings;
  readonly #scratch = new Uint32Array(BATCH_ROWS_MAX);
  readonly #present = new Uint32Array(BATCH_ROWS_MAX);
  /** Where values are not counted, while it is not too large. */
  #grid: CodeGrid | null = null;
  #pairs: PairNumbers | null = null;
  /** By code, of one group; by pair of several. */
  #counts: Float64Array<ArrayBuffer> = new Float64Array(0);

  /** Throws 9006. */
  constructor(type: SqlType, settings: DistinctSettings, memory: QueryRun) {
    this.#memory = memory;
    this.#codes = valueCodes(type, memory);
    this.#settings = settings;
    if (!settings.isCounted) this.#grid = new CodeGrid(memory, settings.gridMax);
    else if (!settings.isOneGroup) this.#pairs = new PairNumbers(memory, settings.directMax);
  }

  add(vector: Vector | null, batch: BatchGroups): void {
    invariant(vector !== null, 'what is distinct are values');
    const coded = this.#codes.code(vector, this.#scratch);
    const { bound } = this.#codes;
    if (this.#grid !== null) {
      if (this.#grid.mark(coded, bound, batch)) return;
      this.#leaveGrid(this.#grid);
    }
    if (this.#pairs === null) this.#countCodes(coded, bound, batch);
    else this.#addPairs(this.#pairs, vector, coded, bound, batch);
  }

  /** Of one group. */
  #countCodes({ codes, shift }: Coded, bound: number, { isOne, groups, count }: BatchGroups): void {
    this.#counts = grownWithin(this.#memory, this.#counts, bound, GROUPS_MIN);
    const counts = this.#counts.subarray(shift);
    if (isOne) countCodes(codes, count, counts);
    else countCodesOf(codes, groups, count, counts);
  }

  #addPairs(pairs: PairNumbers, vector: Vector, coded: Coded, bound: number, batch: BatchGroups): void {
    // What is missing comes as a value of group 0, of which nothing is told.
    const groups = { codes: presentGroups(vector, batch, this.#present), shift: 0 } as const;
    pairs.number(groups, batch.groupEnd, coded, bound, batch.count, this.#present);
    if (!this.#settings.isCounted) return;
    this.#counts = grownWithin(this.#memory, this.#counts, pairs.count + 1, GROUPS_MIN);
    countCodes(this.#present, batch.count, this.#counts);
  }

  #leaveGrid(grid: CodeGrid): void {
    const pairs = new PairNumbers(this.#memory, this.#settings.directMax);
    grid.each((group, code) => pairs.add(group, code));
    grid.release();
    this.#grid = null;
    this.#pairs = pairs;
  }

  state(_groupCount: number, run: QueryRun): AggregateState {
    if (this.#grid !== null) return this.#ofGrid(this.#grid, run);
    return this.#pairs === null ? this.#ofCounts(run) : this.#ofPairs(this.#pairs, run);
  }

  #ofGrid(grid: CodeGrid, run: QueryRun): AggregateState {
    const count = grid.count();
    const codes = this.#memory.u32(count);
    const { isOneGroup } = this.#settings;
    const groups = isOneGroup ? null : new Uint32Array(count);
    if (groups !== null) run.reserve(count * 4);
    let at = 0;
    grid.each((group, code) => {
      if (groups !== null) groups[at] = group - 1;
      codes[at++] = code;
    });
    if (isOneGroup && count >= PARTITIONED_MIN) {
      const texts = this.#codes.partitioned?.(codes, run, this.#settings.room) ?? null;
      if (texts !== null) return { holds: 'texts', texts };
    }
    return { holds: 'values', groups, counts: null, ...this.#codes.values(codes, run) };
  }

  #ofCounts(run: QueryRun): AggregateState {
    const held = this.#counts;
    // Code 0 is that of missing values.
    let count = 0;
    for (let code = 1; code < held.length; code++) if (held[code] !== 0) count++;
    const codes = this.#memory.u32(count);
    for (let code = 1, at = 0; at < count; code++) if (held[code] !== 0) codes[at++] = code;
    run.reserve(count * 8);
    const counts = Float64Array.from(codes, (code) => held[code]);
    return { holds: 'values', groups: null, counts, ...this.#codes.values(codes, run) };
  }

  #ofPairs(pairs: PairNumbers, run: QueryRun): AggregateState {
    const { isCounted, isOneGroup } = this.#settings;
    const [pairGroups, pairCodes] = pairs.parts();
    let count = 0;
    for (let pair = 0; pair < pairs.count; pair++) if (pairGroups[pair] !== 0) count++;
    run.reserve(count * (isCounted ? 12 : 4));
    const groups = new Uint32Array(count);
    const counts = isCounted ? new Float64Array(count) : null;
    const codes = this.#memory.u32(count);
    for (let pair = 0, at = 0; at < count; pair++) {
      if (pairGroups[pair] === 0) continue;
      groups[at] = pairGroups[pair] - 1;
      if (counts !== null) counts[at] = this.#counts[pair + 1];
      codes[at++] = pairCodes[pair];
    }
    const values = this.#codes.values(codes, run);
    return { holds: 'values', groups: isOneGroup ? null : groups, counts, ...values };
  }
}

function countCodes(codes: Uint32Array, count: number, counts: Float64Array): void {
  for (let row = 0; row < count; row++) counts[codes[row]]++;
}

/** Of rows that have a group. */
function countCodesOf(codes: Uint32Array, groups: Uint32Array, count: number, counts: Float64Array): void {
  for (let row = 0; row < count; row++) if (groups[row] !== 0) counts[codes[row]]++;
}
