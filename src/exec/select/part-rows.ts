/**
 * The rows of one part of an answer: as columns, or as bytes of a format.
 * Invariant: batches of few rows are put together before they are encoded, so that a filter which leaves little of each
 * does not cost an encoding each.
 */

import { type Allocator, type RowEncoder, type RowFormat, rowEncoder } from '../../answer/index.js';
import type { MemoryAccount } from '../../base/index.js';
import type { SelectPlan } from '../../ir/index.js';
import type { SelectPart } from '../../protocol/index.js';
import { fromWire, type Vector, type WireVector } from '../../vector/index.js';
import type { QueryRun } from '../query-run.js';
import { type ColumnBuilder, columnBuilder } from './column-builder.js';
import { BATCH_ROWS_MAX } from './row-batches.js';

/** Rows that are encoded as they come. */
const ENCODED_ROWS_MIN = BATCH_ROWS_MAX / 2;

/** What a part holds, without what is the same in all of them. */
export type PartRows =
  | Omit<Extract<SelectPart, { readonly gives: 'columns' }>, 'done' | 'figures'>
  | Omit<Extract<SelectPart, { readonly gives: 'bytes' }>, 'done' | 'figures'>;

export interface PartBuilder {
  /** Rows of the part so far. */
  readonly rowCount: number;
  /** Memory that they take, about. */
  readonly bytes: number;
  /** Adds rows [from, to) of the outputs. Throws 9006. */
  append(outputs: readonly Vector[], from: number, to: number): void;
  /** What was added; the builder is empty then. */
  finish(): PartRows;
}

/** `room`: for encoded rows. */
export function partBuilder(
  plan: SelectPlan,
  format: RowFormat | null,
  run: QueryRun,
  room?: Allocator,
): PartBuilder {
  return format === null ? new PartOfColumns(plan, run) : new PartOfBytes(plan, format, run, room);
}

/** Builders of the plan's outputs. */
export function outputBuilders({ outputs }: SelectPlan, memory: MemoryAccount): ColumnBuilder[] {
  return outputs.map((output) => columnBuilder(output, memory));
}

export function finishAll(builders: readonly ColumnBuilder[], order: Uint32Array | null): WireVector[] {
  return builders.map((builder) => builder.finish(order));
}

class PartOfColumns implements PartBuilder {
  readonly #memory: MemoryAccount;
  readonly #builders: readonly ColumnBuilder[];
  rowCount = 0;

  constructor(plan: SelectPlan, run: QueryRun) {
    this.#memory = run.child();
    this.#builders = outputBuilders(plan, this.#memory);
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

class PartOfBytes implements PartBuilder {
  readonly #encoder: RowEncoder;
  readonly #builders: readonly ColumnBuilder[];
  readonly #memory: MemoryAccount;
  /** Rows that wait in the builders. */
  #waiting = 0;
  #encoded: Uint8Array[] = [];
  rowCount = 0;

  get bytes(): number {
    return this.#memory.reservedBytes;
  }

  constructor(plan: SelectPlan, format: RowFormat, run: QueryRun, room?: Allocator) {
    this.#encoder = rowEncoder(format, plan.outputs, room);
    this.#builders = outputBuilders(plan, run.child());
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
