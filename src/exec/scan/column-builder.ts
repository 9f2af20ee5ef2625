/**
 * Builds result columns from the rows of many vectors.
 * Invariant  a builder copies what it appends, so the vectors' arrays may be reused.
 */
import { grownWithin, invariant, type MemoryAccount } from '../../base/index.js';
import {
  gatherArray,
  type SqlType,
  type Vector,
  vectorKindOf,
  type WideIntegers,
  type WireVector,
} from '../../vector/index.js';
import { TextStore } from '../aggregate/groups/text-store.js';
import { ROWS_MIN } from './array-lengths.js';

/** Bytes of a bigint in a list. */
const WIDE_BYTES = 32;

export interface ColumnBuilder {
  /** Appends rows [from, to). Throws 9006. */
  append(vector: Vector, from: number, to: number): void;
  /**
   * Returns all rows and empties the builder, whose memory is released. Row r of the result is row order[r] of the
   * appended rows (null = in their own order).
   */
  finish(order: Uint32Array | null): WireVector;
}

export function columnBuilder({ type }: { readonly type: SqlType }, memory: MemoryAccount): ColumnBuilder {
  switch (vectorKindOf(type)) {
    case 'exact':
      return new ExactBuilder(memory);
    case 'float':
      return new FloatBuilder(memory);
    case 'boolean':
      return new BooleanBuilder(memory);
    case 'text':
      return new TextBuilder(memory);
  }
}

/** The row count and validity of a builder's rows. */
class RowValidity {
  readonly #memory: MemoryAccount;
  #valid: Uint8Array<ArrayBuffer> | null = null;
  count = 0;

  constructor(memory: MemoryAccount) {
    this.#memory = memory;
  }

  append(valid: Uint8Array | null, from: number, to: number): void {
    const count = this.count + to - from;
    if (valid !== null && this.#valid === null) {
      this.#valid = grownWithin(this.#memory, new Uint8Array(0), count, ROWS_MIN).fill(1, 0, this.count);
    }
    if (this.#valid !== null) {
      this.#valid = grownWithin(this.#memory, this.#valid, count, ROWS_MIN);
      if (valid === null) this.#valid.fill(1, this.count, count);
      else this.#valid.set(valid.subarray(from, to), this.count);
    }
    this.count = count;
  }

  finish(order: Uint32Array | null): { readonly count: number; readonly valid: Uint8Array | null } {
    const { count } = this;
    const valid = this.#valid === null ? null : reordered(this.#valid, count, order);
    this.#memory.release(this.#valid?.byteLength ?? 0);
    this.#valid = null;
    this.count = 0;
    return { count, valid };
  }
}

function reordered<A extends Uint8Array | Uint32Array | Float64Array>(
  values: A,
  count: number,
  order: Uint32Array | null,
): A {
  if (order === null) return values.slice(0, count) as A;
  return gatherArray(values, order, new (values.constructor as new (length: number) => A)(count));
}

class ExactBuilder implements ColumnBuilder {
  readonly #memory: MemoryAccount;
  readonly #rows: RowValidity;
  #numbers = new Float64Array(0);
  /** Set once a value is not a safe integer. */
  #wide: bigint[] | null = null;

  constructor(memory: MemoryAccount) {
    this.#memory = memory;
    this.#rows = new RowValidity(memory);
  }

