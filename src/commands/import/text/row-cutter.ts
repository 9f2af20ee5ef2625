/**
 * Cuts the bytes of a text into blocks of whole rows. A byte order mark at the beginning is skipped.
 * A row of NDJSON is a line that is not blank. A row of CSV (RFC 4180) is a line that is not empty, or several if line breaks are in
 * quotes; a row with wrong quotes is its first line only, and is broken. A line of more than LINE_BYTES_MAX bytes is broken, and
 * only its beginning is kept.
 * Cost: a loop over the bytes, one comparison or two per byte.
 */
import { sameBytes } from '../../../base/index.js';
import { BOUNDS, type BrokenText, LINE_BYTES_MAX, type TextBlock } from './text-block.js';

/** A block ends with the row that reaches one of these. Bodies of 30,000 to 130,000 rows of a few columns are inserted fastest. */
const BLOCK_ROWS_MAX = 65_536;
const BLOCK_BYTES = 2 ** 22;

const LINE_START_BYTES = 200;
const MARK = [0xef, 0xbb, 0xbf];
const NEWLINE = 10;
const RETURN = 13;
const QUOTE = 34;

/** `delimiter` is that of CSV; null = NDJSON. The first row gets the number `firstRow`: 0 if it is a header. */
export async function* textBlocksOf(
  bytes: AsyncIterable<Uint8Array>,
  delimiter: string | null,
  firstRow: 0 | 1,
): AsyncGenerator<TextBlock> {
  const cutter = new RowCutter(delimiter === null ? null : new TextEncoder().encode(delimiter), firstRow);
  for await (const part of bytes) {
    for (let at = 0; at < part.length; ) {
      at += cutter.add(part.subarray(at));
      for (let block = cutter.block(); block !== null; block = cutter.block()) yield block;
    }
  }
  cutter.end();
  for (let block = cutter.block(); block !== null; block = cutter.block()) yield block;
}

/** Where a row ends and the next line begins; null = its end has not arrived. */
type Row = {
  readonly end: number;
  readonly next: number;
  readonly lines: number;
  readonly broken: string | null;
};

class RowCutter {
  readonly #delimiter: Uint8Array | null;
  #bytes = newBytes();
  /** The end of what has arrived, of the rows found, and of the lines passed. */
  #end = 0;
  #at = 0;
  #bounds = newBounds();
  #count = 0;
  #broken: BrokenText[] = [];
  #firstRow: number;
  #firstLine = 1;
  /** Lines of the block that were passed. */
  #lines = 0;
  #atStart = true;
  #isOver = false;
  /** The rest of an overlong line is skipped. */
  #isSkipping = false;

  constructor(delimiter: Uint8Array | null, firstRow: number) {
    this.#delimiter = delimiter;
    this.#firstRow = firstRow;
  }

