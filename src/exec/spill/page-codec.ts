/**
 * Rows of several vectors as bytes, in few bytes per value, and back.
 * Payload  one column after the other; every array starts at a multiple of 8 bytes from the start of the page.
 *   column   u32 layout, u32 hasValid, then the bytes of `valid` if it has any, then by layout
 *   0-2      exact integers in 1, 2 or 4 bytes: f64 least, then value - least of each row; 0 for a missing value
 *   3        doubles: exact or float
 *   4        booleans, a byte each
 *   5        texts: u32 offsets of count + 1, bytes
 *   6-8      texts of a list, by codes of 1, 2 or 4 bytes: u32 size, u32 distinct, u32 offsets of size + 1, bytes, codes
 *   9        integers of any length: u32 shift, u32 width, u64 words (src/vector/shared-integers.ts)
 */
import { invariant } from '../../base/index.js';
import {
  allocateShared,
  type ExactVector,
  gatherIntegers,
  integersOf,
  shareIntegers,
  Texts,
  type TextVector,
  type Vector,
  type VectorKind,
  type WideIntegers,
} from '../../vector/index.js';

const DOUBLES = 3;
const BOOLEANS = 4;
const TEXTS = 5;
const CODED = 6;
const WIDE = 9;
const WIDTHS = [1, 2, 4] as const;
/** Lists with more texts are not written by code, because each list needs a table of its size. */
const CODED_TEXTS_MAX = 262_144;
const GROWTH_BYTES_MIN = 65_536;

type Unsigned = Uint8Array | Uint16Array | Uint32Array;

/** Appends pages to a buffer that it reuses. */
export class PageEncoder {
  #bytes = new Uint8Array(GROWTH_BYTES_MIN);
  #end = 0;
  /** By column: a list of texts, and by code the number of its text in the current page, plus 1. */
  readonly #numbers: ({ readonly texts: Texts; readonly numbers: Uint32Array } | null)[] = [];

  /** The bytes so far; valid until the next page. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#end);
  }

  /** Bytes of memory. */
  get byteLength(): number {
    return this.#numbers.reduce((sum, of) => sum + (of?.numbers.byteLength ?? 0), this.#bytes.byteLength);
  }

  clear(): void {
    this.#end = 0;
  }

  /** Forgets lists of texts. */
  forget(): void {
    this.#numbers.length = 0;
  }

  /** Leaves `headBytes` bytes free, a multiple of 8, and appends rows [from, to) of `rows`. Returns the range of the page. */
  add(
    columns: readonly Vector[],
    rows: Uint32Array,
    from: number,
    to: number,
    headBytes: number,
  ): readonly [start: number, end: number] {
    const start = this.#end;
    this.#allocate(headBytes);
    for (const [index, column] of columns.entries()) this.#addColumn(index, column, rows, from, to);
    return [start, this.#end];
  }

  /** The range of the next bytes, at a multiple of 8. */
  #allocate(byteCount: number): number {
    const at = this.#end;
    const end = at + Math.ceil(byteCount / 8) * 8;
    if (end > this.#bytes.length) {
      const longer = new Uint8Array(Math.max(end, this.#bytes.length * 2));
      longer.set(this.#bytes.subarray(0, at));
      this.#bytes = longer;
    }
    this.#end = end;
    return at;
  }

  #u32(length: number): Uint32Array {
    const at = this.#allocate(length * 4);
    return new Uint32Array(this.#bytes.buffer, at, length);
  }

  #f64(length: number): Float64Array {
    const at = this.#allocate(length * 8);
    return new Float64Array(this.#bytes.buffer, at, length);
  }

  #addColumn(index: number, column: Vector, rows: Uint32Array, from: number, to: number): void {
    const { valid } = column;
    const head = this.#allocate(8);
    if (valid !== null) this.#addBytes(valid, rows, from, to);
    const layout = this.#addValues(index, column, rows, from, to);
    // The buffer may have been replaced meanwhile.
    new Uint32Array(this.#bytes.buffer, head, 2).set([layout, valid === null ? 0 : 1]);
  }

  #addBytes(source: Uint8Array, rows: Uint32Array, from: number, to: number): void {
    const out = this.#allocate(to - from);
    const bytes = this.#bytes;
    for (let at = from; at < to; at++) bytes[out + at - from] = source[rows[at]];
  }

  /** Returns the layout. */
  #addValues(index: number, column: Vector, rows: Uint32Array, from: number, to: number): number {
    switch (column.kind) {
      case 'boolean':
        this.#addBytes(column.bits, rows, from, to);
        return BOOLEANS;
      case 'float':
        return this.#addDoubles(column.numbers, rows, from, to);
      case 'exact':
        if (column.numbers === null) return this.#addWide(column, rows, from, to);
        return this.#addIntegers(column.numbers, column.valid, rows, from, to);
      case 'text':
        if (column.codes !== null && column.texts.size <= CODED_TEXTS_MAX)
          return this.#addCoded(index, column, column.codes, rows, from, to);
        return this.#addTexts(column, rows, from, to);
    }
  }

  #addDoubles(numbers: Float64Array, rows: Uint32Array, from: number, to: number): number {
    const out = this.#f64(to - from);
    for (let at = from; at < to; at++) out[at - from] = numbers[rows[at]];
    return DOUBLES;
  }

