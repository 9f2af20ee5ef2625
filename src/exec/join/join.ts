/** Joins two relations: builds a table of the right side in memory and looks up the rows of the left side batch by batch. */
import { columnsOf, inputsOf, type JoinKind, type RelationColumn, type RelationOf } from '../../ir/index.js';
import { constantVector } from '../../vector/index.js';
import type { QueryRun } from '../query-run.js';
import { type CollectedRows, collectRows } from '../relation/collected-rows.js';
import type { Operator, RelationBatch } from '../relation/operator.js';
import type { ColumnFilter } from '../scan/column-filter.js';
import { columnTypes, JoinedBatch, NO_ROW } from './join-batch.js';
import { MarkedBatch, MarkJoin } from './join-mark.js';
import { MatchJoin } from './join-matches.js';
import { PairJoin } from './join-pairs.js';
import { buildSide, type JoinSide } from './join-side.js';

/** Both sides must be free of correlated columns. A mark join has at most 31 keys. */
export function joinRows(
  left: Operator,
  right: Operator,
  relation: RelationOf<'join'>,
  run: QueryRun,
): Operator {
  return new Join(left, right, relation, run);
}

class Join implements Operator {
  readonly columns: readonly RelationColumn[];
  readonly #left: Operator;
  readonly #right: Operator;
  readonly #relation: RelationOf<'join'>;
  readonly #run: QueryRun;

  constructor(left: Operator, right: Operator, relation: RelationOf<'join'>, run: QueryRun) {
    this.columns = columnsOf(relation);
    this.#left = left;
    this.#right = right;
    this.#relation = relation;
    this.#run = run.child();
  }

  *batches(): Generator<RelationBatch | null, undefined> {
    const leftColumns = columnTypes(this.#left.columns);
    try {
      const rows = yield* collectRows(this.#readRight(), this.#run);
      if (rows.count === 0) {
        yield* this.#withoutRight(rows);
        return;
      }
      const side = yield* buildSide({ relation: this.#relation, leftColumns, run: this.#run }, rows);
      this.#narrowLeft(side);
      const join = joinOf(side);
      for (const batch of this.#left.batches()) {
        this.#run.check();
        if (batch === null || batch.count === 0) yield null;
        else yield* join.join(batch);
      }
      if (join instanceof PairJoin) yield* join.rest();
    } finally {
      this.release();
    }
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
