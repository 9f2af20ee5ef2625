/**
 * Decodes strings of an insert body that contain escapes or letters beyond ASCII, one code point at a time. A table with two
 * bytes for each code point below LOWERED_BELOW gives the lower case; the caller writes it when it is first missed. The code
 * points above include scripts with capitals, for which the parser gives up; from CASELESS_FROM on there are only symbols and
 * ideographs without capitals.
 */
import { Walk } from './_insert-records';
import { hashOf, QUOTE } from './_insert-text';

/** TEXT_POINTS_MAX of src/base. */
const TEXT_POINTS_MAX: u32 = 1000;
/** The greatest size of a decoded text, plus the rest of a vector. */
export const DECODED_BYTES_MAX: u32 = 4016;
const LOWERED_BELOW: u32 = 0x10000;
const CASELESS_FROM: u32 = 0x1f000;
const BACKSLASH: u32 = 0x5c;
/** Not a code point: malformed UTF-8 or escape. */
const NO_POINT: u32 = 0xffffffff;

/**
 * Writes the string whose first byte is at `from`, lower-cased unless `keepsCase`, to `to`, where DECODED_BYTES_MAX are free; stores its length and
 * hash in the walk's record. Returns the offset after the closing quote; 0 = gave up.
 */
export function decodeText(walk: Walk, from: usize, to: usize, keepsCase: bool): usize {
  if (walk.lowerAt == 0 && !keepsCase) {
    walk.misses = 1;
    return 0;
  }
  let at = from;
  let end = to;
  let points: u32 = 0;
  let byte = <u32>load<u8>(at);
  while (byte != QUOTE) {
    let bytes: u32 = 1;
    let point = byte;
    if (byte == BACKSLASH) {
      point = escapedPoint(at);
      bytes = load<u8>(at + 1) != 0x75 ? 2 : point > 0xffff ? 12 : 6;
    } else if (byte < 0x20) return 0;
    else if (byte >= 0x80) {
      bytes = sequenceBytes(at);
      point = bytes == 0 ? NO_POINT : sequencePoint(at, bytes);
    }
    if (!keepsCase) point = lowered(walk, point);
    if (point == NO_POINT || ++points > TEXT_POINTS_MAX) return 0;
    at += bytes;
    end = writePoint(end, point);
    byte = load<u8>(at);
  }
  walk.textLength = <u32>(end - to);
  walk.textHash = hashOf(to, walk.textLength);
  return points == 0 ? 0 : at + 1;
}

function lowered(walk: Walk, point: u32): u32 {
  if (point < 0x80) return point - 0x41 < 26 ? point | 0x20 : point;
  if (point < LOWERED_BELOW) {
    const lower = <u32>load<u16>(walk.lowerAt + (point << 1));
    return lower == 0 ? NO_POINT : lower;
  }
  return point < CASELESS_FROM ? NO_POINT : point;
}

// @ts-ignore: decorator
@inline
function follows(at: usize): bool {
  return (load<u8>(at) & 0xc0) == 0x80;
}

/** Returns the length of the well-formed UTF-8 sequence at `at`, whose first byte is 0x80 or above; 0 = malformed. */
function sequenceBytes(at: usize): u32 {
  const first = <u32>load<u8>(at);
  const second = <u32>load<u8>(at + 1);
  if (first < 0xc2 || first > 0xf4 || !follows(at + 1)) return 0;
  if (first < 0xe0) return 2;
  if (!follows(at + 2)) return 0;
  // Neither overlong nor a surrogate.
  if (first < 0xf0) return (first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ? 0 : 3;
  if (!follows(at + 3)) return 0;
  // Neither overlong nor above the last code point.
  return (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f) ? 0 : 4;
}

function sequencePoint(at: usize, bytes: u32): u32 {
  let point = <u32>load<u8>(at) & (0xff >>> (bytes + 1));
  for (let place: u32 = 1; place < bytes; place++) point = (point << 6) | (load<u8>(at + place) & 0x3f);
  return point;
}

/** Returns the code point of the escape at `at` (its backslash). */
function escapedPoint(at: usize): u32 {
  switch (load<u8>(at + 1)) {
    case 0x22:
    case 0x5c:
    case 0x2f:
      return load<u8>(at + 1);
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
      const unit = hexUnit(at + 2);
      if (unit < 0xd800 || unit > 0xdfff) return unit;
      if (unit > 0xdbff || load<u16>(at + 6) != 0x755c) return NO_POINT;
      const low = hexUnit(at + 8);
      return low < 0xdc00 || low > 0xdfff ? NO_POINT : 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
    }
    default:
      return NO_POINT;
  }
}

function hexUnit(at: usize): u32 {
  let unit: u32 = 0;
  for (let place = at; place < at + 4; place++) {
    const byte = <u32>load<u8>(place);
    let digit = byte - 0x30;
    if (digit > 9) {
      const letter = (byte | 0x20) - 0x61;
      if (letter > 5) return NO_POINT;
      digit = letter + 10;
    }
    unit = (unit << 4) | digit;
  }
  return unit;
}

/** Writes `point` as UTF-8 and returns the offset after it. */
function writePoint(to: usize, point: u32): usize {
  if (point < 0x80) {
    store<u8>(to, point);
    return to + 1;
  }
  if (point < 0x800) {
    store<u8>(to, 0xc0 | (point >>> 6));
    store<u8>(to, 0x80 | (point & 0x3f), 1);
    return to + 2;
  }
  if (point < 0x10000) {
    store<u8>(to, 0xe0 | (point >>> 12));
    store<u8>(to, 0x80 | ((point >>> 6) & 0x3f), 1);
    store<u8>(to, 0x80 | (point & 0x3f), 2);
    return to + 3;
  }
  store<u8>(to, 0xf0 | (point >>> 18));
  store<u8>(to, 0x80 | ((point >>> 12) & 0x3f), 1);
  store<u8>(to, 0x80 | ((point >>> 6) & 0x3f), 2);
  store<u8>(to, 0x80 | (point & 0x3f), 3);
  return to + 4;
}
