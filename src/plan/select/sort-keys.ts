/**
 * Computes 32-bit order-preserving keys of some rows of a column: as many as possible of the bits in which these rows
 * differ. In slices.
 */
import { inSlices, SLICE_TEXTS, type Task } from '../../base/index.js';
import type { TextVector, Vector, WideIntegers } from '../../vector/index.js';

export interface OrderColumn {
  readonly vector: Vector;
  readonly descending: boolean;
}

export interface SortKeys {
  /** The greatest key; 0 = all keys are equal. */
  readonly greatest: number;
  /** Whether rows with the same key have equal values. */
  readonly exact: boolean;
}

/** The key of missing values, which sort last; other keys are at most KEY_MAX - 1. */
const KEY_MAX = 2 ** 32 - 1;

/** keys[i] is the key of row rows[i]; rows with lesser keys sort first. */
export function* putSortKeys(
  { vector, descending }: OrderColumn,
  rows: Uint32Array,
  keys: Uint32Array,
): Task<SortKeys> {
  const present =
    vector.kind === 'text' ? yield* putTexts(vector, rows, keys) : yield* putNumbers(vector, rows, keys);
  const { valid } = vector;
  const { greatest } = present;
  let missing = 0;
  yield* inSlices(rows.length, (from, to) => {
    if (descending) for (let at = from; at < to; at++) keys[at] = greatest - keys[at];
    if (valid === null) return;
    for (let at = from; at < to; at++) {
      if (valid[rows[at]] === 1) continue;
      keys[at] = greatest + 1;
      missing++;
    }
  });
  if (missing === rows.length) return { greatest: 0, exact: true };
  return { greatest: missing === 0 ? greatest : greatest + 1, exact: present.exact };
}

/** Reads the numbers from which keys are computed; they are monotone in the value. */
function numberReader(vector: Exclude<Vector, TextVector>): (row: number) => number {
  if (vector.kind === 'boolean') {
    const { bits } = vector;
    return (row) => bits[row];
  }
  const { numbers } = vector;
  if (numbers !== null) return (row) => numbers[row];
  const wide = (vector as Extract<Vector, { kind: 'exact' }>).wide as WideIntegers;
  return (row) => Number(wide[row]);
}

/** Writes keys of rows that have a value; other keys are undefined. */
function* putNumbers(
  vector: Exclude<Vector, TextVector>,
  rows: Uint32Array,
  keys: Uint32Array,
): Task<SortKeys> {
  const { valid } = vector;
  const read = numberReader(vector);
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  yield* inSlices(rows.length, (from, to) => {
    for (let at = from; at < to; at++) {
      if (valid !== null && valid[rows[at]] === 0) continue;
      const value = read(rows[at]);
      if (value < least) least = value;
      if (value > most) most = value;
    }
  });
  const isWhole = vector.kind === 'boolean' || (vector.kind === 'exact' && vector.numbers !== null);
  if (!(most > least)) {
    keys.fill(0);
    // Wide values may differ although their nearest doubles are equal.
    return { greatest: 0, exact: isWhole || vector.kind === 'float' };
  }
  const range = most - least;
  // Halving very different doubles first keeps their difference finite.
  const part = Number.isFinite(range) ? 1 : 0.5;
  const span = most * part - least * part;
  const exact = isWhole && span < KEY_MAX;
  const greatest = exact ? span : KEY_MAX - 1;
  yield* inSlices(rows.length, (from, to) => {
    for (let at = from; at < to; at++) {
      if (valid !== null && valid[rows[at]] === 0) continue;
      const above = read(rows[at]) * part - least * part;
      keys[at] = exact ? above : Math.floor((above / span) * greatest);
    }
  });
  return { greatest, exact };
}

/** The four bytes after the common prefix of all texts; a text that ends is padded with zeros. */
function* putTexts(
  { codes, valid, texts }: TextVector,
  rows: Uint32Array,
  keys: Uint32Array,
): Task<SortKeys> {
  const { offsets, bytes } = texts.utf8;
  const codeOf = (row: number): number => (codes === null ? row : codes[row]);
  let first = -1;
  let shared = 0;
  let longest = 0;
  yield* inSlices(
    rows.length,
    (from, to) => {
      for (let at = from; at < to; at++) {
        if (valid !== null && valid[rows[at]] === 0) continue;
        const code = codeOf(rows[at]);
        const length = offsets[code + 1] - offsets[code];
        longest = Math.max(longest, length);
        if (first < 0) {
          first = code;
          shared = length;
        } else if (code !== first)
          shared = sharedBytes(bytes, offsets[first], offsets[code], Math.min(shared, length));
      }
    },
    SLICE_TEXTS,
  );
  // All texts are equal to the first one.
  if (longest <= shared) {
    keys.fill(0);
    return { greatest: 0, exact: true };
  }
  let greatest = 0;
  yield* inSlices(rows.length, (from, to) => {
    for (let at = from; at < to; at++) {
      if (valid !== null && valid[rows[at]] === 0) continue;
      const code = codeOf(rows[at]);
      const key = fourBytes(bytes, offsets[code] + shared, offsets[code + 1]);
      keys[at] = key;
      if (key > greatest) greatest = key;
    }
  });
  return { greatest, exact: false };
}

/** The number of equal leading bytes, at most `most`. */
function sharedBytes(bytes: Uint8Array, from: number, other: number, most: number): number {
  let count = 0;
  while (count < most && bytes[from + count] === bytes[other + count]) count++;
  return count;
}

function fourBytes(bytes: Uint8Array, from: number, end: number): number {
  let key = 0;
  for (let at = from; at < from + 4; at++) key = key * 256 + (at < end ? bytes[at] : 0);
  return key;
}
