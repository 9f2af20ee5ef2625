/**
 * A position in the text of a body, with methods that consume white space, comments, numbers and quoted tokens.
 * Invariants: `at` only grows; a source position counts lines by line feeds and columns by code points, both from 1; errors are
 * QuarryErrors 6000 at the position where the refused token begins.
 */
import { quoted } from '../base/index.js';
import { sqlError } from './sql-error.js';
import type { SourcePosition } from './tree.js';

const TAB = 9;
const LINE_FEED = 10;
const SPACE = 32;
const STAR = 42;
const DASH = 45;
const POINT = 46;
const SLASH = 47;
const DIGIT_0 = 48;
const DIGIT_9 = 57;
const PLUS = 43;
const ASCII_MAX = 127;

export const isDigit = (code: number): boolean => code >= DIGIT_0 && code <= DIGIT_9;

const isWhite = (code: number): boolean =>
  code === SPACE || (code >= TAB && code <= 13) || (code > ASCII_MAX && /\s/.test(String.fromCharCode(code)));

const isAsciiLetter = (code: number): boolean => {
  const lower = code | 32;
  return (lower >= 97 && lower <= 122) || code === 95;
};

/** Whether the UTF-16 unit can occur in a bare name: letters of any script, digits, `_` and `$`. */
export function isNameUnit(code: number): boolean {
  if (code <= ASCII_MAX) return isAsciiLetter(code) || isDigit(code) || code === 36;
  return /[\p{L}\p{M}\p{N}\p{Cs}]/u.test(String.fromCharCode(code));
}

/** Whether a bare name can begin with the unit. */
export const isNameStart = (code: number): boolean =>
  code <= ASCII_MAX ? isAsciiLetter(code) : isNameUnit(code);

const isPair = (text: string, at: number): boolean => {
  const low = text.charCodeAt(at + 1);
  return low >= 0xdc00 && low <= 0xdfff;
};
const isHigh = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;

export class Cursor {
  readonly text: string;
  /** Number of UTF-16 units consumed. */
  at = 0;
  /** Number of ARRAY[ that are not closed yet. */
  openArrays = 0;
  #line = 1;
  /** Start of the current line, plus one for every surrogate pair consumed in it. */
  #lineStart = 0;

  constructor(text: string) {
    this.text = text;
  }

  get ended(): boolean {
    return this.at >= this.text.length;
  }

  /** The next unit; NaN at the end. */
  get code(): number {
    return this.text.charCodeAt(this.at);
  }

  position(): SourcePosition {
    return { line: this.#line, column: this.at - this.#lineStart + 1 };
  }

  /** Skips white space and comments: `--` to the end of the line, and slash-star comments, which nest. */
  skip(): void {
    const { text } = this;
    for (;;) {
      const code = text.charCodeAt(this.at);
      if (code === SPACE || code === TAB) this.at++;
      else if (code === LINE_FEED) this.#newLine();
      else if (code === DASH && text.charCodeAt(this.at + 1) === DASH) this.#skipLineComment();
      else if (code === SLASH && text.charCodeAt(this.at + 1) === STAR) this.#skipComment();
      else if (isWhite(code)) this.at++;
      else return;
    }
  }

  /** Consumes `units` units without line feeds. */
  pass(units: number): void {
    const end = this.at + units;
    while (this.at < end) this.#unit();
  }

  /**
   * Consumes a quoted token that ends with `close`, which is doubled to be part of the contents; returns the contents.
   */
  quoted(close: number, what: string): string {
    const { text } = this;
    const begin = this.at + 1;
    let position: SourcePosition | null = null;
    let doubled = false;
    let at = begin;
    for (;;) {
      const code = text.charCodeAt(at);
      if (code === close) {
        if (text.charCodeAt(at + 1) !== close) break;
        doubled = true;
        at += 2;
      } else if (code === LINE_FEED) {
        position ??= this.position();
        at++;
        this.#line++;
        this.#lineStart = at;
      } else if (isHigh(code) && isPair(text, at)) {
        position ??= this.position();
        at += 2;
        this.#lineStart++;
      } else if (at >= text.length) {
        throw sqlError(`the ${what} that begins here has no end`, position ?? this.position());
      } else at++;
    }
    this.at = at + 1;
    const inside = text.slice(begin, at);
    if (!doubled) return inside;
    const quote = String.fromCharCode(close);
    return inside.replaceAll(quote + quote, quote);
  }

  /**
   * Consumes an unsigned number that begins with a digit or a point. Returns it with at least one digit on either side of a
   * point (`.5` = 0.5, `1.` = 1), otherwise as written.
   */
  number(): string {
    const { text, at: begin } = this;
    let at = this.#digitsFrom(begin);
    const wholeEnd = at;
    let fractionEnd = at;
    if (text.charCodeAt(at) === POINT) fractionEnd = at = this.#digitsFrom(at + 1);
    const exponentBegin = at;
    if ((text.charCodeAt(at) | 32) === 101) {
      const sign = text.charCodeAt(at + 1);
      const first = sign === PLUS || sign === DASH ? at + 2 : at + 1;
      if (isDigit(text.charCodeAt(first))) at = this.#digitsFrom(first);
    }
    const after = text.charCodeAt(at);
    if (isNameUnit(after) || after === POINT) throw this.#badNumber(begin, at);
    this.at = at;
    if (wholeEnd > begin && fractionEnd !== wholeEnd + 1) return text.slice(begin, at);
    const whole = wholeEnd === begin ? '0' : text.slice(begin, wholeEnd);
    const fraction = fractionEnd > wholeEnd + 1 ? text.slice(wholeEnd, fractionEnd) : '';
    return whole + fraction + text.slice(exponentBegin, at);
  }

  /** Consumes a bare name, if one begins here. */
  bareName(): string {
    const { text, at: begin } = this;
    let at = begin;
    let pairs = 0;
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (!isNameUnit(code)) break;
      if (isHigh(code) && isPair(text, at)) {
        pairs++;
        at++;
      }
    }
    this.at = at;
    this.#lineStart += pairs;
    return text.slice(begin, at);
  }

  #digitsFrom(from: number): number {
    let at = from;
    while (isDigit(this.text.charCodeAt(at))) at++;
    return at;
  }

  #badNumber(begin: number, at: number): Error {
    const what = `${quoted(this.text.slice(begin, at + 1))} is neither a number nor a name`;
    return sqlError(`${what}; write a name that begins with a digit in [brackets]`, this.position());
  }

  #newLine(): void {
    this.at++;
    this.#line++;
    this.#lineStart = this.at;
  }

  #unit(): void {
    const code = this.text.charCodeAt(this.at);
    if (code === LINE_FEED) {
      this.#newLine();
      return;
    }
    if (isHigh(code) && isPair(this.text, this.at)) {
      this.at++;
      this.#lineStart++;
    }
    this.at++;
  }

  #skipLineComment(): void {
    const ends = /[\r\n]/g;
    ends.lastIndex = this.at;
    const end = ends.exec(this.text)?.index ?? this.text.length;
    // After a line feed, the column counts from the next line.
    if (this.text[end] === '\n') this.at = end;
    else this.pass(end - this.at);
  }

  #skipComment(): void {
    const { text } = this;
    const position = this.position();
    let depth = 0;
    do {
      const code = text.charCodeAt(this.at);
      const next = text.charCodeAt(this.at + 1);
      if (this.ended) throw sqlError('the comment that begins here has no end', position);
      if (code === SLASH && next === STAR) depth++;
      else if (code === STAR && next === SLASH) depth--;
      else {
        this.#unit();
        continue;
      }
      this.at += 2;
    } while (depth > 0);
  }
}
