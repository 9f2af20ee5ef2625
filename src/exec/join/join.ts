/**
 * Joins two relations: builds a table of the right side in memory and looks up the rows of the left side batch by batch. If
 * there is too little memory for the right side, both sides are divided into partitions by the hash of their keys, and each
 * pair of partitions is joined.
 * If the left side is a chain of further joins, the join with the smallest right side builds its table first. The right sides of
 * the other joins are then read without the rows whose keys do not occur in that table.
 */
import { invariant } from '../../base/index.js';
import { columnsOf, inputsOf, type JoinKind, type RelationColumn, type RelationOf } from '../../ir/index.js';
import { constantVector, type Vector } from '../../vector/index.js';
import type { QueryRun } from '../query-run.js';
import type { CollectedRows } from '../relation/collected-rows.js';
import type { BuiltJoin, Operator, RelationBatch } from '../relation/operator.js';
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
import { MarkedBatch, MarkJoin, withUnknown } from './join-mark.js';
import { MatchJoin } from './join-matches.js';
import { PairJoin } from './join-pairs.js';
import { buildSide, type JoinSide } from './join-side.js';
import { integerFilter } from './keys/key-filter.js';

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

class Join implements Operator, BuiltJoin {
  readonly columns: readonly RelationColumn[];
  readonly #left: Operator;
  readonly #right: Operator;
  readonly #relation: RelationOf<'join'>;
  readonly #run: QueryRun;
  readonly #depth: number;
  readonly #rightSide: SpillableInput<RowPartitions>;
  readonly #rightColumns: readonly RelationColumn[];
  #rightHasMissing = false;
  /** The right side in memory, with null instead of its table if it has no rows; 'stored' = it is in partitions. */
  #built: { readonly rows: CollectedRows; readonly side: JoinSide | null } | 'stored' | null = null;

