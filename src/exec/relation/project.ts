/** Computes columns by expressions. */
import { compile, type Evaluate } from '../../expression/index.js';
import { columnsOf, type RelationColumn, type RelationOf } from '../../ir/index.js';
import type { Vector } from '../../vector/index.js';
import type { QueryRun } from '../query-run.js';
import type { ColumnFilter } from '../scan/column-filter.js';
import type { BuiltJoin, Operator, RelationBatch } from './operator.js';

export function projectRows(input: Operator, relation: RelationOf<'project'>, run: QueryRun): Operator {
  return new Project(input, relation, run);
}

class Project implements Operator {
  readonly columns: readonly RelationColumn[];
  readonly #input: Operator;
  readonly #relation: RelationOf<'project'>;
  readonly #run: QueryRun;

  constructor(input: Operator, relation: RelationOf<'project'>, run: QueryRun) {
    this.columns = columnsOf(relation);
    this.#input = input;
    this.#relation = relation;
    this.#run = run.child();
  }

  *batches(): Generator<RelationBatch | null, undefined> {
    try {
      const outputs = new Map<number, Evaluate>();
      for (const { column, of } of this.#relation.columns) outputs.set(column, compile(of, this.#run));
      for (const batch of this.#input.batches()) {
        this.#run.check();
        yield batch === null || batch.count === 0 ? null : new ProjectedBatch(batch, outputs);
      }
    } finally {
      this.release();
    }
  }

  narrow(column: number, filter: ColumnFilter): void {
    const of = this.#relation.columns.find((one) => one.column === column)?.of;
    if (of?.op === 'input') this.#input.narrow?.(of.input, filter);
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

/** Evaluates each column on first use. */
class ProjectedBatch implements RelationBatch {
  readonly count: number;
  readonly #source: RelationBatch;
  readonly #outputs: ReadonlyMap<number, Evaluate>;
  readonly #vectors = new Map<number, Vector>();

  constructor(source: RelationBatch, outputs: ReadonlyMap<number, Evaluate>) {
    this.count = source.count;
    this.#source = source;
    this.#outputs = outputs;
  }

  picked(rows: Uint32Array): RelationBatch | null {
    const picked = this.#source.picked?.(rows) ?? null;
    return picked === null ? null : new ProjectedBatch(picked, this.#outputs);
  }

  input(column: number): Vector {
    let vector = this.#vectors.get(column);
    if (vector === undefined) {
      vector = (this.#outputs.get(column) as Evaluate)(this.#source);
      this.#vectors.set(column, vector);
    }
    return vector;
  }
}
