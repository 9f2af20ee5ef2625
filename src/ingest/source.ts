/**
 * The body as the parser reads it: a copy in a buffer of the worker, so that hot loops always see the same kind of array and
 * clients cannot change the bytes during a parse.
 * Invariant: bytes[end, end + PADDING_BYTES) are 0. No token contains a 0 byte, so every loop stops there without comparing with
 * `end`, and reads of up to PADDING_BYTES from an offset in the body stay in the buffer.
 */
export const PADDING_BYTES = 32;

export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const MINUS = 0x2d;
export const DOT = 0x2e;
export const ZERO = 0x30;
export const COLON = 0x3a;
export const OPEN_LIST = 0x5b;
export const BACKSLASH = 0x5c;
export const CLOSE_LIST = 0x5d;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;

/** Returns four ASCII characters as a little-endian word. */
export function wordOf(text: string): number {
  return (
    text.charCodeAt(0) | (text.charCodeAt(1) << 8) | (text.charCodeAt(2) << 16) | (text.charCodeAt(3) << 24)
  );
}

const NULL_WORD = wordOf('null');
const TRUE_WORD = wordOf('true');
const FALSE_WORD = wordOf('fals');

export class Source {
  bytes = new Uint8Array(PADDING_BYTES);
  view = new DataView(this.bytes.buffer);
  end = 0;
  /** The name of the source in messages. */
  readonly called: 'body' | 'line';

  constructor(called: 'body' | 'line' = 'body') {
    this.called = called;
  }

  load(body: Uint8Array): void {
    this.#reserve(body.length);
    this.bytes.set(body);
    this.endAt(body.length);
  }

  /** Appends `byte`. */
  append(byte: number): void {
    const { bytes, end } = this;
    this.#reserve(end + 1);
    if (this.bytes !== bytes) this.bytes.set(bytes.subarray(0, end));
    this.bytes[end] = byte;
    this.endAt(end + 1);
  }

  /** Truncates the source to `end`. */
  endAt(end: number): void {
    this.end = end;
    this.bytes.fill(0, end, end + PADDING_BYTES);
  }

  #reserve(bytes: number): void {
    const needed = bytes + PADDING_BYTES;
    if (this.bytes.length < needed) {
      this.bytes = new Uint8Array(Math.max(needed, this.bytes.length * 2));
      this.view = new DataView(this.bytes.buffer);
    }
  }
}

/** Returns the offset of the first byte from `at` on that is not white space. */
export function skipSpace(bytes: Uint8Array, at: number): number {
  let index = at;
  let byte = bytes[index];
  while (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) byte = bytes[++index];
  return index;
}

export function isNull(source: Source, at: number): boolean {
  return source.view.getInt32(at, true) === NULL_WORD;
}

export function isTrue(source: Source, at: number): boolean {
  return source.view.getInt32(at, true) === TRUE_WORD;
}

export function isFalse(source: Source, at: number): boolean {
  return source.view.getInt32(at, true) === FALSE_WORD && source.bytes[at + 4] === 0x65;
}

/** Digits, signs, points and exponent letters: the bytes of number tokens, well formed or not. */
export function isNumberByte(byte: number): boolean {
  return (
    (byte >= ZERO && byte <= 0x39) ||
    byte === DOT ||
    byte === MINUS ||
    byte === 0x2b ||
    (byte | 0x20) === 0x65
  );
}

const HIGH_BITS = 0x80808080 | 0;
const ONES = 0x01010101;

/**
 * Flags (in the high bit) the bytes of a word that end a run of plain string text: quote, backslash, control and non-ASCII bytes.
 * Only the lowest flag is reliable: bytes above it may be flagged wrongly.
 * Source Warren, Hacker's Delight, 6-1.
 */
export function textStops(word: number): number {
  const quote = word ^ 0x22222222;
  const slash = word ^ 0x5c5c5c5c;
  const control = (word - 0x20202020) & ~word;
  return (word | control | ((quote - ONES) & ~quote) | ((slash - ONES) & ~slash)) & HIGH_BITS;
}

/** Returns the number of bytes before the lowest flag of `stops`, which is not 0. */
export function bytesBefore(stops: number): number {
  return (31 - Math.clz32(stops & -stops)) >> 3;
}
