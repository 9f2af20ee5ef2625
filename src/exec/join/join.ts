/**
 * Joins two relations: builds a table of the right side in memory and looks up the rows of the left side batch by batch. If
 * there is too little memory for the right side, both sides are divided into partitions by the hash of their keys, and each
 * pair of partitions is joined.
 */
import { columnsOf, inputsOf, type JoinKind, type RelationColumn, type RelationOf } from '../../ir/index.js';
import { constantVector } from '../../vector/index.js';
import type { QueryRun } from '../query-run.js';
import type { CollectedRows } from '../relation/collected-rows.js';
import type { Operator, RelationBatch } from '../relation/operator.js';
import { SpillableInput } from '../relation/spillable-input.js';
import {
  finishedRows,
  PARTITION_DEPTH_MAX,
  partitionRows,
  rowPartitions,
  storeRows,
} from '../relation/stored-rows.js';
import type { ColumnFilter } from '../scan/column-filter.js';
import type { RowPartitions } from '../spill/row-partitions.js';
import { columnTypes, JoinedBatch, NO_ROW } from './join-batch.js';
import { MarkedBatch, MarkJoin } from './join-mark.js';
import { MatchJoin } from './join-matches.js';
import { PairJoin } from './join-pairs.js';
import { buildSide, type JoinSide } from './join-side.js';

/**
 * Both sides must be free of correlated columns. A mark join has at most 31 keys. `depth`: how often both sides were divided into
 * partitions.
 */
export function joinRows(
  left: Operator,
  right: Operator,
  relation: RelationOf<'join'>,
  run: QueryRun,
  depth = 0,
): Operator {
  return new Join(left, right, relation, run, depth);
}

class Join implements Operator {
  readonly columns: readonly RelationColumn[];
  readonly #left: Operator;
  readonly #right: Operator;
  readonly #relation: RelationOf<'join'>;
  readonly #run: QueryRun;
  readonly #depth: number;

  constructor(left: Operator, right: Operator, relation: RelationOf<'join'>, run: QueryRun, depth: number) {
    this.columns = columnsOf(relation);
    this.#left = left;
    this.#right = right;
    this.#relation = relation;
    this.#run = run.child();
    this.#depth = depth;
  }

  *batches(): Generator<RelationBatch | null, undefined> {
    const right = this.#readRight();
    const spillable = new SpillableInput(right, this.#run, this.#canSpill ? this.#depth : null, () =>
      this.#partitions(right.columns, (key) => key.right, null),
    );
    try {
      const relation = this.#relation;
      const leftColumns = columnTypes(this.#left.columns);
      const built = yield* spillable.run(function* (rows, run) {
        return {
          rows,
          side: rows.count === 0 ? null : yield* buildSide({ relation, leftColumns, run }, rows),
        };
      });
      if (built === null) yield* this.#byPartition(right.columns, spillable.store as RowPartitions);
      else if (built.side === null) yield* this.#withoutRight(built.rows);
      else yield* this.#withSide(built.side);
    } finally {
      spillable.store?.release();
      this.release();
    }
  }

  /** The rows of a mark join are unknown because of right rows in other partitions. */
  get #canSpill(): boolean {
    const { kind, keys } = this.#relation;
    return keys.length > 0 && kind !== 'mark' && this.#depth <= PARTITION_DEPTH_MAX;
  }

