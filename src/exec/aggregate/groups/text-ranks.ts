/**
 * Ranks texts by their bytes; equal texts get the same rank.
 * Runs of texts with a common prefix are sorted by their next six bytes, until runs are short enough to be sorted by
 * comparison.
 */

import type { TextBytes } from '../../../vector/index.js';
import type { QueryRun } from '../../query-run.js';
import { compareBytes, prefixOf } from '../../sort/byte-order.js';
import { orderBy } from '../../sort/radix-order.js';

const STEP_BYTES = 6;
/** The number of possible lengths of a prefix: 0 to 6 valid bytes, or more bytes than the prefix holds. */
const LENGTHS = STEP_BYTES + 2;
/** Runs of at most this many texts are sorted by comparison. */
const FEW = 24;
/** Temporary bytes per text, besides sorting. */
const RANK_BYTES = 16;

/**
 * Ranks by code, from 0 on, for the first `count` texts. The memory of the ranks stays reserved in `memory`. Throws
 * 9005, 9006.
 */
export function textRanks(texts: TextBytes, count: number, memory: QueryRun): Float64Array {
  memory.reserve(count * 8);
  memory.reserve(count * RANK_BYTES);
  const codes = new Uint32Array(count);
  for (let code = 0; code < count; code++) codes[code] = code;
  // A stack of runs of codes whose texts agree in their first `depth` bytes: from, to, depth.
  const runs = [0, count, 0];
  while (runs.length > 0) {
    const [from, to, depth] = runs.splice(-3);
    if (to - from <= FEW) sortFew(texts, codes, from, to);
    else sortRun(texts, codes, from, to, depth, runs, memory);
  }
  const ranks = new Float64Array(count);
  for (let at = 1, rank = 0; at < count; at++) {
    if (compareTexts(texts, codes[at - 1], codes[at]) !== 0) rank++;
    ranks[codes[at]] = rank;
  }
  memory.release(count * RANK_BYTES);
  return ranks;
}

function sortRun(
  { offsets, bytes }: TextBytes,
  codes: Uint32Array,
  from: number,
  to: number,
  depth: number,
  runs: number[],
  memory: QueryRun,
): void {
  const numbers = new Float64Array(to - from);
  for (let at = from; at < to; at++) {
    const [start, end] = [offsets[codes[at]] + depth, offsets[codes[at] + 1]];
    // A text that ends sorts before one that continues with zero bytes.
    numbers[at - from] = prefixOf(bytes, start, end) * LENGTHS + Math.min(end - start, STEP_BYTES + 1);
  }
  const order = orderBy([numbers], to - from, memory);
  const sorted = Uint32Array.from(order, (at) => codes[from + at]);
  codes.set(sorted, from);
  for (let first = 0, at = 0; at < order.length; at++) {
    const number = numbers[order[at]];
    if (at + 1 < order.length && numbers[order[at + 1]] === number) continue;
    if (at > first && number % LENGTHS === STEP_BYTES + 1) {
      runs.push(from + first, from + at + 1, depth + STEP_BYTES);
    }
    first = at + 1;
  }
}

function sortFew(texts: TextBytes, codes: Uint32Array, from: number, to: number): void {
  for (let at = from + 1; at < to; at++) {
    const code = codes[at];
    let position = at;
    for (; position > from && compareTexts(texts, code, codes[position - 1]) < 0; position--) {
      codes[position] = codes[position - 1];
    }
    codes[position] = code;
  }
}

function compareTexts({ offsets, bytes }: TextBytes, a: number, b: number): number {
  return compareBytes(bytes, offsets[a], offsets[a + 1], bytes, offsets[b], offsets[b + 1]);
}
