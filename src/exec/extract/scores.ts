/** Scores: the number of conditions that are true for each row of a shard. */
import { SEGMENT_ROWS_MAX, SEGMENT_ROWS_SHIFT } from '../../base/index.js';
import type { Condition, RowPosition } from '../../ir/index.js';
import type { Arena, DimensionShard } from '../../storage/index.js';
import { EntitySelection } from '../condition/selection.js';
import type { QueryRun } from '../query-run.js';
import { copyWords, countBits, type SelectedRowBits, selectedRows } from './row-words.js';
import { exactBound, type KeyBound, NO_ZONE, type RowSortKey } from './sort-key.js';

type Scores = Uint8Array | Uint16Array;

/** The scores by row; takes one or two bytes per row of the query's memory. Throws 9005 and 9006. */
export function scoresOf(
  shard: DimensionShard,
  conditions: readonly Condition[],
  scratch: Arena,
  run: QueryRun,
): Scores {
  const rows = shard.segments.length * SEGMENT_ROWS_MAX;
  run.reserve(conditions.length < 256 ? rows : rows * 2);
  const scores = conditions.length < 256 ? new Uint8Array(rows) : new Uint16Array(rows);
  for (const condition of conditions) {
    const selection = new EntitySelection(shard, condition, scratch, run);
    try {
      const { u32 } = scratch;
      shard.segments.forEach(({ rowCount }, index) => {
        const count = selection.select(index);
        const base = index * SEGMENT_ROWS_MAX;
        if (count === rowCount) for (let row = 0; row < rowCount; row++) scores[base + row]++;
        else if (count > 0) addBits(u32, selection.bitmapAt >> 2, rowCount, scores, base);
      });
    } finally {
      selection.release();
    }
  }
  return scores;
}

function addBits(words: Uint32Array, from: number, rowCount: number, scores: Scores, base: number): void {
  for (let word = 0; word < (rowCount + 31) >>> 5; word++) {
    const first = base + word * 32;
    for (let bits = words[from + word]; bits !== 0; bits &= bits - 1)
      scores[first + 31 - Math.clz32(bits & -bits)]++;
  }
}

/** The selected rows with a score above 0. */
export function scoredRows(
  shard: DimensionShard,
  selection: EntitySelection,
  scores: Scores,
  run: QueryRun,
): SelectedRowBits {
  const words = copyWords(shard, selectedRows(shard, selection, run), run);
  for (let word = 0; word < words.length; word++) {
    if (words[word] === 0) continue;
    let selectedCount = 0;
    for (let bit = 0; bit < 32; bit++) selectedCount |= (scores[word * 32 + bit] > 0 ? 1 : 0) << bit;
    words[word] &= selectedCount;
  }
  return { words, count: countBits(words) };
}

/** A sort key by score, descending. */
export class ScoreKey implements RowSortKey {
  readonly #scores: Scores;

  constructor(scores: Scores) {
    this.#scores = scores;
  }

  zone(): typeof NO_ZONE {
    return NO_ZONE;
  }

  narrow(): void {}

  fill(segmentIndex: number, segmentRows: Uint32Array, count: number, numbers: Float64Array): void {
    const base = segmentIndex << SEGMENT_ROWS_SHIFT;
    for (let at = 0; at < count; at++) numbers[at] = -this.#scores[base + segmentRows[at]];
  }

  number(row: number): number {
    return -this.#scores[row];
  }

  compareTied(): number {
    return 0;
  }

  bound({ score }: RowPosition): KeyBound {
    return exactBound(-score);
  }
}