  append(vector: Vector, from: number, to: number): void {
    invariant(vector.kind === 'exact', 'a column keeps its kind');
    const { numbers, wide, valid } = vector;
    const { count } = this.#rows;
    if (wide !== null && this.#wide === null) this.#widen(count);
    if (this.#wide !== null) {
      this.#memory.reserve((to - from) * WIDE_BYTES);
      for (let row = from; row < to; row++) {
        this.#wide.push(numbers === null ? (wide as WideIntegers)[row] : integerOf(numbers, valid, row));
      }
    } else if (numbers !== null) {
      this.#numbers = grownWithin(this.#memory, this.#numbers, count + to - from, ROWS_MIN);
      this.#numbers.set(numbers.subarray(from, to), count);
    }
    this.#rows.append(valid, from, to);
  }

  #widen(count: number): void {
    this.#memory.reserve(count * WIDE_BYTES);
    this.#wide = Array.from(this.#numbers.subarray(0, count), (number) =>
      Number.isInteger(number) ? BigInt(number) : 0n,
    );
    this.#releaseNumbers();
  }

  #releaseNumbers(): void {
    this.#memory.release(this.#numbers.byteLength);
    this.#numbers = new Float64Array(0);
  }

  finish(order: Uint32Array | null): WireVector {
    const { count } = this.#rows;
    const stored = this.#wide;
    const numbers = stored === null ? reordered(this.#numbers, count, order) : null;
    const wide = stored === null || order === null ? stored : Array.from(order, (row) => stored[row]);
    this.#releaseNumbers();
    this.#memory.release((stored?.length ?? 0) * WIDE_BYTES);
    this.#wide = null;
    return { kind: 'exact', ...this.#rows.finish(order), numbers, wide };
  }
}

/** The stored value of a missing row is arbitrary. */
const integerOf = (numbers: Float64Array, valid: Uint8Array | null, row: number): bigint =>
  valid !== null && valid[row] === 0 ? 0n : BigInt(numbers[row]);

class FloatBuilder implements ColumnBuilder {
  readonly #memory: MemoryAccount;
  readonly #rows: RowValidity;
  #numbers = new Float64Array(0);

  constructor(memory: MemoryAccount) {
    this.#memory = memory;
    this.#rows = new RowValidity(memory);
  }

  append(vector: Vector, from: number, to: number): void {
    invariant(vector.kind === 'float', 'a column keeps its kind');
    this.#numbers = grownWithin(this.#memory, this.#numbers, this.#rows.count + to - from, ROWS_MIN);
    this.#numbers.set(vector.numbers.subarray(from, to), this.#rows.count);
    this.#rows.append(vector.valid, from, to);
  }

  finish(order: Uint32Array | null): WireVector {
    const numbers = reordered(this.#numbers, this.#rows.count, order);
    this.#memory.release(this.#numbers.byteLength);
    this.#numbers = new Float64Array(0);
    return { kind: 'float', ...this.#rows.finish(order), numbers };
  }
}

class BooleanBuilder implements ColumnBuilder {
  readonly #memory: MemoryAccount;
  readonly #rows: RowValidity;
  #bits = new Uint8Array(0);

  constructor(memory: MemoryAccount) {
    this.#memory = memory;
    this.#rows = new RowValidity(memory);
  }

  append(vector: Vector, from: number, to: number): void {
    invariant(vector.kind === 'boolean', 'a column keeps its kind');
    this.#bits = grownWithin(this.#memory, this.#bits, this.#rows.count + to - from, ROWS_MIN);
    this.#bits.set(vector.bits.subarray(from, to), this.#rows.count);
    this.#rows.append(vector.valid, from, to);
  }

  finish(order: Uint32Array | null): WireVector {
    const bits = reordered(this.#bits, this.#rows.count, order);
    this.#memory.release(this.#bits.byteLength);
    this.#bits = new Uint8Array(0);
    return { kind: 'boolean', ...this.#rows.finish(order), bits };
  }
}

class TextBuilder implements ColumnBuilder {
  readonly #rows: RowValidity;
  readonly #texts: TextStore;

  constructor(memory: MemoryAccount) {
    this.#rows = new RowValidity(memory);
    this.#texts = new TextStore(memory);
  }

  append(vector: Vector, from: number, to: number): void {
    invariant(vector.kind === 'text', 'a column keeps its kind');
    this.#texts.append(vector, from, to);
    this.#rows.append(vector.valid, from, to);
  }

  finish(order: Uint32Array | null): WireVector {
    const codes = reordered(this.#texts.codes, this.#rows.count, order);
    const texts = this.#texts.finish();
    return { kind: 'text', ...this.#rows.finish(order), codes, ...texts };
  }
}
