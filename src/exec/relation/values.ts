/** Returns rows of constants. */
import type { RelationColumn, RelationOf } from '../../ir/index.js';
import { memoryBytesOf, vectorOf } from '../../vector/index.js';
import type { QueryRun } from '../query-run.js';
import { BATCH_ROWS_MAX } from '../scan/row-batches.js';
import { CollectedRows } from './collected-rows.js';
import type { Operator, RelationBatch } from './operator.js';

export function valuesRows(relation: RelationOf<'values'>, run: QueryRun): Operator {
  return new Values(relation, run);
}

class Values implements Operator {
  readonly columns: readonly RelationColumn[];
  readonly #relation: RelationOf<'values'>;
  readonly #run: QueryRun;

  constructor(relation: RelationOf<'values'>, run: QueryRun) {
    this.columns = relation.columns;
    this.#relation = relation;
    this.#run = run.child();
  }

  *batches(): Generator<RelationBatch | null, undefined> {
    const { rows } = this.#relation;
    try {
      for (let from = 0; from < rows.length; from += BATCH_ROWS_MAX) {
        this.#run.check();
        this.#run.releaseAll();
        const part = rows.slice(from, from + BATCH_ROWS_MAX);
        const vectors = this.columns.map(({ column, type }, index) => {
          const vector = vectorOf(
            type,
            part.map((row) => row[index]),
          );
          this.#run.reserve(memoryBytesOf(vector));
          return [column, vector] as const;
        });
        yield new CollectedRows(part.length, new Map(vectors));
      }
    } finally {
      this.release();
    }
  }

  release(): void {
    this.#run.releaseAll();
  }
}
