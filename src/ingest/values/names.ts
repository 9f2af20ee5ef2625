/**
 * Finds names from bytes without creating strings: the api-names of dimensions, or of the columns of one dimension.
 * Invariant: the words of a name contain its UTF-8 bytes and the closing quote, padded with 0, so that a name is
 * compared with the body word by word. Names are api-names (lower-case letters, digits, dashes) and need no escapes as
 * keys; a key with escapes is decoded before the lookup.
 */
import { hashBytes, sameBytes } from '../../base/index.js';
import { QUOTE, type Source } from '../source.js';

export class NameTable {
  readonly #words: Int32Array;
  readonly #bytes: Uint8Array;
  /** Index of each name's first word; one extra entry marks the end. */
  readonly #firstWord: Int32Array;
  readonly #byteCount: Int32Array;
  /** Mask of the bytes used in the last word. */
  readonly #lastMask: Int32Array;
  /** Open addressing: index of the name + 1, 0 = free. */
  readonly #slots: Int32Array;

  constructor(names: readonly string[]) {
    const encoded = names.map((name) => new TextEncoder().encode(name));
    const wordCounts = encoded.map((bytes) => (bytes.length + 4) >> 2);
    this.#firstWord = new Int32Array(names.length + 1);
    this.#byteCount = Int32Array.from(encoded, (bytes) => bytes.length);
    this.#lastMask = Int32Array.from(encoded, (bytes) =>
      (bytes.length & 3) === 3 ? -1 : (1 << (((bytes.length & 3) + 1) * 8)) - 1,
    );
    this.#words = new Int32Array(wordCounts.reduce((sum, count) => sum + count, 0));
    this.#bytes = new Uint8Array(this.#words.buffer);
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(names.length * 2 + 2)));
    encoded.forEach((bytes, index) => {
      const first = this.#firstWord[index];
      this.#firstWord[index + 1] = first + wordCounts[index];
      this.#bytes.set(bytes, first * 4);
      this.#bytes[first * 4 + bytes.length] = QUOTE;
      let slot = hashBytes(bytes, 0, bytes.length) & (this.#slots.length - 1);
      while (this.#slots[slot] !== 0) slot = (slot + 1) & (this.#slots.length - 1);
      this.#slots[slot] = index + 1;
    });
  }

  /** Length of a name in bytes. */
  byteCount(index: number): number {
    return this.#byteCount[index];
  }

  /** Returns whether the string whose first byte is at `from` is name `index`, including the closing quote. */
  matches(source: Source, from: number, index: number): boolean {
    const { view } = source;
    const words = this.#words;
    const last = this.#firstWord[index + 1] - 1;
    let at = from;
    for (let word = this.#firstWord[index]; word < last; word++) {
      if (view.getInt32(at, true) !== words[word]) return false;
      at += 4;
    }
    return (view.getInt32(at, true) & this.#lastMask[index]) === words[last];
  }

  /** Returns the index of the name bytes[from, to), or -1. */
  find(bytes: Uint8Array, from: number, to: number): number {
    const mask = this.#slots.length - 1;
    let slot = hashBytes(bytes, from, to) & mask;
    for (; this.#slots[slot] !== 0; slot = (slot + 1) & mask) {
      const index = this.#slots[slot] - 1;
      const length = this.#byteCount[index];
      if (length === to - from && sameBytes(this.#bytes, this.#firstWord[index] * 4, bytes, from, length))
        return index;
    }
    return -1;
  }
}
