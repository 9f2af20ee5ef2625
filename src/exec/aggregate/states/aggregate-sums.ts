/**
 * Counts, exact sums and exact sums of squares of each group.
 * The hot loops are unrolled four times: V8 reloads the length and base address of every array in each iteration,
 * which costs as much as the addition itself.
 */
import { grownWithin, invariant, type MemoryAccount } from '../../../base/index.js';
import type { AggregateState } from '../../../ir/index.js';
import type { Vector, WireVector } from '../../../vector/index.js';
import type { QueryRun } from '../../query-run.js';
import { GROUPS_MIN } from '../../scan/array-lengths.js';
import { BATCH_ROWS_MAX } from '../../scan/row-batches.js';
import { type BatchGroups, type GroupAccumulator, isFullyPresent, presentGroups } from './aggregate-state.js';
import { ExactSums } from './sums-exact.js';
import { FloatSums } from './sums-float.js';
import { ExactSquares, FloatSquares } from './sums-squares.js';

/** Counts the values of each group. */
export class GroupValueCount implements GroupAccumulator {
  readonly #memory: MemoryAccount;
  readonly #present = new Uint32Array(BATCH_ROWS_MAX);
  #counts: Float64Array<ArrayBuffer> = new Float64Array(0);

  constructor(memory: MemoryAccount) {
    this.#memory = memory;
  }

  add(vector: Vector | null, batch: BatchGroups): void {
    this.#counts = grownWithin(this.#memory, this.#counts, batch.groupEnd, GROUPS_MIN);
    if (batch.isOne && isFullyPresent(vector)) this.#counts[1] += batch.count;
    else countGroups(presentGroups(vector, batch, this.#present), batch.count, this.#counts);
  }

  state(groupCount: number, run: QueryRun): AggregateState {
    return { holds: 'count', counts: countsOf(this.#counts, groupCount, run) };
  }
}

/** Sums, optionally with sums of squares, for each group. */
export class GroupSums implements GroupAccumulator {
  readonly #memory: MemoryAccount;
  readonly #present = new Uint32Array(BATCH_ROWS_MAX);
  readonly #values: ExactValues | FloatValues;
  #counts: Float64Array<ArrayBuffer> = new Float64Array(0);

  constructor(kind: 'exact' | 'float', withSquares: boolean, memory: MemoryAccount) {
    this.#memory = memory;
    this.#values =
      kind === 'exact' ? new ExactValues(withSquares, memory) : new FloatValues(withSquares, memory);
  }

  add(vector: Vector | null, batch: BatchGroups): void {
    invariant(vector !== null, 'a sum has an operand');
    this.#counts = grownWithin(this.#memory, this.#counts, batch.groupEnd, GROUPS_MIN);
    const groups = presentGroups(vector, batch, this.#present);
    this.#values.add(vector, groups, batch, this.#counts);
  }

  state(groupCount: number, run: QueryRun): AggregateState {
    // Also covers groups that occur in no batch.
    this.#values.reserve(groupCount + 1);
    const counts = countsOf(this.#counts, groupCount, run);
    const { sums, squares } = this.#values.totals(groupCount, run);
    return squares === null ? { holds: 'sum', counts, sums } : { holds: 'squares', counts, sums, squares };
  }
}

interface Totals {
  readonly sums: WireVector;
  readonly squares: WireVector | null;
}

class ExactValues {
  readonly #sums: ExactSums;
  readonly #squares: ExactSquares | null;

  constructor(withSquares: boolean, memory: MemoryAccount) {
    this.#sums = new ExactSums(memory);
    this.#squares = withSquares ? new ExactSquares(BATCH_ROWS_MAX, memory) : null;
  }

  reserve(groupEnd: number): void {
    this.#sums.reserve(groupEnd);
    this.#squares?.reserve(groupEnd);
  }

  add(vector: Vector, groups: Uint32Array, batch: BatchGroups, counts: Float64Array): void {
    invariant(vector.kind === 'exact', 'an exact expression returns exact values');
    const { count, numbers, wide } = vector;
    this.reserve(batch.groupEnd);
    if (numbers === null) {
      countGroups(groups, count, counts);
      const values = wide ?? [];
      this.#sums.addWide(values, groups, count);
      this.#squares?.addWide(values, groups, count);
      return;
    }
    if (batch.isOne && vector.valid === null) {
      counts[1] += count;
      this.#sums.addAll(numbers, count, 1);
    } else this.#sums.addCounted(numbers, groups, count, counts);
    this.#squares?.add(numbers, groups, count);
  }

  totals(groupCount: number, run: QueryRun): Totals {
    return {
      sums: this.#sums.totals(groupCount, run),
      squares: this.#squares?.totals(groupCount, run) ?? null,
    };
  }
}

class FloatValues {
  readonly #sums: FloatSums;
  readonly #squares: FloatSquares | null;

  constructor(withSquares: boolean, memory: MemoryAccount) {
    this.#sums = new FloatSums(memory);
    this.#squares = withSquares ? new FloatSquares(BATCH_ROWS_MAX, memory) : null;
  }

  reserve(groupEnd: number): void {
    this.#sums.reserve(groupEnd);
    this.#squares?.reserve(groupEnd);
  }

  add(vector: Vector, groups: Uint32Array, batch: BatchGroups, counts: Float64Array): void {
    invariant(vector.kind === 'float', 'a float expression returns floats');
    this.reserve(batch.groupEnd);
    countGroups(groups, vector.count, counts);
    this.#sums.add(vector.numbers, groups, vector.count);
    this.#squares?.add(vector.numbers, groups, vector.count);
  }

  totals(groupCount: number, run: QueryRun): Totals {
    return {
      sums: this.#sums.totals(groupCount, run),
      squares: this.#squares?.totals(groupCount, run) ?? null,
    };
  }
}

function countGroups(groups: Uint32Array, count: number, counts: Float64Array): void {
  let row = 0;
  for (; row + 3 < count; row += 4) {
    counts[groups[row]]++;
    counts[groups[row + 1]]++;
    counts[groups[row + 2]]++;
    counts[groups[row + 3]]++;
  }
  for (; row < count; row++) counts[groups[row]]++;
}

/** The counts of groups 1, ..., groupCount. Their memory is reserved in the run. Throws 9006. */
function countsOf(counts: Float64Array, groupCount: number, run: QueryRun): Float64Array {
  run.reserve(groupCount * 8);
  const answer = new Float64Array(groupCount);
  answer.set(counts.subarray(1, groupCount + 1));
  return answer;
}
