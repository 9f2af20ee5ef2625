/** Measures the operators of a stage for EXPLAIN ANALYZE. */
import type { Relation } from '../../../ir/index.js';
import type { OperatorStats, SpilledRows } from '../../../protocol/index.js';
import type { QuerySpill } from '../../spill/query-spill.js';
import type { Operator, RelationBatch } from '../operator.js';

interface Measured {
  readonly operator: string;
  rows: number;
  milliseconds: number;
  spilled: SpilledRows;
}

const NOTHING: SpilledRows = { bytes: 0, partitionCount: 0, runCount: 0 };

export class MeasuredOperators {
  /** In the order of creation: each operator after its inputs. */
  readonly #all: Measured[] = [];
  readonly #spill: QuerySpill | null;

  constructor(spill: QuerySpill | null) {
    this.#spill = spill;
  }

  /** The operator, measured together with its inputs. */
  of({ op }: Relation, operator: Operator): Operator {
    const measured: Measured = { operator: op, rows: 0, milliseconds: 0, spilled: NOTHING };
    this.#all.push(measured);
    return {
      columns: operator.columns,
      batches: () => measuredBatches(operator, measured, this.#spill),
      narrow: (column, filter) => operator.narrow?.(column, filter),
      rowsMax: () => operator.rowsMax?.() ?? null,
      joins: () => operator.joins?.() ?? [],
      release: () => operator.release(),
    };
  }

  /** Forgets the operators, which are created again. */
  clear(): void {
    this.#all.length = 0;
  }

  /** Returns and resets the measurements since the last call. */
  take(): OperatorStats[] {
    return this.#all.map((measured, node) => {
      const stats = { ...measured, shard: null, node, notes: [] };
      measured.rows = 0;
      measured.milliseconds = 0;
      measured.spilled = NOTHING;
      return stats;
    });
  }
}

function* measuredBatches(
  operator: Operator,
  measured: Measured,
  spill: QuerySpill | null,
): Generator<RelationBatch | null, undefined> {
  const batches = operator.batches();
  try {
    for (;;) {
      const begunMs = performance.now();
      const before = { ...spill?.total };
      const { done, value: batch } = batches.next();
      if (spill !== null) measured.spilled = grown(measured.spilled, before as SpilledRows, spill.total);
      measured.milliseconds += performance.now() - begunMs;
      measured.rows += batch?.count ?? 0;
      if (done === true) return;
      yield batch ?? null;
    }
  } finally {
    batches.return(undefined);
  }
}

const grown = (sum: SpilledRows, before: SpilledRows, after: SpilledRows): SpilledRows =>
  before.bytes === after.bytes
    ? sum
    : {
        bytes: sum.bytes + after.bytes - before.bytes,
        partitionCount: sum.partitionCount + after.partitionCount - before.partitionCount,
        runCount: sum.runCount + after.runCount - before.runCount,
      };
