/** The right side of a join in memory, with a hash table of its keys. */
import { compile, type Evaluate } from '../../expression/index.js';
import type { RelationOf } from '../../ir/index.js';
import type { BooleanVector, Vector } from '../../vector/index.js';
import type { QueryRun } from '../query-run.js';
import type { CollectedRows } from '../relation/collected-rows.js';
import type { RelationBatch } from '../relation/operator.js';
import type { ColumnTypes } from './join-batch.js';
import { JoinedBatch, type Pairs } from './join-batch.js';
import { buildKeyTable, chainsOf, type KeyTable } from './keys/key-table.js';

export class JoinSide {
  readonly relation: RelationOf<'join'>;
  readonly leftColumns: ColumnTypes;
  readonly rows: CollectedRows;
  readonly run: QueryRun;
  readonly table: KeyTable;
  /** See `chainsOf`. */
  readonly next: Int32Array | null;
  readonly #condition: Evaluate | null;

  constructor(
    join: Pick<JoinSide, 'relation' | 'leftColumns' | 'run'>,
    rows: CollectedRows,
    table: KeyTable,
    next: Int32Array | null,
  ) {
    this.relation = join.relation;
    this.leftColumns = join.leftColumns;
    this.run = join.run;
    this.rows = rows;
    this.table = table;
    this.next = next;
    const { condition } = join.relation;
    this.#condition = condition === null ? null : compile(condition, join.run);
  }

  get hasCondition(): boolean {
    return this.#condition !== null;
  }

  /** The codes of the batch's rows in the table. */
  find(batch: RelationBatch, codes: Int32Array): void {
    this.table.find(this.leftKeys(batch), batch.count, codes);
  }

  leftKeys(batch: RelationBatch): Vector[] {
    return this.relation.keys.map(({ left }) => batch.input(left));
  }

  pairs(left: RelationBatch, pairs: Pairs): JoinedBatch {
    return new JoinedBatch(left, this.leftColumns, this.rows, pairs);
  }

  /** The truth of the condition for each pair. Throws 6000. */
  truth(pairs: JoinedBatch): BooleanVector {
    return (this.#condition as Evaluate)(pairs) as BooleanVector;
  }
}

/** Builds the table. Its memory stays reserved in the run. Throws 6000, 9005, 9006. */
export function* buildSide(
  join: Pick<JoinSide, 'relation' | 'leftColumns' | 'run'>,
  rows: CollectedRows,
): Generator<null, JoinSide> {
  const keys = join.relation.keys.map(({ right, nullsEqual }) => ({ vector: rows.input(right), nullsEqual }));
  const { table, codes } = yield* buildKeyTable(keys, rows.count, join.run);
  const next = chainsOf(codes, join.run);
  join.run.release(codes.byteLength);
  return new JoinSide(join, rows, table, next);
}
