/** Values and numbers in the form of answers. */
import { ExactNumber } from '../../../src/api/index.js';
import type { Value } from './facts.js';
import type { Fraction } from './json.js';
import { dateText } from './time.js';

/** A number with a fraction that is compared approximately, with a relative and an absolute tolerance. */
export class NearNumber extends ExactNumber {
  readonly relative: number;
  readonly absolute: number;

  constructor(value: number, relative = 1e-12, absolute = 0) {
    const text = JSON.stringify(value);
    super(/[.e]/.test(text) ? text : `${text}.0`);
    this.relative = relative;
    this.absolute = absolute;
  }
}

/** A stored value of a column as the text in answers; equal values have equal texts. */
export function valueText(value: Value, type: string): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  if ('seconds' in value) return dateText(value.seconds).slice(0, type === 'date' ? 10 : undefined);
  if ('over' in value) return decimalText(value);
  return JSON.stringify([value.longitude, value.latitude]);
}

/** Decimal notation without trailing zeros. */
export function decimalText({ over, under }: Fraction): string {
  const places = String(under).length - 1;
  const digits = String(over < 0n ? -over : over).padStart(places + 1, '0');
  const point = digits.length - places;
  const behind = digits.slice(point).replace(/0+$/, '');
  const whole = `${over < 0n ? '-' : ''}${digits.slice(0, point)}`;
  return behind === '' ? whole : `${whole}.${behind}`;
}

/** An exact number: decimals always have a fraction, integers never. */
export function exactNumber(value: Fraction, type: string): ExactNumber {
  const text = decimalText(value);
  return new ExactNumber(type === 'decimal' && !text.includes('.') ? `${text}.0` : text);
}

export const integer = (value: number): ExactNumber => new ExactNumber(String(value));

/** The double nearest to over / under, to within two roundings; under > 0. */
export function doubleOf(over: bigint, under: bigint): number {
  const shift = Math.max(0, under.toString(2).length - over.toString(2).length + 70);
  return Number((over << BigInt(shift)) / under) / 2 ** shift;
}