  /** Takes bytes and returns their number; `block` must be called until it returns null before more are added. */
  add(part: Uint8Array): number {
    let skipped = 0;
    if (this.#isSkipping) {
      const newline = part.indexOf(NEWLINE);
      if (newline < 0) return part.length;
      this.#isSkipping = false;
      skipped = newline + 1;
    }
    const taken = Math.min(part.length - skipped, this.#bytes.length - this.#end);
    this.#bytes.set(part.subarray(skipped, skipped + taken), this.#end);
    this.#end += taken;
    return skipped + taken;
  }

  end(): void {
    this.#isOver = true;
  }

  /** The next whole block; null = it has not arrived, or there is none. */
  block(): TextBlock | null {
    if (this.#atStart && !this.#passMark()) return null;
    while (this.#count < BLOCK_ROWS_MAX && this.#at < BLOCK_BYTES) {
      const found = this.#next();
      if (found === null) return this.#isOver && this.#count > 0 ? this.#cut() : null;
      const { end, next, lines, broken } = found;
      if (broken !== null) this.#broken.push({ index: this.#count, reason: broken });
      if (broken !== null || !this.#isBlank(this.#at, end)) {
        const at = this.#count++ * BOUNDS;
        this.#bounds[at] = this.#at;
        this.#bounds[at + 1] = end;
        this.#bounds[at + 2] = this.#lines;
      }
      this.#lines += lines;
      this.#at = next;
    }
    return this.#cut();
  }

  #cut(): TextBlock {
    const count = this.#count;
    const block = {
      bytes: this.#bytes,
      count,
      bounds: this.#bounds,
      firstRow: this.#firstRow,
      firstLine: this.#firstLine,
      broken: this.#broken,
    };
    const rest = this.#bytes.subarray(this.#at, this.#end);
    this.#bytes = newBytes();
    this.#bytes.set(rest);
    this.#end = rest.length;
    this.#at = 0;
    this.#bounds = newBounds();
    this.#count = 0;
    this.#broken = [];
    this.#firstRow += count;
    this.#firstLine += this.#lines;
    this.#lines = 0;
    return block;
  }

  /** Returns false while too few bytes have arrived. */
  #passMark(): boolean {
    if (this.#end < MARK.length && !this.#isOver) return false;
    this.#atStart = false;
    if (MARK.every((byte, at) => this.#bytes[at] === byte) && this.#end >= MARK.length)
      this.#at = MARK.length;
    return true;
  }

  #isBlank(from: number, to: number): boolean {
    if (this.#delimiter !== null) return from === to;
    let at = from;
    while (at < to && isSpace(this.#bytes[at])) at++;
    return at === to || (to - at < 64 && this.#isUnusualSpace(at, to));
  }

  /** Whether the bytes are white space of Unicode. */
  #isUnusualSpace(from: number, to: number): boolean {
    const first = this.#bytes[from];
    if (first > 0x20 && first < 0x80) return false;
    return Buffer.from(this.#bytes.subarray(from, to)).toString('utf8').trim() === '';
  }

  /** The row at `at`; null = its end has not arrived, or there is none. */
  #next(): Row | null {
    const bytes = this.#bytes;
    const from = this.#at;
    const limit = Math.min(this.#end, from + LINE_BYTES_MAX + 1);
    let at = from;
    let hasQuote = false;
    if (this.#delimiter === null) while (at < limit && bytes[at] !== NEWLINE) at++;
    else {
      while (at < limit && bytes[at] !== NEWLINE && bytes[at] !== QUOTE) at++;
      hasQuote = at < limit && bytes[at] === QUOTE;
      if (hasQuote) while (at < limit && bytes[at] !== NEWLINE) at++;
    }
    if (at === limit) {
      if (at - from > LINE_BYTES_MAX) return this.#overlong();
      if (!this.#isOver || from === this.#end) return null;
    }
    const next = Math.min(at + 1, this.#end);
    if (hasQuote) return this.#quoted(at, next);
    const end = at > from && bytes[at - 1] === RETURN ? at - 1 : at;
    return { end, next, lines: 1, broken: null };
  }

  #overlong(): Row {
    const start = this.#at + LINE_START_BYTES;
    const newline = this.#bytes.subarray(0, this.#end).indexOf(NEWLINE, start);
    const broken = 'the line is longer than 1 MiB';
    if (newline >= 0) return { end: start, next: newline + 1, lines: 1, broken };
    this.#end = start;
    this.#isSkipping = true;
    return { end: start, next: start, lines: 1, broken };
  }

  /** The row whose first line, which has a quote, ends at `lineEnd`. */
  #quoted(lineEnd: number, nextLine: number): Row | null {
    const bytes = this.#bytes;
    const delimiter = this.#delimiter as Uint8Array;
    const limit = Math.min(this.#end, this.#at + LINE_BYTES_MAX);
    const isLast = this.#isOver && limit === this.#end;
    const broken = (reason: string): Row => ({ end: lineEnd, next: nextLine, lines: 1, broken: reason });
    const unfinished = (): Row | null => {
      if (isLast) return broken('a quote is never closed');
      return limit < this.#end || this.#isOver ? broken('a quote is not closed within 1 MiB') : null;
    };
    let at = this.#at;
    for (;;) {
      const isQuoted = at < limit && bytes[at] === QUOTE;
      const fieldEnd = isQuoted ? closingQuote(bytes, at + 1, limit) : plainEnd(bytes, at, limit, delimiter);
      if (fieldEnd < 0) {
        return isQuoted ? unfinished() : broken('a field that does not begin with a quote contains one');
      }
      at = isQuoted ? fieldEnd + 1 : fieldEnd;
      const end = at;
      if (at + 1 < limit && bytes[at] === RETURN && bytes[at + 1] === NEWLINE) at++;
      const isOver = at >= limit;
      if (isOver && !isLast) return unfinished();
      if (isOver || bytes[at] === NEWLINE) {
        const next = isOver ? at : at + 1;
        return { end, next, lines: Math.max(1, newlinesIn(bytes, this.#at, next)), broken: null };
      }
      if (!sameBytes(bytes, at, delimiter, 0, delimiter.length)) {
        // Whether a line feed follows the carriage return is not known yet.
        if (bytes[at] === RETURN && at + 1 === limit && !isLast) return unfinished();
        return broken('a closing quote is followed by other text');
      }
      at += delimiter.length;
    }
  }
}

const newBytes = (): Uint8Array<ArrayBuffer> => new Uint8Array(BLOCK_BYTES + 2 * LINE_BYTES_MAX);
const newBounds = (): Int32Array<ArrayBuffer> => new Int32Array(BLOCK_ROWS_MAX * BOUNDS);

const isSpace = (byte: number): boolean => byte === 32 || (byte >= 9 && byte <= RETURN);

/** The offset of the quote that closes what begins at `from`; -1 = there is none. Doubled quotes close nothing. */
function closingQuote(bytes: Uint8Array, from: number, limit: number): number {
  for (let at = from; at < limit; at++) {
    if (bytes[at] !== QUOTE) continue;
    if (at + 1 === limit || bytes[at + 1] !== QUOTE) return at;
    at++;
  }
  return -1;
}

/** The end of a field without quotes: a delimiter or the end of the line; -1 = it has a quote. */
function plainEnd(bytes: Uint8Array, from: number, limit: number, delimiter: Uint8Array): number {
  let at = from;
  for (; at < limit && bytes[at] !== NEWLINE; at++) {
    if (bytes[at] === QUOTE) return -1;
    if (bytes[at] === delimiter[0] && sameBytes(bytes, at, delimiter, 0, delimiter.length)) return at;
  }
  return at > from && bytes[at - 1] === RETURN ? at - 1 : at;
}

function newlinesIn(bytes: Uint8Array, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at++) if (bytes[at] === NEWLINE) count++;
  return count;
}
