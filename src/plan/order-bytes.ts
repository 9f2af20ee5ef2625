/**
 * Byte sequences that sort like the texts of a list's values, without creating strings: the text itself, or other
 * bytes with the same order.
 */
import type { ValueList } from '../ir/index.js';
import { baseTypeOf, textOfPoint, type ValueForm } from '../schema/index.js';
import { textReader } from './value-lists.js';

/** A few slots, each of which holds the bytes [starts[slot], ends[slot]) of one value. */
export interface OrderBytes {
  readonly bytes: Uint8Array;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  /** Stores this value in the slot. */
  put(slot: number, value: number): void;
}

export function orderBytes(list: ValueList, form: ValueForm, slotCount: number): OrderBytes {
  switch (list.kind) {
    case 'text':
      return new TextBytes(list.offsets, list.bytes, slotCount);
    case 'geo':
      return new PointBytes(list.points, slotCount);
    case 'i64':
      break;
  }
  switch (baseTypeOf(form.type)) {
    // The texts sort like the values: false and true, and dates of years 0000 to 9999.
    case 'boolean':
    case 'date':
    case 'datetime':
      return new PlainOrderBytes(list.words, slotCount);
    default:
      return new NumberBytes(list, form, slotCount);
  }
}

/** Negative if the value in slot `a` sorts before that in `b`, positive if after. */
export function compareSlots({ bytes, starts, ends }: OrderBytes, a: number, b: number): number {
  let at = starts[a];
  let other = starts[b];
  const end = ends[a];
  const otherEnd = ends[b];
  while (at < end && other < otherEnd) {
    const difference = bytes[at++] - bytes[other++];
    if (difference !== 0) return difference;
  }
  return end - at - (otherEnd - other);
}

/** Texts in their own memory. */
class TextBytes implements OrderBytes {
  readonly bytes: Uint8Array;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  readonly #offsets: Uint32Array;

  constructor(offsets: Uint32Array, bytes: Uint8Array, slotCount: number) {
    this.bytes = bytes;
    this.starts = new Uint32Array(slotCount);
    this.ends = new Uint32Array(slotCount);
    this.#offsets = offsets;
  }

  put(slot: number, value: number): void {
    this.starts[slot] = this.#offsets[value];
    this.ends[slot] = this.#offsets[value + 1];
  }
}

/** Slots of fixed length in separate memory. */
class OwnBytes {
  readonly bytes: Uint8Array;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;

  constructor(slotCount: number, slotBytes: number) {
    this.bytes = new Uint8Array(slotCount * slotBytes);
    this.starts = Uint32Array.from({ length: slotCount }, (_, slot) => slot * slotBytes);
    this.ends = this.starts.slice();
  }

  protected putText(slot: number, text: string): void {
    let at = this.starts[slot];
    for (let index = 0; index < text.length; index++) this.bytes[at++] = text.charCodeAt(index);
    this.ends[slot] = at;
  }
}

/** Integers as bytes, highest first, with the sign bit flipped, so that they sort numerically. */
class PlainOrderBytes extends OwnBytes implements OrderBytes {
  readonly #words: Uint32Array;

  constructor(words: Uint32Array, slotCount: number) {
    super(slotCount, 8);
    this.#words = words;
  }

  put(slot: number, value: number): void {
    const high = this.#words[2 * value + 1] ^ 0x80000000;
    const low = this.#words[2 * value];
    const at = this.starts[slot];
    for (let byte = 0; byte < 4; byte++) {
      this.bytes[at + byte] = high >>> (24 - 8 * byte);
      this.bytes[at + 4 + byte] = low >>> (24 - 8 * byte);
    }
    this.ends[slot] = at + 8;
  }
}

const ZERO = 0x30;
const MINUS = 0x2d;
const DOT = 0x2e;
const TWO_32 = 2 ** 32;
/** The longest text: the least integer, scaled by 10^20: -0.09223372036854775808. */
const NUMBER_BYTES = 24;
/** The longest text: two numbers in JavaScript notation, 24 characters each. */
const POINT_BYTES = 56;

/** Texts of integers and decimals, written digit by digit. */
class NumberBytes extends OwnBytes implements OrderBytes {
  readonly #words: Uint32Array;
  readonly #placesAfterPoint: number;
  readonly #textOf: (value: number) => string;
  /** Digits of a number, last digit first. */
  readonly #digits = new Uint8Array(NUMBER_BYTES);

  constructor(list: Extract<ValueList, { kind: 'i64' }>, form: ValueForm, slotCount: number) {
    super(slotCount, NUMBER_BYTES);
    this.#words = list.words;
    this.#placesAfterPoint = baseTypeOf(form.type) === 'decimal' ? (form.decimalPlaces ?? 0) : 0;
    this.#textOf = textReader(list, form);
  }

  put(slot: number, value: number): void {
    const number = (this.#words[2 * value + 1] | 0) * TWO_32 + this.#words[2 * value];
    // Unsafe integers may have been rounded.
    if (Number.isSafeInteger(number)) this.#putNumber(slot, number);
    else this.putText(slot, this.#textOf(value));
  }

  #putNumber(slot: number, number: number): void {
    const [bytes, digits, places] = [this.bytes, this.#digits, this.#placesAfterPoint];
    let rest = Math.abs(number);
    let count = 0;
    do {
      const tenth = Math.floor(rest / 10);
      digits[count++] = rest - tenth * 10;
      rest = tenth;
    } while (rest > 0 || count <= places);
    let at = this.starts[slot];
    if (number < 0) bytes[at++] = MINUS;
    for (let digit = count - 1; digit >= places; digit--) bytes[at++] = ZERO + digits[digit];
    let last = 0;
    while (last < places && digits[last] === 0) last++;
    if (last < places) bytes[at++] = DOT;
    for (let digit = places - 1; digit >= last; digit--) bytes[at++] = ZERO + digits[digit];
    this.ends[slot] = at;
  }
}

class PointBytes extends OwnBytes implements OrderBytes {
  readonly #points: Float64Array;

  constructor(points: Float64Array, slotCount: number) {
    super(slotCount, POINT_BYTES);
    this.#points = points;
  }

  put(slot: number, value: number): void {
    const [longitude, latitude] = [this.#points[2 * value], this.#points[2 * value + 1]];
    this.putText(slot, textOfPoint({ longitude, latitude }));
  }
}
