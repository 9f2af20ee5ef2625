/**
 * Growable typed arrays that collect the rows of one request: one `BatchBuilder` per shard and dimension, one `ColumnBuilder` per
 * section. Builders are pooled, so that a worker in steady state allocates none.
 * Invariants: the layout is that of column/batch.ts (32-bit words, WORDS_PER_VALUE per value), so encoding copies without
 * conversion; a builder belongs to one request from its acquisition to `releaseAll`.
 */
import { ENTITIES_PER_INSERT_MAX, invariant, longerCopy } from '../base/index.js';
import type { Form } from '../column/index.js';
import type { ValueKind } from '../schema/index.js';
import { TextSink } from './values/text.js';

/** Words per value in `words`. Booleans are stored in `bits` and take none; strings store their hash in `words`. */
const WORDS_PER_VALUE: Record<ValueKind, number> = { bits: 0, i32: 1, i64: 2, code: 1, geo: 4 };
const ROWS_MIN = 64;
/** Limit of the memory that the pools retain between requests. A worker that exceeds it starts with empty pools. */
export const POOLED_BYTES_MAX = 96 * 2 ** 20;

export class ColumnBuilder {
  readonly kind: ValueKind;
  readonly wordsPerValue: number;
  columnId = 0;
  form: Form = 'latest';
  /** For events: the relation that links the column to other columns; 0 = none. */
  relationId = 0;
  rowCount = 0;
  valueCount = 0;
  rows = new Int32Array(ROWS_MIN);
  /** Per row: the number of values (list) or seconds since 1970-01-01 (event); otherwise unused. */
  extra = new Int32Array(ROWS_MIN);
  /** i32, i64 and geo values; hashes of strings. */
  words: Int32Array<ArrayBuffer>;
  /** A float view of `words`. */
  floats: Float64Array<ArrayBuffer>;
  bits: Uint8Array<ArrayBuffer>;
  /** Strings: ends[v + 1] is where value v ends in text.bytes; ends[0] = 0. */
  ends: Int32Array<ArrayBuffer>;
  readonly text: TextSink;
  /** The number of values that the arrays can hold. */
  #capacity = ROWS_MIN;

  constructor(kind: ValueKind) {
    this.kind = kind;
    this.wordsPerValue = WORDS_PER_VALUE[kind];
    this.words = new Int32Array(ROWS_MIN * this.wordsPerValue);
    this.floats = new Float64Array(this.words.buffer);
    this.bits = new Uint8Array(kind === 'bits' ? ROWS_MIN : 0);
    this.ends = new Int32Array(kind === 'code' ? ROWS_MIN + 1 : 1);
    this.text = kind === 'code' ? new TextSink() : new TextSink(0);
  }

  /** Ensures capacity for one more value. */
  reserveValue(): void {
    if (this.valueCount === this.#capacity) this.#growValues();
  }

  addRow(row: number, extra: number): void {
    if (this.rowCount === this.rows.length) this.#growRows();
    this.rows[this.rowCount] = row;
    this.extra[this.rowCount++] = extra;
  }

  /** Removes the values from index `valueCount` on. */
  cutValues(valueCount: number): void {
    this.valueCount = valueCount;
    if (this.kind === 'code') this.text.length = this.ends[valueCount];
  }

  /** Removes the value of `row`; for columns with one value per row. */
  dropRow(row: number): void {
    while (this.rowCount > 0 && this.rows[this.rowCount - 1] === row) {
      this.rowCount--;
      if (this.form !== 'remove') this.cutValues(this.valueCount - 1);
    }
  }

  reset(columnId: number, form: Form, relationId: number): void {
    this.columnId = columnId;
    this.form = form;
    this.relationId = relationId;
    this.rowCount = 0;
    this.valueCount = 0;
    this.text.length = 0;
  }

  get allocatedBytes(): number {
    const words = this.rows.length * 2 + this.words.length + this.ends.length;
    return words * 4 + this.bits.length + this.text.bytes.length;
  }

  #growRows(): void {
    this.rows = longerCopy(this.rows, this.rows.length * 2);
    this.extra = longerCopy(this.extra, this.extra.length * 2);
  }

