/**
 * Drops rows that cannot be among the first rows of their partition, before a window collects and sorts them: those with enough
 * rows of their partition before them by the first order key. The best values of that key are kept by partition, so that about
 * `limit` * ln(m / limit) of m rows in random order remain.
 */
import { grownWithin } from '../../base/index.js';
import { inputExpression, type RelationColumn, type RelationOf } from '../../ir/index.js';
import type { Vector } from '../../vector/index.js';
import { type RowGroups, rowGroups } from '../aggregate/groups/group-keys.js';
import { DIRECT_PAIRS_MAX } from '../aggregate/groups/group-pairs.js';
import type { QueryRun } from '../query-run.js';
import type { Operator, RelationBatch } from '../relation/operator.js';
import { pickedOf } from '../relation/picked-batch.js';
import { BATCH_ROWS_MAX } from '../scan/row-batches.js';

/** The best values of a partition are searched one by one. */
const LIMIT_MAX = 16;

/** Returns the rows of `input`, but may omit rows that have at least `limit` rows of their partition before them. */
export function firstRows(
  input: Operator,
  window: RelationOf<'window'>,
  limit: number,
  memory: QueryRun,
): Operator {
  const isApplicable = limit > 0 && limit <= LIMIT_MAX && window.order.length > 0;
  return isApplicable ? new FirstRows(input, window, limit, memory) : input;
}

class FirstRows implements Operator {
  readonly columns: readonly RelationColumn[];
  readonly #input: Operator;
  readonly #window: RelationOf<'window'>;
  readonly #limit: number;
  readonly #memory: QueryRun;
  readonly #groups: RowGroups;
  readonly #numbers = new Uint32Array(BATCH_ROWS_MAX);
  readonly #scores = new Float64Array(BATCH_ROWS_MAX);
  /** `limit` scores per partition, in no order; infinite = none yet. */
  #best: Float64Array<ArrayBuffer>;
  /** The greatest of the best scores by partition. */
  #worst: Float64Array<ArrayBuffer>;

  constructor(input: Operator, window: RelationOf<'window'>, limit: number, memory: QueryRun) {
    const keys = window.partition.map(({ type, column }) => inputExpression(type, column));
    this.columns = input.columns;
    this.#input = input;
    this.#window = window;
    this.#limit = limit;
    this.#memory = memory;
    this.#groups = rowGroups({ keys, perEntity: false, aggregates: [] }, DIRECT_PAIRS_MAX, memory);
    this.#best = new Float64Array(0);
    this.#worst = new Float64Array(0);
  }

  *batches(): Generator<RelationBatch | null, undefined> {
    for (const batch of this.#input.batches()) {
      yield batch === null || batch.count === 0 ? null : this.#remaining(batch);
    }
  }

  #remaining(batch: RelationBatch): RelationBatch | null {
    const { count } = batch;
    const [key] = this.#window.order;
    if (count > BATCH_ROWS_MAX || !writeScores(batch.input(key.column), key, count, this.#scores))
      return batch;
    const keys = this.#window.partition.map(({ column }) => batch.input(column));
    this.#groups.number(keys, NO_ENTITIES, count, this.#numbers);
    const groupEnd = this.#groups.count + 1;
    const infinite = Number.POSITIVE_INFINITY;
    this.#best = grownWithin(this.#memory, this.#best, groupEnd * this.#limit, 0, infinite);
    this.#worst = grownWithin(this.#memory, this.#worst, groupEnd, 0, infinite);
    const rows = new Uint32Array(count);
    let found = 0;
    for (let row = 0; row < count; row++) {
      const group = this.#numbers[row];
      const score = this.#scores[row];
      if (score > this.#worst[group]) continue;
      rows[found++] = row;
      if (score < this.#worst[group]) this.#improve(group, score);
    }
    return pickedOf(batch, rows, found);
  }

  /** Replaces the greatest of the partition's best scores by a lower one. */
  #improve(group: number, score: number): void {
    const best = this.#best;
    const from = group * this.#limit;
    const end = from + this.#limit;
    let isReplaced = false;
    let worst = score;
    for (let at = from; at < end; at++) {
      if (!isReplaced && best[at] === this.#worst[group]) {
        best[at] = score;
        isReplaced = true;
      }
      if (best[at] > worst) worst = best[at];
    }
    this.#worst[group] = worst;
  }

  release(): void {
    this.#input.release();
  }
}

const NO_ENTITIES = new Uint32Array(0);

/**
 * Writes a score per row: rows with lower scores are first, rows with equal scores may differ. Returns false if the
 * values have no such scores.
 */
function writeScores(
  vector: Vector,
  { descending, missingFirst }: { readonly descending: boolean; readonly missingFirst: boolean },
  count: number,
  out: Float64Array,
): boolean {
  if (vector.kind !== 'exact' && vector.kind !== 'float') return false;
  const { numbers, valid } = vector;
  if (numbers === null || (vector.kind === 'exact' && vector.wide !== null)) return false;
  const missing = missingFirst ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  for (let row = 0; row < count; row++) {
    if (valid !== null && valid[row] === 0) out[row] = missing;
    else {
      const score = descending ? -numbers[row] : numbers[row];
      if (Number.isNaN(score)) return false;
      out[row] = score;
    }
  }
  return true;
}
