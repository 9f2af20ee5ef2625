/**
 * The first rows of an order, without keeping the others: while the input is read, rows that cannot be among the first
 * are dropped, and the rows retained are sorted and cut whenever they are about twice as many as needed.
 */
import { runToEnd } from '../../base/index.js';
import type { RelationColumn, RelationSortKey } from '../../ir/index.js';
import {
  concat,
  fromWire,
  gather,
  memoryBytesOf,
  rowsInOrder,
  slice,
  sortWords,
  toWire,
  type Vector,
} from '../../vector/index.js';
import type { QueryRun } from '../query-run.js';
import type { Operator, RelationBatch } from '../relation/operator.js';
import { batchesOf, type ColumnRows, VALUE_BYTES } from '../relation/row-batches.js';
import { BATCH_ROWS_MAX } from '../scan/row-batches.js';
import { LastRow } from './last-row.js';

/** The greatest limit plus offset for which only the first rows are retained. */
export const TOP_ROWS_MAX = 10_000;
/** Rows beyond the first that are retained before a cut. */
const WAITING_ROWS_MIN = 1_024;
/** Texts of a batch are copied if the list has at most this many per row: then it probably belongs to the batch. */
const TEXTS_PER_ROW = 4;

export function* topRows(
  input: Operator,
  keys: readonly RelationSortKey[],
  { offset, limit }: { readonly offset: number; readonly limit: number },
  memory: QueryRun,
): Generator<RelationBatch | null, undefined> {
  const first = new FirstRows(input.columns, keys, offset + limit, memory);
  for (const batch of input.batches()) {
    memory.check();
    if (batch !== null && batch.count > 0) first.offer(batch);
    yield null;
  }
  input.release();
  const rows = first.finish();
  const columns = new Map<number, ColumnRows>();
  for (const [index, { column }] of input.columns.entries()) {
    columns.set(column, (from, to) => slice(rows.vectors[index], from, to));
  }
  yield* batchesOf(columns, Math.min(offset, rows.count), rows.count, memory);
}

interface Rows {
  readonly count: number;
  /** One per column. */
  readonly vectors: readonly Vector[];
}

class FirstRows {
  readonly #columns: readonly RelationColumn[];
  readonly #keys: readonly RelationSortKey[];
  readonly #limit: number;
  readonly #memory: QueryRun;
  /** Rows that may be among the first, in the order of the input, except that the first part is sorted after a cut. */
  #parts: Rows[] = [];
  #count = 0;
  #bytes = 0;
  /** The last of the first rows, once there are enough. */
  #last: LastRow | null = null;
  #rows = new Uint32Array(0);

  constructor(
    columns: readonly RelationColumn[],
    keys: readonly RelationSortKey[],
    limit: number,
    memory: QueryRun,
  ) {
    this.#columns = columns;
    this.#keys = keys;
    this.#limit = limit;
    this.#memory = memory;
  }

  /** Throws 9006. */
  offer(batch: RelationBatch): void {
    if (this.#rows.length < batch.count) {
      const length = Math.max(batch.count, BATCH_ROWS_MAX);
      this.#memory.reserve((length - this.#rows.length) * 4);
      this.#rows = new Uint32Array(length);
    }
    const rows = this.#rows;
    let count = batch.count;
    if (this.#last !== null) count = this.#last.rowsBefore(batch, rows);
    else for (let row = 0; row < count; row++) rows[row] = row;
    if (count === 0) return;
    this.#reserve(count * this.#columns.length * VALUE_BYTES);
    const vectors = this.#columns.map(({ column }) => this.#copy(batch.input(column), rows, count));
    this.#parts.push({ count, vectors });
    this.#count += count;
    if (this.#count >= this.#limit + Math.max(this.#limit, WAITING_ROWS_MIN)) this.#cut();
  }

  #reserve(bytes: number): void {
    this.#memory.reserve(bytes);
    this.#bytes += bytes;
  }

  #copy(vector: Vector, rows: Uint32Array, count: number): Vector {
    const copy = gather(vector, rows, count);
    if (copy.kind !== 'text' || copy.texts.size > vector.count * TEXTS_PER_ROW) return copy;
    const own = fromWire(toWire(copy));
    this.#reserve(memoryBytesOf(own));
    return own;
  }

  /** Keeps the first rows only, in order. Throws 9006. */
  #cut(): void {
    const count = this.#count;
    const rowBytes = this.#columns.length * VALUE_BYTES;
    // The concatenation, besides its parts, and then the rows that are retained.
    const scratch = this.#memory.child();
    scratch.reserve(count * rowBytes + this.#bytes);
    const all = this.#columns.map(({ type }, index) => {
      return concat(
        this.#parts.map(({ vectors }) => vectors[index]),
        type,
      );
    });
    const keys = this.#keys.map((key) => ({
      ...key,
      vector: all[this.#columns.findIndex(({ column }) => column === key.column)],
    }));
    const words = runToEnd(sortWords(keys, count, scratch));
    const order = runToEnd(rowsInOrder(words, count, scratch));
    const retained = Math.min(count, this.#limit);
    const before = this.#bytes;
    this.#bytes = 0;
    this.#reserve(retained * rowBytes);
    const vectors = all.map((vector) => this.#copy(vector, order, retained));
    scratch.releaseAll();
    this.#memory.release(before);
    this.#parts = [{ count: retained, vectors }];
    this.#count = retained;
    if (retained === this.#limit) {
      const last = keys.map(({ vector }) => gather(vector, order.subarray(retained - 1), 1));
      this.#last?.release();
      this.#last = new LastRow(this.#keys, last, this.#memory);
    }
  }

  /** The first rows, in order. No rows may be offered afterwards. Throws 9006. */
  finish(): Rows {
    this.#cut();
    return this.#parts[0];
  }
}
