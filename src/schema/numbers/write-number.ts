/** TO_CHAR of numbers, as PostgreSQL writes them. */
import { rememberLast } from '../../base/index.js';
import { ordinal } from '../calendar/write-template.js';
import { type NumberTemplate, type NumberToken, readNumberTemplate } from './template.js';

/** A rounded number: its sign, and its digits with a point if digits follow it. */
interface Rounded {
  readonly negative: boolean;
  readonly digits: string;
}

/** Digits of a double that are significant; others are not written. */
const FLOAT_DIGITS = 15;
const ROMAN: readonly (readonly [number, string])[] = [
  ...([
    [1000, 'M'],
    [900, 'CM'],
    [500, 'D'],
    [400, 'CD'],
    [100, 'C'],
    [90, 'XC'],
  ] as const),
  ...([
    [50, 'L'],
    [40, 'XL'],
    [10, 'X'],
    [9, 'IX'],
    [5, 'V'],
    [4, 'IV'],
    [1, 'I'],
  ] as const),
];
const ROMAN_CHARS = 15;

/** Rounds a decimal number half away from zero; `text` has digits, a sign and a fraction. */
function roundedExact(text: string, places: number, shift: number): Rounded {
  const negative = text.startsWith('-');
  const [whole, fraction = ''] = text.replace(/^[+-]/, '').split('.');
  const scale = fraction.length - shift;
  let units = BigInt(whole + fraction);
  if (scale > places) {
    const step = 10n ** BigInt(scale - places);
    units = (2n * units + step) / (2n * step);
  } else {
    units *= 10n ** BigInt(places - scale);
  }
  return withPoint(units, places, negative);
}

function withPoint(units: bigint, places: number, negative: boolean): Rounded {
  const digits = String(units).padStart(places + 1, '0');
  const point = digits.length - places;
  const text = places === 0 ? digits : `${digits.slice(0, point)}.${digits.slice(point)}`;
  return { negative: negative && units !== 0n, digits: text };
}

/** Rounds a double to at most 15 significant digits, as printf does: by its exact binary value. */
function roundedFloat(value: number, places: number): Rounded {
  const magnitude = Math.abs(value);
  const whole = BigInt(Math.round(magnitude)).toString();
  const writtenPlaces = Math.max(0, Math.min(places, FLOAT_DIGITS - whole.length));
  const digits = magnitude >= 1e21 ? whole : magnitude.toFixed(writtenPlaces);
  return { negative: value < 0, digits };
}

class NumberWriter {
  readonly #template: NumberTemplate;
  readonly #isNegative: boolean;
  readonly #digits: string;
  /** Positions before the first digit. */
  readonly #spaces: number;
  /** The last digit that FM writes; null = all. */
  readonly #lastDigit: number | null;
  readonly #positions: number;
  #out = '';
  #isSignWritten: boolean;
  /** Whether a digit was written directly before. */
  #inNumber = false;
  /** The position in the template's digits and point, and the index of the next digit. */
  #position = 0;
  #next = 0;

  constructor(template: NumberTemplate, { negative, digits }: Rounded) {
    this.#template = template;
    this.#isNegative = negative;
    const length = digits.includes('.') ? digits.indexOf('.') : digits.length;
    const isTooLong = length > template.before;
    this.#digits = isTooLong ? `${'#'.repeat(template.before)}.${'#'.repeat(template.after)}` : digits;
    this.#spaces = Math.max(template.before - length, 0);
    this.#isSignWritten = template.minus || (template.plus && template.minus) || this.#omitsSign();
    this.#lastDigit = template.compact && template.hasPoint ? this.#lastRelevant() : null;
    const signs = !this.#isSignWritten && this.#spaces === 0 ? 1 : 0;
    const count = template.after + template.before - 1 + signs;
    this.#positions = count + (this.#spaces > 0 ? 1 : 0) + (template.hasPoint ? 1 : 0);
  }

