/**
 * The values of one sort key, entry by entry, as numbers that sort like the values.
 * Invariants  a value's leading number is negated for descending order and Infinity for a missing value; entries with
 *             different leading numbers are ordered by them. The leading number of an exact value is its nearest
 *             double, followed by the remainder (twice: 38 digits fit three doubles); that of a text is its first six
 *             bytes, followed by the text's rank.
 */

import { grownWithin, invariant } from '../../base/index.js';
import type { SortKey } from '../../ir/index.js';
import {
  type ExactVector,
  type Texts,
  type TextVector,
  type Value,
  type Vector,
  vectorKindOf,
  vectorOf,
  type WideIntegers,
} from '../../vector/index.js';
import { textRanks } from '../aggregate/groups/text-ranks.js';
import { TextStore } from '../aggregate/groups/text-store.js';
import type { QueryRun } from '../query-run.js';
import { ROWS_MIN } from '../scan/array-lengths.js';
import { compareBytes, prefixOf } from './byte-order.js';

const MISSING = Number.POSITIVE_INFINITY;
/** Prefixes are precomputed for dictionaries of at most this many texts per row seen. */
const TEXTS_PER_ROW = 2;

export interface SortKeyColumn {
  /** Whether rows with the same leading number may still differ. */
  readonly hasMore: boolean;
  /** Writes the leading number of each row. Throws 9006. */
  leading(vector: Vector, out: Float64Array): void;
  /** Appends all rows of a vector. Throws 9006. */
  append(vector: Vector): void;
  /** The columns by which the first `count` entries are sorted. Throws 9005, 9006. */
  columns(count: number): readonly Float64Array[];
  /** Releases the memory that `columns` reserved. */
  releaseColumns(): void;
  /**
   * Keeps only the given ascending entries. From now on rows are compared with entry `last`, an index before the
   * removal.
   */
  keep(entries: Uint32Array, last: number): void;
  /** The leading number of entry `last`. */
  readonly lastLeading: number;
  /** Negative if the row sorts before entry `last`, 0 if they tie. */
  compareWithLast(vector: Vector, row: number): number;
}

export function sortKeyColumn({ of, descending }: SortKey, memory: QueryRun): SortKeyColumn {
  return vectorKindOf(of.type) === 'text'
    ? new TextKeyColumn(descending, memory)
    : new NumberKeyColumn(descending, memory);
}

/** The leading number of a value of the key. */
export const leadingNumberOf = ({ of, descending }: SortKey, value: Value): number =>
  leadingNumber(vectorOf(of.type, [value]), 0, descending);

/** Writes the leading number of each row, as described above. */
function leadingNumbers(vector: Vector, descending: boolean, out: Float64Array): void {
  switch (vector.kind) {
    case 'exact':
      if (vector.numbers !== null) signed(vector.numbers, vector.count, descending, out);
      else for (let row = 0; row < vector.count; row++) out[row] = leadingOfWide(vector, row, descending);
      break;
    case 'float':
      signed(vector.numbers, vector.count, descending, out);
      break;
    case 'boolean':
      signed(vector.bits, vector.count, descending, out);
      break;
    case 'text':
      for (let row = 0; row < vector.count; row++) out[row] = leadingOfText(vector, row, descending);
      break;
  }
  const { valid } = vector;
  if (valid !== null) for (let row = 0; row < vector.count; row++) if (valid[row] === 0) out[row] = MISSING;
}

function signed(
  values: Float64Array | Uint8Array,
  count: number,
  descending: boolean,
  out: Float64Array,
): void {
  // Avoids -0.
  if (descending) for (let row = 0; row < count; row++) out[row] = 0 - values[row];
  else for (let row = 0; row < count; row++) out[row] = values[row] + 0;
}

/** The leading number of one row. */
function leadingNumber(vector: Vector, row: number, descending: boolean): number {
  if (isMissing(vector, row)) return MISSING;
  if (vector.kind === 'text') return leadingOfText(vector, row, descending);
  if (vector.kind === 'exact' && vector.wide !== null) return leadingOfWide(vector, row, descending);
  const values = vector.kind === 'boolean' ? vector.bits : vector.numbers;
  const value = values === null ? 0 : values[row];
  return descending ? 0 - value : value;
}

const isMissing = ({ valid }: Vector, row: number): boolean => valid !== null && valid[row] === 0;

function leadingOfWide(vector: ExactVector, row: number, descending: boolean): number {
  if (isMissing(vector, row)) return MISSING;
  const number = Number((vector.wide as WideIntegers)[row]);
  return descending ? 0 - number : number;
}

