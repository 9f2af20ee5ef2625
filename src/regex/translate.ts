/**
 * Translates a regular expression of PostgreSQL to the syntax of RE2. Unicode letters and digits are \w, as in PostgreSQL; the
 * edges of words (\y, \m, \M) consider only ASCII letters, digits and _, as in RE2.
 */
import { type Options, optionsOf } from './options.js';

export interface Translation {
  readonly source: string;
  /** The pattern has a non-greedy quantifier. */
  readonly isLazy: boolean;
  readonly ignoresCase: boolean;
  readonly newline: Options['newline'];
}

type Refuse = (what: string) => Error;

const LOOKS = 'look-ahead and look-behind are not available in regular expressions';
const SPACE = '\\t-\\r \\x{1680}\\x{2000}-\\x{2006}\\x{2008}-\\x{200a}\\x{2028}\\x{2029}\\x{205f}\\x{3000}';
const WORD = '\\p{L}\\p{N}_';

/** Named classes, as the inside of brackets. */
const CLASSES: Readonly<Record<string, string>> = {
  alpha: '\\p{L}',
  alnum: '\\p{L}\\p{N}',
  word: WORD,
  digit: '0-9',
  space: SPACE,
  upper: '\\p{Lu}',
  lower: '\\p{Ll}',
  blank: ' \\t',
  punct: '\\p{P}\\p{S}',
  cntrl: '\\x00-\\x1f\\x7f',
  xdigit: '0-9A-Fa-f',
};
const CLASS_ESCAPES: Readonly<Record<string, string>> = { d: '0-9', s: SPACE, w: WORD };
const CHARACTER_ESCAPES: Readonly<Record<string, number>> = {
  a: 7,
  e: 27,
  f: 12,
  n: 10,
  r: 13,
  t: 9,
  v: 11,
  B: 92,
};

/** Throws the error of `refuse` for constructs that RE2 does not support. */
export function translated(pattern: string, options: Options, refuse: Refuse): Translation {
  const { rest, changed } = directed(pattern, options);
  const source = changed.literal ? rest.replace(/[\\^$.[\]|()?*+{}]/g, '\\$&') : '';
  const translator = new Translator(Array.from(rest), changed, refuse);
  return {
    source: changed.literal ? source : translator.run(),
    isLazy: translator.isLazy,
    ignoresCase: changed.ignoresCase,
    newline: changed.newline,
  };
}

/** Reads ***=, ***: and (?letters) at the start of a pattern. */
function directed(pattern: string, options: Options): { rest: string; changed: Options } {
  if (options.literal) return { rest: pattern, changed: options };
  if (pattern.startsWith('***=')) return { rest: pattern.slice(4), changed: { ...options, literal: true } };
  const bare = pattern.startsWith('***:') ? pattern.slice(4) : pattern;
  const letters = /^\(\?([a-z]+)\)/.exec(bare);
  if (letters === null) return { rest: bare, changed: options };
  return { rest: bare.slice(letters[0].length), changed: optionsOf(letters[1], { ...options }) };
}

class Translator {
  readonly #points: readonly string[];
  readonly #options: Options;
  readonly #refuse: Refuse;
  #at = 0;
  #out = '';
  /** The last thing written was a quantifier. */
  #quantified = false;
  /** The last thing written was a single letter, digit or _. */
  #isWord = false;
  isLazy = false;

  constructor(points: readonly string[], options: Options, refuse: Refuse) {
    this.#points = points;
    this.#options = options;
    this.#refuse = refuse;
  }

  run(): string {
    while (this.#at < this.#points.length) this.#next();
    return this.#out;
  }

  #peek(ahead = 0): string {
    return this.#points[this.#at + ahead] ?? '';
  }

