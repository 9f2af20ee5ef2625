/**
 * Splits a line body into parts as its bytes arrive. A part is a run of lines with at most PART_LINES_MAX lines and
 * PART_BYTES_MAX bytes, line breaks included. A longer line is a part of its own, without its text.
 * Invariants
 *   The boundaries of parts depend only on the body's bytes, not on how they arrive, so a body that is sent again has the same
 *   parts.
 *   Memory is reserved in the budget for the bytes that have arrived and were not taken out yet: at most a part and one chunk.
 *
 * The first line that is not blank may be the head, which belongs to no part and is put before the text of each part. A byte
 * order mark at the start of the body is ignored.
 */
import { BODY_BYTES_MAX, ENTITIES_PER_INSERT_MAX, invariant } from '../../base/index.js';
import { ArrivedBytes } from './arrived-bytes.js';
import type { ByteBudget } from './body.js';
import type { BodyPart, PartSource } from './part-source.js';

export const PART_LINES_MAX = ENTITIES_PER_INSERT_MAX;
export const PART_BYTES_MAX = BODY_BYTES_MAX;
/**
 * Whether a body has a head.
 *   auto-create  if its first line begins like {"auto-create": ...} and has at most HEAD_BYTES_MAX bytes
 *   first        its first line is the head
 *   none         every line belongs to a part
 */
export type HeadLine = 'auto-create' | 'first' | 'none';
export const HEAD_BYTES_MAX = 1_024;