  constructor(left: Operator, right: Operator, relation: RelationOf<'join'>, run: QueryRun, depth: number) {
    this.columns = columnsOf(relation);
    this.#left = left;
    this.#right = right;
    this.#relation = relation;
    this.#run = run.child();
    this.#depth = depth;
    const input = this.#readRight();
    this.#rightColumns = input.columns;
    this.#rightSide = new SpillableInput(input, this.#run, this.#canSpill ? depth : null, () =>
      this.#partitions(input.columns, (key) => key.right, null),
    );
  }

  *batches(): Generator<RelationBatch | null, undefined> {
    try {
      yield* this.#buildAll();
      const built = this.#built;
      invariant(built !== null, 'a join is among the joins that it builds');
      if (built === 'stored') yield* this.#byPartition(this.#rightSide.store as RowPartitions);
      else if (built.side === null) yield* this.#withoutRight(built.rows);
      else yield* this.#withSide(built.side);
    } finally {
      this.release();
    }
  }

  get #canSpill(): boolean {
    return this.#partitionKeys.length > 0 && this.#depth <= PARTITION_DEPTH_MAX;
  }

  /**
   * The keys by which both sides are divided. Missing values of the other keys of a mark join make matches of rows in different
   * partitions unknown, which is known afterwards only for a single key without a condition; see `#withUnknown`.
   */
  get #partitionKeys(): readonly JoinKey[] {
    const { kind, keys } = this.#relation;
    if (kind !== 'mark' || this.#hasUnknown) return keys;
    return keys.filter(({ nullsEqual }) => nullsEqual);
  }

  /** Whether the mark of a row depends on a missing value of the only key, in any partition. */
  get #hasUnknown(): boolean {
    const { kind, keys, condition } = this.#relation;
    return kind === 'mark' && condition === null && keys.length === 1 && !keys[0].nullsEqual;
  }

  #partitions(
    columns: readonly RelationColumn[],
    columnOf: (key: JoinKey) => number,
    partitionCount: number | null,
  ): RowPartitions {
    return rowPartitions(columns, this.#partitionKeys.map(columnOf), this.#depth, this.#run, partitionCount);
  }

  /** The right rows are in partitions; joins each with its left rows. */
  *#byPartition(store: RowPartitions): Generator<RelationBatch | null, undefined> {
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
          partitionRows(this.#rightColumns, right, partition, this.#run),
        ];
        const joined = joinRows(sides[0], sides[1], this.#relation, this.#run, this.#depth + 1).batches();
        yield* this.#hasUnknown && right.rowCount > 0 ? this.#withUnknown(joined) : joined;
      }
    } finally {
      leftStore.release();
    }
  }

  /** The rows of a partition, where rows without a match are unknown if a value of the key is missing there or in any right row. */
  *#withUnknown(
    batches: Generator<RelationBatch | null, undefined>,
  ): Generator<RelationBatch | null, undefined> {
    const { keys, mark } = this.#relation;
    for (const batch of batches) {
      yield batch === null
        ? null
        : withUnknown(batch, mark as number, this.#rightHasMissing ? null : batch.input(keys[0].left));
    }
  }

  *#withSide(side: JoinSide): Generator<RelationBatch | null, undefined> {
    const join = joinOf(side);
    for (const batch of this.#left.batches()) {
      this.#run.check();
      if (batch === null || batch.count === 0) yield null;
      else yield* join.join(batch);
    }
    if (join instanceof PairJoin) yield* join.rest();
  }

  joins(): readonly BuiltJoin[] {
    return [this, ...(this.#left.joins?.() ?? [])];
  }

  get rightRows(): number {
    return this.#right.rowsMax?.() ?? Number.POSITIVE_INFINITY;
  }

  /** Reads the right sides of this join and of the joins below, unless this join has no rows. */
  *#buildAll(): Generator<null, void> {
    const joins = this.joins();
    const sizes = new Map(joins.map((join) => [join, join.rightRows]));
    const sizeOf = (join: BuiltJoin): number => sizes.get(join) as number;
    const ordered = [...joins].sort((a, b) => (sizeOf(a) === sizeOf(b) ? 0 : sizeOf(a) - sizeOf(b)));
    for (const join of ordered) {
      const above = joins.slice(0, joins.indexOf(join));
      yield* join.build((column, filter) => {
        for (const other of above) other.narrowRight(column, filter);
      });
      if (join === this && this.#hasNoRows) break;
    }
  }

  /** No right row exists, and left rows without a match are not returned. */
  get #hasNoRows(): boolean {
    const built = this.#built;
    return isOfMatches(this.#relation.kind) && built !== null && built !== 'stored' && built.side === null;
  }

  *build(narrowAbove: (column: number, filter: ColumnFilter) => void): Generator<null, void> {
    if (this.#built !== null) return;
    const relation = this.#relation;
    const leftColumns = columnTypes(this.#left.columns);
    this.#built =
      (yield* this.#rightSide.run(function* (rows, run) {
        const settings = { relation, leftColumns, run };
        return { rows, side: rows.count === 0 ? null : yield* buildSide(settings, rows) };
      })) ?? 'stored';
    if (this.#built !== 'stored' && this.#built.side !== null)
      this.#narrowOthers(this.#built.side, narrowAbove);
  }

  /** Left rows without a match, and right rows of other joins that no other left row needs, are not read. */
  #narrowOthers(
    { table, rows }: JoinSide,
    narrowAbove: (column: number, filter: ColumnFilter) => void,
  ): void {
    const { kind, keys } = this.#relation;
    if (!isOfMatches(kind)) return;
    if (kind === 'inner') this.#narrowByValues(rows, narrowAbove);
    for (const [index, { left, right, nullsEqual }] of keys.entries()) {
      const filter = nullsEqual ? null : table.filterOf(index);
      if (filter === null) continue;
      this.#left.narrow?.(left, filter);
      narrowAbove(left, filter);
      if (kind === 'inner') narrowAbove(right, filter);
    }
  }

  /** The joins above find no other values in the right side's columns. A filter costs nothing until it is used. */
  #narrowByValues(rows: CollectedRows, narrowAbove: (column: number, filter: ColumnFilter) => void): void {
    for (const { column } of this.#rightColumns) {
      if (this.#relation.keys.some(({ right }) => right === column)) continue;
      const vector = rows.input(column);
      const filter = vector.kind === 'exact' ? integerFilter(vector, this.#run) : null;
      if (filter !== null) narrowAbove(column, filter);
    }
  }

  narrowRight(column: number, filter: ColumnFilter): void {
    const { kind, keys } = this.#relation;
    if (kind === 'full' || kind === 'mark') return;
    for (const { left, right, nullsEqual } of keys)
      if (left === column && !nullsEqual) this.#right.narrow?.(right, filter);
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
      batches: () => (this.#hasUnknown ? this.#noticingMissing(right) : right.batches()),
      release: () => right.release(),
    };
  }

  /** The right rows; notices whether one has no value of the key. */
  *#noticingMissing(right: Operator): Generator<RelationBatch | null, undefined> {
    const [key] = this.#relation.keys;
    for (const batch of right.batches()) {
      if (batch !== null && !this.#rightHasMissing)
        this.#rightHasMissing = hasMissing(batch.input(key.right), batch.count);
      yield batch;
    }
  }

  /** The join with a right side that has no rows. */
  *#withoutRight(right: CollectedRows): Generator<RelationBatch | null, undefined> {
    const { kind, mark } = this.#relation;
    if (isOfMatches(kind)) return;
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
    this.#rightSide.store?.release();
    this.#built = null;
    this.#run.releaseAll();
  }
}

type JoinKey = RelationOf<'join'>['keys'][number];

/** Whether left rows without a match are not returned. */
const isOfMatches = (kind: JoinKind): boolean => kind === 'inner' || kind === 'semi';

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

const hasMissing = ({ valid }: Vector, count: number): boolean =>
  valid?.subarray(0, count).includes(0) === true;
