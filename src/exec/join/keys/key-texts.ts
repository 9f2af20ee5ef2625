/**
 * Codes of text keys. Texts are compared by bytes; the code of each text of a dictionary is looked up once.
 * Layout  open addressing with linear probing, at most half full; a slot is two integers: the text's hash and its
 *         code, 0 = free.
 */
import { hashBytes } from '../../../base/index.js';
import type { Texts, TextVector, Vector } from '../../../vector/index.js';
import type { QueryRun } from '../../query-run.js';
import type { ColumnFilter } from '../../scan/column-filter.js';
import { TextFilter } from '../../scan/text-filter.js';
import type { KeyCodes } from './key-codes.js';
import { MissingCode } from './key-missing.js';

const SLOT_BYTES = 8;
const SLOTS_MIN = 1_024;
/** A table that is half full grows by this factor. */
const GROWTH = 4;
/** Codes are remembered for dictionaries of at most this many texts per row looked up. */
const TEXTS_PER_ROW = 4;
/** No row of the table has the text; a text that was not looked up yet has 0. */
const NO_ROW = -1;

export class TextCodes implements KeyCodes {
  readonly #vector: TextVector;
  readonly #missing: MissingCode;
  readonly #run: QueryRun;
  #slots: Int32Array<ArrayBuffer>;
  /** Texts in the slots. */
  #count = 0;
  /** By text of the own vector: its code if it is in a row that was added; null if the vector has many more texts than rows. */
  readonly #own: Int32Array | null;
  /** The dictionary of `known`, which has the code of each of its texts, 0 or NO_ROW. */
  #texts: Texts | null = null;
  #known = new Int32Array(0);
  /** The dictionary looked up last, and the number of its rows looked up. */
  #recent: Texts | null = null;
  #recentRows = 0;

  /** Throws 9006. */
  constructor(vector: TextVector, nullsEqual: boolean, run: QueryRun) {
    const { texts, codes, count } = vector;
    const isOwn = codes !== null && texts.size <= count * TEXTS_PER_ROW;
    run.reserve(SLOTS_MIN * SLOT_BYTES + (isOwn ? texts.size * 4 : 0));
    this.#vector = vector;
    this.#missing = new MissingCode(nullsEqual);
    this.#run = run;
    this.#slots = new Int32Array(SLOTS_MIN * 2);
    this.#own = isOwn ? new Int32Array(texts.size) : null;
  }

  add(from: number, to: number, codes: Int32Array): void {
    const { codes: textCodes, valid, texts } = this.#vector;
    this.#reserve(to - from);
    const own = this.#own;
    for (let row = from; row < to; row++) {
      if (valid !== null && valid[row] === 0) {
        codes[row] = this.#missing.add(row);
        continue;
      }
      const text = textCodes === null ? row : textCodes[row];
      let code = own === null ? 0 : own[text];
      if (code === 0) {
        code = this.#addText(texts, text, row);
        if (own !== null) own[text] = code;
      }
      codes[row] = code;
    }
  }

