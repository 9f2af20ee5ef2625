/**
 * Converts decimal text to 64-bit integers scaled by a column's decimal places, and back, without rounding.
 */
import { INT64_MAX, INT64_MIN } from '../base/index.js';

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

export interface DecimalText {
  readonly negative: boolean;
  /** All significant digits, without leading or trailing zeros ("" for zero). */
  readonly digits: string;
  /** Digits after the point once `digits` is read as an integer; negative = zeros to append. */
  readonly scale: number;
}

/** Parses the text of a JSON number exactly; returns null for any other text. */
export function readDecimal(text: string): DecimalText | null {
  const match = NUMBER.exec(text);
  if (match === null) return null;
  const fraction = match[3] ?? '';
  const exponent = match[4] === undefined ? 0 : Number(match[4]);
  const all = (match[2] + fraction).replace(/^0+/, '');
  // A regular expression such as /0+$/ would take quadratic time on long runs of zeros.
  let end = all.length;
  while (end > 0 && all[end - 1] === '0') end--;
  const digits = all.slice(0, end);
  const scale = digits === '' ? 0 : fraction.length - exponent - (all.length - digits.length);
  return { negative: match[1] === '-', digits, scale };
}

export type ScaledDecimal =
  | { readonly value: bigint }
  | { readonly reason: 'not-a-number' | 'too-many-places' | 'out-of-range' };

/** Computes `text` x 10^places as a 64-bit integer, or the reason why there is none. */
export function scaleDecimal(text: string, places: number): ScaledDecimal {
  const read = readDecimal(text);
  if (read === null) return { reason: 'not-a-number' };
  if (read.digits === '') return { value: 0n };
  const zeros = places - read.scale;
  if (read.digits.length + zeros > 19) return { reason: 'out-of-range' };
  if (zeros < 0) return { reason: 'too-many-places' };
  const magnitude = BigInt(read.digits) * 10n ** BigInt(zeros);
  const value = read.negative ? -magnitude : magnitude;
  return value < INT64_MIN || value > INT64_MAX ? { reason: 'out-of-range' } : { value };
}

/** A scaled decimal as text, without trailing zeros: 1000001123 at 3 places is "1000001.123", 900000 is "900". */
export function formatDecimal(scaled: bigint, places: number): string {
  const text = formatScaled(scaled, places);
  return places === 0 ? text : text.replace(/\.?0+$/, '');
}

/** A scaled decimal as text, with all digits: 150 at 2 places is "1.50". */
export function formatScaled(scaled: bigint, places: number): string {
  const negative = scaled < 0n;
  const digits = (negative ? -scaled : scaled).toString().padStart(places + 1, '0');
  const fraction = places === 0 ? '' : `.${digits.slice(-places)}`;
  return `${negative ? '-' : ''}${digits.slice(0, digits.length - places)}${fraction}`;
}
