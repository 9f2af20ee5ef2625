/** Columns computed from the columns of the input. */
import { invariant } from '../../base/index.js';
import { compile, type Evaluate } from '../../expression/index.js';
import { columnsOf, type RelationOf } from '../../ir/index.js';
import type { Vector } from '../../vector/index.js';
import type { QueryRun } from '../query-run.js';
import type { Operator, RelationBatch } from './operator.js';

export function projectRows(input: Operator, relation: RelationOf<'project'>, run: QueryRun): Operator {
  const memory = run.child();
  return {
    columns: columnsOf(relation),
    *batches(): Generator<RelationBatch | null, undefined> {
      const evaluates = new Map(relation.columns.map(({ column, of }) => [column, compile(of, memory)]));
      for (const batch of input.batches()) {
        run.check();
        yield batch === null ? null : new ProjectedRows(batch, evaluates);
      }
    },
    release() {
      input.release();
      memory.releaseAll();
    },
  };
}

class ProjectedRows implements RelationBatch {
  readonly count: number;
  readonly #batch: RelationBatch;
  readonly #evaluates: ReadonlyMap<number, Evaluate>;
  readonly #vectors = new Map<number, Vector>();

  constructor(batch: RelationBatch, evaluates: ReadonlyMap<number, Evaluate>) {
    this.count = batch.count;
    this.#batch = batch;
    this.#evaluates = evaluates;
  }

  input(column: number): Vector {
    let vector = this.#vectors.get(column);
    if (vector === undefined) {
      const evaluate = this.#evaluates.get(column);
      invariant(evaluate !== undefined, `the projection has no column ${column}`);
      vector = evaluate(this.#batch);
      this.#vectors.set(column, vector);
    }
    return vector;
  }
}