  #omitsSign(): boolean {
    const { plus, compact, leadingSign } = this.#template;
    return !plus && !this.#isNegative && compact && leadingSign === null;
  }

  /** The index of the last digit after the point that is not 0, of the point, or of the last digit for a 0 of the template. */
  #lastRelevant(): number | null {
    const point = this.#digits.indexOf('.');
    if (point === -1) return null;
    let last = this.#digits.length - 1;
    while (last > point && this.#digits[last] === '0') last--;
    const { zeroEnd } = this.#template;
    if (zeroEnd <= this.#spaces) return last;
    return Math.max(last, Math.min(this.#digits.length - 1, zeroEnd - this.#spaces));
  }

  write(): string {
    for (const token of this.#template.tokens) this.#token(token);
    return this.#out;
  }

  #token(token: NumberToken): void {
    const { compact, hasPoint } = this.#template;
    switch (token.is) {
      case 'digit':
      case 'point':
        this.#numeral(token.is === 'digit' && token.zero);
        return;
      case 'group':
        if (this.#inNumber) this.#out += ',';
        else if (!compact) this.#out += ' ';
        return;
      case 'currency':
        this.#out += ' ';
        return;
      case 'minus':
        if (this.#isNegative || !compact) this.#out += this.#isNegative ? '-' : ' ';
        return;
      case 'plus':
        if (!this.#isNegative || !compact) this.#out += this.#isNegative ? ' ' : '+';
        return;
      case 'sign':
        this.#out += this.#isNegative ? '-' : '+';
        return;
      case 'ordinal': {
        if (this.#isNegative || hasPoint || this.#digits.startsWith('#')) return;
        const suffix = ordinal(this.#digits);
        this.#out += token.upper ? suffix.toUpperCase() : suffix;
        return;
      }
      case 'literal':
        this.#out += token.text;
    }
  }

  /** Writes the next digit, the point, a zero or a blank, and the sign before and after the number. */
  #numeral(isZero: boolean): void {
    const { zeroStart, compact } = this.#template;
    this.#inNumber = false;
    const position = this.#position;
    const isBefore = position < this.#spaces;
    const fillsZeros = zeroStart !== null && zeroStart <= position;
    if (!this.#isSignWritten && (!isBefore || zeroStart === position)) this.#leadingSign();
    if (isBefore) {
      if (fillsZeros) this.#digit('0');
      else if (!compact) this.#out += ' ';
    } else {
      this.#fromDigits(isZero);
    }
    const end = this.#lastDigit !== null && this.#lastDigit === this.#next ? position : this.#positions;
    if (position + 1 === end) this.#trailingSign();
    this.#position++;
  }

  #digit(digit: string): void {
    this.#out += digit;
    this.#inNumber = true;
  }

  /** A 0 before the point that is not written: 0.5 as 9.9 is .5. */
  #isHiddenZero(): boolean {
    const { zeroStart, after } = this.#template;
    return zeroStart === null && this.#next === 0 && this.#digits.startsWith('0') && after !== 0;
  }

  get #endsWithPoint(): boolean {
    return this.#lastDigit !== null && this.#digits[this.#lastDigit] === '.';
  }

  #leadingSign(): void {
    const { leadingSign, brackets, compact } = this.#template;
    if (this.#isHiddenZero() && !this.#endsWithPoint) return;
    if (leadingSign !== null) {
      if (leadingSign !== 'before') return;
      this.#out += this.#isNegative ? '-' : '+';
    } else if (brackets && !(compact && !this.#isNegative)) this.#out += this.#isNegative ? '<' : ' ';
    else if (this.#isNegative) this.#out += '-';
    else if (!compact) this.#out += ' ';
    this.#isSignWritten = true;
  }

  #trailingSign(): void {
    const { leadingSign, brackets, compact } = this.#template;
    if (this.#isSignWritten && brackets && !(compact && !this.#isNegative)) {
      this.#out += this.#isNegative ? '>' : ' ';
    } else if (leadingSign === 'after') this.#out += this.#isNegative ? '-' : '+';
  }

  #fromDigits(isZero: boolean): void {
    const digit = this.#digits[this.#next];
    const isDropped = this.#lastDigit !== null && this.#next > this.#lastDigit && !isZero;
    if (digit === '.') this.#out += '.';
    else if (isDropped || digit === undefined) {
      // Not written.
    } else if (this.#isHiddenZero()) {
      if (!this.#template.compact) this.#out += ' ';
      else if (this.#endsWithPoint) this.#out += '0';
    } else this.#digit(digit);
    if (digit !== undefined) this.#next++;
  }
}

function roman({ compact, tokens }: NumberTemplate, text: string): string {
  const value = Math.round(Number(text));
  let left = value;
  let made = value >= 1 && value <= 3_999 ? '' : '#'.repeat(ROMAN_CHARS);
  for (const [number, letters] of value <= 3_999 ? ROMAN : []) {
    for (; left >= number; left -= number) made += letters;
  }
  const isUpper = tokens.some((token) => token.is === 'roman' && token.upper);
  const written = isUpper ? made : made.toLowerCase();
  return compact ? written : written.padStart(ROMAN_CHARS, ' ');
}

/** TO_CHAR(number as text, template, whether it is a float). Throws 6000 for a template that is not valid. */
export function makeWriteNumber(): (text: string, template: string, isFloat: boolean) => string {
  const readTemplate = rememberLast(readNumberTemplate);
  return (text, template, isFloat) => {
    const read = readTemplate(template);
    if (read.roman) return roman(read, text);
    const { after, shift } = read;
    const rounded = isFloat
      ? roundedFloat(Number(text) * 10 ** shift, after)
      : roundedExact(text, after, shift);
    return new NumberWriter(read, rounded).write();
  };
}
