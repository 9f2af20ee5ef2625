/**
 * Repeats the rows of a grouping for every item of a source: of their entity's list or events, or of the buckets of
 * time that contain their event. Several sources are nested, so that rows become all combinations of their items.
 */
import type { Input } from '../../ir/index.js';
import { gather, gatherArray, slice, type Vector } from '../../vector/index.js';
import type { GroupSource } from '../aggregate/groups/group-source.js';
import { BATCH_ROWS_MAX, type RowBatch } from '../scan/row-batches.js';

/** Items of rows of a batch: item i, row i of the vector, belongs to row positions[i]. */
export interface BatchItems {
  /** Ascending. */
  readonly positions: Uint32Array;
  readonly items: Vector;
  /** The first row whose items are not included. */
  readonly next: number;
}

export interface RowItems {
  /**
   * The items of the batch's rows from `from` on: of at least one row, and of further rows until there are
   * BATCH_ROWS_MAX. Valid until the next call. Throws 9005, 9006.
   */
  of(batch: RowBatch, from: number): BatchItems;
  release(): void;
}

export class ItemRows implements GroupSource {
  readonly #rows: GroupSource;
  readonly #items: RowItems;
  /** By input of the plan: whether it reads an item of this source. */
  readonly #isItem: readonly boolean[];

  /** `source`: the index of the items in the plan. `release` also releases the rows. */
  constructor(rows: GroupSource, items: RowItems, source: number, inputs: readonly Input[]) {
    this.#rows = rows;
    this.#items = items;
    this.#isItem = inputs.map((input) => input.from === 'item' && input.source === source);
  }

  get rowEnd(): number {
    return this.#rows.rowEnd;
  }

  selectedRows(): Uint8Array | null {
    return this.#rows.selectedRows();
  }

  *batches(): Generator<RowBatch | null> {
    for (const batch of this.#rows.batches()) {
      if (batch === null) yield null;
      else yield* this.#repeated(batch);
    }
  }

  *#repeated(batch: RowBatch): Generator<RowBatch | null> {
    for (let from = 0; from < batch.count; ) {
      const { positions, items, next } = this.#items.of(batch, from);
      from = next;
      if (positions.length === 0) yield null;
      for (let start = 0; start < positions.length; start += BATCH_ROWS_MAX) {
        const end = Math.min(positions.length, start + BATCH_ROWS_MAX);
        const part = start === 0 && end === positions.length ? items : slice(items, start, end);
        yield new ItemBatch(batch, positions.subarray(start, end), part, this.#isItem);
      }
    }
  }

  feedBatches(feed: number): Iterable<RowBatch | null> {
    return this.#rows.feedBatches(feed);
  }

  rest(): void {
    this.#rows.rest();
  }

  release(): void {
    this.#items.release();
    this.#rows.release();
  }
}

class ItemBatch implements RowBatch {
  readonly count: number;
  readonly #batch: RowBatch;
  readonly #positions: Uint32Array;
  readonly #items: Vector;
  readonly #isItem: readonly boolean[];
  readonly #inputs: (Vector | undefined)[] = [];
  #entityRows: Uint32Array | null = null;

  constructor(batch: RowBatch, positions: Uint32Array, items: Vector, isItem: readonly boolean[]) {
    this.count = positions.length;
    this.#batch = batch;
    this.#positions = positions;
    this.#items = items;
    this.#isItem = isItem;
  }

  get entityRows(): Uint32Array {
    this.#entityRows ??= gatherArray(this.#batch.entityRows, this.#positions, new Uint32Array(this.count));
    return this.#entityRows;
  }

  input(index: number): Vector {
    if (this.#isItem[index]) return this.#items;
    let vector = this.#inputs[index];
    if (vector === undefined) {
      vector = gather(this.#batch.input(index), this.#positions, this.count);
      this.#inputs[index] = vector;
    }
    return vector;
  }
}