  #addIntegers(
    numbers: Float64Array,
    valid: Uint8Array | null,
    rows: Uint32Array,
    from: number,
    to: number,
  ): number {
    let [least, greatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (let at = from; at < to; at++) {
      const row = rows[at];
      if (valid !== null && valid[row] === 0) continue;
      const value = numbers[row];
      if (value < least) least = value;
      if (value > greatest) greatest = value;
      // A difference has no sign of zero.
      if (value === 0 && 1 / value < 0) greatest = Number.POSITIVE_INFINITY;
    }
    const layout = layoutOf(greatest - least);
    if (least <= greatest && layout === null) return this.#addDoubles(numbers, rows, from, to);
    this.#f64(1)[0] = least <= greatest ? least : 0;
    const used = least <= greatest ? (layout as number) : 0;
    const out = this.#unsigned(used, to - from);
    for (let at = from; at < to; at++) {
      const row = rows[at];
      out[at - from] = valid !== null && valid[row] === 0 ? 0 : numbers[row] - least;
    }
    return used;
  }

  #unsigned(layout: number, length: number): Unsigned {
    const at = this.#allocate(length * WIDTHS[layout]);
    return unsignedAt(this.#bytes, at, layout, length);
  }

  #addTexts({ codes, texts, valid }: TextVector, rows: Uint32Array, from: number, to: number): number {
    const { offsets, bytes } = texts.utf8;
    const ends = this.#u32(to - from + 1);
    let length = 0;
    ends[0] = 0;
    for (let at = from; at < to; at++) {
      const row = rows[at];
      if (valid === null || valid[row] === 1) {
        const code = codes === null ? row : codes[row];
        length += offsets[code + 1] - offsets[code];
      }
      ends[at - from + 1] = length;
    }
    let out = this.#allocate(length);
    const own = this.#bytes;
    for (let at = from; at < to; at++) {
      const row = rows[at];
      if (valid !== null && valid[row] === 0) continue;
      const code = codes === null ? row : codes[row];
      for (let byte = offsets[code], end = offsets[code + 1]; byte < end; byte++) own[out++] = bytes[byte];
    }
    return TEXTS;
  }

  #numbersOf(index: number, texts: Texts): Uint32Array {
    const known = this.#numbers[index];
    if (known != null && known.texts === texts) return known.numbers;
    const numbers = new Uint32Array(texts.size);
    this.#numbers[index] = { texts, numbers };
    return numbers;
  }

  #addCoded(
    index: number,
    { texts, valid }: TextVector,
    codes: Uint32Array,
    rows: Uint32Array,
    from: number,
    to: number,
  ): number {
    const numbers = this.#numbersOf(index, texts);
    const used: number[] = [];
    for (let at = from; at < to; at++) {
      const row = rows[at];
      if (valid !== null && valid[row] === 0) continue;
      const code = codes[row];
      if (numbers[code] === 0) numbers[code] = used.push(code);
    }
    const layout = layoutOf(used.length) as number;
    this.#u32(2).set([used.length, texts.distinct ? 1 : 0]);
    this.#addList(texts, used);
    const out = this.#unsigned(layout, to - from);
    for (let at = from; at < to; at++) {
      const row = rows[at];
      out[at - from] = valid !== null && valid[row] === 0 ? 0 : numbers[codes[row]] - 1;
    }
    for (let at = 0; at < used.length; at++) numbers[used[at]] = 0;
    return CODED + layout;
  }

  /** The texts of `codes`; a single empty text if there are none, for missing values. */
  #addList(texts: Texts, codes: readonly number[]): void {
    const { offsets, bytes } = texts.utf8;
    const ends = this.#u32(Math.max(1, codes.length) + 1).fill(0);
    let length = 0;
    for (let at = 0; at < codes.length; at++) {
      length += offsets[codes[at] + 1] - offsets[codes[at]];
      ends[at + 1] = length;
    }
    let out = this.#allocate(length);
    for (let at = 0; at < codes.length; at++) {
      for (let byte = offsets[codes[at]]; byte < offsets[codes[at] + 1]; byte++)
        this.#bytes[out++] = bytes[byte];
    }
  }

  #addWide({ wide }: ExactVector, rows: Uint32Array, from: number, to: number): number {
    const values = gatherIntegers(wide as WideIntegers, rows.subarray(from, to), to - from);
    const order = Uint32Array.from({ length: to - from }, (_, row) => row);
    const { shift, width, words } = shareIntegers(values, order, allocateShared);
    this.#u32(2).set([shift, width]);
    const at = this.#allocate(words.byteLength);
    new BigUint64Array(this.#bytes.buffer, at, words.length).set(words);
    return WIDE;
  }
}