  #put(text: string, isWord = false, quantified = false): void {
    this.#out += text;
    this.#isWord = isWord;
    this.#quantified = quantified;
  }

  #next(): void {
    const point = this.#points[this.#at++];
    if (point === '\\') this.#escape();
    else if (point === '[') this.#bracket();
    else if (point === '(') this.#open();
    else if (point === '*' || point === '+' || point === '?') this.#quantifier(point);
    else if (point === '{' && /\d/.test(this.#peek())) this.#count();
    else if (point === '{' || point === '}') this.#put(`\\${point}`);
    else if (this.#options.expanded && /[\s#]/.test(point)) this.#skip(point);
    else this.#put(point, /\w/.test(point));
  }

  #skip(point: string): void {
    if (point === '#') while (this.#at < this.#points.length && this.#peek() !== '\n') this.#at++;
  }

  /** A ? after a quantifier makes it non-greedy. */
  #quantifier(point: string): void {
    const makesLazy = this.#quantified && point === '?';
    if (this.#quantified && !makesLazy)
      throw this.#refuse('a quantifier of the regular expression follows another');
    if (makesLazy) this.isLazy = true;
    this.#put(point, false, !makesLazy);
  }

  #count(): void {
    if (this.#quantified) throw this.#refuse('a quantifier of the regular expression follows another');
    const end = this.#points.indexOf('}', this.#at);
    const inside = end === -1 ? '' : this.#points.slice(this.#at, end).join('');
    if (!/^\d{1,3}(,\d{0,3})?$/.test(inside)) {
      throw this.#refuse('a count in { } of the regular expression is {m}, {m,} or {m,n} of up to 3 digits');
    }
    this.#at = end + 1;
    this.#put(`{${inside}}`, false, true);
  }

  #open(): void {
    if (this.#peek() !== '?') {
      this.#put('(');
      return;
    }
    const [first, second] = [this.#peek(1), this.#peek(2)];
    const looksBack = first === '<' && (second === '=' || second === '!');
    if (first === '=' || first === '!' || looksBack) throw this.#refuse(LOOKS);
    if (first === '#') {
      while (this.#at < this.#points.length && this.#peek() !== ')') this.#at++;
      this.#at++;
    } else if (first === ':') {
      this.#at += 2;
      this.#put('(?:');
    } else
      throw this.#refuse('the regular expression has an unknown (?; options are allowed only at its start');
  }

  #escape(): void {
    const point = this.#points[this.#at++];
    if (point === undefined) throw this.#refuse('the regular expression ends with a backslash');
    const inside = CLASS_ESCAPES[point] ?? CLASS_ESCAPES[point.toLowerCase()];
    if (inside !== undefined) this.#put(`[${point === point.toLowerCase() ? '' : '^'}${inside}]`);
    else if (point === 'A') this.#put('\\A');
    else if (point === 'Z') this.#put('\\z');
    else if (point === 'y' || point === 'Y') this.#put(point === 'y' ? '\\b' : '\\B');
    else if (point === 'm' || point === 'M') this.#edge(point === 'm');
    else if (point === 'b') {
      throw this.#refuse(
        '\\b is a backspace in PostgreSQL; the edge of a word is \\y in regular expressions',
      );
    } else if (/[1-9]/.test(point)) {
      throw this.#refuse('back references such as \\1 are not available in regular expressions');
    } else this.#put(written(this.#character(point)), false);
  }

  /** The edge before or after a word, if the pattern has a character of the word next to it. */
  #edge(atStart: boolean): void {
    const beside = atStart ? /[A-Za-z0-9_]/.test(this.#peek()) : this.#isWord && !this.#quantified;
    const edge = atStart ? '\\m' : '\\M';
    if (!beside)
      throw this.#refuse(
        `${edge} is available only next to a letter or digit; use \\y for any edge of a word`,
      );
    this.#put('\\b');
  }

  /** The code point of a character escape, whose letter was read. */
  #character(letter: string): number {
    const known = CHARACTER_ESCAPES[letter];
    if (known !== undefined) return known;
    if (letter === 'c') return ((this.#points[this.#at++] ?? '').codePointAt(0) ?? 0) & 31;
    if (letter === 'u') return this.#hexadecimal(4, 4);
    if (letter === 'U') return this.#hexadecimal(8, 8);
    if (letter === 'x') return this.#hexadecimal(1, 6);
    if (letter === '0') return Number.parseInt(`0${this.#digits(/[0-7]/, 2)}`, 8);
    if (/[A-Za-z0-9]/.test(letter))
      throw this.#refuse(`the regular expression has an unknown escape \\${letter}`);
    return letter.codePointAt(0) as number;
  }

  #hexadecimal(least: number, most: number): number {
    const digits = this.#digits(/[0-9A-Fa-f]/, most);
    const point = Number.parseInt(digits, 16);
    if (digits.length >= least && point <= 0x10ffff) return point;
    throw this.#refuse('the regular expression has an escape without its hexadecimal digits');
  }

  #digits(digit: RegExp, most: number): string {
    let digits = '';
    while (digits.length < most && digit.test(this.#peek())) digits += this.#points[this.#at++];
    return digits;
  }

  #bracket(): void {
    const edge = ['[:<:]]', '[:>:]]'].indexOf(this.#points.slice(this.#at, this.#at + 6).join(''));
    if (edge !== -1) {
      this.#at += 6;
      this.#edge(edge === 0);
      return;
    }
    const negated = this.#peek() === '^';
    if (negated) this.#at++;
    let inside = '';
    for (let first = true; first || this.#peek() !== ']'; first = false) {
      if (this.#at >= this.#points.length)
        throw this.#refuse('a bracket [ of the regular expression is not closed');
      inside += this.#element();
    }
    this.#at++;
    const { newline } = this.#options;
    const excludes = negated && (newline === 'all' || newline === 'points');
    this.#put(`[${negated ? '^' : ''}${inside}${excludes ? '\\n' : ''}]`);
  }

  /** An element of a bracket, as the inside of a bracket of RE2. */
  #element(): string {
    const point = this.#points[this.#at++];
    if (point === '[' && /[:.=]/.test(this.#peek())) return this.#named(this.#points[this.#at++]);
    if (point === '-') return '-';
    if (point !== '\\') return written(point.codePointAt(0) as number);
    const letter = this.#points[this.#at++];
    if (letter === undefined) throw this.#refuse('the regular expression ends with a backslash');
    const inside = CLASS_ESCAPES[letter];
    if (inside !== undefined) return inside;
    if (CLASS_ESCAPES[letter.toLowerCase()] !== undefined) {
      throw this.#refuse(`\\${letter} is not available in brackets of regular expressions`);
    }
    if (letter === 'b') return '\\x08';
    return written(this.#character(letter));
  }

  /** [:alpha:], [.x.] or [=x=], after its first two characters. */
  #named(kind: string): string {
    const end = this.#points.findIndex(
      (point, at) => at >= this.#at && point === kind && this.#points[at + 1] === ']',
    );
    const name = end === -1 ? '' : this.#points.slice(this.#at, end).join('');
    const inside =
      kind === ':'
        ? CLASSES[name]
        : Array.from(name).length === 1
          ? written(name.codePointAt(0) as number)
          : undefined;
    if (inside === undefined)
      throw this.#refuse(`the regular expression has an unknown class [${kind}${name}${kind}]`);
    this.#at = end + 2;
    return inside;
  }
}

/** A character for RE2, in or outside of brackets: plain only if it has no special meaning there. */
function written(point: number): string {
  const text = String.fromCodePoint(point);
  return /[A-Za-z0-9]/.test(text) || (point > 127 && !/[\s\p{C}]/u.test(text))
    ? text
    : `\\x{${point.toString(16)}}`;
}
