/** The least or greatest value of each group, for numbers and booleans. */
import { grownWithin, invariant, type MemoryAccount } from '../../../base/index.js';
import type { AggregateState } from '../../../ir/index.js';
import {
  exactVector,
  type Vector,
  type VectorKind,
  type WideIntegers,
  type WireVector,
} from '../../../vector/index.js';
import type { QueryRun } from '../../query-run.js';
import { GROUPS_MIN } from '../../scan/array-lengths.js';
import { BATCH_ROWS_MAX } from '../../scan/row-batches.js';
import { type BatchGroups, type GroupAccumulator, presentGroups } from './aggregate-state.js';

/** Bytes of a bigint in an array. */
const WIDE_BYTES = 48;

/**
 * Values are multiplied by `sign` (1 for the least, -1 for the greatest), so that both keep the least product. A
 * group without a value keeps Infinity.
 */
export class GroupExtremes implements GroupAccumulator {
  readonly #kind: Exclude<VectorKind, 'text'>;
  readonly #memory: MemoryAccount;
  readonly #sign: 1 | -1;
  readonly #present = new Uint32Array(BATCH_ROWS_MAX);
  #least: Float64Array<ArrayBuffer> = new Float64Array(0);
  /** The extremes of integers from wide vectors, by group. */
  #wide: (bigint | undefined)[] | null = null;

  constructor(kind: Exclude<VectorKind, 'text'>, extreme: 'min' | 'max', memory: MemoryAccount) {
    this.#kind = kind;
    this.#memory = memory;
    this.#sign = extreme === 'min' ? 1 : -1;
  }

  add(vector: Vector | null, batch: BatchGroups): void {
    invariant(vector !== null && vector.kind === this.#kind, 'an extreme takes values of one kind');
    this.#reserveGroups(batch.groupEnd);
    const groups = presentGroups(vector, batch, this.#present);
    if (vector.kind === 'boolean') keepLeast(vector.bits, groups, batch.count, this.#sign, this.#least);
    else if (vector.kind === 'exact' && vector.wide !== null) this.#addWide(vector.wide, groups, batch);
    else if (vector.numbers !== null) {
      keepLeast(vector.numbers, groups, batch.count, this.#sign, this.#least);
    }
  }

  #reserveGroups(groupEnd: number): void {
    this.#least = grownWithin(this.#memory, this.#least, groupEnd, GROUPS_MIN, Number.POSITIVE_INFINITY);
  }

  #addWide(values: WideIntegers, groups: Uint32Array, { count, groupEnd }: BatchGroups): void {
    const wide = this.#wide ?? [];
    this.#wide = wide;
    if (groupEnd > wide.length) {
      this.#memory.reserve((groupEnd - wide.length) * WIDE_BYTES);
      while (wide.length < groupEnd) wide.push(undefined);
    }
    for (let row = 0; row < count; row++) {
      const group = groups[row];
      if (group === 0) continue;
      const value = this.#sign === 1 ? values[row] : -values[row];
      const stored = wide[group];
      if (stored === undefined || value < stored) wide[group] = value;
    }
  }

  state(groupCount: number, run: QueryRun): AggregateState {
    this.#reserveGroups(groupCount + 1);
    run.reserve(groupCount * 9);
    return { holds: 'extreme', values: this.#values(groupCount, run) };
  }

  #values(count: number, run: QueryRun): WireVector {
    if (this.#wide !== null) return this.#wideValues(this.#wide, count, run);
    const least = this.#least.subarray(1, count + 1);
    const valid = least.includes(Number.POSITIVE_INFINITY)
      ? Uint8Array.from(least, (value) => (value === Number.POSITIVE_INFINITY ? 0 : 1))
      : null;
    // Adding 0 turns -0 into 0.
    const numbers = least.map((value) => (value === Number.POSITIVE_INFINITY ? 0 : value * this.#sign + 0));
    switch (this.#kind) {
      case 'exact':
        return { kind: 'exact', count, valid, numbers, wide: null };
      case 'float':
        return { kind: 'float', count, valid, numbers };
      case 'boolean':
        return { kind: 'boolean', count, valid, bits: Uint8Array.from(numbers) };
    }
  }

  #wideValues(extremes: readonly (bigint | undefined)[], count: number, run: QueryRun): WireVector {
    run.reserve(count * WIDE_BYTES);
    const valid = new Uint8Array(count).fill(1);
    const wide = Array.from({ length: count }, (_, at) => {
      const narrow = this.#least[at + 1];
      const other = extremes[at + 1];
      if (narrow === Number.POSITIVE_INFINITY && other === undefined) valid[at] = 0;
      if (narrow === Number.POSITIVE_INFINITY) return (other ?? 0n) * BigInt(this.#sign);
      const value = BigInt(narrow);
      return (other !== undefined && other < value ? other : value) * BigInt(this.#sign);
    });
    return exactVector(valid, wide);
  }
}

function keepLeast(
  values: Float64Array | Uint8Array,
  groups: Uint32Array,
  count: number,
  sign: number,
  least: Float64Array,
): void {
  for (let row = 0; row < count; row++) {
    const value = values[row] * sign;
    if (value < least[groups[row]]) least[groups[row]] = value;
  }
}
