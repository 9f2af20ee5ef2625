/** Leaves out rows up to and including a position of an order. */
import { compile, type Evaluate } from '../../expression/index.js';
import type { SelectPlan } from '../../ir/index.js';
import { type Vector, vectorOf } from '../../vector/index.js';
import type { QueryRun } from '../query-run.js';
import { BATCH_ROWS_MAX } from '../scan/row-batches.js';
import type { SegmentBatch } from '../scan/segment-batch.js';
import { type SortKeyColumn, sortKeyColumn } from './sort-key-column.js';

interface Key {
  readonly evaluate: Evaluate;
  /** Its last entry is the position. */
  readonly column: SortKeyColumn;
}

export class AfterPosition {
  readonly #keys: readonly Key[];
  readonly #leading = new Float64Array(BATCH_ROWS_MAX);
  readonly #positions = new Uint32Array(BATCH_ROWS_MAX);

  /** Returns null if the plan begins with the first row. `memory` accounts for it. Throws 9006. */
  static of(plan: SelectPlan, memory: QueryRun): AfterPosition | null {
    return plan.after === undefined ? null : new AfterPosition(plan, plan.after, memory);
  }

  private constructor({ order }: SelectPlan, after: NonNullable<SelectPlan['after']>, memory: QueryRun) {
    this.#keys = order.map((key, index) => {
      const column = sortKeyColumn(key, memory);
      column.append(vectorOf(key.of.type, [after[index]]));
      column.keep(new Uint32Array([0]), 0);
      return { evaluate: compile(key.of, memory), column };
    });
  }

  /** The rows of the batch that sort after the position; null = none. Throws 6000, 9006. */
  rowsBehind(batch: SegmentBatch): SegmentBatch | null {
    const [{ evaluate, column }] = this.#keys;
    const first = evaluate(batch);
    column.leading(first, this.#leading);
    const low = column.lastLeading;
    const vectors = [first];
    let count = 0;
    for (let row = 0; row < batch.count; row++) {
      const leading = this.#leading[row];
      if (leading > low || (leading === low && this.#isBehind(batch, vectors, row))) {
        this.#positions[count++] = row;
      }
    }
    if (count === batch.count) return batch;
    return count === 0 ? null : batch.narrowed(this.#positions.slice(0, count));
  }

  /** Whether the row sorts after the position. `vectors` has the values of the first keys; others are added. */
  #isBehind(batch: SegmentBatch, vectors: Vector[], row: number): boolean {
    for (const [index, { evaluate, column }] of this.#keys.entries()) {
      if (index === vectors.length) vectors.push(evaluate(batch));
      const order = column.compareWithLast(vectors[index], row);
      if (order !== 0) return order > 0;
    }
    return false;
  }
}
