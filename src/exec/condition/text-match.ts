/**
 * Text tests over many strings at once: each distinct string is looked at once, rows then test codes.
 * Layout  string s spans bytes[offsets[s], offsets[s + 1]), lower-cased UTF-8, as in a dictionary or an ID column.
 */
import { hashBytes } from '../../base/index.js';
import type { ValueTest } from '../../ir/index.js';
import type { Dictionary } from '../../storage/index.js';

export type TextTest = Extract<ValueTest, { kind: 'text' }>;

/** Calls `found` for strings in [first, count) that match any of the test's texts (a string may come twice). */
export function eachMatch(
  test: TextTest,
  offsets: Uint32Array,
  bytes: Uint8Array,
  first: number,
  count: number,
  found: (string: number) => void,
): void {
  for (const text of test.texts) {
    const needle = Buffer.from(text, 'utf8');
    if (test.match === 'contains') eachContaining(needle, offsets, bytes, first, count, found);
    else eachWithEdge(needle, test.match, offsets, bytes, first, count, found);
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

/** The string in [from, count) whose span holds byte `at`. */
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

/** The codes of a dictionary that match (before any negation), ascending. */
export function matchingCodes(test: TextTest, dictionary: Dictionary): number[] {
  if (test.match === 'equals') {
    const codes = test.texts.map((text) => {
      const bytes = Buffer.from(text, 'utf8');
      return dictionary.find(hashBytes(bytes, 0, bytes.length), bytes, 0, bytes.length);
    });
    return [...new Set(codes.filter((code) => code !== 0))].sort((a, b) => a - b);
  }
  const codes = new Set<number>();
  eachMatch(test, dictionary.offsets, dictionary.bytes, 1, dictionary.codeCount, (code) => codes.add(code));
  return [...codes].sort((a, b) => a - b);
}
