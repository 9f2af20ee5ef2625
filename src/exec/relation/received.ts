/** Rows of an earlier stage, which arrived in parts. */
import type { RelationColumn } from '../../ir/index.js';
import type { RowsPart } from '../../protocol/index.js';
import { fromWire } from '../../vector/index.js';
import type { QueryRun } from '../query-run.js';
import { CollectedRows } from './collected-rows.js';
import type { Operator, RelationBatch } from './operator.js';

/** Column i of a part is columns[i]. */
export function receivedRows(
  columns: readonly RelationColumn[],
  parts: readonly RowsPart[],
  run: QueryRun,
): Operator {
  return {
    columns,
    *batches(): Generator<RelationBatch | null, undefined> {
      for (const { rowCount, columns: wires } of parts) {
        run.check();
        if (rowCount === 0) continue;
        yield new CollectedRows(
          rowCount,
          new Map(columns.map(({ column }, index) => [column, fromWire(wires[index])])),
        );
      }
    },
    release() {},
  };
}
