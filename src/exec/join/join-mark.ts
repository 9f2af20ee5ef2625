/** Mark joins: every left row, with the truth of "some right row matches". */
import type { BooleanVector, Vector } from '../../vector/index.js';
import type { RelationBatch } from '../relation/operator.js';
import { Candidates } from './join-candidates.js';
import type { JoinSide } from './join-side.js';
import { UnknownMatches } from './join-unknown.js';

export class MarkJoin {
  readonly #side: JoinSide;
  readonly #candidates: Candidates;
  readonly #unknownMatches: UnknownMatches;
  #codes = new Int32Array(0);

  /** Throws 9006. */
  constructor(side: JoinSide) {
    this.#side = side;
    this.#candidates = new Candidates(side.next);
    this.#unknownMatches = new UnknownMatches(side);
  }

  /** The batch with its mark. Throws 6000, 9005, 9006. */
  *join(batch: RelationBatch): Generator<RelationBatch | null, undefined> {
    const { count } = batch;
    if (this.#codes.length < count) this.#codes = new Int32Array(count);
    this.#side.find(batch, this.#codes);
    const matched = new Uint8Array(count);
    const unknown = new Uint8Array(count);
    if (this.#side.hasCondition) yield* this.#test(batch, matched, unknown);
    else for (let row = 0; row < count; row++) matched[row] = Number(this.#codes[row] !== 0);
    yield* this.#unknownMatches.find(batch, matched, unknown);
    yield new MarkedBatch(batch, this.#side.relation.mark as number, markOf(matched, unknown, count));
  }

  *#test(batch: RelationBatch, matched: Uint8Array, unknown: Uint8Array): Generator<null, undefined> {
    const candidates = this.#candidates;
    candidates.start(this.#codes, batch.count, false, matched);
    for (let count = candidates.fill(); count > 0; count = candidates.fill()) {
      this.#side.run.check();
      const { leftRows, rightRows } = candidates;
      const pairs = this.#side.pairs(batch, { count, leftRows, rightRows, optional: false });
      const { bits, valid } = this.#side.truth(pairs);
      for (let at = 0; at < count; at++) {
        if (valid !== null && valid[at] === 0) unknown[leftRows[at]] = 1;
        else if (bits[at] === 1) matched[leftRows[at]] = 1;
      }
      yield null;
    }
  }
}

/** Becomes the owner of the arrays. */
function markOf(matched: Uint8Array, unknown: Uint8Array, count: number): BooleanVector {
  let someUnknown = 0;
  for (let row = 0; row < count; row++) {
    unknown[row] = (unknown[row] ^ 1) | matched[row];
    someUnknown |= unknown[row] ^ 1;
  }
  return { kind: 'boolean', count, valid: someUnknown === 0 ? null : unknown, bits: matched };
}

/** The batch whose mark is not false but unknown in the rows where `key` is missing, or in all if it is null. */
export function withUnknown(batch: RelationBatch, column: number, key: Vector | null): RelationBatch {
  const { count } = batch;
  const { bits, valid } = batch.input(column) as BooleanVector;
  if (key !== null && key.valid === null) return batch;
  const known = new Uint8Array(count);
  for (let row = 0; row < count; row++) {
    const wasKnown = valid === null || valid[row] === 1;
    known[row] = Number(wasKnown && (bits[row] === 1 || key?.valid?.[row] === 1));
  }
  return new MarkedBatch(batch, column, { kind: 'boolean', count, valid: known, bits });
}

/** A batch with one more column. */
export class MarkedBatch implements RelationBatch {
  readonly count: number;
  readonly #source: RelationBatch;
  readonly #column: number;
  readonly #mark: Vector;

  constructor(source: RelationBatch, column: number, mark: Vector) {
    this.count = source.count;
    this.#source = source;
    this.#column = column;
    this.#mark = mark;
  }

  input(column: number): Vector {
    return column === this.#column ? this.#mark : this.#source.input(column);
  }
}
