/**
 * Orders entries by columns of doubles with a stable radix sort from the last column to the first, without
 * comparisons. Columns of integers whose range fits 32 bits (ranks, days, most integers) take one pass per 11-bit
 * digit that varies; others take at most six. Infinity stands for a missing value and sorts last; -0 equals 0; NaN
 * must not occur.
 */
import type { QueryRun } from '../query-run.js';

const DIGIT_BITS = 11;
const DIGITS = 1 << DIGIT_BITS;
/** Temporary bytes per entry: two orders with their words, and two words per value. */
const SORT_BYTES = 24;

/**
 * The first `count` entries in ascending order by the first column, then by the next; ties keep their order. Throws
 * 9005, 9006.
 */
export function orderBy(columns: readonly Float64Array[], count: number, memory: QueryRun): Uint32Array {
  memory.reserve(count * SORT_BYTES);
  let order = new Uint32Array(count);
  for (let entry = 0; entry < count; entry++) order[entry] = entry;
  for (let column = columns.length - 1; column >= 0; column--) {
    memory.check();
    for (const words of wordsOf(columns[column], count)) order = sortByWords(words, order);
  }
  memory.release(count * SORT_BYTES);
  return order;
}

/** Maps numbers to unsigned words with the same order, least significant words first. */
function wordsOf(numbers: Float64Array, count: number): Uint32Array[] {
  let [least, greatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  let integers = true;
  for (let at = 0; at < count; at++) {
    const number = numbers[at];
    if (number === Number.POSITIVE_INFINITY) continue;
    if (number < least) least = number;
    if (number > greatest) greatest = number;
    if (Math.floor(number) !== number) integers = false;
  }
  // Every value is missing.
  if (greatest === Number.NEGATIVE_INFINITY) return [];
  const span = greatest - least;
  if (!integers || span >= 2 ** 32 - 1) return wordsOfDoubles(numbers, count);
  const words = new Uint32Array(count);
  for (let at = 0; at < count; at++) {
    words[at] = numbers[at] === Number.POSITIVE_INFINITY ? span + 1 : numbers[at] - least;
  }
  return [words];
}

/**
 * Uses the bits of the doubles: inverted below 0, otherwise with the sign bit set, so that they sort after all
 * negative numbers.
 */
function wordsOfDoubles(numbers: Float64Array, count: number): Uint32Array[] {
  const halves = new Uint32Array(numbers.buffer, numbers.byteOffset, count * 2);
  const [low, high] = [new Uint32Array(count), new Uint32Array(count)];
  for (let at = 0; at < count; at++) {
    const top = halves[at * 2 + 1];
    if (numbers[at] < 0) {
      low[at] = ~halves[at * 2];
      high[at] = ~top;
    } else {
      low[at] = halves[at * 2];
      // -0 becomes 0.
      high[at] = top | 0x80000000;
    }
  }
  return [low, high];
}

/**
 * Sorts `order` by words[entry]. Words move along with their entries, so that each pass reads sequentially; digits on
 * which all words agree are skipped.
 */
function sortByWords(words: Uint32Array, order: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const count = order.length;
  let varying = 0;
  for (let at = 1; at < count; at++) varying |= words[at] ^ words[0];
  if (varying === 0) return order;
  let from = { entries: order, words: new Uint32Array(count) };
  let to = { entries: new Uint32Array(count), words: new Uint32Array(count) };
  for (let at = 0; at < count; at++) from.words[at] = words[order[at]];
  const next = new Uint32Array(DIGITS);
  for (let shift = 0; shift < 32; shift += DIGIT_BITS) {
    if (((varying >>> shift) & (DIGITS - 1)) === 0) continue;
    startsOfDigits(from.words, shift, next);
    moveByDigit(from.words, from.entries, to.words, to.entries, shift, next);
    [from, to] = [to, from];
  }
  return from.entries;
}

/** Computes the start position of each digit's words. */
function startsOfDigits(words: Uint32Array, shift: number, starts: Uint32Array): void {
  starts.fill(0);
  for (let at = 0; at < words.length; at++) starts[(words[at] >>> shift) & (DIGITS - 1)]++;
  let start = 0;
  for (let digit = 0; digit < DIGITS; digit++) {
    const count = starts[digit];
    starts[digit] = start;
    start += count;
  }
}

function moveByDigit(
  words: Uint32Array,
  entries: Uint32Array,
  toWords: Uint32Array,
  toEntries: Uint32Array,
  shift: number,
  next: Uint32Array,
): void {
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    const target = next[(word >>> shift) & (DIGITS - 1)]++;
    toWords[target] = word;
    toEntries[target] = entries[at];
  }
}
