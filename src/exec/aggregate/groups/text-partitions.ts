/**
 * Partitions the texts of a shard's result by hash, so that the merge of several shards finds possibly equal texts in
 * the same partition.
 * Cost  texts are read in stored order and written word by word to the ends of a few hundred partitions, which stay
 *       in the cache.
 */
import type { Allocator } from '../../../answer/index.js';
import { hashBytes, QuarryError } from '../../../base/index.js';
import {
  TEXT_BLOCK_BYTES as BLOCK_BYTES,
  type PartitionedTexts,
  TEXT_HEAD_WORDS,
  TEXT_PARTITIONS,
  textWords,
} from '../../../ir/index.js';
import type { TextBytes } from '../../../vector/index.js';
import type { QueryRun } from '../../query-run.js';

const MASK = TEXT_PARTITIONS - 1;
/** The largest word offset that fits 32 bits. */
const WORDS_MAX = 2 ** 32 - 1;

export const allocateFresh: Allocator = (byteCount) => new Uint8Array(byteCount);

/**
 * The distinct texts with the given codes: text t has code t + 1. `hashes`: hashBytes of every text that is not empty.
 * The memory of the words is reserved in the run and allocated by `allocator`; the words start at the beginning of its
 * buffer. Throws 9006.
 */
export function partitionedTexts(
  codes: Uint32Array,
  { offsets, bytes }: TextBytes,
  hashes: Uint32Array,
  run: QueryRun,
  allocator: Allocator,
): PartitionedTexts {
  const hashOfNone = hashBytes(bytes, 0, 0);
  const counts = new Uint32Array(TEXT_PARTITIONS);
  const starts = new Float64Array(TEXT_PARTITIONS + 1);
  countWords(codes, offsets, hashes, hashOfNone, counts, starts);
  for (let partition = 0; partition < TEXT_PARTITIONS; partition++)
    starts[partition + 1] += starts[partition];
  const wordCount = starts[TEXT_PARTITIONS];
  if (wordCount > WORDS_MAX)
    throw new QuarryError(9006, 'the distinct strings of the query exceed 4 GiB in total');
  run.reserve(wordCount * 4);
  const words = new Uint32Array(allocator(wordCount * 4).buffer, 0, wordCount);
  scatterTexts(codes, offsets, bytes, hashes, hashOfNone, Uint32Array.from(starts), words);
  return { count: codes.length, counts, starts, words };
}

/** Adds the word count of partition p to element p + 1. */
function countWords(
  codes: Uint32Array,
  offsets: Uint32Array,
  hashes: Uint32Array,
  hashOfNone: number,
  counts: Uint32Array,
  wordCounts: Float64Array,
): void {
  for (let at = 0; at < codes.length; at++) {
    const text = codes[at] - 1;
    const length = offsets[text + 1] - offsets[text];
    const partition = (length === 0 ? hashOfNone : hashes[text]) & MASK;
    counts[partition]++;
    wordCounts[partition + 1] += textWords(length);
  }
}

/** `next`: by partition, the offset of its next word. */
function scatterTexts(
  codes: Uint32Array,
  offsets: Uint32Array,
  bytes: Uint8Array,
  hashes: Uint32Array,
  hashOfNone: number,
  next: Uint32Array,
  words: Uint32Array,
): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const readableEnd = bytes.byteLength - BLOCK_BYTES;
  for (let index = 0; index < codes.length; index++) {
    const text = codes[index] - 1;
    const from = offsets[text];
    const to = offsets[text + 1];
    const hash = from === to ? hashOfNone : hashes[text];
    let at = next[hash & MASK];
    words[at] = hash;
    words[at + 1] = to - from;
    at += TEXT_HEAD_WORDS;
    if (to <= readableEnd) {
      for (let byte = from; byte < to; byte += BLOCK_BYTES, at += 2) {
        const rest = Math.min(to - byte, BLOCK_BYTES);
        words[at] = view.getInt32(byte, true) & FIRST_MASKS[rest];
        words[at + 1] = view.getInt32(byte + 4, true) & SECOND_MASKS[rest];
      }
    } else {
      for (let byte = from; byte < to; byte += BLOCK_BYTES, at += 2) {
        words[at] = bytesAsWord(bytes, byte, Math.min(to, byte + 4));
        words[at + 1] = bytesAsWord(bytes, byte + 4, Math.min(to, byte + BLOCK_BYTES));
      }
    }
    next[hash & MASK] = at;
  }
}

/** By number of text bytes in a block: the masks of its first and second word. */
const FIRST_MASKS = Int32Array.of(0, 0xff, 0xffff, 0xffffff, -1, -1, -1, -1, -1);
const SECOND_MASKS = Int32Array.of(0, 0, 0, 0, 0, 0xff, 0xffff, 0xffffff, -1);

function bytesAsWord(bytes: Uint8Array, from: number, to: number): number {
  let word = 0;
  for (let at = from; at < to; at++) word |= bytes[at] << ((at - from) * 8);
  return word;
}
