/** Templates of TO_CHAR and TO_NUMBER of numbers: 9, 0, point, comma, signs, FM, TH, V and RN, as in PostgreSQL. */
import { QuarryError, quoted } from '../../base/index.js';

export type NumberToken =
  | { readonly is: 'digit'; readonly zero: boolean }
  | { readonly is: 'point' | 'group' | 'currency' | 'minus' | 'plus' | 'sign' }
  | { readonly is: 'ordinal' | 'roman'; readonly upper: boolean }
  | { readonly is: 'literal'; readonly text: string };

export interface NumberTemplate {
  readonly tokens: readonly NumberToken[];
  /** Digits before and after the point. */
  readonly before: number;
  readonly after: number;
  readonly hasPoint: boolean;
  /** Index of the digit from which zeros are written, and the number of digits up to the last 0; null = no 0 before the point. */
  readonly zeroStart: number | null;
  readonly zeroEnd: number;
  /** FM: without padding. */
  readonly compact: boolean;
  /** S: the sign is before or after the number. */
  readonly leadingSign: 'before' | 'after' | null;
  /** PR: a negative number is in angle brackets. */
  readonly brackets: boolean;
  /** Whether MI, PL or SG writes the sign: plus alone also needs the sign of negative numbers. */
  readonly minus: boolean;
  readonly plus: boolean;
  readonly roman: boolean;
  /** V: the number is multiplied by 10 to this power. */
  readonly shift: number;
}

const CHARS_MAX = 200;
const TOKEN =
  /FM|fm|TH|th|RN|rn|PR|pr|MI|mi|PL|pl|SG|sg|EEEE|eeee|[90.,DdGgLlSsVvBb]|\\"|"((?:[^"\\]|\\.)*)"?|./suy;

const refused = (template: string, why: string): QuarryError => {
  const message = `the format ${quoted(template)} ${why}`;
  return new QuarryError(6000, message, { message });
};

class Reader {
  readonly tokens: NumberToken[] = [];
  before = 0;
  after = 0;
  hasPoint = false;
  zeroStart: number | null = null;
  zeroEnd = 0;
  compact = false;
  leadingSign: NumberTemplate['leadingSign'] = null;
  /** Digits before the point at a leading S. */
  digitsAtSign = 0;
  brackets = false;
  minus = false;
  plus = false;
  roman = false;
  shift = 0;
  shifts = false;
  readonly #template: string;

  constructor(template: string) {
    this.#template = template;
  }

  read(written: string, quotedText: string | undefined): void {
    const upper = written.toUpperCase();
    switch (upper) {
      case '9':
      case '0':
        this.#digit(upper === '0');
        return;
      case '.':
      case 'D':
        if (this.hasPoint) throw refused(this.#template, 'has two decimal points');
        if (this.shifts) throw refused(this.#template, 'has a decimal point and V');
        this.hasPoint = true;
        this.tokens.push({ is: 'point' });
        return;
      case ',':
      case 'G':
        this.tokens.push({ is: 'group' });
        return;
      case 'L':
        this.tokens.push({ is: 'currency' });
        return;
      case 'FM':
        this.compact = true;
        return;
      case 'TH':
        this.tokens.push({ is: 'ordinal', upper: written === 'TH' });
        return;
      case 'RN':
        this.roman = true;
        this.tokens.push({ is: 'roman', upper: written === 'RN' });
        return;
      case 'V':
        if (this.hasPoint) throw refused(this.#template, 'has a decimal point and V');
        this.shifts = true;
        return;
      case 'B':
        return;
      case 'EEEE':
        throw refused(this.#template, 'has EEEE, which is not available');
      case 'S':
      case 'MI':
      case 'PL':
      case 'SG':
      case 'PR':
        this.#sign(upper);
        return;
      default:
        this.tokens.push({ is: 'literal', text: literalText(written, quotedText) });
    }
  }

  #digit(zero: boolean): void {
    if (this.brackets) throw refused(this.#template, 'has digits after PR');
    if (zero && this.zeroStart === null && !this.hasPoint) this.zeroStart = this.before;
    if (this.shifts && !zero) this.shift++;
    if (this.hasPoint) this.after++;
    else this.before++;
    if (zero) this.zeroEnd = this.before + this.after;
    this.tokens.push({ is: 'digit', zero });
  }

  #sign(kind: 'S' | 'MI' | 'PL' | 'SG' | 'PR'): void {
    const others = this.leadingSign !== null || this.brackets || this.minus || this.plus;
    if (others) throw refused(this.#template, 'has more than one sign');
    if (kind === 'PR') this.brackets = true;
    else if (kind === 'S') {
      this.leadingSign = this.hasPoint ? 'after' : 'before';
      this.digitsAtSign = this.before;
    } else {
      this.minus = kind !== 'PL';
      this.plus = kind !== 'MI';
      this.tokens.push({ is: kind === 'SG' ? 'sign' : kind === 'MI' ? 'minus' : 'plus' });
    }
  }
}

function literalText(written: string, quotedText: string | undefined): string {
  if (written === '\\"') return '"';
  return quotedText === undefined ? written : quotedText.replace(/\\(.)/gsu, '$1');
}

/** Throws 6000. */
export function readNumberTemplate(template: string): NumberTemplate {
  if (template.length > CHARS_MAX) throw refused(template, `has more than ${CHARS_MAX} characters`);
  const reader = new Reader(template);
  for (const match of template.matchAll(new RegExp(TOKEN, 'suyg'))) reader.read(match[0], match[1]);
  if (!reader.roman && reader.before + reader.after === 0) throw refused(template, 'has no digits');
  if (reader.hasPoint && reader.after === 0 && reader.tokens.at(-1)?.is !== 'point') {
    throw refused(template, 'has a decimal point without digits after it');
  }
  // A sign after all digits follows the number.
  const isAfter = reader.leadingSign === 'before' && reader.before === reader.digitsAtSign;
  return { ...reader, leadingSign: isAfter ? 'after' : reader.leadingSign };
}
