/**
 * A list of texts, identified by codes from 0 on, as consecutive UTF-8 bytes, as strings, or both. Each form is made from the
 * other on first use. Texts may repeat unless `distinct`.
 * Invariant: the text of a code and `size` never change, so results computed from texts may be cached by object and code.
 */
import { isAscii } from 'node:buffer';
import { codePointCount, compareText } from '../schema/index.js';

/** Largest list for which strings decoded from bytes are cached; longer lists are not read text by text. */
const CACHED_STRINGS_MAX = 2 ** 17;
/** Beginnings of at most this many bytes are cached by their length and bytes, in 31 bits; the number of those cached. */
const PACKED_BYTES_MAX = 4;
const PACKED_COUNT_MAX = 4_096;
const ASCII_BITS = 7;
/** Overhead of a string beyond its characters. */
const STRING_BYTES = 24;

const encoder = new TextEncoder();

export interface TextBytes {
  /** Text c is bytes[offsets[c], offsets[c + 1]). */
  readonly offsets: Uint32Array;
  readonly bytes: Uint8Array;
}

export class Texts {
  readonly size: number;
  /** No two codes have the same text. */
  readonly distinct: boolean;
  /** hashBytes of each non-empty text; null = not known. */
  readonly hashes: Uint32Array | null;
  #bytes: TextBytes | null;
  /** A view of the bytes, for decoding. */
  #decoder: Buffer | null = null;
  #strings: (string | undefined)[] | null;
  /** Short beginnings; null = none was read. */
  #beginnings: Map<number, string> | null = null;
  /** The list was made from strings: `#strings` has all texts. */
  readonly #ofStrings: boolean;
  #memoryBytes: number | null = null;
  #isAscii: boolean | null = null;

  private constructor(
    size: number,
    bytes: TextBytes | null,
    strings: string[] | null,
    distinct: boolean,
    hashes: Uint32Array | null,
  ) {
    this.size = size;
    this.distinct = distinct;
    this.hashes = hashes;
    this.#bytes = bytes;
    this.#strings = strings;
    this.#ofStrings = strings !== null;
  }

  /** A list of `size` texts from UTF-8 bytes, which must not change. `hashes` has hashBytes of each non-empty text. */
  static ofBytes(
    bytes: TextBytes,
    size: number,
    distinct: boolean,
    hashes: Uint32Array | null = null,
  ): Texts {
    return new Texts(size, bytes, null, distinct, hashes);
  }

  /** A list from strings; the array is stored without a copy. */
  static ofStrings(strings: string[], distinct = false): Texts {
    return new Texts(strings.length, null, strings, distinct, null);
  }

  /** The text of a code. */
  text(code: number): string {
    const cached = this.#strings?.[code];
    return cached === undefined ? this.#decode(code) : cached;
  }

