/** Joins that return pairs of rows: inner, left, full and single. */
import { QuarryError } from '../../base/index.js';
import { trueRows } from '../../expression/index.js';
import type { RelationBatch } from '../relation/operator.js';
import { rowsWhere } from '../relation/picked-batch.js';
import { BATCH_ROWS_MAX } from '../scan/row-batches.js';
import { NO_ROW, UnmatchedBatch } from './join-batch.js';
import { Candidates } from './join-candidates.js';
import type { JoinSide } from './join-side.js';

export class PairJoin {
  readonly #side: JoinSide;
  readonly #isOuter: boolean;
  readonly #candidates: Candidates;
  /** By right row, for a full join: whether a left row matched. */
  readonly #used: Uint8Array | null;
  #codes = new Int32Array(0);
  /** By left row of the batch: whether a right row matched. */
  #matched = new Uint8Array(0);

  /** Throws 9006. */
  constructor(side: JoinSide) {
    const { kind } = side.relation;
    const isFull = kind === 'full';
    side.run.reserve(isFull ? side.rows.count : 0);
    this.#side = side;
    this.#isOuter = kind !== 'inner';
    this.#candidates = new Candidates(side.next);
    this.#used = isFull ? new Uint8Array(side.rows.count) : null;
  }

  /** The pairs of the batch's rows. Throws 6000, 9005. */
  *join(batch: RelationBatch): Generator<RelationBatch | null, undefined> {
    if (this.#codes.length < batch.count) {
      this.#codes = new Int32Array(batch.count);
      this.#matched = new Uint8Array(batch.count);
    }
    const { next, relation, hasCondition } = this.#side;
    this.#side.find(batch, this.#codes);
    if (hasCondition) yield* this.#conditional(batch);
    else if (next === null) yield this.#unique(batch);
    else if (relation.kind === 'single') {
      refuseSecond(this.#codes, batch.count, next);
      yield this.#unique(batch);
    } else yield* this.#chained(batch);
  }

  /** Each row has at most one match. */
  #unique(batch: RelationBatch): RelationBatch | null {
    const codes = this.#codes;
    const { count } = batch;
    const leftRows = new Uint32Array(count);
    const found = rowsWhere(codes, true, count, leftRows);
    if (found === 0 && !this.#isOuter) return null;
    const rightRows = new Int32Array(this.#isOuter ? count : found);
    if (this.#isOuter || found === count) {
      // NO_ROW is -1.
      for (let row = 0; row < count; row++) rightRows[row] = codes[row] - 1;
    } else for (let at = 0; at < found; at++) rightRows[at] = codes[leftRows[at]] - 1;
    if (this.#used !== null) use(this.#used, rightRows, count);
    if (rightRows.length < count) {
      const picked = batch.picked?.(leftRows.subarray(0, found)) ?? null;
      if (picked !== null) {
        return this.#side.pairs(picked, { count: found, leftRows: null, rightRows, optional: false });
      }
    }
    return this.#side.pairs(batch, {
      count: rightRows.length,
      leftRows: rightRows.length === count ? null : leftRows,
      rightRows,
      optional: found < rightRows.length,
    });
  }

  *#chained(batch: RelationBatch): Generator<RelationBatch | null, undefined> {
    const candidates = this.#candidates;
    const { leftRows, rightRows } = candidates;
    candidates.start(this.#codes, batch.count, this.#isOuter, null);
    for (let count = candidates.fill(); count > 0; count = candidates.fill()) {
      this.#side.run.check();
      if (this.#used !== null) use(this.#used, rightRows, count);
      yield this.#side.pairs(batch, { count, leftRows, rightRows, optional: this.#isOuter });
    }
  }

  *#conditional(batch: RelationBatch): Generator<RelationBatch | null, undefined> {
    const candidates = this.#candidates;
    this.#matched.fill(0, 0, batch.count);
    candidates.start(this.#codes, batch.count, false, null);
    for (let count = candidates.fill(); count > 0; count = candidates.fill()) {
      this.#side.run.check();
      const { leftRows, rightRows } = candidates;
      const pairs = this.#side.pairs(batch, { count, leftRows, rightRows, optional: false });
      const rows = trueRows(this.#side.truth(pairs));
      this.#match(rows);
      if (rows.length === count) yield pairs;
      else if (rows.length === 0) yield null;
      else {
        yield this.#side.pairs(batch, {
          count: rows.length,
          leftRows: Uint32Array.from(rows, (row) => leftRows[row]),
          rightRows: Int32Array.from(rows, (row) => rightRows[row]),
          optional: false,
        });
      }
    }
    if (this.#isOuter) yield this.#unmatched(batch);
  }

  /** Marks the rows of the candidates `pairs`. Throws 6000. */
  #match(pairs: Uint32Array): void {
    const { leftRows, rightRows } = this.#candidates;
    const matched = this.#matched;
    const isSingle = this.#side.relation.kind === 'single';
    for (let at = 0; at < pairs.length; at++) {
      const left = leftRows[pairs[at]];
      if (isSingle && matched[left] === 1) throw secondMatch();
      matched[left] = 1;
      if (this.#used !== null) this.#used[rightRows[pairs[at]]] = 1;
    }
  }

  /** The batch's rows without a match. */
  #unmatched(batch: RelationBatch): RelationBatch | null {
    const leftRows = new Uint32Array(batch.count);
    const count = rowsWhere(this.#matched, false, batch.count, leftRows);
    if (count === 0) return null;
    const rightRows = new Int32Array(count).fill(NO_ROW);
    return this.#side.pairs(batch, { count, leftRows, rightRows, optional: true });
  }

  /** The right rows without a match, after the last batch of a full join. Throws 9005. */
  *rest(): Generator<RelationBatch | null, undefined> {
    if (this.#used === null) return;
    const { rows, leftColumns, run } = this.#side;
    const unused = new Uint32Array(BATCH_ROWS_MAX);
    for (let from = 0; from < rows.count; from += BATCH_ROWS_MAX) {
      run.check();
      const used = this.#used.subarray(from, from + BATCH_ROWS_MAX);
      const count = rowsWhere(used, false, used.length, unused);
      const found = unused.subarray(0, count).map((row) => row + from);
      yield count === 0 ? null : new UnmatchedBatch(found, leftColumns, rows);
    }
  }
}

const secondMatch = (): QuarryError =>
  new QuarryError(6000, 'a subquery returned more than one row where one is allowed');

function refuseSecond(codes: Int32Array, count: number, next: Int32Array): void {
  for (let row = 0; row < count; row++) {
    if (codes[row] !== 0 && next[codes[row] - 1] !== 0) throw secondMatch();
  }
}

function use(used: Uint8Array, rightRows: Int32Array, count: number): void {
  for (let at = 0; at < count; at++) if (rightRows[at] !== NO_ROW) used[rightRows[at]] = 1;
}