const LINE_BREAK = 0x0a;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];
const HEAD = /^[ \t\r]*\{[ \t\r]*"auto-create"/;
const BLANK = /^[ \t\r]*$/;
const AHEAD_BYTES_MAX = 2 ** 20;

/** The end of the first part in the buffer. */
interface Cut {
  readonly at: number;
  readonly lineCount: number;
  readonly isTooLong: boolean;
}

export class BodyParts implements PartSource {
  readonly #arrived: ArrivedBytes;
  readonly #headKind: HeadLine;
  /** Offset up to which line breaks were searched. */
  #scanned = 0;
  /** For the unfinished part: the start of its last line, and the number of lines before that one. */
  #lineAt = 0;
  #lineCount = 0;
  #cut: Cut | null = null;
  /** The unfinished line is longer than a part. */
  #isSkipping = false;
  #isOver = false;
  #atStart = true;
  /** Only blank lines have arrived. */
  #mayHaveHead: boolean;
  #head: Buffer<ArrayBuffer> | null = null;
  #headLine = 0;
  #number = 1;
  #firstLine = 1;

  constructor(budget: ByteBudget, head: HeadLine) {
    this.#arrived = new ArrivedBytes(budget, AHEAD_BYTES_MAX);
    this.#headKind = head;
    this.#mayHaveHead = head !== 'none';
  }

  /** Number and first line of the next part. */
  get next(): Pick<BodyPart, 'number' | 'firstLine'> {
    return { number: this.#number, firstLine: this.#firstLine };
  }

  /** Bytes that have arrived and were not taken out. */
  get byteLength(): number {
    return this.#arrived.byteLength;
  }

  /** Bytes after the first complete part. */
  get aheadBytes(): number {
    return this.hasPart && this.#cut !== null ? this.#arrived.end - this.#cut.at : 0;
  }

  add(chunk: Uint8Array): boolean {
    const moved = this.#arrived.add(chunk);
    if (moved === null) return false;
    this.#scanned += moved;
    this.#lineAt += moved;
    if (this.#cut !== null) this.#cut = { ...this.#cut, at: this.#cut.at + moved };
    return true;
  }

  /** The body is complete: the last line ends here. */
  end(): void {
    this.#isOver = true;
  }

  /** True if a whole part has arrived. */
  get hasPart(): boolean {
    this.#cut ??= this.#findCut();
    return this.#cut !== null;
  }

  /** Takes out the first part, which must be whole. */
  take(): BodyPart {
    this.#cut ??= this.#findCut();
    invariant(this.#cut !== null, 'no part is whole');
    const { at, lineCount, isTooLong } = this.#cut;
    const text = isTooLong ? null : this.#withHead(this.#arrived.buffer.subarray(this.#arrived.start, at));
    const lines = { head: this.#headLine, first: this.#firstLine };
    const part = { number: this.#number, firstLine: this.#firstLine, lineCount, text, lines };
    this.#number++;
    this.#beginPart(at, this.#firstLine + lineCount);
    return part;
  }

  release(): void {
    this.#arrived.release();
    this.#cut = null;
  }

  #beginPart(at: number, firstLine: number): void {
    this.#cut = null;
    this.#arrived.dropTo(at);
    this.#lineAt = at;
    this.#scanned = at;
    this.#lineCount = 0;
    this.#firstLine = firstLine;
  }

  #findCut(): Cut | null {
    if (this.#atStart && !this.#passMark()) return null;
    while (this.#scanned < this.#arrived.end || this.#isOver) {
      const found = this.#arrived.buffer.subarray(0, this.#arrived.end).indexOf(LINE_BREAK, this.#scanned);
      const isWhole = found !== -1 || this.#isOver;
      const lineEnd = found === -1 ? this.#arrived.end : found + 1;
      this.#scanned = lineEnd;
      if (lineEnd - this.#arrived.start > PART_BYTES_MAX || this.#isSkipping) {
        if (this.#lineCount > 0) return this.#cutBefore();
        if (isWhole) return this.#cutLongLine(lineEnd);
        this.#skip();
        return null;
      }
      if (!isWhole) return null;
      if (lineEnd === this.#lineAt) return this.#lineCount > 0 ? this.#cutBefore() : null;
      if (this.#mayHaveHead && this.#passHead(lineEnd)) continue;
      this.#lineCount++;
      this.#lineAt = lineEnd;
      if (this.#lineCount === PART_LINES_MAX) return this.#cutBefore();
    }
    return null;
  }

  /** Cuts before the unfinished line. */
  #cutBefore(): Cut {
    return { at: this.#lineAt, lineCount: this.#lineCount, isTooLong: false };
  }

  #cutLongLine(lineEnd: number): Cut {
    this.#isSkipping = false;
    this.#mayHaveHead = false;
    return { at: lineEnd, lineCount: 1, isTooLong: true };
  }

  /** Discards the bytes of a line that is too long. */
  #skip(): void {
    this.#isSkipping = true;
    this.#beginPart(this.#arrived.end, this.#firstLine);
  }

  /** Skips a byte order mark. Returns false while too few bytes have arrived to recognize one. */
  #passMark(): boolean {
    const come = this.#arrived.buffer.subarray(this.#arrived.start, this.#arrived.end);
    const isMark = BYTE_ORDER_MARK.every((byte, index) => index >= come.length || come[index] === byte);
    if (isMark && come.length < BYTE_ORDER_MARK.length && !this.#isOver) return false;
    if (isMark && come.length >= BYTE_ORDER_MARK.length) {
      this.#beginPart(this.#arrived.start + BYTE_ORDER_MARK.length, this.#firstLine);
    }
    this.#atStart = false;
    return true;
  }

  /** Returns true if the line that ends at `lineEnd` is the head. Parts then begin after it. */
  #passHead(lineEnd: number): boolean {
    const line = this.#arrived.buffer.subarray(this.#lineAt, lineEnd);
    const start = line.toString('latin1', 0, HEAD_BYTES_MAX + 1).replace(/\n$/, '');
    const isShort = line.length <= HEAD_BYTES_MAX;
    this.#mayHaveHead = BLANK.test(start) && isShort;
    const isHead = this.#headKind === 'first' ? !this.#mayHaveHead : isShort && HEAD.test(start);
    if (!isHead) return false;
    const isEnded = line.at(-1) === LINE_BREAK;
    this.#head = Buffer.concat(isEnded ? [line] : [line, Buffer.of(LINE_BREAK)]);
    this.#headLine = this.#firstLine + this.#lineCount;
    this.#mayHaveHead = false;
    this.#beginPart(lineEnd, this.#headLine + 1);
    return true;
  }

  #withHead(text: Buffer<ArrayBuffer>): Uint8Array<ArrayBuffer> {
    const { buffer, byteOffset, length } = this.#head === null ? text : Buffer.concat([this.#head, text]);
    // Not as a Buffer, whose `slice` copies nothing.
    return new Uint8Array(buffer, byteOffset, length);
  }
}
