/**
 * Kernels of a hash aggregation. The key values of a row are packed into one u64, its key word; a hash table numbers the different
 * key words in order of appearance, and that number is the slot of the row, as in a dense aggregation (records.ts).
 */
import { chosen, wordCount } from './_words';

/**
 * Multiplies both halves of the key word by odd numbers of the seed. Clients choose key words but do not know the seed, so they cannot
 * choose collisions. Sequential and evenly spaced key words spread evenly over the low and the high bits.
 * Source  Lemire and Kaser, "Strongly Universal String Hashing is Fast", The Computer Journal 2014
 */
// @ts-ignore: decorator
@inline
function hashOf(key: u64, first: u64, second: u64): u32 {
  let hash = <u32>((<u64>(<u32>key) * first) >> 32) + <u32>(((key >> 32) * second) >> 32);
  hash = (hash ^ (hash >>> 15)) * 0x85ebca77;
  return hash ^ (hash >>> 13);
}

// @ts-ignore: decorator
@inline
function addKeys<T>(values: usize, n: u32, least: i64, shift: u64, keys: usize): void {
  for (let row: usize = 0; row < <usize>n; row++) {
    const at = keys + (row << 3);
    store<u64>(at, load<u64>(at) + (<u64>(<i64>load<T>(values + row * sizeof<T>()) - least) << shift));
  }
}

/**
 * keys[i] += (values[i] - least) << shift for every row, modulo 2^64.
 * Layout  one u8 value and one u64 key word per row.
 * Cost    O(n), about 0.4 ns a row.
 * Twin    js/hash.ts
 */
export function addKeysU8(values: usize, n: u32, least: i64, shift: u32, keys: usize): void {
  addKeys<u8>(values, n, least, shift, keys);
}

/** Like the previous kernel, over one u16 per row.  Twin  js/hash.ts */
export function addKeysU16(values: usize, n: u32, least: i64, shift: u32, keys: usize): void {
  addKeys<u16>(values, n, least, shift, keys);
}

/** Like the previous kernel, over one i8 per row.  Twin  js/hash.ts */
export function addKeysI8(values: usize, n: u32, least: i64, shift: u32, keys: usize): void {
  addKeys<i8>(values, n, least, shift, keys);
}

/** Like the previous kernel, over one i16 per row.  Twin  js/hash.ts */
export function addKeysI16(values: usize, n: u32, least: i64, shift: u32, keys: usize): void {
  addKeys<i16>(values, n, least, shift, keys);
}

/** Like the previous kernel, over one i32 per row.  Twin  js/hash.ts */
export function addKeysI32(values: usize, n: u32, least: i64, shift: u32, keys: usize): void {
  addKeys<i32>(values, n, least, shift, keys);
}

/** Like the previous kernel, over one i64 per row.  Twin  js/hash.ts */
export function addKeysI64(values: usize, n: u32, least: i64, shift: u32, keys: usize): void {
  addKeys<i64>(values, n, least, shift, keys);
}

/**
 * keys[i] += `set` for the rows that are set in `bitmap`, keys[i] += `clear` for the others, modulo 2^64.
 * Layout  one u64 key word per row.
 * Cost    O(n).  Twin  js/hash.ts
 */
export function addKeysBits(bitmap: usize, n: u32, set: i64, clear: i64, keys: usize): void {
  for (let row: u32 = 0; row < n; row++) {
    const isSet = (load<u8>(bitmap + (<usize>row >> 3)) >> <u8>(row & 7)) & 1;
    const at = keys + (<usize>row << 3);
    store<i64>(at, load<i64>(at) + (isSet ? set : clear));
  }
}

// @ts-ignore: decorator
@inline
function insertKey(key: u64, hash: u32, table: usize, mask: u32, groupKeys: usize, groupCount: u32): u32 {
  let index = hash & mask;
  while (true) {
    const entry = table + (<usize>index << 2);
    const number = load<u32>(entry);
    if (number == 0) {
      store<u32>(entry, groupCount + 1);
      store<u64>(groupKeys + (<usize>groupCount << 3), key);
      return groupCount;
    }
    if (load<u64>(groupKeys + (<usize>(number - 1) << 3)) == key) return number - 1;
    index = (index + 1) & mask;
  }
}

/**
 * For each row set in `bitmap` (0: all), writes the number of the row's key word to slots[i]; a new key word gets the next
 * number, and is written to groupKeys. Returns the number of different key words, which was `groupCount` before the call.
 * Layout  `seed`: two odd u64. One u64 key word and one u32 slot per row; `table`: mask + 1 entries of u32, 0 = free, else a number
 *         plus 1.
 * Needs   mask + 1 is a power of two, at least twice as many as groupCount + n; groupKeys has capacity for groupCount + n.
 * Cost    O(n), 3 ns a row while table and groupKeys are in the L2 cache.
 * Source  open addressing with linear probing; measured in native-bench/kernels/group.bench.ts
 * Twin    js/hash.ts
 */
