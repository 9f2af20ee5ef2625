/** Joins that return left rows with a match (semi) or without one (anti). */
import { trueRows } from '../../expression/index.js';
import type { RelationBatch } from '../relation/operator.js';
import { pickedOf, rowsWhere } from '../relation/picked-batch.js';
import { Candidates } from './join-candidates.js';
import type { JoinSide } from './join-side.js';

export class MatchJoin {
  readonly #side: JoinSide;
  readonly #isSemi: boolean;
  readonly #candidates: Candidates;
  #codes = new Int32Array(0);
  #matched = new Uint8Array(0);

  constructor(side: JoinSide) {
    this.#side = side;
    this.#isSemi = side.relation.kind === 'semi';
    this.#candidates = new Candidates(side.next);
  }

  /** The batch's rows with or without a match. Throws 6000, 9005. */
  *join(batch: RelationBatch): Generator<RelationBatch | null, undefined> {
    const { count } = batch;
    if (this.#codes.length < count) {
      this.#codes = new Int32Array(count);
      this.#matched = new Uint8Array(count);
    }
    this.#side.find(batch, this.#codes);
    const rows = new Uint32Array(count);
    let found: number;
    if (this.#side.hasCondition) {
      yield* this.#test(batch);
      found = rowsWhere(this.#matched, this.#isSemi, count, rows);
    } else found = rowsWhere(this.#codes, this.#isSemi, count, rows);
    yield pickedOf(batch, rows, found);
  }

  /** Evaluates the condition for each row's candidates until one of them matches. */
  *#test(batch: RelationBatch): Generator<null, undefined> {
    const candidates = this.#candidates;
    const matched = this.#matched.fill(0, 0, batch.count);
    candidates.start(this.#codes, batch.count, false, matched);
    for (let count = candidates.fill(); count > 0; count = candidates.fill()) {
      this.#side.run.check();
      const { leftRows, rightRows } = candidates;
      const pairs = this.#side.pairs(batch, { count, leftRows, rightRows, optional: false });
      const rows = trueRows(this.#side.truth(pairs));
      for (let at = 0; at < rows.length; at++) matched[leftRows[rows[at]]] = 1;
      yield null;
    }
  }
}
