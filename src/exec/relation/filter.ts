/** Returns the rows for which a condition is true. */
import { compile, trueRows } from '../../expression/index.js';
import { columnsOf, type RelationColumn, type RelationOf } from '../../ir/index.js';
import type { QueryRun } from '../query-run.js';
import type { ColumnFilter } from '../scan/column-filter.js';
import type { BuiltJoin, Operator, RelationBatch } from './operator.js';
import { pickedOf } from './picked-batch.js';

export function filterRows(input: Operator, relation: RelationOf<'filter'>, run: QueryRun): Operator {
  return new Filter(input, relation, run);
}

class Filter implements Operator {
  readonly columns: readonly RelationColumn[];
  readonly #input: Operator;
  readonly #relation: RelationOf<'filter'>;
  readonly #run: QueryRun;

  constructor(input: Operator, relation: RelationOf<'filter'>, run: QueryRun) {
    this.columns = columnsOf(relation);
    this.#input = input;
    this.#relation = relation;
    this.#run = run.child();
  }

  *batches(): Generator<RelationBatch | null, undefined> {
    try {
      const evaluate = compile(this.#relation.condition, this.#run);
      for (const batch of this.#input.batches()) {
        this.#run.check();
        yield batch === null || batch.count === 0 ? null : pickedOf(batch, trueRows(evaluate(batch)));
      }
    } finally {
      this.release();
    }
  }

  narrow(column: number, filter: ColumnFilter): void {
    this.#input.narrow?.(column, filter);
  }

  rowsMax(): number | null {
    return this.#input.rowsMax?.() ?? null;
  }

  joins(): readonly BuiltJoin[] {
    return this.#input.joins?.() ?? [];
  }

  release(): void {
    this.#input.release();
    this.#run.releaseAll();
  }
}
