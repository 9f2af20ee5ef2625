/**
 * Texts of a column: codes of a dictionary while values repeat, otherwise one after the other. Which of these depends only on the
 * block's rows.
 */
import { type Data, Dictionary, Int32, makeData, makeVector, Utf8 } from 'apache-arrow';
import { grown, sameBytes, TEXT_POINTS_MAX } from '../../../base/index.js';
import type { ValueWriter } from '../mapping/values.js';
import { ColumnBuilder } from './column-builder.js';

/** After so many rows, at most half of them may have a text of their own. */
const TRIAL_ROWS = 4_096;

const encoder = new TextEncoder();

export class TextBuilder extends ColumnBuilder {
  readonly #dictionary: Texts | null;
  readonly #codes: Int32Array;
  #isCoded = false;
  #isTried = false;
  /** The texts one after the other, if they are not coded. */
  #bytes = new Uint8Array(2 ** 16);
  readonly #offsets: Int32Array<ArrayBuffer>;

  readonly #dictionaryId: number;

  /** `dictionaryId` is that of the column's dictionary in the stream; null = values hardly repeat, so it has none. */
  constructor(rowsMax: number, write: ValueWriter, nulls: ReadonlySet<string>, dictionaryId: number | null) {
    super(rowsMax, write, nulls);
    this.#offsets = new Int32Array(rowsMax + 1);
    this.#codes = new Int32Array(dictionaryId === null ? 0 : rowsMax);
    this.#dictionary = dictionaryId === null ? null : new Texts(rowsMax);
    this.#dictionaryId = dictionaryId ?? 0;
  }

  override begin(): void {
    this.#isCoded = this.#dictionary !== null;
    this.#isTried = false;
    this.#dictionary?.clear();
  }

  override missing(row: number) {
    if (this.#isCoded) this.#codes[row] = 0;
    else this.#offsets[row + 1] = this.#offsets[row];
    return super.missing(row);
  }

  protected parse(row: number, bytes: Uint8Array, from: number, to: number): boolean {
    return this.add(row, bytes, from, to);
  }

  /** Integers have one text; other numbers are left to the rules of rows. */
  protected override parseNumber(row: number, bytes: Uint8Array, from: number, to: number): boolean {
    const first = bytes[from] === 0x2d ? from + 1 : from;
    if (bytes[first] === 0x30 && first > from) return false;
    for (let at = first; at < to; at++) if (bytes[at] < 0x30 || bytes[at] > 0x39) return false;
    return this.add(row, bytes, from, to);
  }

  protected parseJson(row: number, json: string): boolean {
    const bytes = encoder.encode(JSON.parse(json));
    this.#add(row, bytes, 0, bytes.length);
    return true;
  }

  /** UTF-8. Returns false if the text may be too long. */
  add(row: number, bytes: Uint8Array, from: number, to: number): boolean {
    if (to - from > TEXT_POINTS_MAX) return false;
    this.#add(row, bytes, from, to);
    return true;
  }

  #add(row: number, bytes: Uint8Array, from: number, to: number): void {
    this.present[row] = 1;
    const dictionary = this.#dictionary;
    if (this.#isCoded && dictionary !== null) {
      this.#codes[row] = dictionary.codeOf(bytes, from, to);
      if (row >= TRIAL_ROWS && !this.#isTried) {
        this.#isTried = true;
        if (dictionary.count > row / 2) this.#stopCoding(dictionary, row);
      }
      return;
    }
    const at = this.#offsets[row];
    const end = at + to - from;
    if (end > this.#bytes.length) this.#bytes = grown(this.#bytes, end);
    const own = this.#bytes;
    for (let offset = at; offset < end; offset++) own[offset] = bytes[from + offset - at];
    this.#offsets[row + 1] = end;
  }

  #stopCoding(dictionary: Texts, last: number): void {
    this.#isCoded = false;
    for (let row = 0; row <= last; row++) {
      if (this.present[row] === 0) {
        this.#offsets[row + 1] = this.#offsets[row];
        continue;
      }
      const code = this.#codes[row];
      this.#add(row, dictionary.bytes, dictionary.offsets[code], dictionary.offsets[code + 1]);
    }
  }

  protected data(length: number, nullCount: number, nullBitmap: Uint8Array | undefined) {
    const common = { length, nullCount, nullBitmap };
    if (this.#isCoded && this.#dictionary !== null) {
      const { count, bytes, offsets } = this.#dictionary;
      const values = utf8Data(bytes, offsets, { length: count, nullCount: 0, nullBitmap: undefined });
      const type = new Dictionary(new Utf8(), new Int32(), this.#dictionaryId);
      const data = this.#codes.subarray(0, length);
      return makeData({ type, ...common, data, dictionary: makeVector(values) } as never) as Data;
    }
    return utf8Data(this.#bytes, this.#offsets, common);
  }
}

function utf8Data(
  bytes: Uint8Array,
  offsets: Int32Array,
  { length, ...common }: { length: number; nullCount: number; nullBitmap: Uint8Array | undefined },
): Data {
  const valueOffsets = offsets.subarray(0, length + 1);
  return makeData({
    ...{ type: new Utf8(), length, ...common, valueOffsets },
    data: bytes.subarray(0, offsets[length]),
  }) as Data;
}

/** Distinct texts, numbered in the order in which they came. */
class Texts {
  count = 0;
  bytes = new Uint8Array(2 ** 14);
  readonly offsets: Int32Array<ArrayBuffer>;
  readonly #hashes: Int32Array;
  /** Open addressing: code + 1; 0 = empty. */
  readonly #slots: Int32Array;

  constructor(countMax: number) {
    this.offsets = new Int32Array(countMax + 2);
    this.#hashes = new Int32Array(countMax + 1);
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(countMax * 2 + 2)));
  }

  clear(): void {
    this.count = 0;
    this.#slots.fill(0);
  }

  codeOf(bytes: Uint8Array, from: number, to: number): number {
    let hash = 0x811c9dc5 | 0;
    for (let at = from; at < to; at++) hash = Math.imul(hash ^ bytes[at], 0x01000193);
    const mask = this.#slots.length - 1;
    let slot = (hash ^ (hash >>> 15)) & mask;
    for (;;) {
      const code = this.#slots[slot] - 1;
      if (code < 0) return this.#insert(slot, hash, bytes.subarray(from, to));
      if (this.#hashes[code] === hash && this.#isSame(code, bytes, from, to)) return code;
      slot = (slot + 1) & mask;
    }
  }

  #isSame(code: number, bytes: Uint8Array, from: number, to: number): boolean {
    const start = this.offsets[code];
    const length = this.offsets[code + 1] - start;
    return length === to - from && sameBytes(this.bytes, start, bytes, from, length);
  }

  #insert(slot: number, hash: number, text: Uint8Array): number {
    const code = this.count++;
    const start = this.offsets[code];
    const end = start + text.length;
    if (end > this.bytes.length) this.bytes = grown(this.bytes, end);
    this.bytes.set(text, start);
    this.offsets[code + 1] = end;
    this.#hashes[code] = hash;
    this.#slots[slot] = code + 1;
    return code;
  }
}