function leadingOfText({ valid, codes, texts }: TextVector, row: number, descending: boolean): number {
  if (valid !== null && valid[row] === 0) return MISSING;
  const { offsets, bytes } = texts.utf8;
  const code = codes === null ? row : codes[row];
  const prefix = prefixOf(bytes, offsets[code], offsets[code + 1]);
  return descending ? 0 - prefix : prefix;
}

/** The remainder of an exact value after its nearest double: the next double, and the remainder after that. */
function restOf(value: bigint, descending: boolean): readonly [number, number] {
  const left = value - BigInt(Number(value));
  const second = Number(left);
  const third = Number(left - BigInt(second));
  return descending ? [0 - second, 0 - third] : [second, third];
}

class NumberKeyColumn implements SortKeyColumn {
  readonly #descending: boolean;
  readonly #memory: QueryRun;
  #count = 0;
  #leading = new Float64Array(0);
  /** The remainder of each value; null while all are safe integers. */
  #rest: [Float64Array<ArrayBuffer>, Float64Array<ArrayBuffer>] | null = null;
  #last: readonly [number, number, number] = [MISSING, 0, 0];

  constructor(descending: boolean, memory: QueryRun) {
    this.#descending = descending;
    this.#memory = memory;
  }

  get hasMore(): boolean {
    return this.#rest !== null;
  }

