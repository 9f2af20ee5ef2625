/** Set operations; for now only UNION ALL. */
import { invariant } from '../../base/index.js';
import type { RelationOf } from '../../ir/index.js';
import type { QueryRun } from '../query-run.js';
import type { Operator, RelationBatch } from './operator.js';

export function setRows(
  left: Operator,
  right: Operator,
  relation: RelationOf<'set'>,
  _run: QueryRun,
): Operator {
  invariant(relation.operator === 'union', 'only unions are implemented');
  const renamed = (batch: RelationBatch, from: ReadonlyMap<number, number>): RelationBatch => ({
    count: batch.count,
    input: (column) => batch.input(from.get(column) as number),
  });
  return {
    columns: relation.columns,
    *batches(): Generator<RelationBatch | null, undefined> {
      for (const side of ['left', 'right'] as const) {
        const from = new Map(relation.columns.map((column) => [column.column, column[side]]));
        for (const batch of (side === 'left' ? left : right).batches()) {
          yield batch === null ? null : renamed(batch, from);
        }
      }
    },
    release() {
      left.release();
      right.release();
    },
  };
}