  #growValues(): void {
    this.#capacity *= 2;
    this.words = longerCopy(this.words, this.#capacity * this.wordsPerValue);
    this.floats = new Float64Array(this.words.buffer);
    if (this.kind === 'code') this.ends = longerCopy(this.ends, this.#capacity + 1);
    if (this.kind === 'bits') this.bits = longerCopy(this.bits, this.#capacity);
  }
}

/** The entities of one batch, in document order. */
export class BatchBuilder {
  shard = 0;
  /** Index of the dimension in the model's tables. */
  dimension = 0;
  rowCount = 0;
  readonly hashes = new Int32Array(ENTITIES_PER_INSERT_MAX);
  /** ends[row + 1] is where the ID of `row` ends in `bytes`; ends[0] = 0. */
  readonly ends = new Int32Array(ENTITIES_PER_INSERT_MAX + 1);
  bytes = new Uint8Array(ENTITIES_PER_INSERT_MAX * 16);

  reset(shard: number, dimension: number): void {
    this.shard = shard;
    this.dimension = dimension;
    this.rowCount = 0;
  }

  /** Appends the ID from[start, end) and returns its row. */
  add(from: Uint8Array, start: number, end: number, hash: number): number {
    const row = this.rowCount++;
    let to = this.ends[row];
    const needed = to + end - start;
    if (needed > this.bytes.length) this.bytes = longerCopy(this.bytes, needed * 2);
    for (let at = start; at < end; at++) this.bytes[to++] = from[at];
    this.hashes[row] = hash;
    this.ends[row + 1] = to;
    return row;
  }

  get allocatedBytes(): number {
    return (this.hashes.length + this.ends.length) * 4 + this.bytes.length;
  }
}

/** Builders in use come first; `releaseAll` frees all of them. */
class Pool<Builder extends { readonly allocatedBytes: number }> {
  readonly builders: Builder[] = [];
  usedCount = 0;
  readonly #make: () => Builder;

  constructor(make: () => Builder) {
    this.#make = make;
  }

  acquire(): Builder {
    if (this.usedCount === this.builders.length) this.builders.push(this.#make());
    return this.builders[this.usedCount++];
  }

  get allocatedBytes(): number {
    return this.builders.reduce((sum, builder) => sum + builder.allocatedBytes, 0);
  }
}

export class BuilderPools {
  readonly #batches = new Pool(() => new BatchBuilder());
  readonly #columns: ReadonlyMap<ValueKind, Pool<ColumnBuilder>> = new Map(
    (Object.keys(WORDS_PER_VALUE) as ValueKind[]).map((kind) => [
      kind,
      new Pool(() => new ColumnBuilder(kind)),
    ]),
  );

  acquireBatch(shard: number, dimension: number): BatchBuilder {
    const batch = this.#batches.acquire();
    batch.reset(shard, dimension);
    return batch;
  }

  acquireColumn(columnId: number, kind: ValueKind, form: Form, relationId: number): ColumnBuilder {
    const pool = this.#columns.get(kind);
    invariant(pool !== undefined, `no builders of kind ${kind}`);
    const builder = pool.acquire();
    builder.reset(columnId, form, relationId);
    return builder;
  }

  /** The batches in use, in the order of their acquisition. */
  get batches(): readonly BatchBuilder[] {
    return this.#batches.builders.slice(0, this.#batches.usedCount);
  }

  /** Frees all builders, and drops them if they exceed POOLED_BYTES_MAX. */
  releaseAll(): void {
    const pools = [this.#batches, ...this.#columns.values()];
    const allocated = pools.reduce((sum, pool) => sum + pool.allocatedBytes, 0);
    for (const pool of pools) {
      pool.usedCount = 0;
      if (allocated > POOLED_BYTES_MAX) pool.builders.length = 0;
    }
  }
}
