/**
 * Builds the rows of one part of a result, as columns or encoded in a format.
 * Invariant  small batches are combined before encoding, so that a selective filter does not cause one encoding per
 *            batch.
 */

import { type Allocator, type RowEncoder, type RowFormat, rowEncoder } from '../../answer/index.js';
import type { MemoryAccount } from '../../base/index.js';
import type { SelectPart } from '../../protocol/index.js';
import { type Field, fromWire, type Vector, type WireVector } from '../../vector/index.js';
import type { QueryRun } from '../query-run.js';
import { type ColumnBuilder, columnBuilder } from './column-builder.js';
import { BATCH_ROWS_MAX } from './row-batches.js';

/** Batches of at least this many rows are encoded directly. */
const ENCODED_ROWS_MIN = BATCH_ROWS_MAX / 2;

/** A part of rows, without the fields common to all parts. */
export type PartRows =
  | Omit<Extract<SelectPart, { readonly gives: 'columns' }>, 'done' | 'operatorStats'>
  | Omit<Extract<SelectPart, { readonly gives: 'bytes' }>, 'done' | 'operatorStats'>;

export interface PartBuilder {
  /** Number of rows so far. */
  readonly rowCount: number;
  /** Approximate bytes of these rows. */
  readonly bytes: number;
  /** Appends rows [from, to) of the outputs. Throws 9006. */
  append(outputs: readonly Vector[], from: number, to: number): void;
  /** Returns the appended rows and empties the builder. */
  finish(): PartRows;
}

/** `allocator` allocates encoded rows. */
export function partBuilder(
  outputs: readonly Field[],
  format: RowFormat | null,
  run: QueryRun,
  allocator?: Allocator,
): PartBuilder {
  return format === null
    ? new ColumnPartBuilder(outputs, run)
    : new EncodedPartBuilder(outputs, format, run, allocator);
}

export function outputBuilders(outputs: readonly Field[], memory: MemoryAccount): ColumnBuilder[] {
  return outputs.map((output) => columnBuilder(output, memory));
}

export function finishAll(builders: readonly ColumnBuilder[], order: Uint32Array | null): WireVector[] {
  return builders.map((builder) => builder.finish(order));
}

class ColumnPartBuilder implements PartBuilder {
  readonly #memory: MemoryAccount;
  readonly #builders: readonly ColumnBuilder[];
  rowCount = 0;

  constructor(outputs: readonly Field[], run: QueryRun) {
    this.#memory = run.child();
    this.#builders = outputBuilders(outputs, this.#memory);
  }

  get bytes(): number {
    return this.#memory.reservedBytes;
  }

  append(outputs: readonly Vector[], from: number, to: number): void {
    this.#builders.forEach((builder, output) => {
      builder.append(outputs[output], from, to);
    });
    this.rowCount += to - from;
  }

  finish(): PartRows {
    const { rowCount } = this;
    this.rowCount = 0;
    return { gives: 'columns', rowCount, outputs: finishAll(this.#builders, null), order: [] };
  }
}

class EncodedPartBuilder implements PartBuilder {
  readonly #encoder: RowEncoder;
  readonly #builders: readonly ColumnBuilder[];
  readonly #memory: MemoryAccount;
  /** Rows in the builders that are not yet encoded. */
  #waiting = 0;
  #encoded: Uint8Array[] = [];
  rowCount = 0;

  get bytes(): number {
    return this.#memory.reservedBytes;
  }

  constructor(outputs: readonly Field[], format: RowFormat, run: QueryRun, allocator?: Allocator) {
    this.#encoder = rowEncoder(format, outputs, allocator);
    this.#builders = outputBuilders(outputs, run.child());
    this.#memory = run.child();
  }

  append(outputs: readonly Vector[], from: number, to: number): void {
    this.rowCount += to - from;
    if (this.#waiting === 0 && to - from >= ENCODED_ROWS_MIN) {
      this.#encode(outputs, from, to);
      return;
    }
    this.#builders.forEach((builder, output) => {
      builder.append(outputs[output], from, to);
    });
    this.#waiting += to - from;
    if (this.#waiting >= ENCODED_ROWS_MIN) this.#encodeWaiting();
  }

  #encode(outputs: readonly Vector[], from: number, to: number): void {
    const bytes = this.#encoder.rows(outputs, from, to, false);
    this.#memory.reserve(bytes.length);
    this.#encoded.push(bytes);
  }

  #encodeWaiting(): void {
    if (this.#waiting === 0) return;
    this.#encode(finishAll(this.#builders, null).map(fromWire), 0, this.#waiting);
    this.#waiting = 0;
  }

  finish(): PartRows {
    this.#encodeWaiting();
    const { rowCount } = this;
    const parts = this.#encoded;
    this.rowCount = 0;
    this.#encoded = [];
    this.#memory.releaseAll();
    return { gives: 'bytes', rowCount, parts };
  }
}
