/** Rows for which a condition is true. */
import { compile, trueRows } from '../../expression/index.js';
import type { RelationOf } from '../../ir/index.js';
import { gather, type Vector } from '../../vector/index.js';
import type { QueryRun } from '../query-run.js';
import type { Operator, RelationBatch } from './operator.js';

export function filterRows(input: Operator, relation: RelationOf<'filter'>, run: QueryRun): Operator {
  const memory = run.child();
  return {
    columns: input.columns,
    *batches(): Generator<RelationBatch | null, undefined> {
      const condition = compile(relation.condition, memory);
      for (const batch of input.batches()) {
        run.check();
        if (batch === null) {
          yield null;
          continue;
        }
        const rows = trueRows(condition(batch));
        if (rows.length === 0) yield null;
        else yield rows.length === batch.count ? batch : new GatheredRows(batch, rows);
      }
    },
    release() {
      input.release();
      memory.releaseAll();
    },
  };
}

class GatheredRows implements RelationBatch {
  readonly count: number;
  readonly #batch: RelationBatch;
  readonly #rows: Uint32Array;
  readonly #vectors = new Map<number, Vector>();

  constructor(batch: RelationBatch, rows: Uint32Array) {
    this.count = rows.length;
    this.#batch = batch;
    this.#rows = rows;
  }

  input(column: number): Vector {
    let vector = this.#vectors.get(column);
    if (vector === undefined) {
      vector = gather(this.#batch.input(column), this.#rows, this.count);
      this.#vectors.set(column, vector);
    }
    return vector;
  }
}
