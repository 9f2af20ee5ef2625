/**
 * Texts of a shard's answer put together by their hashes, so that whoever merges the texts of several shards finds those that
 * may be equal side by side.
 * Cost  Texts are read as they lie and written word by word at the ends of a few hundred partitions, which stay in the cache.
 */
import type { Allocator } from '../../answer/index.js';
import { hashBytes, QuarryError } from '../../base/index.js';
import {
  TEXT_BLOCK_BYTES as BLOCK_BYTES,
  type PartitionedTexts,
  TEXT_HEAD_WORDS,
  TEXT_PARTITIONS,
  textWords,
} from '../../ir/index.js';
import type { TextBytes } from '../../vector/index.js';
import type { QueryRun } from '../query-run.js';

const MASK = TEXT_PARTITIONS - 1;
/** What a place of 32 bits reaches. */
const WORDS_MAX = 2 ** 32 - 1;

export const freshMemory: Allocator = (byteCount) => new Uint8Array(byteCount);

/**
 * The distinct texts with these codes: text t has code t + 1. `hashes`: hashBytes of every text that is not empty.
 * The memory that they take is the run's, and comes from `room`, from the beginning of a buffer on. Throws 9006.
 */
export function partitionedTexts(
  codes: Uint32Array,
  { offsets, bytes }: TextBytes,
  hashes: Uint32Array,
  run: QueryRun,
  room: Allocator,
): PartitionedTexts {
  const hashOfNone = hashBytes(bytes, 0, 0);
  const counts = new Uint32Array(TEXT_PARTITIONS);
  const starts = new Float64Array(TEXT_PARTITIONS + 1);
  countWords(codes, offsets, hashes, hashOfNone, counts, starts);
  for (let partition = 0; partition < TEXT_PARTITIONS; partition++)
    starts[partition + 1] += starts[partition];
  const wordCount = starts[TEXT_PARTITIONS];
  if (wordCount > WORDS_MAX)
    throw new QuarryError(9006, 'the distinct strings of the query are too long together');
  run.reserve(wordCount * 4);
  const words = new Uint32Array(room(wordCount * 4).buffer, 0, wordCount);
  placeTexts(codes, offsets, bytes, hashes, hashOfNone, Uint32Array.from(starts), words);
  return { count: codes.length, counts, starts, words };
}

/** Adds the words of partition p to the element p + 1. */
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

/** `next`: by partition, the place of its next word. */
function placeTexts(
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

/** Of a block of which so many bytes are a text's, those of its first word, and of its second. */
const FIRST_MASKS = Int32Array.of(0, 0xff, 0xffff, 0xffffff, -1, -1, -1, -1, -1);
const SECOND_MASKS = Int32Array.of(0, 0, 0, 0, 0, 0xff, 0xffff, 0xffffff, -1);

function bytesAsWord(bytes: Uint8Array, from: number, to: number): number {
  let word = 0;
  for (let at = from; at < to; at++) word |= bytes[at] << ((at - from) * 8);
  return word;
}
