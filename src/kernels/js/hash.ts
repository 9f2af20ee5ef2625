/** Twins of wasm/hash.ts, which documents layouts and Needs. Key words are elements of an i64 view, or pairs of elements of a u32 view. */
import { chosen, lowestBit } from './words.js';

/** Bits 32 to 63 of the product of a u32 and the u64 at element `factor`. */
function productAbove(value: number, words: Uint32Array, factor: number): number {
  const [low, high] = [value & 0xffff, value >>> 16];
  const [ofLow, ofHigh] = [words[factor] & 0xffff, words[factor] >>> 16];
  const middle = high * ofLow + ((low * ofLow) >>> 16);
  const carry = (((middle & 0xffff) + low * ofHigh) / 65_536) | 0;
  return (Math.imul(value, words[factor + 1]) + high * ofHigh + (middle >>> 16) + carry) | 0;
}

function hashOf(words: Uint32Array, key: number, seed: number): number {
  const sum = (productAbove(words[key], words, seed) + productAbove(words[key + 1], words, seed + 2)) | 0;
  const hash = Math.imul(sum ^ (sum >>> 15), 0x85ebca77);
  return (hash ^ (hash >>> 13)) >>> 0;
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
  seed: number,
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
      let index = (hashOf(words, keys + row * 2, seed) & mask) >>> 0;
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
  seed: number,
  groupKeys: number,
  count: number,
  table: number,
  mask: number,
): void {
  for (let group = 0; group < count; group++) {
    const at = groupKeys + group * 2;
    let index = (hashOf(words, at, seed) & mask) >>> 0;
    while (words[table + index] !== 0) index = ((index + 1) & mask) >>> 0;
    words[table + index] = group + 1;
  }
}

/** All offsets are elements of `words`; the chunks that `partitions` names are byte offsets. */
export function partitionRows(
  words: Uint32Array,
  seed: number,
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
    const partition = partitions + (hashOf(words, key, seed) >>> 24) * 2;
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
