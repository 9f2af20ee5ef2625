/** Scores: the number of conditions that are true for each row, segment by segment. */
import { SEGMENT_ROWS_MAX } from '../../base/index.js';
import type { Condition } from '../../ir/index.js';
import type { Arena, DimensionShard } from '../../storage/index.js';
import type { ExactVector } from '../../vector/index.js';
import type { QueryRun } from '../query-run.js';
import type { RowSet } from '../scan/row-set.js';
import { SegmentRows } from '../scan/segment-rows.js';

const SCORE_BYTES = 2;

export class Scores {
  readonly #shard: DimensionShard;
  readonly #conditions: readonly SegmentRows[];
  /** The scores of the segment that was read last. */
  readonly #scores: Uint16Array;
  #segment = -1;

  /** `release` must be called at the end. Throws 9005, 9006. */
  constructor(shard: DimensionShard, conditions: readonly Condition[], scratch: Arena, run: QueryRun) {
    this.#shard = shard;
    this.#conditions = conditions.map((condition) => new SegmentRows(shard, condition, scratch, run));
    const rowsMax = Math.min(shard.rowEnd, SEGMENT_ROWS_MAX);
    run.reserve(rowsMax * SCORE_BYTES);
    this.#scores = new Uint16Array(rowsMax);
  }

  /** Throws 9005, 9006. */
  read(segment: number, { list, from, count }: RowSet): ExactVector {
    if (segment !== this.#segment) this.#compute(segment);
    const scores = this.#scores;
    const numbers = new Float64Array(count);
    if (list === null) numbers.set(scores.subarray(from, from + count));
    else for (let at = 0; at < count; at++) numbers[at] = scores[list[at]];
    return { kind: 'exact', count, valid: null, numbers, wide: null };
  }

  #compute(segment: number): void {
    const { rowCount } = this.#shard.segments[segment];
    const scores = this.#scores.fill(0);
    for (const condition of this.#conditions) {
      const count = condition.select(segment);
      if (count === rowCount) for (let row = 0; row < rowCount; row++) scores[row]++;
      else if (count > 0) addBits(condition.bitmap, scores);
    }
    this.#segment = segment;
  }

  /** See SegmentRows. */
  settle(from: number): void {
    for (const condition of this.#conditions) condition.settle(from);
    this.#segment = -1;
  }

  release(): void {
    for (const condition of this.#conditions) condition.release();
  }
}

function addBits({ buffer, byteOffset, length }: Uint8Array<ArrayBuffer>, scores: Uint16Array): void {
  const words = new Int32Array(buffer, byteOffset, length >> 2);
  for (let word = 0; word < words.length; word++) {
    for (let bits = words[word]; bits !== 0; bits &= bits - 1)
      scores[word * 32 + 31 - Math.clz32(bits & -bits)]++;
  }
}
