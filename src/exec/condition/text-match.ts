/**
 * Tests on the distinct strings of a dictionary or ID column: each string is tested once, and rows are then tested by
 * code.
 * Layout  string s spans bytes[offsets[s], offsets[s + 1]), UTF-8.
 */
import type { ValueTest } from '../../ir/index.js';
import { lowerCase } from '../../schema/index.js';
import type { Dictionary } from '../../storage/index.js';
import type { QueryRun } from '../query-run.js';
import { isLike, likeTokens } from './like-match.js';

export type TextTest = Extract<ValueTest, { kind: 'text' }>;

/** Number of strings tested between two cancellation checks; fewer for patterns, which may take long. */
const MORSEL_STRINGS = 65_536;
const PATTERN_MORSEL_STRINGS = 256;
/** Number of strings whose lower-case forms are held at a time. */
const LOWERED_MORSEL_STRINGS = 4_096;

/** Whether the strings that pass are found by their hash. */
export const isLookUpTest = ({ match, ignoresCase }: TextTest): boolean =>
  match === 'equals' && ignoresCase !== true;

/**
 * Calls `found` for strings in [first, count) that match any of the test's texts; a string may be reported twice.
 * Throws 9005.
 */
export function eachMatch(
  test: TextTest,
  offsets: Uint32Array,
  bytes: Uint8Array,
  first: number,
  count: number,
  found: (string: number) => void,
  run: QueryRun,
): void {
  if (test.ignoresCase === true) {
    for (let from = first; from < count; from += LOWERED_MORSEL_STRINGS) {
      const to = Math.min(count, from + LOWERED_MORSEL_STRINGS);
      const lower = loweredStrings(offsets, bytes, from, to);
      const add = (string: number): void => found(from + string);
      eachMatch({ ...test, ignoresCase: false }, lower.offsets, lower.bytes, 0, to - from, add, run);
    }
    return;
  }
  for (const text of test.texts) {
    if (test.match === 'like') {
      eachLike(text, offsets, bytes, first, count, found, run);
      continue;
    }
    const needle = Buffer.from(text, 'utf8');
    for (let from = first; from < count; from += MORSEL_STRINGS) {
      run.check();
      const to = Math.min(count, from + MORSEL_STRINGS);
      if (test.match === 'contains') eachContaining(needle, offsets, bytes, from, to, found);
      else eachWithEdge(needle, test.match, offsets, bytes, from, to, found);
    }
  }
}

/** The lower-case forms of the strings in [from, to). */
function loweredStrings(
  offsets: Uint32Array,
  bytes: Uint8Array,
  from: number,
  to: number,
): { readonly offsets: Uint32Array; readonly bytes: Uint8Array } {
  const heap = Buffer.from(bytes.buffer, bytes.byteOffset, offsets[to]);
  const ends = new Uint32Array(to - from + 1);
  const texts: Buffer[] = [];
  for (let string = from; string < to; string++) {
    const lower = Buffer.from(lowerCase(heap.toString('utf8', offsets[string], offsets[string + 1])), 'utf8');
    texts.push(lower);
    ends[string - from + 1] = ends[string - from] + lower.length;
  }
  return { offsets: ends, bytes: Buffer.concat(texts) };
}

function eachLike(
  pattern: string,
  offsets: Uint32Array,
  bytes: Uint8Array,
  first: number,
  count: number,
  found: (string: number) => void,
  run: QueryRun,
): void {
  const tokens = likeTokens(pattern);
  for (let string = first; string < count; string++) {
    if (string % PATTERN_MORSEL_STRINGS === 0) run.check();
    if (isLike(tokens, bytes, offsets[string], offsets[string + 1])) found(string);
  }
}

function eachContaining(
  needle: Buffer,
  offsets: Uint32Array,
  bytes: Uint8Array,
  first: number,
  count: number,
  found: (string: number) => void,
): void {
  if (first >= count) return;
  const heap = Buffer.from(bytes.buffer, bytes.byteOffset, offsets[count]);
  let string = first;
  for (let at = heap.indexOf(needle, offsets[first]); at >= 0; ) {
    string = ownerOf(offsets, string, count, at);
    if (at + needle.length <= offsets[string + 1]) {
      found(string);
      at = offsets[string + 1];
    } else at++;
    if (at >= heap.length) return;
    at = heap.indexOf(needle, at);
  }
}

/** The string in [from, count) whose bytes include byte `at`. */
function ownerOf(offsets: Uint32Array, from: number, count: number, at: number): number {
  let low = from;
  let high = count - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (offsets[middle] <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}

function eachWithEdge(
  needle: Buffer,
  match: 'equals' | 'starts-with' | 'ends-with',
  offsets: Uint32Array,
  bytes: Uint8Array,
  first: number,
  count: number,
  found: (string: number) => void,
): void {
  const { length } = needle;
  for (let string = first; string < count; string++) {
    const from = offsets[string];
    const to = offsets[string + 1];
    if (match === 'equals' ? to - from !== length : to - from < length) continue;
    const start = match === 'ends-with' ? to - length : from;
    let same = 0;
    while (same < length && bytes[start + same] === needle[same]) same++;
    if (same === length) found(string);
  }
}

/** The codes of a dictionary that match a test, before any negation. */
export class MatchingCodes {
  /** The number of matching codes, the least and the greatest. */
  readonly count: number;
  readonly least: number;
  readonly greatest: number;
  /** One bit per code of the dictionary. */
  readonly bits: Uint8Array;

  /** Reserves one bit per code in the query's memory. Throws 9005 and 9006. */
  constructor(test: TextTest, dictionary: Dictionary, run: QueryRun) {
    const bytes = (dictionary.codeCount + 7) >>> 3;
    run.reserve(bytes);
    const bits = new Uint8Array(bytes);
    let [count, least, greatest] = [0, dictionary.codeCount, 0];
    const add = (code: number): void => {
      const bit = 1 << (code & 7);
      if ((bits[code >>> 3] & bit) !== 0) return;
      bits[code >>> 3] |= bit;
      count++;
      if (code < least) least = code;
      if (code > greatest) greatest = code;
    };
    if (isLookUpTest(test)) {
      for (const text of test.texts) {
        const code = dictionary.codeOf(text);
        if (code !== 0) add(code);
      }
    } else eachMatch(test, dictionary.offsets, dictionary.bytes, 1, dictionary.codeCount, add, run);
    this.count = count;
    this.least = least;
    this.greatest = greatest;
    this.bits = bits;
  }

  has(code: number): boolean {
    return (this.bits[code >>> 3] & (1 << (code & 7))) !== 0;
  }
}