export function findGroups(
  seed: usize,
  keys: usize,
  bitmap: usize,
  n: u32,
  table: usize,
  mask: u32,
  groupKeys: usize,
  groupCount: u32,
  slots: usize,
): u32 {
  const first = load<u64>(seed);
  const second = load<u64>(seed, 8);
  if (bitmap == 0) {
    for (let row: usize = 0; row < <usize>n; row++) {
      const key = load<u64>(keys + (row << 3));
      const slot = insertKey(key, hashOf(key, first, second), table, mask, groupKeys, groupCount);
      groupCount += u32(slot == groupCount);
      store<u32>(slots + (row << 2), slot);
    }
    return groupCount;
  }
  const end = wordCount(n);
  for (let w: u32 = 0; w < end; w++) {
    for (let bits = chosen(bitmap, w, n); bits != 0; bits &= bits - 1) {
      const row = (<usize>w << 6) + <usize>ctz<u64>(bits);
      const key = load<u64>(keys + (row << 3));
      const slot = insertKey(key, hashOf(key, first, second), table, mask, groupKeys, groupCount);
      groupCount += u32(slot == groupCount);
      store<u32>(slots + (row << 2), slot);
    }
  }
  return groupCount;
}

/**
 * Enters the numbers of `count` different key words into an empty table.
 * Layout  as findGroups.
 * Needs   mask + 1 is a power of two, at least twice `count`; the table is all 0.
 * Cost    O(count).  Twin  js/hash.ts
 */
export function rehashGroups(seed: usize, groupKeys: usize, count: u32, table: usize, mask: u32): void {
  const first = load<u64>(seed);
  const second = load<u64>(seed, 8);
  for (let group: u32 = 0; group < count; group++) {
    let index = hashOf(load<u64>(groupKeys + (<usize>group << 3)), first, second) & mask;
    while (load<u32>(table + (<usize>index << 2)) != 0) index = (index + 1) & mask;
    store<u32>(table + (<usize>index << 2), group + 1);
  }
}

// @ts-ignore: decorator
@inline
function copyFields(from: usize, to: usize, bytes: usize): void {
  for (let byte: usize = 0; byte < bytes; byte += 8) store<i64>(to + byte, load<i64>(from + byte));
}

/**
 * Appends each of n rows, a key word, a record and a record of extremes, to the partition of its key word's hash.
 * Layout  `seed` as in findGroups. `partitions`: for each of 256 partitions its last chunk and the number of rows there, u32 each (0 and `chunkRows` if it has
 *         none); then the next free chunk, u32, and the bytes of a chunk, u32. A chunk: the partition's previous chunk (u32, 0 = none) in
 *         16 bytes, then chunkRows key words, records, and records of extremes.
 * Needs   free chunks for n / chunkRows + 256 more; lengths of records are multiples of 8, perhaps 0.
 * Cost    O(n), 4 to 6 ns a row of 24 to 48 bytes.
 * Source  Balkesen et al., "Main-Memory Hash Joins on Multi-Core CPUs", ICDE 2013, without a histogram: chunks grow as they fill.
 * Twin    js/hash.ts
 */
export function partitionRows(
  seed: usize,
  keys: usize,
  n: u32,
  records: usize,
  recordBytes: u32,
  extremes: usize,
  extremeBytes: u32,
  chunkRows: u32,
  partitions: usize,
): void {
  const first = load<u64>(seed);
  const second = load<u64>(seed, 8);
  const recordsFrom = 16 + (<usize>chunkRows << 3);
  const extremesFrom = recordsFrom + <usize>chunkRows * recordBytes;
  for (let row: usize = 0; row < <usize>n; row++) {
    const key = load<u64>(keys + (row << 3));
    const partition = partitions + (<usize>(hashOf(key, first, second) >>> 24) << 3);
    let chunk = <usize>load<u32>(partition);
    let count = <usize>load<u32>(partition, 4);
    if (count == <usize>chunkRows) {
      const next = load<u32>(partitions, 2048);
      store<u32>(partitions, next + load<u32>(partitions, 2052), 2048);
      store<u32>(next, <u32>chunk);
      store<u32>(partition, next);
      chunk = next;
      count = 0;
    }
    store<u32>(partition, <u32>count + 1, 4);
    store<u64>(chunk + 16 + (count << 3), key);
    copyFields(records + row * recordBytes, chunk + recordsFrom + count * recordBytes, recordBytes);
    copyFields(extremes + row * extremeBytes, chunk + extremesFrom + count * extremeBytes, extremeBytes);
  }
}
