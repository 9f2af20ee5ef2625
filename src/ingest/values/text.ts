/**
 * Converts string tokens to stored text: lower-cased UTF-8, concatenated in a sink, with a hash for each.
 * The common case (ASCII without escapes) processes four bytes at a time: tests for quote, backslash, control and non-ASCII
 * bytes, lower-casing and hashing work on whole words. All other strings are restarted in `decodeText`, one code point at a time.
 */
import { HASH_SEED, hashBlock, hashBytes, hashEnd, longerCopy, TEXT_POINTS_MAX } from '../../base/index.js';
import { lowerCodePoint } from '../../schema/index.js';
import { syntaxError } from '../insert-error.js';
import { escapedPoint, escapeLength, utf8Length } from '../json.js';
import { BACKSLASH, bytesBefore, QUOTE, type Source, textStops } from '../source.js';

const HIGH_BITS = 0x80808080 | 0;
/** Capacity for one text of TEXT_POINTS_MAX code points and the rest of the last written word. */
const TEXT_BYTES_MAX = TEXT_POINTS_MAX * 4 + 8;

/** Concatenated texts; the next one starts at `length`. */
export class TextSink {
  bytes: Uint8Array<ArrayBuffer>;
  view: DataView<ArrayBuffer>;
  length = 0;
  /** Hash (a signed word) and code point count of the last text. A count above TEXT_POINTS_MAX means that reading stopped. */
  hash = 0;
  points = 0;

  constructor(bytes = TEXT_BYTES_MAX) {
    this.bytes = new Uint8Array(bytes);
    this.view = new DataView(this.bytes.buffer);
  }

  /** Ensures capacity for one more text of the maximum length. */
  reserve(): void {
    if (this.length + TEXT_BYTES_MAX > this.bytes.length) this.#grow();
  }

  #grow(): void {
    this.bytes = longerCopy(this.bytes, this.bytes.length * 2 + TEXT_BYTES_MAX);
    this.view = new DataView(this.bytes.buffer);
  }
}

/**
 * Reads the string whose first byte (after the quote) is at `from` into `sink`, lower-cased; returns the offset after the closing
 * quote. If sink.points exceeds TEXT_POINTS_MAX, the string was not read to its end.
 */
export function readText(source: Source, from: number, sink: TextSink): number {
  sink.reserve();
  const { view } = source;
  const out = sink.view;
  let at = from;
  let to = sink.length;
  let hash = HASH_SEED;
  for (;;) {
    const word = view.getInt32(at, true);
    const stops = textStops(word);
    const capital = (word + 0x3f3f3f3f) & ~(word + 0x25252525) & HIGH_BITS;
    const lower = word | (capital >>> 2);
    if (stops === 0) {
      out.setInt32(to, lower, true);
      hash = hashBlock(hash, lower);
      at += 4;
      to += 4;
      if (at - from > TEXT_POINTS_MAX) {
        sink.points = at - from;
        return at;
      }
      continue;
    }
    const rest = bytesBefore(stops);
    at += rest;
    if (source.bytes[at] !== QUOTE) return decodeText(source, from, sink, true);
    const tail = lower & ((1 << (rest << 3)) - 1);
    out.setInt32(to, tail, true);
    const length = at - from;
    sink.hash = hashEnd(hash, tail, length) | 0;
    sink.points = length;
    sink.length = to + rest;
    return at + 1;
  }
}

/** Like `readText` for any string, one code point at a time; without `lower` the case is kept. */
export function decodeText(source: Source, from: number, sink: TextSink, lower: boolean): number {
  sink.reserve();
  const { bytes } = source;
  const start = sink.length;
  let at = from;
  let to = start;
  let points = 0;
  for (; bytes[at] !== QUOTE; points++) {
    if (points > TEXT_POINTS_MAX) {
      sink.points = points;
      return at;
    }
    const byte = bytes[at];
    let point = byte;
    if (byte === BACKSLASH) {
      point = escapedPoint(bytes, at);
      at += escapeLength(bytes, at, point);
    } else if (byte < 0x20) {
      throw syntaxError(
        at,
        at >= source.end ? 'the body ends inside a string' : 'a control character inside a string',
      );
    } else if (byte < 0x80) at++;
    else {
      const length = utf8Length(bytes, at);
      point = decodePoint(bytes, at, length);
      at += length;
    }
    to = writePoint(sink.bytes, to, lower ? lowerCodePoint(point) : point);
  }
  sink.hash = hashBytes(sink.bytes, start, to) | 0;
  sink.points = points;
  sink.length = to;
  return at + 1;
}

/** Returns the code point of the well-formed UTF-8 sequence of `length` (2 to 4) bytes at `at`. */
function decodePoint(bytes: Uint8Array, at: number, length: number): number {
  let point = bytes[at] & (0xff >> (length + 1));
  for (let index = at + 1; index < at + length; index++) point = (point << 6) | (bytes[index] & 0x3f);
  return point;
}

/** Writes `point` as UTF-8 at `to` and returns the offset after it. */
function writePoint(bytes: Uint8Array, to: number, point: number): number {
  if (point < 0x80) {
    bytes[to] = point;
    return to + 1;
  }
  if (point < 0x800) {
    bytes[to] = 0xc0 | (point >> 6);
    bytes[to + 1] = 0x80 | (point & 0x3f);
    return to + 2;
  }
  if (point < 0x10000) {
    bytes[to] = 0xe0 | (point >> 12);
    bytes[to + 1] = 0x80 | ((point >> 6) & 0x3f);
    bytes[to + 2] = 0x80 | (point & 0x3f);
    return to + 3;
  }
  bytes[to] = 0xf0 | (point >> 18);
  bytes[to + 1] = 0x80 | ((point >> 12) & 0x3f);
  bytes[to + 2] = 0x80 | ((point >> 6) & 0x3f);
  bytes[to + 3] = 0x80 | (point & 0x3f);
  return to + 4;
}
