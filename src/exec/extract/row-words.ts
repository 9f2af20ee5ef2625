/**
 * Sets of rows as words: row r is bit `r & 31` of word `r >> 5`, WORDS_PER_SEGMENT words per segment. They are copies
 * outside the arenas, so that kernels may use the arenas' scratch bitmaps meanwhile.
 */
import { SEGMENT_ROWS_MAX } from '../../base/index.js';
import { popcount32 } from '../../kernels/index.js';
import type { Arena, DimensionShard } from '../../storage/index.js';
import { newShardBitmap } from '../condition/shard-bitmap.js';
import type { QueryRun } from '../query-run.js';

export const WORDS_PER_SEGMENT = SEGMENT_ROWS_MAX / 32;

export interface SelectedRowBits {
  /** null = every row of the shard. */
  readonly words: Uint32Array<ArrayBuffer> | null;
  readonly count: number;
}

/** A clear bitmap of the shard as words. Throws 9006. */
export const newWords = (shard: DimensionShard, run: QueryRun): Uint32Array<ArrayBuffer> =>
  new Uint32Array(newShardBitmap(shard, run).buffer);

export const hasBit = (words: Uint32Array, row: number): boolean =>
  ((words[row >>> 5] >>> (row & 31)) & 1) === 1;

/** Sets bits [0, count) from word `at` on. */
export function fillWords(words: Uint32Array, at: number, count: number): void {
  words.fill(0xffffffff, at, at + (count >>> 5));
  if ((count & 31) !== 0) words[at + (count >>> 5)] = 2 ** (count & 31) - 1;
}

/**
 * Keeps the bits of the first `count` rows, from word 0 on, that the bitmap at byte `bitmapAt` of the arena has (or
 * lacks).
 */
export function keepBits(
  words: Uint32Array,
  { u32 }: Arena,
  bitmapAt: number,
  count: number,
  wanted: boolean,
): void {
  const from = bitmapAt >>> 2;
  const flip = wanted ? 0 : -1;
  for (let word = 0; word < (count + 31) >>> 5; word++) words[word] &= u32[from + word] ^ flip;
}

export function countBits(words: Uint32Array): number {
  let sum = 0;
  for (let at = 0; at < words.length; at++) sum += popcount32(words[at]);
  return sum;
}

/** Writes the positions of the set bits of words [from, to) to `segmentRows`, ascending; returns their number. */
export function rowsOfWords(words: Uint32Array, from: number, to: number, segmentRows: Uint32Array): number {
  let count = 0;
  for (let word = from; word < to; word++) {
    for (let bits = words[word]; bits !== 0; bits &= bits - 1) {
      segmentRows[count++] = word * 32 + 31 - Math.clz32(bits & -bits);
    }
  }
  return count;
}
