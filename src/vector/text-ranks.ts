/**
 * Ranks of the texts of a vector by their UTF-8 bytes, so that texts can be compared as numbers. Equal texts have the
 * same rank; texts that do not occur are not sorted. In slices.
 */
import {
  inSlices,
  type MemoryAccount,
  SLICE_TEXTS,
  sortEntries,
  type Task,
  type WordSource,
} from '../base/index.js';
import type { TextBytes } from './texts.js';
import type { TextVector } from './vector.js';

/** Bytes of a text per word. */
const STEP_BYTES = 3;
/** Bits of the number of bytes that are left, at most STEP_BYTES + 1. */
const LENGTH_BITS = 3;
const LENGTH_MASK = 2 ** LENGTH_BITS - 1;
/** Each text that occurs is sorted once if the list has at most this many texts per row; else each row is sorted. */
const TEXTS_PER_ROW = 4;

export interface TextRanks {
  /** By row; the rank of a missing value is arbitrary but at most `max`. */
  readonly ranks: Uint32Array;
  readonly max: number;
}

/** The ranks, whose memory stays reserved: 4 bytes per row. Throws 9006. */
export function* rankTexts(vector: TextVector, memory: MemoryAccount): Task<TextRanks> {
  const { count, codes, texts } = vector;
  return codes !== null && texts.size <= count * TEXTS_PER_ROW
    ? yield* rankCodes(vector, codes, memory)
    : yield* rankRows(vector, memory);
}

function* rankCodes(
  { count, valid, texts }: TextVector,
  codes: Uint32Array,
  memory: MemoryAccount,
): Task<TextRanks> {
  const ranks = memory.u32(count);
  memory.reserve(texts.size * 8);
  const byCode = new Uint32Array(texts.size);
  yield* inSlices(count, (from, to) => {
    for (let row = from; row < to; row++) if (valid === null || valid[row] === 1) byCode[codes[row]] = 1;
  });
  const used = new Uint32Array(texts.size);
  let usedCount = 0;
  for (let code = 0; code < texts.size; code++) if (byCode[code] === 1) used[usedCount++] = code;
  const max = yield* rankEntries(texts.utf8, null, used.subarray(0, usedCount), byCode, memory);
  yield* inSlices(count, (from, to) => {
    for (let row = from; row < to; row++) ranks[row] = byCode[codes[row]];
  });
  memory.release(texts.size * 8);
  return { ranks, max };
}

function* rankRows({ count, valid, codes, texts }: TextVector, memory: MemoryAccount): Task<TextRanks> {
  const ranks = memory.u32(count);
  memory.reserve(count * 4);
  const rows = new Uint32Array(count);
  let rowCount = 0;
  for (let row = 0; row < count; row++) if (valid === null || valid[row] === 1) rows[rowCount++] = row;
  const max = yield* rankEntries(texts.utf8, codes, rows.subarray(0, rowCount), ranks, memory);
  memory.release(count * 4);
  return { ranks, max };
}

/** Writes the rank of each entry e to ranks[e]; returns the greatest. Entry e has text codes[e] (null = text e). */
function* rankEntries(
  texts: TextBytes,
  codes: Uint32Array | null,
  entries: Uint32Array,
  ranks: Uint32Array,
  memory: MemoryAccount,
): Task<number> {
  const words = wordsOfTexts(texts, codes);
  yield* sortEntries(words, entries, memory);
  let rank = 0;
  yield* inSlices(
    entries.length,
    (from, to) => {
      for (let at = from; at < to; at++) {
        if (at > 0 && words.compare(0, entries[at - 1], entries[at]) !== 0) rank++;
        ranks[entries[at]] = rank;
      }
    },
    SLICE_TEXTS * 2,
  );
  return rank;
}

function wordsOfTexts({ offsets, bytes }: TextBytes, codes: Uint32Array | null): WordSource {
  return {
    load: (level, entries, keys, from, to) => {
      for (let at = from; at < to; at++) {
        const code = codes === null ? entries[at] : codes[entries[at]];
        const start = offsets[code] + level * STEP_BYTES;
        const left = offsets[code + 1] - start;
        let word = 0;
        if (left > STEP_BYTES) {
          word = ((bytes[start] << 16) | (bytes[start + 1] << 8) | bytes[start + 2]) << LENGTH_BITS;
          keys[at] = word | (STEP_BYTES + 1);
          continue;
        }
        // A text that ends sorts before one that continues with zero bytes.
        for (let byte = 0; byte < left; byte++) word |= bytes[start + byte] << (16 - 8 * byte);
        keys[at] = (word << LENGTH_BITS) | left;
      }
    },
    hasMore: (_, key) => (key & LENGTH_MASK) > STEP_BYTES,
    compare: (level, a, b) => {
      const [code, other] = codes === null ? [a, b] : [codes[a], codes[b]];
      if (code === other) return 0;
      const from = offsets[code] + level * STEP_BYTES;
      const otherFrom = offsets[other] + level * STEP_BYTES;
      const length = offsets[code + 1] - from;
      const otherLength = offsets[other + 1] - otherFrom;
      const shorter = Math.min(length, otherLength);
      for (let index = 0; index < shorter; index++) {
        const difference = bytes[from + index] - bytes[otherFrom + index];
        if (difference !== 0) return difference;
      }
      return length - otherLength;
    },
  };
}
