/**
 * The distinct values of each group and their numbers of occurrences, for distinct aggregates and percentiles. A bit
 * grid records the codes of each group while it stays small. Otherwise, and if values are counted within several
 * groups, pairs of group and code are numbered.
 */
import type { Allocator } from '../../../answer/index.js';
import { grownWithin, invariant } from '../../../base/index.js';
import type { AggregateState } from '../../../ir/index.js';
import type { SqlType, Vector } from '../../../vector/index.js';
import type { QueryRun } from '../../query-run.js';
import { GROUPS_MIN } from '../../scan/array-lengths.js';
import { BATCH_ROWS_MAX } from '../../scan/row-batches.js';
import type { Coded, ValueCodes } from '../groups/group-codes.js';
import { PairNumbers } from '../groups/group-pairs.js';
import { valueCodes } from '../groups/group-value-codes.js';
import { type BatchGroups, type GroupAccumulator, presentGroups } from './aggregate-state.js';
import { CodeGrid } from './distinct-grid.js';

/** From this number of values on, the values of a single group are partitioned by hash. */
const PARTITIONED_MIN = 4_096;

export interface DistinctOptions {
  /** Whether the query has a single group. */
  readonly isOneGroup: boolean;
  /** Whether occurrences are counted. */
  readonly isCounted: boolean;
  /** The largest number of slots of a direct pair table. */
  readonly directPairsMax: number;
  /** The largest number of bits of a grid. */
  readonly gridBitsMax: number;
  /** Allocates texts. */
  readonly allocator: Allocator;
}

export class DistinctValues implements GroupAccumulator {
  readonly #memory: QueryRun;
  readonly #codes: ValueCodes;
  readonly #settings: DistinctOptions;
  readonly #scratch = new Uint32Array(BATCH_ROWS_MAX);
  readonly #present = new Uint32Array(BATCH_ROWS_MAX);
  /** Used if occurrences are not counted, while the grid is small enough. */
  #grid: CodeGrid | null = null;
  #pairs: PairNumbers | null = null;
  /** Occurrences: by code for one group, by pair for several. */
  #counts: Float64Array<ArrayBuffer> = new Float64Array(0);

  /** Throws 9006. */
  constructor(type: SqlType, settings: DistinctOptions, memory: QueryRun) {
    this.#memory = memory;
    this.#codes = valueCodes(type, memory);
    this.#settings = settings;
    if (!settings.isCounted) this.#grid = new CodeGrid(memory, settings.gridBitsMax);
    else if (!settings.isOneGroup) this.#pairs = new PairNumbers(memory, settings.directPairsMax);
  }

  add(vector: Vector | null, batch: BatchGroups): void {
    invariant(vector !== null, 'a distinct aggregate has an operand');
    const coded = this.#codes.code(vector, this.#scratch);
    const { bound } = this.#codes;
    if (this.#grid !== null) {
      if (this.#grid.mark(coded, bound, batch)) return;
      this.#leaveGrid(this.#grid);
    }
    if (this.#pairs === null) this.#countCodes(coded, bound, batch);
    else this.#addPairs(this.#pairs, vector, coded, bound, batch);
  }

  /** Counts codes of a single group. */
  #countCodes({ codes, shift }: Coded, bound: number, { isOne, groups, count }: BatchGroups): void {
    this.#counts = grownWithin(this.#memory, this.#counts, bound, GROUPS_MIN);
    const counts = this.#counts.subarray(shift);
    if (isOne) countCodes(codes, count, counts);
    else countCodesOf(codes, groups, count, counts);
  }

  #addPairs(pairs: PairNumbers, vector: Vector, coded: Coded, bound: number, batch: BatchGroups): void {
    // A missing value belongs to group 0, which is not reported.
    const groups = { codes: presentGroups(vector, batch, this.#present), shift: 0 } as const;
    pairs.number(groups, batch.groupEnd, coded, bound, batch.count, this.#present);
    if (!this.#settings.isCounted) return;
    this.#counts = grownWithin(this.#memory, this.#counts, pairs.count + 1, GROUPS_MIN);
    countCodes(this.#present, batch.count, this.#counts);
  }

  #leaveGrid(grid: CodeGrid): void {
    const pairs = new PairNumbers(this.#memory, this.#settings.directPairsMax);
    grid.each((group, code) => pairs.add(group, code));
    grid.release();
    this.#grid = null;
    this.#pairs = pairs;
  }

  state(_groupCount: number, run: QueryRun): AggregateState {
    if (this.#grid !== null) return this.#stateOfGrid(this.#grid, run);
    return this.#pairs === null ? this.#stateOfCounts(run) : this.#stateOfPairs(this.#pairs, run);
  }

  #stateOfGrid(grid: CodeGrid, run: QueryRun): AggregateState {
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
      const texts = this.#codes.partitioned?.(codes, run, this.#settings.allocator) ?? null;
      if (texts !== null) return { holds: 'texts', texts };
    }
    return { holds: 'values', groups, counts: null, values: this.#codes.values(codes, run) };
  }

  #stateOfCounts(run: QueryRun): AggregateState {
    const stored = this.#counts;
    // Code 0 is the missing value.
    let count = 0;
    for (let code = 1; code < stored.length; code++) if (stored[code] !== 0) count++;
    const codes = this.#memory.u32(count);
    for (let code = 1, at = 0; at < count; code++) if (stored[code] !== 0) codes[at++] = code;
    run.reserve(count * 8);
    const counts = Float64Array.from(codes, (code) => stored[code]);
    return { holds: 'values', groups: null, counts, values: this.#codes.values(codes, run) };
  }

  #stateOfPairs(pairs: PairNumbers, run: QueryRun): AggregateState {
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
    return { holds: 'values', groups: isOneGroup ? null : groups, counts, values };
  }
}

function countCodes(codes: Uint32Array, count: number, counts: Float64Array): void {
  for (let row = 0; row < count; row++) counts[codes[row]]++;
}

/** Counts the codes of rows that belong to a group. */
function countCodesOf(codes: Uint32Array, groups: Uint32Array, count: number, counts: Float64Array): void {
  for (let row = 0; row < count; row++) if (groups[row] !== 0) counts[codes[row]]++;
}
