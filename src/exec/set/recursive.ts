/**
 * Executes WITH RECURSIVE in rounds. The rows that a round added stay in memory until the next round has read them;
 * without ALL, all rows stay in memory, to be compared with later ones.
 */
import { QuarryError } from '../../base/index.js';
import type { RelationColumn, RelationOf } from '../../ir/index.js';
import type { Vector } from '../../vector/index.js';
import type { QueryRun } from '../query-run.js';
import { CollectedRows, collectRows } from '../relation/collected-rows.js';
import type { Operator, RelationBatch } from '../relation/operator.js';
import { MemoryOperator, sliceOf } from '../relation/row-batches.js';
import { BATCH_ROWS_MAX } from '../scan/row-batches.js';
import { SeenRows } from './distinct.js';

/** Limits beyond which a recursive query is assumed to be endless. */
export interface RecursionLimits {
  readonly rounds: number;
  readonly rows: number;
}

const LIMITS: RecursionLimits = { rounds: 1_000_000, rows: 100_000_000 };

/** The rows that a round added: a vector per column of the recursive relation. */
export interface WorkingRows {
  readonly count: number;
  readonly columns: readonly Vector[];
}

/** `rounds` creates the operators of a round that reads these rows. */
export function recursiveRows(
  first: Operator,
  rounds: (rows: WorkingRows) => Operator,
  relation: RelationOf<'recursive'>,
  run: QueryRun,
  limits: RecursionLimits = LIMITS,
): Operator {
  return new MemoryOperator(relation.columns, first, run, (memory) =>
    batchesOf(first, rounds, { ...relation, limits }, memory),
  );
}

function* batchesOf(
  first: Operator,
  rounds: (rows: WorkingRows) => Operator,
  { columns, all, limits }: RelationOf<'recursive'> & { readonly limits: RecursionLimits },
  run: QueryRun,
): Generator<RelationBatch | null, undefined> {
  const seen = all ? null : new SeenRows(columns, run.child());
  let operator = first;
  let from = columns.map(({ left }) => left);
  /** Memory of the rows that the operator reads. */
  let before: QueryRun | null = null;
  let [roundCount, rowCount] = [0, 0];
  for (;;) {
    const memory = run.child();
    const collected = yield* collectRows(operator, memory);
    before?.releaseAll();
    before = memory;
    const names = new Map(columns.map(({ column }, index) => [column, collected.input(from[index])]));
    const rows = new CollectedRows(collected.count, names);
    const added = seen === null || rows.count === 0 ? rows : yield* seen.added(rows);
    if (added === null || added.count === 0) return;
    for (let at = 0; at < added.count; at += BATCH_ROWS_MAX) {
      run.check();
      yield sliceOf(added, at, Math.min(added.count, at + BATCH_ROWS_MAX));
    }
    rowCount += added.count;
    refuseEndless(++roundCount, rowCount, limits);
    operator = rounds({ count: added.count, columns: columns.map(({ column }) => added.input(column)) });
    from = columns.map(({ right }) => right);
  }
}

function refuseEndless(roundCount: number, rowCount: number, { rounds, rows }: RecursionLimits): void {
  if (roundCount < rounds && rowCount <= rows) return;
  const found = roundCount < rounds ? `${rows} rows` : `${rounds} rounds`;
  throw new QuarryError(
    6000,
    `WITH RECURSIVE has not ended after ${found}; add a condition to its recursive part that becomes false`,
  );
}

/** The rows of the previous round, under these column numbers. */
export function workingRows(columns: readonly RelationColumn[], rows: WorkingRows): Operator {
  const all = new CollectedRows(
    rows.count,
    new Map(columns.map(({ column }, index) => [column, rows.columns[index]])),
  );
  return {
    columns,
    *batches() {
      for (let from = 0; from < rows.count; from += BATCH_ROWS_MAX) {
        yield sliceOf(all, from, Math.min(rows.count, from + BATCH_ROWS_MAX));
      }
      return undefined;
    },
    release: () => {},
  };
}