  #addText(texts: Texts, text: number, row: number): number {
    const hash = hashOf(texts, text);
    const slot = this.#slotOf(texts, text, hash);
    const code = this.#slots[2 * slot + 1];
    if (code !== 0) return code;
    this.#slots[2 * slot] = hash;
    this.#slots[2 * slot + 1] = row + 1;
    this.#count++;
    return row + 1;
  }

  /** The slot of the text, or the free slot where it belongs. */
  #slotOf(texts: Texts, text: number, hash: number): number {
    const slots = this.#slots;
    const last = slots.length / 2 - 1;
    const { codes, texts: own } = this.#vector;
    let slot = hash & last;
    for (let code = slots[2 * slot + 1]; code !== 0; code = slots[2 * slot + 1]) {
      if (
        slots[2 * slot] === hash &&
        isEqual(own, codes === null ? code - 1 : codes[code - 1], texts, text)
      ) {
        return slot;
      }
      slot = (slot + 1) & last;
    }
    return slot;
  }

  /** Ensures free slots for `rowCount` more texts. */
  #reserve(rowCount: number): void {
    const slotCount = this.#slots.length / 2;
    if ((this.#count + rowCount) * 2 <= slotCount) return;
    let next = slotCount * GROWTH;
    while ((this.#count + rowCount) * 2 > next) next *= 2;
    this.#run.reserve(next * SLOT_BYTES);
    const slots = new Int32Array(next * 2);
    copySlots(this.#slots, slots);
    this.#slots = slots;
    this.#run.release(slotCount * SLOT_BYTES);
  }

  find(vector: Vector, out: Int32Array): void {
    const { codes, texts, count, valid } = vector as TextVector;
    if (this.#own !== null && codes !== null && texts === this.#vector.texts && texts.distinct) {
      const own = this.#own;
      for (let row = 0; row < count; row++) out[row] = own[codes[row]];
    } else {
      const known = codes === null ? null : this.#knownOf(texts, count);
      if (codes !== null && known !== null) this.#findKnown(codes, texts, valid, known, out, count);
      else {
        for (let row = 0; row < count; row++) {
          if (valid !== null && valid[row] === 0) continue;
          out[row] = Math.max(this.#find(texts, codes === null ? row : codes[row]), 0);
        }
      }
    }
    this.#missing.find(vector, out);
  }

  filter(): ColumnFilter {
    return new TextFilter((texts, text) => this.#find(texts, text) !== NO_ROW, this.#run);
  }

  #findKnown(
    codes: Uint32Array,
    texts: Texts,
    valid: Uint8Array | null,
    known: Int32Array,
    out: Int32Array,
    count: number,
  ): void {
    for (let row = 0; row < count; row++) {
      const text = codes[row];
      let code = known[text];
      if (code === 0 && (valid === null || valid[row] === 1)) {
        code = this.#find(texts, text);
        known[text] = code;
      }
      out[row] = Math.max(code, 0);
    }
  }

  /** The code of the text, or NO_ROW. */
  #find(texts: Texts, text: number): number {
    const code = this.#slots[2 * this.#slotOf(texts, text, hashOf(texts, text)) + 1];
    return code === 0 ? NO_ROW : code;
  }

  /** The remembered codes of the dictionary; null while too few of its rows were looked up, or without memory. */
  #knownOf(texts: Texts, count: number): Int32Array | null {
    if (texts === this.#texts) return this.#known;
    this.#recentRows = (texts === this.#recent ? this.#recentRows : 0) + count;
    this.#recent = texts;
    if (texts.size > this.#recentRows * TEXTS_PER_ROW) return null;
    if (texts.size <= this.#known.length) this.#known.fill(0);
    else {
      if (!this.#run.tryReserve((texts.size - this.#known.length) * 4)) return null;
      this.#known = new Int32Array(texts.size);
    }
    this.#texts = texts;
    return this.#known;
  }
}

function hashOf(texts: Texts, text: number): number {
  const { offsets, bytes } = texts.utf8;
  const [from, to] = [offsets[text], offsets[text + 1]];
  return (texts.hashes === null || from === to ? hashBytes(bytes, from, to) : texts.hashes[text]) | 0;
}

function isEqual(texts: Texts, text: number, others: Texts, other: number): boolean {
  const { offsets, bytes } = texts.utf8;
  const { offsets: otherOffsets, bytes: otherBytes } = others.utf8;
  const from = offsets[text];
  const otherFrom = otherOffsets[other];
  const length = offsets[text + 1] - from;
  if (otherOffsets[other + 1] - otherFrom !== length) return false;
  for (let at = 0; at < length; at++) if (bytes[from + at] !== otherBytes[otherFrom + at]) return false;
  return true;
}

function copySlots(from: Int32Array, to: Int32Array): void {
  const last = to.length / 2 - 1;
  for (let at = 0; at < from.length; at += 2) {
    if (from[at + 1] === 0) continue;
    let slot = from[at] & last;
    while (to[2 * slot + 1] !== 0) slot = (slot + 1) & last;
    to[2 * slot] = from[at];
    to[2 * slot + 1] = from[at + 1];
  }
}
