/**
 * Finds the first selected rows of a shard in an order, segment by segment. Segments that may contain the first rows
 * are searched first.
 */
import { SEGMENT_ROWS_SHIFT } from '../../base/index.js';
import type { DimensionShard } from '../../storage/index.js';
import type { QueryRun } from '../query-run.js';
import { countBits, fillWords, rowsOfWords, type SelectedRowBits, WORDS_PER_SEGMENT } from './row-words.js';
import type { ShardOrder } from './shard-order.js';
import type { TopRows } from './top-rows.js';

/** Checking at most this many rows of a segment is cheaper than narrowing them by a scan. */
const FEW_ROWS = 1_024;
/** The number of words of rows whose sort numbers are computed at once. */
const STEP_WORDS = 64;
const STEP_ROW_BYTES = 12;

/** Offers all selected rows that may be among the first to `top`. Throws 9005 and 9006. */
export function offerRows(
  shard: DimensionShard,
  selected: SelectedRowBits,
  { first }: ShardOrder,
  top: TopRows,
  run: QueryRun,
): void {
  const rowsMax = Math.min(shard.rowEnd, STEP_WORDS * 32);
  const bytes = WORDS_PER_SEGMENT * 4 + rowsMax * STEP_ROW_BYTES;
  run.reserve(bytes);
  const words = new Uint32Array(WORDS_PER_SEGMENT);
  const segmentRows = new Uint32Array(rowsMax);
  const numbers = new Float64Array(rowsMax);
  const zones = shard.segments.map((_, index) => ({ index, ...first.zone(index) }));
  zones.sort((a, b) => (a.low === b.low ? a.index - b.index : a.low < b.low ? -1 : 1));
  for (const { index, low, high } of zones) {
    run.check();
    if (low > top.high || high < top.low) continue;
    const count = takeWords(selected, index, shard.segments[index].rowCount, words);
    if (count === 0) continue;
    if (count > FEW_ROWS && (top.low > low || top.high < high)) {
      first.narrow(index, top.low, top.high, words);
    }
    for (let word = 0; word < WORDS_PER_SEGMENT; word += STEP_WORDS) {
      const step = rowsOfWords(words, word, word + STEP_WORDS, segmentRows);
      if (step === 0) continue;
      first.fill(index, segmentRows, step, numbers);
      top.offerAll(index * 2 ** SEGMENT_ROWS_SHIFT, segmentRows, numbers, step);
    }
  }
  run.release(bytes);
}

/** Writes the selected rows of one segment to `words`; returns their number. */
function takeWords(
  { words: all }: SelectedRowBits,
  index: number,
  rowCount: number,
  words: Uint32Array,
): number {
  words.fill(0);
  if (all === null) {
    fillWords(words, 0, rowCount);
    return rowCount;
  }
  const from = index * WORDS_PER_SEGMENT;
  words.set(all.subarray(from, from + WORDS_PER_SEGMENT));
  return countBits(words);
}
