/**
 * Finds the parts of LIKE patterns in UTF-8 bytes. A part is a list of steps: a byte to match, or ANY for any one code point.
 * A search takes at most about 16 steps per byte, or a 32nd of the part's length: short parts are tried at each offset, long
 * parts without ANY use Knuth-Morris-Pratt, long parts with ANY use Shift-And over code points.
 */
export const ANY = -1;
export type Steps = Int16Array;

/** Parts of at most this many steps are tried at each offset. */
const TRIED_STEPS_MAX = 16;

/**
 * Returns the end offset of the first match at or after `from`, or -1. `from` and `end` (of the text) are code point
 * boundaries.
 */
export type Search = (bytes: Uint8Array, from: number, end: number) => number;

export function searchOf(steps: Steps): Search {
  if (steps.length <= TRIED_STEPS_MAX) return (bytes, from, end) => searchByTrying(steps, bytes, from, end);
  if (!steps.includes(ANY)) {
    const failures = failuresOf(steps);
    return (bytes, from, end) => searchByFailures(steps, failures, bytes, from, end);
  }
  const pattern = bitsOf(steps);
  return (bytes, from, end) => searchByBits(pattern, bytes, from, end);
}

/** Returns the end offset of a match that begins at `from`, or -1. */
export function matchAt(steps: Steps, bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  for (let index = 0; index < steps.length; index++) {
    if (at >= end) return -1;
    if (steps[index] === ANY) at = afterPoint(bytes, at);
    else if (bytes[at++] !== steps[index]) return -1;
  }
  return at;
}

/** The end offset of the code point at `at`. */
function afterPoint(bytes: Uint8Array, at: number): number {
  const lead = bytes[at];
  return at + (lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4);
}

/** The start offset of the last `count` code points before `end`, or -1 if there are fewer after `from`. */
export function pointsBefore(bytes: Uint8Array, from: number, end: number, count: number): number {
  let at = end;
  for (let left = count; left > 0; left--) {
    if (at <= from) return -1;
    do at--;
    while ((bytes[at] & 0xc0) === 0x80);
  }
  return at;
}

function searchByTrying(steps: Steps, bytes: Uint8Array, from: number, end: number): number {
  const first = steps[0];
  const last = end - steps.length;
  if (first === ANY) {
    for (let at = from; at <= last; at = afterPoint(bytes, at)) {
      const matched = matchAt(steps, bytes, at, end);
      if (matched !== -1) return matched;
    }
    return -1;
  }
  for (let at = from; at <= last; at++) {
    if (bytes[at] !== first) continue;
    const matched = matchAt(steps, bytes, at, end);
    if (matched !== -1) return matched;
  }
  return -1;
}

/**
 * The failure function: failures[i] is the length of the longest proper prefix that is also a suffix of the first i + 1
 * steps.
 */
function failuresOf(steps: Steps): Int32Array {
  const failures = new Int32Array(steps.length);
  let matched = 0;
  for (let index = 1; index < steps.length; index++) {
    while (matched > 0 && steps[index] !== steps[matched]) matched = failures[matched - 1];
    if (steps[index] === steps[matched]) matched++;
    failures[index] = matched;
  }
  return failures;
}

function searchByFailures(
  steps: Steps,
  failures: Int32Array,
  bytes: Uint8Array,
  from: number,
  end: number,
): number {
  let matched = 0;
  for (let at = from; at < end; at++) {
    while (matched > 0 && bytes[at] !== steps[matched]) matched = failures[matched - 1];
    if (bytes[at] === steps[matched]) matched++;
    if (matched === steps.length) return at + 1;
  }
  return -1;
}

/** Masks by code point: bit i is set if the code point can match position i of the part. */
interface BitPattern {
  readonly length: number;
  readonly masks: ReadonlyMap<number, Uint32Array>;
  /** The mask of code points that do not occur in the part: its ANYs. */
  readonly others: Uint32Array;
}

function bitsOf(steps: Steps): BitPattern {
  const points: number[] = [];
  for (let at = 0; at < steps.length; ) {
    points.push(steps[at] === ANY ? ANY : pointAt(steps, at));
    at = steps[at] === ANY ? at + 1 : afterPoint(Uint8Array.from([steps[at]]), 0) + at;
  }
  const words = Math.ceil(points.length / 32);
  const others = new Uint32Array(words);
  points.forEach((point, index) => {
    if (point === ANY) others[index >> 5] |= 1 << (index & 31);
  });
  const masks = new Map<number, Uint32Array>();
  points.forEach((point, index) => {
    if (point === ANY) return;
    const mask = masks.get(point) ?? others.slice();
    mask[index >> 5] |= 1 << (index & 31);
    masks.set(point, mask);
  });
  return { length: points.length, masks, others };
}

/** The bytes of the code point at `at` packed into one number, which identifies the code point. */
function pointAt(bytes: ArrayLike<number>, at: number): number {
  const lead = bytes[at];
  if (lead < 0x80) return lead;
  const two = lead * 64 + (bytes[at + 1] & 63);
  if (lead < 0xe0) return two;
  const three = two * 64 + (bytes[at + 2] & 63);
  return lead < 0xf0 ? three : three * 64 + (bytes[at + 3] & 63);
}

function searchByBits(pattern: BitPattern, bytes: Uint8Array, from: number, end: number): number {
  const { length, masks, others } = pattern;
  const state = new Uint32Array(others.length);
  const [lastWord, lastBit] = [(length - 1) >> 5, 1 << ((length - 1) & 31)];
  for (let at = from; at < end; ) {
    const mask = masks.get(pointAt(bytes, at)) ?? others;
    at = afterPoint(bytes, at);
    let carry = 1;
    for (let word = 0; word < state.length; word++) {
      const shifted = (state[word] << 1) | carry;
      carry = state[word] >>> 31;
      state[word] = shifted & mask[word];
    }
    if ((state[lastWord] & lastBit) !== 0) return at;
  }
  return -1;
}
