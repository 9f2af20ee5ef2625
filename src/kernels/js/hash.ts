/** Twins of wasm/hash.ts, which documents layouts and Needs. Key words are elements of an i64 view, or pairs of elements of a u32 view. */
import { chosen, lowestBit } from './words.js';

function hashOf(low: number, high: number): number {
  let hash = Math.imul(low, 0x9e3779b1);
  hash ^= hash >>> 15;
  hash = Math.imul(hash ^ high, 0x85ebca77);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae3d);
  return (hash ^ (hash >>> 16)) >>> 0;
}

export function addKeys(
  valueAt: (row: number) => bigint,
  n: number,
  least: bigint,
  shift: number,
  fields: BigInt64Array,
  keys: number,
): void {
  for (let row = 0; row < n; row++) fields[keys + row] += (valueAt(row) - least) << BigInt(shift);
}

export function addKeysBits(
  words: Uint32Array,
  bitmap: number,
  n: number,
  set: bigint,
  clear: bigint,
  fields: BigInt64Array,
  keys: number,
): void {
  for (let row = 0; row < n; row++) {
    fields[keys + row] += (words[bitmap + (row >>> 5)] & (1 << (row & 31))) !== 0 ? set : clear;
  }
}

export function findGroups(
  words: Uint32Array,
  keys: number,
  bitmap: number,
  n: number,
  table: number,
  mask: number,
  groupKeys: number,
  groupCount: number,
  slots: number,
): number {
  let count = groupCount;
  for (let from = 0; from < n; from += 32) {
    for (let bits = chosen(words, bitmap, from, n); bits !== 0; bits &= bits - 1) {
      const row = from + lowestBit(bits);
      const [low, high] = [words[keys + row * 2], words[keys + row * 2 + 1]];
      let index = (hashOf(low, high) & mask) >>> 0;
      for (; words[table + index] !== 0; index = ((index + 1) & mask) >>> 0) {
        const at = groupKeys + (words[table + index] - 1) * 2;
        if (words[at] === low && words[at + 1] === high) break;
      }
      if (words[table + index] === 0) {
        words[groupKeys + count * 2] = low;
        words[groupKeys + count * 2 + 1] = high;
        words[table + index] = ++count;
      }
      words[slots + row] = words[table + index] - 1;
    }
  }
  return count;
}

export function rehashGroups(
  words: Uint32Array,
  groupKeys: number,
  count: number,
  table: number,
  mask: number,
): void {
  for (let group = 0; group < count; group++) {
    const at = groupKeys + group * 2;
    let index = (hashOf(words[at], words[at + 1]) & mask) >>> 0;
    while (words[table + index] !== 0) index = ((index + 1) & mask) >>> 0;
    words[table + index] = group + 1;
  }
}

/** All offsets are elements of `words`; the chunks that `partitions` names are byte offsets. */
export function partitionRows(
  words: Uint32Array,
  keys: number,
  n: number,
  records: number,
  recordWords: number,
  extremes: number,
  extremeWords: number,
  chunkRows: number,
  partitions: number,
): void {
  const copy = (from: number, to: number, count: number): void => {
    words.copyWithin(to, from, from + count);
  };
  for (let row = 0; row < n; row++) {
    const key = keys + row * 2;
    const partition = partitions + (hashOf(words[key], words[key + 1]) >>> 24) * 2;
    if (words[partition + 1] === chunkRows) {
      const next = words[partitions + 512];
      words[partitions + 512] += words[partitions + 513];
      words[next >>> 2] = words[partition];
      words[partition] = next;
      words[partition + 1] = 0;
    }
    const count = words[partition + 1]++;
    const keysFrom = (words[partition] >>> 2) + 4;
    const recordsFrom = keysFrom + chunkRows * 2;
    copy(key, keysFrom + count * 2, 2);
    copy(records + row * recordWords, recordsFrom + count * recordWords, recordWords);
    copy(
      extremes + row * extremeWords,
      recordsFrom + chunkRows * recordWords + count * extremeWords,
      extremeWords,
    );
  }
}
