/**
 * Texts of a shard's answer put together by their hashes, so that whoever merges the texts of several shards finds those that
 * may be equal side by side.
 * Cost  Texts are read as they lie and written at the ends of a few hundred partitions, which stay in the cache. Their memory
 *       is shared, so that it is not copied on its way to another thread.
 */
import { hashBytes } from '../../base/index.js';
import { TEXT_PARTITIONS } from '../../ir/index.js';
import type { TextBytes } from '../../vector/index.js';
import { emptyTexts } from '../aggregate/value-texts.js';
import type { QueryRun } from '../query-run.js';
import type { PartitionedTexts } from './group-codes.js';

const MASK = TEXT_PARTITIONS - 1;

/**
 * The distinct texts with these codes: text t has code t + 1. `hashes`: hashBytes of every text that is not empty.
 * The memory that they take is the run's. Throws 9006.
 */
export function partitionedTexts(
  codes: Uint32Array,
  texts: TextBytes,
  hashes: Uint32Array,
  run: QueryRun,
): PartitionedTexts {
  const count = codes.length;
  const hashOfNone = hashBytes(texts.bytes, 0, 0);
  const partitions = new Uint32Array(TEXT_PARTITIONS + 1);
  const byteStarts = new Float64Array(TEXT_PARTITIONS + 1);
  countTexts(codes, texts.offsets, hashes, hashOfNone, partitions, byteStarts);
  for (let partition = 0; partition < TEXT_PARTITIONS; partition++) {
    partitions[partition + 1] += partitions[partition];
    byteStarts[partition + 1] += byteStarts[partition];
  }
  const shared = (byteCount: number): SharedArrayBuffer => new SharedArrayBuffer(byteCount);
  const own = emptyTexts(count, byteStarts[TEXT_PARTITIONS], run, shared);
  own.offsets[count] = byteStarts[TEXT_PARTITIONS];
  run.take(count * 4);
  const ownHashes = new Uint32Array(shared(count * 4));
  const placed = {
    ...own,
    hashes: ownHashes,
    next: partitions.slice(),
    byteNext: Uint32Array.from(byteStarts),
  };
  placeTexts(codes, texts, hashes, hashOfNone, placed);
  return {
    values: {
      kind: 'text',
      count,
      valid: null,
      codes: null,
      offsets: own.offsets,
      bytes: own.bytes,
      distinct: true,
    },
    hashes: ownHashes,
    partitions,
  };
}

/** Adds texts and bytes of partition p to the elements p + 1. */
function countTexts(
  codes: Uint32Array,
  offsets: Uint32Array,
  hashes: Uint32Array,
  hashOfNone: number,
  counts: Uint32Array,
  byteCounts: Float64Array,
): void {
  for (let at = 0; at < codes.length; at++) {
    const text = codes[at] - 1;
    const length = offsets[text + 1] - offsets[text];
    const partition = (length === 0 ? hashOfNone : hashes[text]) & MASK;
    counts[partition + 1]++;
    byteCounts[partition + 1] += length;
  }
}

interface PlacedTexts extends TextBytes {
  readonly hashes: Uint32Array;
  /** By partition: the place of its next text, and of that one's bytes. */
  readonly next: Uint32Array;
  readonly byteNext: Uint32Array;
}

function placeTexts(
  codes: Uint32Array,
  { offsets, bytes }: TextBytes,
  hashes: Uint32Array,
  hashOfNone: number,
  placed: PlacedTexts,
): void {
  const { next, byteNext, offsets: ownOffsets, bytes: ownBytes, hashes: ownHashes } = placed;
  for (let at = 0; at < codes.length; at++) {
    const text = codes[at] - 1;
    const from = offsets[text];
    const to = offsets[text + 1];
    const hash = from === to ? hashOfNone : hashes[text];
    const partition = hash & MASK;
    const place = next[partition]++;
    const start = byteNext[partition];
    ownHashes[place] = hash;
    ownOffsets[place] = start;
    const shift = start - from;
    for (let byte = from; byte < to; byte++) ownBytes[byte + shift] = bytes[byte];
    byteNext[partition] = start + to - from;
  }
}
