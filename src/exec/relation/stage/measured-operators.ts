/** Measures the operators of a stage for EXPLAIN ANALYZE. */
import type { Relation } from '../../../ir/index.js';
import type { OperatorStats } from '../../../protocol/index.js';
import type { Operator, RelationBatch } from '../operator.js';

interface Measured {
  readonly operator: string;
  rows: number;
  milliseconds: number;
}

export class MeasuredOperators {
  /** In the order of creation: each operator after its inputs. */
  readonly #all: Measured[] = [];

  /** The operator, measured together with its inputs. */
  of({ op }: Relation, operator: Operator): Operator {
    const measured: Measured = { operator: op, rows: 0, milliseconds: 0 };
    this.#all.push(measured);
    return {
      columns: operator.columns,
      batches: () => measuredBatches(operator, measured),
      narrow: (column, filter) => operator.narrow?.(column, filter),
      release: () => operator.release(),
    };
  }

  /** Returns and resets the measurements since the last call. */
  take(): OperatorStats[] {
    return this.#all.map((measured, node) => {
      const stats = { ...measured, shard: null, node, notes: [] };
      measured.rows = 0;
      measured.milliseconds = 0;
      return stats;
    });
  }
}

function* measuredBatches(
  operator: Operator,
  measured: Measured,
): Generator<RelationBatch | null, undefined> {
  const batches = operator.batches();
  try {
    for (;;) {
      const begunMs = performance.now();
      const { done, value: batch } = batches.next();
      measured.milliseconds += performance.now() - begunMs;
      measured.rows += batch?.count ?? 0;
      if (done === true) return;
      yield batch ?? null;
    }
  } finally {
    batches.return(undefined);
  }
}
