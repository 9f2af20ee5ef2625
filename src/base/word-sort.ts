/**
 * Sorts entries by keys of one or more 32-bit words, most significant word first, without a function call per
 * comparison: a stable radix sort from the most significant digit, whose ranges soon fit the processor's cache. A digit
 * has about as many values as its range has entries, so that two or three passes suffice; short ranges are sorted by
 * insertion. In slices.
 * Layout  keys[i] is the current word of entries[i]; both move together.
 * Cost    no quadratic case: a range that a digit does not divide is sorted by the next digit that varies.
 */
import type { MemoryAccount } from './memory-account.js';
import { inSlices, SLICE_ENTRIES, type Task } from './task.js';

/** The words of the entries that are sorted. */
export interface WordSource {
  /** Writes word `level` of entries[i] to keys[i], for i in [from, to). */
  load(level: number, entries: Uint32Array, keys: Uint32Array, from: number, to: number): void;
  /** Whether entries whose words agree up to word `level`, which is `key`, may differ in later words. */
  hasMore(level: number, key: number): boolean;
  /** Compares two entries whose words agree before word `level`. */
  compare(level: number, a: number, b: number): number;
}

/** Temporary bytes per entry, besides the result. */
const SORT_BYTES = 12;
/** Ranges of at most this many entries are sorted by insertion. */
const FEW = 12;
/** Bits of a digit of a large range: more ranges than a processor's cache has lines are slow to write to. */
const DIGIT_BITS_LARGE = 10;
const DIGIT_BITS_MAX = 13;
/** Ranges of at most this many entries stay in the cache while they are sorted. */
const CACHED_ENTRIES = 2 ** 16;

/** Entries [from, to), which agree before word `level`. */
interface Range {
  readonly from: number;
  readonly to: number;
  readonly level: number;
  /** Whether the keys are word `level`. */
  readonly isLoaded: boolean;
}

interface Arrays {
  readonly entries: Uint32Array;
  readonly keys: Uint32Array;
  readonly otherEntries: Uint32Array;
  readonly otherKeys: Uint32Array;
  /** By digit: the number of its entries, then the end of its range. */
  readonly positions: Uint32Array;
}

/**
 * Sorts `entries` in position and returns them; ties keep their order. The temporary memory is released at the end. Throws
 * 9006.
 */
export function* sortEntries(
  source: WordSource,
  entries: Uint32Array,
  memory: MemoryAccount,
): Task<Uint32Array> {
  const count = entries.length;
  if (count < 2) return entries;
  memory.reserve(count * SORT_BYTES);
  const arrays: Arrays = {
    entries,
    keys: new Uint32Array(count),
    otherEntries: new Uint32Array(count),
    otherKeys: new Uint32Array(count),
    positions: new Uint32Array(2 ** DIGIT_BITS_MAX),
  };
  const ranges: Range[] = [{ from: 0, to: count, level: 0, isLoaded: false }];
  let sorted = 0;
  for (let range = ranges.pop(); range !== undefined; range = ranges.pop()) {
    const { from, to } = range;
    if (to - from > SLICE_ENTRIES) yield* sortLarge(source, arrays, range, ranges);
    else {
      sortSmall(source, arrays, range, ranges);
      sorted += to - from;
      if (sorted >= SLICE_ENTRIES) {
        sorted = 0;
        yield;
      }
    }
  }
  memory.release(count * SORT_BYTES);
  return entries;
}

function* sortLarge(source: WordSource, arrays: Arrays, range: Range, ranges: Range[]): Task<void> {
  const { from, to, level, isLoaded } = range;
  const { entries, keys, otherEntries, otherKeys, positions } = arrays;
  if (!isLoaded) {
    yield* inSlices(to - from, (first, end) => source.load(level, entries, keys, from + first, from + end));
  }
  const digit = digitOf(keys, range);
  if (digit === null) {
    if (source.hasMore(level, keys[from])) ranges.push({ from, to, level: level + 1, isLoaded: false });
    return;
  }
  positions.fill(0, 0, digit.values);
  yield* inSlices(to - from, (first, end) => countDigits(keys, from + first, from + end, digit, positions));
  toStarts(positions, digit.values, from);
  yield* inSlices(to - from, (first, end) => moveEntries(arrays, from + first, from + end, digit));
  yield* inSlices(to - from, (first, end) => {
    entries.set(otherEntries.subarray(from + first, from + end), from + first);
    keys.set(otherKeys.subarray(from + first, from + end), from + first);
  });
  pushRanges(source, arrays, range, digit, ranges);
}

