/**
 * Seeded JSON tokens for columns of every type: white space, texts and values, plain or, with a given probability,
 * unusual.
 */
import type { Prng } from '../../src/base/index.js';
import { type Column, formatDate, formatDateTime } from '../../src/schema/index.js';

const DAY = 86_400;
/** Days of 0000-01-01 and 9999-12-31. */
export const FIRST_DAY = -719_528;
export const LAST_DAY = 2_932_896;
const OTHERS = Array.from('éÄÖüßİΣςΩЖѢ日本ﷺＡＺ😀🇩🇪\u212aȺẞ\u200b');
const ESCAPES = [
  '\\\\',
  '\\"',
  '\\/',
  '\\b',
  '\\f',
  '\\n',
  '\\r',
  '\\t',
  '\\u0041',
  '\\u00C9',
  '\\u0000',
  '\\uD83d\\uDE00',
  '\\u212a',
];
const LETTERS = " !#$%&'()*+,-./0123456789:;<=>?@ABCXYZ[]^_`abcxyz{|}~\u007f";
const LENGTHS = [1, 2, 3, 4, 5, 7, 8, 11, 12, 14, 15, 16, 17, 30, 31, 32, 33, 47, 48, 49, 255, 999, 1000];

export class PlainValueWriter {
  /** Whether only plain tokens were written. */
  isPlain = true;
  readonly #random: Prng;
  readonly #oddChance: number;
  readonly #gaps: readonly string[];

  constructor(random: Prng, oddChance: number) {
    this.#random = random;
    this.#oddChance = oddChance;
    this.#gaps = random.pick([[''], [''], ['', ' '], ['', ' ', '\n', '\t \r\n', '\n        ']]);
  }

  gap(): string {
    return this.#random.pick(this.#gaps);
  }

  /** With the given probability one of `odd`, which is recorded in `isPlain`; else null. */
  odd(odd: readonly string[]): string | null {
    if (!this.#random.chance(this.#oddChance)) return null;
    this.isPlain = false;
    return this.#random.pick(odd);
  }

  /** A text of the given number of code points: ASCII, sometimes with others and escapes. */
  #letters(length: number): string {
    const random = this.#random;
    const otherChance = random.pick([0, 0, 0, 0.02, 0.5]);
    const letter = (): string => {
      if (random.chance(otherChance)) return random.pick(random.chance(0.5) ? OTHERS : ESCAPES);
      return LETTERS[random.below(LETTERS.length)];
    };
    return Array.from({ length }, letter).join('');
  }

  #text(): string {
    const odd = this.odd([
      '""',
      '"a\\q"',
      '"\\ud800"',
      '"\\ud800\\u0041"',
      '"\\udc00"',
      '"\\u00g0"',
      '"\u{10400}"',
      `"${'é'.repeat(1001)}"`,
      '"tab\t"',
      `"${'x'.repeat(1001)}"`,
      '1',
      'null',
      '"x',
    ]);
    if (odd !== null) return odd;
    const length = this.#random.chance(0.3) ? this.#random.pick(LENGTHS) : this.#random.between(1, 12);
    return `"${this.#letters(length)}"`;
  }

  instant(seconds: number): string {
    const fraction = this.#random.pick(['', '', '.1', '.000', '.123456789']);
    return `"${formatDateTime(seconds).slice(0, -1)}${fraction}Z"`;
  }

  #digits(count: number): string {
    const first = this.#random.between(1, 9);
    return Array.from({ length: count }, (_, index) => (index === 0 ? first : this.#random.below(10))).join(
      '',
    );
  }

  #sign(): string {
    return this.#random.chance(0.3) ? '-' : '';
  }

  #integer(): string {
    const odd = this.odd([
      '1.0',
      '01',
      '-',
      '+1',
      '1e3',
      '9223372036854775808',
      `1${'0'.repeat(18)}`,
      '"1"',
      '--1',
      '.5',
    ]);
    if (odd !== null) return odd;
    const digitCount = this.#random.pick([1, 1, 2, 3, 9, 10, 15, 16, 17, 18]);
    return `${this.#sign()}${this.#random.chance(0.1) ? '0' : this.#digits(digitCount)}`;
  }

  #decimal(places: number): string {
    const odd = this.odd([
      `0.${'1'.repeat(places + 1)}`,
      '1.',
      '-.5',
      '1e-1',
      '00.5',
      '"1.5"',
      '9223372036854775807',
      '1.5.5',
    ]);
    if (odd !== null) return odd;
    const whole = this.#random.chance(0.2) ? '0' : this.#digits(this.#random.between(1, 18 - places));
    const fraction = this.#random.between(0, places);
    return `${this.#sign()}${whole}${fraction === 0 ? '' : `.${this.#random.below(10)}${'07'.repeat(9).slice(0, fraction - 1)}`}`;
  }

  #degrees(bound: number): string {
    const odd = this.odd([
      `${bound}.000001`,
      `-${bound + 1}`,
      '1e1',
      `0.${this.#digits(15)}`,
      `-${this.#random.between(1, bound - 1)}.${this.#digits(16)}`,
      '1.',
      'null',
      '"1"',
    ]);
    if (odd !== null) return odd;
    const places = this.#random.between(0, 15 - String(bound).length);
    const whole = this.#random.below(bound);
    const digits = this.#digits(Math.max(1, places));
    return this.#random.chance(0.1)
      ? this.#random.pick([`${bound}`, `-${bound}`, '0', '-0', '-0.0', `${bound}.000`])
      : `${this.#sign()}${whole}${places === 0 ? '' : `.${digits}`}`;
  }

  value(column: Column): string {
    const random = this.#random;
    switch (column.type.replace('-event', '')) {
      case 'integer':
        return this.#integer();
      case 'enumerated':
        return random.chance(0.5)
          ? random.pick(['-11', '-10', '-9', '0', '17', '18', '65', '66'])
          : this.#integer();
      case 'decimal':
        return this.#decimal(column.decimalPlaces ?? 0);
      case 'boolean':
        return (
          this.odd(['True', '1', '"yes"', '"true', 'nul', 'fals']) ??
          random.pick(['true', 'false', '"true"', '"false"'])
        );
      case 'date': {
        const day = random.pick([FIRST_DAY, LAST_DAY, 0, random.between(FIRST_DAY, LAST_DAY)]);
        const odd = this.odd([
          '"2025-02-29"',
          '"1900-02-29"',
          '"2026-13-01"',
          '"2026-00-01"',
          '"2026-01-00"',
          '"2026-1-01"',
          '"26-01-0100"',
          '5',
        ]);
        return odd ?? `"${random.pick([formatDate(day), '2024-02-29', '2000-02-29'])}"`;
      }
      case 'datetime': {
        const odd = this.odd([
          '"2026-01-05"',
          '"2026-01-05T24:00:00Z"',
          '"2026-01-05T10:00:00z"',
          '"2026-01-05T10:00:00.Z"',
          '"2026-01-05T10:00:00.1234567890Z"',
          '"2026-01-05T10:00:00-01:30"',
          '"2026-01-05T10:00:60Z"',
          '"2026-01-05T10:0a:00Z"',
        ]);
        return odd ?? this.instant(random.between(FIRST_DAY * DAY, LAST_DAY * DAY + DAY - 1));
      }
      case 'geolocation': {
        const gap = this.gap();
        const odd = this.odd(['[1]', '[]', '[1,2,3]', '"1,2"', '[1 2]']);
        return odd ?? `[${gap}${this.#degrees(180)}${gap},${gap}${this.#degrees(90)}${gap}]`;
      }
      default:
        return this.#text();
    }
  }
}
