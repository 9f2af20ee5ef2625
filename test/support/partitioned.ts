/** Texts in the form of a shard's dictionary, and partitioned by their hashes. */
import { hashBytes } from '../../src/base/index.js';
import { allocateFresh, partitionedTexts } from '../../src/exec/aggregate/groups/text-partitions.js';
import { QueryRun } from '../../src/exec/query-run.js';
import { type PartitionedTexts, TEXT_HEAD_WORDS, TEXT_PARTITIONS, textWords } from '../../src/ir/index.js';

/** The hash of the empty text is not defined. */
export function dictionaryOf(parts: readonly Uint8Array[]) {
  const offsets = new Uint32Array(parts.length + 1);
  parts.forEach((part, text) => {
    offsets[text + 1] = offsets[text] + part.length;
  });
  const bytes = new Uint8Array(Buffer.concat(parts));
  const hashes = Uint32Array.from(parts, (part) => (part.length === 0 ? 0 : hashBytes(part, 0, part.length)));
  return { texts: { offsets, bytes }, hashes };
}

export function partitionedOf(parts: readonly Uint8Array[]): PartitionedTexts {
  const { texts, hashes } = dictionaryOf(parts);
  const codes = Uint32Array.from(parts, (_, text) => text + 1);
  return partitionedTexts(codes, texts, hashes, new QueryRun(null, 0, 2 ** 30), allocateFresh);
}

/** The texts and hashes of each partition, read word by word. */
export function partitionsRead({ counts, starts, words }: PartitionedTexts) {
  return Array.from({ length: TEXT_PARTITIONS }, (_, partition) => {
    const found: { readonly text: string; readonly hash: number }[] = [];
    for (let at = starts[partition]; at < starts[partition + 1]; at += textWords(words[at + 1])) {
      const from = words.byteOffset + (at + TEXT_HEAD_WORDS) * 4;
      found.push({ text: Buffer.from(words.buffer, from, words[at + 1]).toString(), hash: words[at] });
    }
    return { found, count: counts[partition] };
  });
}
