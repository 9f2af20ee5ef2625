/** Hashes of the entity IDs of a part, to find parts that share an entity. */
import { DataType, type Vector } from 'apache-arrow';
import { storedText, type TextCase } from '../../../schema/index.js';

const encoder = new TextEncoder();
const UPPER_A = 0x41;
const UPPER_Z = 0x5a;
const LOWER_BIT = 0x20;

/** Parts that share an entity share a hash; a hash of 64 bits is almost never shared by chance. */
export class IdHashes {
  readonly #low: Int32Array;
  readonly #high: Int32Array;
  /** Open addressing: row + 1; 0 = empty. Twice as many slots as rows at least. */
  readonly #slots: Int32Array;

  constructor(ids: Vector, textCase: TextCase) {
    const count = ids.length;
    this.#low = new Int32Array(count);
    this.#high = new Int32Array(count);
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(Math.max(2, count * 2))));
    let row = 0;
    for (const data of ids.data) {
      const isText = DataType.isUtf8(data.type) && data.nullCount === 0;
      const { valueOffsets, values } = data as unknown as { valueOffsets: Int32Array; values: Uint8Array };
      for (let index = 0; index < data.length; index++, row++) {
        const isAscii =
          isText &&
          this.#hash(row, values, valueOffsets[index], valueOffsets[index + 1], textCase === 'fold');
        if (!isAscii) this.#hashText(row, storedText(String(ids.get(row)), { textCase }));
        this.#insert(row);
      }
    }
  }

  /** Whether a row of `other` has the hash of a row of this. */
  sharesOneWith(other: IdHashes): boolean {
    const { length } = other.#low;
    for (let row = 0; row < length; row++) if (this.#has(other.#low[row], other.#high[row])) return true;
    return false;
  }

  /** Returns false if the text has characters other than ASCII: its hash must be that of the stored form. */
  #hash(row: number, bytes: Uint8Array, from: number, to: number, lower: boolean): boolean {
    let low = 0x811c9dc5 | 0;
    let high = to - from;
    for (let at = from; at < to; at++) {
      let byte = bytes[at];
      if (byte > 0x7f) return false;
      if (lower && byte >= UPPER_A && byte <= UPPER_Z) byte |= LOWER_BIT;
      low = Math.imul(low ^ byte, 0x01000193);
      high = Math.imul((high << 13) | (high >>> 19), 5) + Math.imul(byte + 1, 0x9e3779b1);
    }
    this.#low[row] = low;
    this.#high[row] = high;
    return true;
  }

  #hashText(row: number, text: string): void {
    const bytes = encoder.encode(text);
    // Bytes above 0x7f are hashed by halves, so that equal texts have equal hashes.
    const halves = new Uint8Array(bytes.length * 2);
    bytes.forEach((byte, at) => {
      halves[at * 2] = byte & 0xf;
      halves[at * 2 + 1] = byte >> 4;
    });
    const isAscii = bytes.every((byte) => byte <= 0x7f);
    this.#hash(row, isAscii ? bytes : halves, 0, isAscii ? bytes.length : halves.length, false);
  }

  #slotOf(low: number, high: number): number {
    const mask = this.#slots.length - 1;
    let slot = (low ^ (high >>> 7)) & mask;
    for (;;) {
      const row = this.#slots[slot] - 1;
      if (row < 0 || (this.#low[row] === low && this.#high[row] === high)) return slot;
      slot = (slot + 1) & mask;
    }
  }

  #insert(row: number): void {
    this.#slots[this.#slotOf(this.#low[row], this.#high[row])] = row + 1;
  }

  #has(low: number, high: number): boolean {
    return this.#slots[this.#slotOf(low, high)] !== 0;
  }
}