function sortSmall(source: WordSource, arrays: Arrays, range: Range, ranges: Range[]): void {
  const { from, to, level, isLoaded } = range;
  const { entries, keys, otherEntries, otherKeys, positions } = arrays;
  if (!isLoaded) source.load(level, entries, keys, from, to);
  if (to - from <= FEW) {
    sortFew(source, arrays, from, to, level);
    return;
  }
  const digit = digitOf(keys, range);
  if (digit === null) {
    if (source.hasMore(level, keys[from])) ranges.push({ from, to, level: level + 1, isLoaded: false });
    return;
  }
  positions.fill(0, 0, digit.values);
  countDigits(keys, from, to, digit, positions);
  toStarts(positions, digit.values, from);
  moveEntries(arrays, from, to, digit);
  entries.set(otherEntries.subarray(from, to), from);
  keys.set(otherKeys.subarray(from, to), from);
  pushRanges(source, arrays, range, digit, ranges);
}

interface Digit {
  readonly shift: number;
  readonly mask: number;
  readonly values: number;
}

/** The most significant digit in which the keys of the range differ; null = they are equal. */
function digitOf(keys: Uint32Array, { from, to }: Range): Digit | null {
  const first = keys[from];
  let varying = 0;
  for (let at = from + 1; at < to; at++) varying |= keys[at] ^ first;
  if (varying === 0) return null;
  const count = to - from;
  const top = 32 - Math.clz32(varying);
  const most = count > CACHED_ENTRIES ? DIGIT_BITS_LARGE : DIGIT_BITS_MAX;
  const bits = Math.min(top, most, 32 - Math.clz32(count));
  return { shift: top - bits, mask: 2 ** bits - 1, values: 2 ** bits };
}

function countDigits(
  keys: Uint32Array,
  from: number,
  to: number,
  { shift, mask }: Digit,
  positions: Uint32Array,
): void {
  for (let at = from; at < to; at++) positions[(keys[at] >>> shift) & mask]++;
}

function toStarts(positions: Uint32Array, values: number, from: number): void {
  let start = from;
  for (let value = 0; value < values; value++) {
    const count = positions[value];
    positions[value] = start;
    start += count;
  }
}

function moveEntries(
  { entries, keys, otherEntries, otherKeys, positions }: Arrays,
  from: number,
  to: number,
  { shift, mask }: Digit,
): void {
  for (let at = from; at < to; at++) {
    const key = keys[at];
    const position = positions[(key >>> shift) & mask]++;
    otherKeys[position] = key;
    otherEntries[position] = entries[at];
  }
}

/** Sorts short ranges of one digit value, and pushes longer ones. positions[v] is the end of the range of value v. */
function pushRanges(
  source: WordSource,
  arrays: Arrays,
  { from, level }: Range,
  { shift, values }: Digit,
  ranges: Range[],
): void {
  const { keys, positions } = arrays;
  let start = from;
  for (let value = 0; value < values; value++) {
    const end = positions[value];
    if (end - start > FEW) {
      if (shift > 0) ranges.push({ from: start, to: end, level, isLoaded: true });
      else if (source.hasMore(level, keys[start])) {
        ranges.push({ from: start, to: end, level: level + 1, isLoaded: false });
      }
    } else if (end - start > 1) sortFew(source, arrays, start, end, level);
    start = end;
  }
}

/** Sorts by insertion; the keys are word `level`. */
function sortFew(
  source: WordSource,
  { entries, keys }: Arrays,
  from: number,
  to: number,
  level: number,
): void {
  for (let at = from + 1; at < to; at++) {
    const key = keys[at];
    const entry = entries[at];
    let position = at;
    for (; position > from; position--) {
      const other = keys[position - 1];
      if (other < key) break;
      if (other === key) {
        if (!source.hasMore(level, key)) break;
        if (source.compare(level + 1, entries[position - 1], entry) <= 0) break;
      }
      keys[position] = other;
      entries[position] = entries[position - 1];
    }
    keys[position] = key;
    entries[position] = entry;
  }
}

/** The words of entry e are words[0][e], words[1][e], ... */
export function columnsOfWords(words: readonly Uint32Array[]): WordSource {
  return {
    load: (level, entries, keys, from, to) => {
      const column = words[level];
      for (let at = from; at < to; at++) keys[at] = column[entries[at]];
    },
    hasMore: (level) => level + 1 < words.length,
    compare: (level, a, b) => {
      for (let at = level; at < words.length; at++) {
        const column = words[at];
        if (column[a] !== column[b]) return column[a] - column[b];
      }
      return 0;
    },
  };
}
