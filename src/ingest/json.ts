/**
 * The JSON grammar (RFC 8259) over bytes: a check of a whole body, and functions that skip one value.
 * Stricter than the RFC where it leaves a choice: no byte order mark, well-formed UTF-8 (no overlong forms, no surrogates), no
 * escaped half of a surrogate pair, and at most NESTING_MAX levels of nesting.
 * All functions take an offset into `bytes` and return the offset after the text that they read. They throw InsertError 1503.
 */
import { NESTING_MAX } from '../base/index.js';
import { syntaxError } from './insert-error.js';
import {
  BACKSLASH,
  bytesBefore,
  CLOSE_LIST,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  DOT,
  isFalse,
  isNull,
  isTrue,
  MINUS,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
  type Source,
  skipSpace,
  textStops,
  ZERO,
} from './source.js';

/** Returns the syntax error for anything but `expected` at `at`. */
export function unexpected(source: Source, at: number, expected: string): ReturnType<typeof syntaxError> {
  if (at >= source.end) return syntaxError(at, `the ${source.called} ends where ${expected} is expected`);
  const byte = source.bytes[at];
  const seen =
    byte > 0x20 && byte < 0x7f
      ? `'${String.fromCharCode(byte)}'`
      : `byte 0x${byte.toString(16).padStart(2, '0')}`;
  return syntaxError(at, `found ${seen}, expected ${expected}`);
}

/** Returns the length of the well-formed UTF-8 sequence at `at`, whose first byte is 0x80 or above. */
export function utf8Length(bytes: Uint8Array, at: number): number {
  const first = bytes[at];
  const second = bytes[at + 1];
  const follows = (byte: number): boolean => (byte & 0xc0) === 0x80;
  if (first >= 0xc2 && first <= 0xdf && follows(second)) return 2;
  if (first >= 0xe0 && first <= 0xef && follows(second) && follows(bytes[at + 2])) {
    const overlong = first === 0xe0 && second < 0xa0;
    const surrogate = first === 0xed && second > 0x9f;
    if (!overlong && !surrogate) return 3;
  }
  if (first >= 0xf0 && first <= 0xf4 && follows(second) && follows(bytes[at + 2]) && follows(bytes[at + 3])) {
    const overlong = first === 0xf0 && second < 0x90;
    const tooHigh = first === 0xf4 && second > 0x8f;
    if (!overlong && !tooHigh) return 4;
  }
  throw syntaxError(at, 'invalid UTF-8');
}

