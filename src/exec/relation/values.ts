/** Rows of constants. */
import type { RelationOf } from '../../ir/index.js';
import { vectorOf } from '../../vector/index.js';
import type { QueryRun } from '../query-run.js';
import { CollectedRows } from './collected-rows.js';
import type { Operator, RelationBatch } from './operator.js';

export function valuesRows({ columns, rows }: RelationOf<'values'>, _run: QueryRun): Operator {
  return {
    columns,
    *batches(): Generator<RelationBatch | null, undefined> {
      const vectors = columns.map(
        ({ column, type }, index) =>
          [
            column,
            vectorOf(
              type,
              rows.map((row) => row[index]),
            ),
          ] as const,
      );
      yield new CollectedRows(rows.length, new Map(vectors));
    },
    release() {},
  };
}
