/** Hashes of the entity IDs of a part, to find parts that share an entity. */
import { DataType, type Vector } from 'apache-arrow';
import { storedText, type TextCase } from '../../../schema/index.js';

const encoder = new TextEncoder();
const UPPER_A = 0x41;
const UPPER_Z = 0x5a;
const LOWER_BIT = 0x20;
const MARKS_PER_ROW = 16;

/** Hashes as they pass between threads. */
export interface HashArrays {
  /** By row. */
  readonly low: Int32Array<ArrayBuffer>;
  readonly high: Int32Array<ArrayBuffer>;
  /** Open addressing: row + 1; 0 = empty. Twice as many slots as rows at least. */
  readonly slots: Int32Array<ArrayBuffer>;
  /** A bit of each hash is set: small enough for the processor's cache, it answers for most hashes that no row has. */
  readonly marks: Int32Array<ArrayBuffer>;
}

/** The bit of a hash in `marks`, before it is cut to their number. */
const markOf = (low: number, high: number): number => high ^ (low >>> 11);

/** Parts that share an entity share a hash; a hash of 64 bits is almost never shared by chance. */
export class IdHashes {
  readonly arrays: HashArrays;
  /** Entities; known where the hashes were computed. */
  distinctCount = 0;

  constructor(arrays: HashArrays) {
    this.arrays = arrays;
  }

  static of(ids: Vector, textCase: TextCase): IdHashes {
    const count = ids.length;
    const powerOfTwo = 2 ** Math.ceil(Math.log2(Math.max(2, count)));
    const hashes = new IdHashes({
      low: new Int32Array(count),
      high: new Int32Array(count),
      slots: new Int32Array(powerOfTwo * 2),
      marks: new Int32Array((powerOfTwo * MARKS_PER_ROW) / 32),
    });
    hashes.#fill(ids, textCase);
    return hashes;
  }

  /** Whether a row of `other` has the hash of a row of this. */
  sharesOneWith({ arrays: { low, high } }: IdHashes): boolean {
    const { slots, marks } = this.arrays;
    const mask = marks.length - 1;
    for (let row = 0; row < low.length; row++) {
      const mark = markOf(low[row], high[row]);
      const isMarked = (marks[(mark >>> 5) & mask] >>> (mark & 31)) & 1;
      if (isMarked !== 0 && slots[this.#slotOf(low[row], high[row])] !== 0) return true;
    }
    return false;
  }

  #fill(ids: Vector, textCase: TextCase): void {
    const { low, high, slots, marks } = this.arrays;
    const mask = marks.length - 1;
    let row = 0;
    for (const data of ids.data) {
      const isText = DataType.isUtf8(data.type) && data.nullCount === 0;
      const { valueOffsets, values } = data as unknown as { valueOffsets: Int32Array; values: Uint8Array };
      for (let index = 0; index < data.length; index++, row++) {
        const isAscii =
          isText &&
          this.#hash(row, values, valueOffsets[index], valueOffsets[index + 1], textCase === 'fold');
        if (!isAscii) this.#hashText(row, storedText(String(ids.get(row)), { textCase }));
        const slot = this.#slotOf(low[row], high[row]);
        if (slots[slot] === 0) this.distinctCount++;
        slots[slot] = row + 1;
        const mark = markOf(low[row], high[row]);
        marks[(mark >>> 5) & mask] |= 1 << (mark & 31);
      }
    }
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
    this.arrays.low[row] = low;
    this.arrays.high[row] = high;
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

  /** The slot of a row with these hashes, or the empty one where it would be. */
  #slotOf(low: number, high: number): number {
    const { low: lows, high: highs, slots } = this.arrays;
    const mask = slots.length - 1;
    let slot = (low ^ (high >>> 7)) & mask;
    for (;;) {
      const row = slots[slot] - 1;
      if (row < 0 || (lows[row] === low && highs[row] === high)) return slot;
      slot = (slot + 1) & mask;
    }
  }
}