  leading(vector: Vector, out: Float64Array): void {
    leadingNumbers(vector, this.#descending, out);
  }

  append(vector: Vector): void {
    const count = this.#count + vector.count;
    this.#leading = grownWithin(this.#memory, this.#leading, count, ROWS_MIN);
    leadingNumbers(vector, this.#descending, this.#leading.subarray(this.#count));
    const wide = vector.kind === 'exact' ? vector.wide : null;
    if (wide !== null || this.#rest !== null) {
      const [second, third] = this.#rest ?? [new Float64Array(0), new Float64Array(0)];
      this.#rest = [
        grownWithin(this.#memory, second, count, ROWS_MIN),
        grownWithin(this.#memory, third, count, ROWS_MIN),
      ];
    }
    if (wide !== null) this.#appendRest(vector, wide);
    this.#count = count;
  }

  #appendRest(vector: Vector, wide: WideIntegers): void {
    const rest = this.#rest;
    invariant(rest !== null, 'the remainder columns are allocated');
    for (let row = 0; row < vector.count; row++) {
      if (isMissing(vector, row)) continue;
      [rest[0][this.#count + row], rest[1][this.#count + row]] = restOf(wide[row], this.#descending);
    }
  }

  columns(): readonly Float64Array[] {
    return this.#rest === null ? [this.#leading] : [this.#leading, ...this.#rest];
  }

  releaseColumns(): void {}

  keep(entries: Uint32Array, last: number): void {
    const [second, third] = this.#rest ?? [null, null];
    this.#last = [this.#leading[last], second?.[last] ?? 0, third?.[last] ?? 0];
    keepNumbers(this.#leading, entries, this.#count);
    for (const numbers of this.#rest ?? []) keepNumbers(numbers, entries, this.#count);
    this.#count = entries.length;
  }

  get lastLeading(): number {
    return this.#last[0];
  }

  compareWithLast(vector: Vector, row: number): number {
    const own = leadingNumber(vector, row, this.#descending);
    const [leading, second, third] = this.#last;
    if (own !== leading) return own < leading ? -1 : 1;
    const wide = vector.kind === 'exact' && !isMissing(vector, row) ? vector.wide : null;
    if (wide === null) return 0 - second || 0 - third;
    const rest = restOf(wide[row], this.#descending);
    return rest[0] === second ? rest[1] - third : rest[0] - second;
  }
}

/** Moves the entries to the front and clears the rest of the used range. */
function keepNumbers(numbers: Float64Array, entries: Uint32Array, count: number): void {
  for (let at = 0; at < entries.length; at++) numbers[at] = numbers[entries[at]];
  numbers.fill(0, entries.length, count);
}

function prefixesOf({ size, utf8 }: Texts, descending: boolean): Float64Array {
  const { offsets, bytes } = utf8;
  const sign = descending ? -1 : 1;
  return Float64Array.from(
    { length: size },
    (_, code) => sign * prefixOf(bytes, offsets[code], offsets[code + 1]) + 0,
  );
}

class TextKeyColumn implements SortKeyColumn {
  readonly #descending: boolean;
  readonly #memory: QueryRun;
  readonly #texts: TextStore;
  #count = 0;
  #missing = new Uint8Array(0);
  #columnBytes = 0;
  /** null = missing. */
  #last: Uint8Array | null = null;
  /** The dictionary seen last, the number of its rows, and the prefixes computed from it. */
  #recent: { readonly texts: Texts | null; readonly rows: number; readonly prefixes: Float64Array | null } = {
    texts: null,
    rows: 0,
    prefixes: null,
  };

  constructor(descending: boolean, memory: QueryRun) {
    this.#descending = descending;
    this.#memory = memory;
    this.#texts = new TextStore(memory);
  }

  get hasMore(): boolean {
    return true;
  }

  leading(vector: Vector, out: Float64Array): void {
    invariant(vector.kind === 'text', 'a key keeps its kind');
    const { count, codes, valid, texts } = vector;
    const prefixes = codes === null ? null : this.#prefixesOf(texts, count);
    if (prefixes === null || codes === null) {
      leadingNumbers(vector, this.#descending, out);
      return;
    }
    for (let row = 0; row < count; row++) out[row] = prefixes[codes[row]];
    if (valid !== null) for (let row = 0; row < count; row++) if (valid[row] === 0) out[row] = MISSING;
  }

  /** Leading numbers by code; null while too few rows of the dictionary were seen to justify the computation. */
  #prefixesOf(texts: Texts, rows: number): Float64Array | null {
    if (texts === this.#recent.texts && this.#recent.prefixes !== null) return this.#recent.prefixes;
    const seen = rows + (texts === this.#recent.texts ? this.#recent.rows : 0);
    this.#memory.release(this.#recent.prefixes?.byteLength ?? 0);
    const pays = seen * TEXTS_PER_ROW >= texts.size;
    if (pays) this.#memory.reserve(texts.size * 8);
    this.#recent = { texts, rows: seen, prefixes: pays ? prefixesOf(texts, this.#descending) : null };
    return this.#recent.prefixes;
  }

  append(vector: Vector): void {
    invariant(vector.kind === 'text', 'a key keeps its kind');
    this.#texts.append(vector, 0, vector.count);
    const count = this.#count + vector.count;
    this.#missing = grownWithin(this.#memory, this.#missing, count, ROWS_MIN);
    for (let row = 0; row < vector.count; row++) {
      this.#missing[this.#count + row] = isMissing(vector, row) ? 1 : 0;
    }
    this.#count = count;
  }

  /** The rank of each entry's text. */
  columns(count: number): readonly Float64Array[] {
    const { textCount, codes } = this.#texts;
    this.#columnBytes = (textCount + count) * 8;
    const ranks = textRanks(this.#texts, textCount, this.#memory);
    this.#memory.reserve(count * 8);
    const numbers = new Float64Array(count);
    for (let entry = 0; entry < count; entry++) {
      const rank = this.#missing[entry] === 1 ? MISSING : ranks[codes[entry]];
      numbers[entry] = this.#descending && rank !== MISSING ? 0 - rank : rank;
    }
    return [numbers];
  }

  releaseColumns(): void {
    this.#memory.release(this.#columnBytes);
    this.#columnBytes = 0;
  }

  keep(entries: Uint32Array, last: number): void {
    const { offsets, bytes, codes } = this.#texts;
    const code = codes[last];
    this.#last = this.#missing[last] === 1 ? null : bytes.slice(offsets[code], offsets[code + 1]);
    this.#texts.keep(entries, (entry) => this.#missing[entry] === 0);
    for (let at = 0; at < entries.length; at++) this.#missing[at] = this.#missing[entries[at]];
    this.#count = entries.length;
  }

  get lastLeading(): number {
    if (this.#last === null) return MISSING;
    const prefix = prefixOf(this.#last, 0, this.#last.length);
    return this.#descending ? 0 - prefix : prefix;
  }

  compareWithLast(vector: Vector, row: number): number {
    invariant(vector.kind === 'text', 'a key keeps its kind');
    const missing = isMissing(vector, row);
    if (this.#last === null || missing) return (missing ? 1 : 0) - (this.#last === null ? 1 : 0);
    const { offsets, bytes } = vector.texts.utf8;
    const code = vector.codes === null ? row : vector.codes[row];
    const order = compareBytes(bytes, offsets[code], offsets[code + 1], this.#last, 0, this.#last.length);
    return this.#descending ? -order : order;
  }
}