function hexDigit(byte: number): number {
  if (byte >= ZERO && byte <= 0x39) return byte - ZERO;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

function hexUnit(bytes: Uint8Array, at: number): number {
  let unit = 0;
  for (let index = at; index < at + 4; index++) {
    const digit = hexDigit(bytes[index]);
    if (digit < 0) throw syntaxError(index, 'a \\u escape requires four hexadecimal digits');
    unit = unit * 16 + digit;
  }
  return unit;
}

/** Returns the code point of the escape at `at` (its backslash). */
export function escapedPoint(bytes: Uint8Array, at: number): number {
  switch (bytes[at + 1]) {
    case QUOTE:
    case BACKSLASH:
    case 0x2f:
      return bytes[at + 1];
    case 0x62:
      return 0x08;
    case 0x66:
      return 0x0c;
    case 0x6e:
      return 0x0a;
    case 0x72:
      return 0x0d;
    case 0x74:
      return 0x09;
    case 0x75: {
      const unit = hexUnit(bytes, at + 2);
      if (unit < 0xd800 || unit > 0xdfff) return unit;
      if (unit <= 0xdbff && bytes[at + 6] === BACKSLASH && bytes[at + 7] === 0x75) {
        const low = hexUnit(bytes, at + 8);
        if (low >= 0xdc00 && low <= 0xdfff) return 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
      }
      throw syntaxError(at, 'a \\u escape is half a surrogate pair');
    }
    default:
      throw syntaxError(at, 'unknown escape');
  }
}

/** Returns the length of the escape at `at`, whose code point is `point`. */
export function escapeLength(bytes: Uint8Array, at: number, point: number): number {
  if (bytes[at + 1] !== 0x75) return 2;
  return point > 0xffff ? 12 : 6;
}

/** Returns the offset after the closing quote; `from` is the offset after the opening quote. */
export function skipString(source: Source, from: number): number {
  const { bytes, view } = source;
  let at = from;
  for (;;) {
    const stops = textStops(view.getInt32(at, true));
    if (stops === 0) {
      at += 4;
      continue;
    }
    at += bytesBefore(stops);
    const byte = bytes[at];
    if (byte === QUOTE) return at + 1;
    if (byte === BACKSLASH) at += escapeLength(bytes, at, escapedPoint(bytes, at));
    else if (byte >= 0x80) at += utf8Length(bytes, at);
    else if (at >= source.end) throw syntaxError(at, `the ${source.called} ends inside a string`);
    else throw syntaxError(at, 'a control character inside a string');
  }
}

function skipDigits(source: Source, from: number): number {
  const { bytes } = source;
  let at = from;
  while (bytes[at] >= ZERO && bytes[at] <= 0x39) at++;
  if (at === from) throw unexpected(source, at, 'a digit');
  return at;
}

/** Skips the number token at `from`, which starts with a digit or a minus. */
export function skipNumber(source: Source, from: number): number {
  const { bytes } = source;
  let at = bytes[from] === MINUS ? from + 1 : from;
  at = bytes[at] === ZERO ? at + 1 : skipDigits(source, at);
  if (bytes[at] === DOT) at = skipDigits(source, at + 1);
  if ((bytes[at] | 0x20) === 0x65) {
    at++;
    if (bytes[at] === 0x2b || bytes[at] === MINUS) at++;
    at = skipDigits(source, at);
  }
  return at;
}

/** Skips `"key":` and the white space around it; returns the offset of the value. */
function skipKey(source: Source, from: number): number {
  if (source.bytes[from] !== QUOTE) throw unexpected(source, from, 'a key in quotes');
  return skipColon(source, skipString(source, from + 1));
}

/** Skips the colon after a key; returns the offset of the value. */
export function skipColon(source: Source, from: number): number {
  const at = skipSpace(source.bytes, from);
  if (source.bytes[at] !== COLON) throw unexpected(source, at, "':'");
  return skipSpace(source.bytes, at + 1);
}

/** Skips the value at `from`, which is nested in `depth` objects and lists. */
export function skipValue(source: Source, from: number, depth: number): number {
  const { bytes } = source;
  const byte = bytes[from];
  if (byte === QUOTE) return skipString(source, from + 1);
  if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
    if (depth >= NESTING_MAX)
      throw syntaxError(from, `more than ${NESTING_MAX} levels of nested objects and lists`);
    const isObject = byte === OPEN_OBJECT;
    const close = isObject ? CLOSE_OBJECT : CLOSE_LIST;
    let at = skipSpace(bytes, from + 1);
    if (bytes[at] === close) return at + 1;
    for (;;) {
      if (isObject) at = skipKey(source, at);
      at = skipSpace(bytes, skipValue(source, at, depth + 1));
      if (bytes[at] === close) return at + 1;
      if (bytes[at] !== COMMA) throw unexpected(source, at, isObject ? "',' or '}'" : "',' or ']'");
      at = skipSpace(bytes, at + 1);
    }
  }
  if (byte === MINUS || (byte >= ZERO && byte <= 0x39)) return skipNumber(source, from);
  if (isTrue(source, from) || isNull(source, from)) return from + 4;
  if (isFalse(source, from)) return from + 5;
  throw unexpected(source, from, 'a value');
}

/** Checks that the whole body is one JSON object. Throws InsertError 1503 with the offset of the first error. */
export function checkBody(source: Source): void {
  const { bytes } = source;
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    throw syntaxError(0, 'the body starts with a byte order mark');
  }
  const from = skipSpace(bytes, 0);
  const at = skipSpace(bytes, skipValue(source, from, 0));
  if (at !== source.end) throw unexpected(source, at, 'the end of the body');
  if (bytes[from] !== OPEN_OBJECT) throw syntaxError(from, 'the body must be one JSON object of entities');
}

/**
 * Calls `member` for each member of the object at `from` (its brace), with the offsets of the key's opening quote and of the
 * value. Returns the offset of the closing brace.
 */
export function eachMember(
  source: Source,
  from: number,
  depth: number,
  member: (keyAt: number, valueAt: number) => void,
): number {
  const { bytes } = source;
  let at = skipSpace(bytes, from + 1);
  if (bytes[at] === CLOSE_OBJECT) return at;
  for (;;) {
    const valueAt = skipKey(source, at);
    member(at, valueAt);
    at = skipSpace(bytes, skipValue(source, valueAt, depth + 1));
    if (bytes[at] === CLOSE_OBJECT) return at;
    if (bytes[at] !== COMMA) throw unexpected(source, at, "',' or '}'");
    at = skipSpace(bytes, at + 1);
  }
}

/** Calls `item` with the offset of each item of the list at `from`. */
export function eachItem(source: Source, from: number, depth: number, item: (at: number) => void): void {
  const { bytes } = source;
  let at = skipSpace(bytes, from + 1);
  if (bytes[at] === CLOSE_LIST) return;
  for (;;) {
    item(at);
    at = skipSpace(bytes, skipValue(source, at, depth + 1));
    if (bytes[at] === CLOSE_LIST) return;
    if (bytes[at] !== COMMA) throw unexpected(source, at, "',' or ']'");
    at = skipSpace(bytes, at + 1);
  }
}

/** Returns the text of the well-formed string at `at` (its opening quote). */
export function stringAt(source: Source, at: number): string {
  const end = skipString(source, at + 1);
  return JSON.parse(new TextDecoder().decode(source.bytes.subarray(at, end))) as string;
}