/** The layout of integers from 0 to `greatest`; null = doubles. */
function layoutOf(greatest: number): number | null {
  if (greatest < 2 ** 8) return 0;
  if (greatest < 2 ** 16) return 1;
  return greatest < 2 ** 32 ? 2 : null;
}

function unsignedAt(bytes: Uint8Array, at: number, layout: number, length: number): Unsigned {
  const { buffer, byteOffset } = bytes;
  if (layout === 0) return new Uint8Array(buffer, byteOffset + at, length);
  if (layout === 1) return new Uint16Array(buffer, byteOffset + at, length);
  return new Uint32Array(buffer, byteOffset + at, length);
}

/** The vectors of a payload of `count` rows, one per kind. They may be views of the payload. */
export function decodePage(payload: Uint8Array, kinds: readonly VectorKind[], count: number): Vector[] {
  const decoder = new PageDecoder(payload, count);
  return kinds.map((kind) => decoder.next(kind));
}

class PageDecoder {
  readonly #payload: Uint8Array;
  readonly #count: number;
  #at = 0;

  constructor(payload: Uint8Array, count: number) {
    this.#payload = payload;
    this.#count = count;
  }

  next(kind: VectorKind): Vector {
    const [layout, hasValid] = this.#u32(2);
    const count = this.#count;
    const valid = hasValid === 0 ? null : this.#bytes(count);
    switch (kind) {
      case 'boolean':
        return { kind, count, valid, bits: this.#bytes(count) };
      case 'float':
        return { kind, count, valid, numbers: this.#f64(count) };
      case 'text':
        return layout === TEXTS ? this.#texts(valid) : this.#coded(valid, layout - CODED);
      case 'exact':
        if (layout === WIDE) return { kind, count, valid, numbers: null, wide: this.#wide() };
        return { kind, count, valid, numbers: this.#integers(layout), wide: null };
    }
  }

  /** The offset of the next bytes. */
  #take(byteCount: number): number {
    const at = this.#at;
    this.#at += Math.ceil(byteCount / 8) * 8;
    invariant(this.#at <= this.#payload.length, 'a page that passed its checks has all its columns');
    return at;
  }

  #bytes(length: number): Uint8Array {
    const at = this.#take(length);
    return this.#payload.subarray(at, at + length);
  }

  #u32(length: number): Uint32Array {
    return unsignedAt(this.#payload, this.#take(length * 4), 2, length) as Uint32Array;
  }

  #f64(length: number): Float64Array {
    const { buffer, byteOffset } = this.#payload;
    return new Float64Array(buffer, byteOffset + this.#take(length * 8), length);
  }

  #unsigned(layout: number, length: number): Unsigned {
    return unsignedAt(this.#payload, this.#take(length * WIDTHS[layout]), layout, length);
  }

  #integers(layout: number): Float64Array {
    if (layout === DOUBLES) return this.#f64(this.#count);
    const [least] = this.#f64(1);
    const stored = this.#unsigned(layout, this.#count);
    const numbers = new Float64Array(stored.length);
    for (let row = 0; row < stored.length; row++) numbers[row] = stored[row] + least;
    return numbers;
  }

  #texts(valid: Uint8Array | null): TextVector {
    const offsets = this.#u32(this.#count + 1);
    const bytes = this.#bytes(offsets[this.#count]);
    const texts = Texts.ofBytes({ offsets, bytes }, this.#count, false);
    return { kind: 'text', count: this.#count, valid, codes: null, texts };
  }

  #coded(valid: Uint8Array | null, layout: number): TextVector {
    const [used, distinct] = this.#u32(2);
    const size = Math.max(1, used);
    const offsets = this.#u32(size + 1);
    const bytes = this.#bytes(offsets[size]);
    const codes = Uint32Array.from(this.#unsigned(layout, this.#count));
    const texts = Texts.ofBytes({ offsets, bytes }, size, distinct === 1);
    return { kind: 'text', count: this.#count, valid, codes, texts };
  }

  #wide(): WideIntegers {
    const [shift, width] = this.#u32(2);
    const { buffer, byteOffset } = this.#payload;
    const length = width * this.#count;
    const words = new BigUint64Array(buffer, byteOffset + this.#take(length * 8), length);
    return integersOf({ shift, width, words }, 0, this.#count);
  }
}
