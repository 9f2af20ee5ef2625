/**
 * Divides an object of JSON into the values of its members. Only the usual form is read: members in any order, each once, whose
 * values are texts, numbers, booleans and null.
 */
import { isText } from './column-builder.js';
import {
  ABSENT,
  ESCAPED,
  FALSE,
  NULL,
  NUMBER,
  NUMBER_DIGITS_MAX,
  newFields,
  type RowFields,
  type RowReader,
  TEXT,
  TRUE,
} from './row-fields.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;

const LETTER_U = 0x75;

const encoder = new TextEncoder();
/** What may follow a backslash, besides the u of a code. */
const ESCAPES = encoder.encode('"\\/bfnrt');

export class JsonRow implements RowReader {
  readonly fields: RowFields;
  readonly #names: readonly Uint8Array[];
  #rest = 0;
  #kind = ABSENT;

  constructor(names: readonly string[]) {
    this.#names = names.map((name) => encoder.encode(name));
    this.fields = newFields(names.length);
  }

  read(bytes: Uint8Array, start: number, end: number): boolean {
    const { kinds, from, to, emptyAt } = this.fields;
    kinds.fill(ABSENT);
    emptyAt.length = 0;
    let at = pastSpace(bytes, start, end);
    if (at === end || bytes[at] !== BRACE) return false;
    for (let expected = 0; ; ) {
      at = pastSpace(bytes, at + 1, end);
      if (at >= end || bytes[at] !== QUOTE) return false;
      const nameEnd = endOfName(bytes, at + 1, end);
      if (nameEnd < 0) return false;
      const column = this.#columnOf(bytes, at + 1, nameEnd, expected);
      if (column < 0 || kinds[column] !== ABSENT) return false;
      at = pastSpace(bytes, nameEnd + 1, end);
      if (at >= end || bytes[at] !== COLON) return false;
      at = pastSpace(bytes, at + 1, end);
      if (at >= end || !this.#value(bytes, at, end)) return false;
      const isText = this.#kind === TEXT;
      from[column] = isText ? at + 1 : at;
      to[column] = isText ? this.#rest - 1 : this.#rest;
      kinds[column] = this.#kind;
      if (isText && to[column] === from[column]) emptyAt.push(column);
      expected = column + 1;
      at = pastSpace(bytes, this.#rest, end);
      if (at >= end) return false;
      if (bytes[at] === CLOSING_BRACE) break;
      if (bytes[at] !== COMMA) return false;
    }
    return pastSpace(bytes, at + 1, end) === end;
  }

  /** The column of a name; -1 = no column has it. */
  #columnOf(bytes: Uint8Array, from: number, to: number, expected: number): number {
    const names = this.#names;
    if (expected < names.length && isText(names[expected], bytes, from, to)) return expected;
    return names.findIndex((name) => isText(name, bytes, from, to));
  }

  /** Reads the value at `at` into `kind`, and the offset after it into `rest`. */
  #value(bytes: Uint8Array, at: number, end: number): boolean {
    switch (bytes[at]) {
      case QUOTE:
        return this.#text(bytes, at + 1, end);
      case 0x74:
        return this.#word(TRUE, bytes, at, end);
      case 0x66:
        return this.#word(FALSE, bytes, at, end);
      case 0x6e:
        return this.#word(NULL, bytes, at, end);
      default:
        return this.#number(bytes, at, end);
    }
  }

  #text(bytes: Uint8Array, start: number, end: number): boolean {
    this.#kind = TEXT;
    for (let at = start; at < end; at++) {
      const byte = bytes[at];
      if (byte < 0x20) return false;
      if (byte === QUOTE) {
        this.#rest = at + 1;
        return true;
      }
      if (byte === BACKSLASH) {
        this.#kind = ESCAPED;
        at++;
        if (bytes[at] === LETTER_U ? !areHex(bytes, at + 1, at + 5) : !ESCAPES.includes(bytes[at]))
          return false;
      }
    }
    return false;
  }

  #word(kind: keyof typeof WORDS, bytes: Uint8Array, at: number, end: number): boolean {
    const word = WORDS[kind];
    this.#kind = kind;
    this.#rest = at + word.length;
    return this.#rest <= end && isText(word, bytes, at, this.#rest);
  }

  #number(bytes: Uint8Array, start: number, end: number): boolean {
    const first = bytes[start] === MINUS ? start + 1 : start;
    let at = pastDigits(bytes, first, end);
    let digits = at - first;
    if (digits === 0 || (digits > 1 && bytes[first] === ZERO)) return false;
    if (at < end && bytes[at] === POINT) {
      const fraction = at + 1;
      at = pastDigits(bytes, fraction, end);
      if (at === fraction) return false;
      digits += at - fraction;
    }
    // An exponent is left to the rules of rows.
    if (digits > NUMBER_DIGITS_MAX || (at < end && (bytes[at] | 0x20) === 0x65)) return false;
    this.#kind = NUMBER;
    this.#rest = at;
    return true;
  }
}

const WORDS = {
  [TRUE]: encoder.encode('true'),
  [FALSE]: encoder.encode('false'),
  [NULL]: encoder.encode('null'),
} as const;

function areHex(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    const isDigit = bytes[at] >= ZERO && bytes[at] <= 0x39;
    if (!isDigit && !((bytes[at] | 0x20) >= 0x61 && (bytes[at] | 0x20) <= 0x66)) return false;
  }
  return true;
}

function pastSpace(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  while (at < end && (bytes[at] === 0x20 || bytes[at] === 9 || bytes[at] === 13)) at++;
  return at;
}

function pastDigits(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  while (at < end && bytes[at] >= ZERO && bytes[at] <= 0x39) at++;
  return at;
}

/** The offset of the quote after a name; -1 = there is none, or the name has escapes. */
function endOfName(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  while (at < end && bytes[at] !== QUOTE && bytes[at] !== BACKSLASH && bytes[at] >= 0x20) at++;
  return at < end && bytes[at] === QUOTE ? at : -1;
}