  #partitions(
    columns: readonly RelationColumn[],
    columnOf: (key: JoinKey) => number,
    partitionCount: number | null,
  ): RowPartitions {
    return rowPartitions(columns, this.#relation.keys.map(columnOf), this.#depth, this.#run, partitionCount);
  }

  /** The right rows are in partitions; joins each with its left rows. */
  *#byPartition(
    rightColumns: readonly RelationColumn[],
    store: RowPartitions,
  ): Generator<RelationBatch | null, undefined> {
    const left = this.#left;
    const leftStore = this.#partitions(left.columns, (key) => key.left, store.partitionCount);
    try {
      const right = yield* finishedRows(store);
      const rows = yield* storeRows(left, leftStore, this.#run);
      for (let partition = 0; partition < right.partitionCount; partition++) {
        const isEmpty = rows.rowCounts[partition] === 0 && right.rowCounts[partition] === 0;
        if (isEmpty) continue;
        const sides = [
          partitionRows(left.columns, rows, partition, this.#run),
          partitionRows(rightColumns, right, partition, this.#run),
        ];
        yield* joinRows(sides[0], sides[1], this.#relation, this.#run, this.#depth + 1).batches();
      }
    } finally {
      leftStore.release();
    }
  }

  *#withSide(side: JoinSide): Generator<RelationBatch | null, undefined> {
    this.#narrowLeft(side);
    const join = joinOf(side);
    for (const batch of this.#left.batches()) {
      this.#run.check();
      if (batch === null || batch.count === 0) yield null;
      else yield* join.join(batch);
    }
    if (join instanceof PairJoin) yield* join.rest();
  }

  /** Left rows without a match are not read if they are not returned. */
  #narrowLeft({ table }: JoinSide): void {
    const { kind, keys } = this.#relation;
    if (kind !== 'inner' && kind !== 'semi') return;
    for (const [index, { left, nullsEqual }] of keys.entries()) {
      const filter = nullsEqual ? null : table.filterOf(index);
      if (filter !== null) this.#left.narrow?.(left, filter);
    }
  }

  /** A filter of a key column also applies to the column with which the key is compared. */
  narrow(column: number, filter: ColumnFilter): void {
    const { kind, keys } = this.#relation;
    if (kind === 'full' || kind === 'single') return;
    if (this.#left.columns.some((one) => one.column === column)) {
      this.#left.narrow?.(column, filter);
      if (kind === 'anti' || kind === 'mark') return;
      for (const { left, right } of keys) if (left === column) this.#right.narrow?.(right, filter);
    } else if (kind === 'inner') {
      this.#right.narrow?.(column, filter);
      for (const { left, right } of keys) if (right === column) this.#left.narrow?.(left, filter);
    }
  }

  /** The right side, reduced to the columns that are read. */
  #readRight(): Operator {
    const { kind, keys, condition } = this.#relation;
    const right = this.#right;
    if (returnsRight(kind)) return right;
    const read = new Set(keys.map((key) => key.right));
    if (condition !== null) for (const column of inputsOf(condition)) read.add(column);
    return {
      columns: right.columns.filter(({ column }) => read.has(column)),
      batches: () => right.batches(),
      release: () => right.release(),
    };
  }

  /** The join with a right side that has no rows. */
  *#withoutRight(right: CollectedRows): Generator<RelationBatch | null, undefined> {
    const { kind, mark } = this.#relation;
    if (kind === 'inner' || kind === 'semi') return;
    const leftColumns = columnTypes(this.#left.columns);
    for (const batch of this.#left.batches()) {
      this.#run.check();
      if (batch === null || batch.count === 0) yield null;
      else if (kind === 'anti') yield batch;
      else if (kind === 'mark') {
        const falses = constantVector({ type: 'boolean' }, false, batch.count);
        yield new MarkedBatch(batch, mark as number, falses);
      } else {
        const rightRows = new Int32Array(batch.count).fill(NO_ROW);
        const pairs = { count: batch.count, leftRows: null, rightRows, optional: true };
        yield new JoinedBatch(batch, leftColumns, right, pairs);
      }
    }
  }

  release(): void {
    this.#left.release();
    this.#right.release();
    this.#run.releaseAll();
  }
}

type JoinKey = RelationOf<'join'>['keys'][number];

const returnsRight = (kind: JoinKind): boolean => kind !== 'semi' && kind !== 'anti' && kind !== 'mark';

function joinOf(side: JoinSide): PairJoin | MatchJoin | MarkJoin {
  switch (side.relation.kind) {
    case 'semi':
    case 'anti':
      return new MatchJoin(side);
    case 'mark':
      return new MarkJoin(side);
    default:
      return new PairJoin(side);
  }
}