  /**
   * A text with the same first `points` code points as the text of a code, or that text. If their bytes are ASCII, the bytes
   * behind them are not decoded.
   */
  beginning(code: number, points: number): string {
    if (this.#ofStrings) return this.text(code);
    const { offsets, bytes } = this.#bytes as TextBytes;
    const from = offsets[code];
    const to = Math.min(offsets[code + 1], from + points);
    let packed = to - from;
    for (let at = from; at < to; at++) {
      if (bytes[at] >= 0x80) return this.text(code);
      packed = (packed << ASCII_BITS) | bytes[at];
    }
    if (to - from > PACKED_BYTES_MAX) return this.#textBetween(from, to, 'latin1');
    this.#beginnings ??= new Map();
    let text = this.#beginnings.get(packed);
    if (text === undefined) {
      text = this.#textBetween(from, to, 'latin1');
      if (this.#beginnings.size < PACKED_COUNT_MAX) this.#beginnings.set(packed, text);
    }
    return text;
  }

  /** All texts as UTF-8. */
  get utf8(): TextBytes {
    this.#bytes ??= encodeAll(this.#strings as string[]);
    return this.#bytes;
  }

  /** Compares text `code` with text `otherCode` of `other` by UTF-8 bytes: negative if it sorts before, 0 if equal. */
  compare(code: number, other: Texts, otherCode: number): number {
    if (this === other && code === otherCode) return 0;
    // Strings are compared without encoding; in mixed cases strings are encoded, so that bytes need not be decoded.
    if (this.#ofStrings && other.#ofStrings) return compareText(this.text(code), other.text(otherCode));
    return compareBytes(this.utf8, code, other.utf8, otherCode);
  }

  /** Number of code points of text `code`. */
  codePoints(code: number): number {
    if (this.#ofStrings) return codePointCount(this.text(code));
    const { offsets, bytes } = this.utf8;
    if (this.#hasOnlyAscii) return offsets[code + 1] - offsets[code];
    let count = 0;
    // Every byte but a continuation byte begins a code point.
    for (let at = offsets[code]; at < offsets[code + 1]; at++) if ((bytes[at] & 0xc0) !== 0x80) count++;
    return count;
  }

  /** Approximate memory of the texts, without cached strings decoded from bytes. */
  get memoryBytes(): number {
    this.#memoryBytes ??= this.#measure();
    return this.#memoryBytes;
  }

  get #hasOnlyAscii(): boolean {
    const { offsets, bytes } = this.utf8;
    this.#isAscii ??= isAscii(bytes.subarray(offsets[0], offsets[this.size]));
    return this.#isAscii;
  }

  #measure(): number {
    if (!this.#ofStrings) return this.utf8.bytes.byteLength + this.utf8.offsets.byteLength;
    let bytes = 0;
    for (const text of this.#strings as string[]) bytes += text.length + STRING_BYTES;
    return bytes;
  }

  #decode(code: number): string {
    const { offsets } = this.#bytes as TextBytes;
    const text = this.#textBetween(offsets[code], offsets[code + 1], 'utf8');
    if (this.size <= CACHED_STRINGS_MAX) {
      this.#strings ??= new Array<string | undefined>(this.size);
      this.#strings[code] = text;
    }
    return text;
  }

  /** `latin1` is the faster one, for ASCII. */
  #textBetween(from: number, to: number, encoding: 'utf8' | 'latin1'): string {
    const { bytes } = this.#bytes as TextBytes;
    this.#decoder ??= Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return this.#decoder.toString(encoding, from, to);
  }
}

function encodeAll(strings: readonly string[]): TextBytes {
  const offsets = new Uint32Array(strings.length + 1);
  let lengthMax = 0;
  // A UTF-16 unit takes at most three bytes.
  for (const text of strings) lengthMax += text.length * 3;
  const bytes = new Uint8Array(lengthMax);
  let end = 0;
  strings.forEach((text, code) => {
    end = encodeText(text, bytes, end);
    offsets[code + 1] = end;
  });
  // An array far longer than needed is not stored.
  return { offsets, bytes: end * 2 < lengthMax ? bytes.slice(0, end) : bytes.subarray(0, end) };
}

/** Writes `text` from bytes[at] on and returns the offset of its end. */
function encodeText(text: string, bytes: Uint8Array, at: number): number {
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit >= 0x80) return at + encoder.encodeInto(text, bytes.subarray(at)).written;
    bytes[at + index] = unit;
  }
  return at + text.length;
}

function compareBytes(a: TextBytes, code: number, b: TextBytes, otherCode: number): number {
  const [left, right] = [a.bytes, b.bytes];
  const from = a.offsets[code];
  const otherFrom = b.offsets[otherCode];
  const length = a.offsets[code + 1] - from;
  const otherLength = b.offsets[otherCode + 1] - otherFrom;
  const shorter = Math.min(length, otherLength);
  for (let index = 0; index < shorter; index++) {
    const difference = left[from + index] - right[otherFrom + index];
    if (difference !== 0) return difference;
  }
  return length - otherLength;
}
