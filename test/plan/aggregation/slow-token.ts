/**
 * Metrics from plain values by a slow method that differs from the server's: decimal long division to many digits,
 * which JavaScript's parser then rounds to a double.
 */
import type { Metric } from '../../../src/ir/index.js';
import { baseTypeOf, textOfInteger, type ValueForm } from '../../../src/schema/index.js';
import type { Value } from '../../../src/vector/index.js';

/** More digits than are needed for any double near a halfway point of the magnitudes in the tests. */
const DIGITS = 120n;
const SHIFT = 10n ** DIGITS;

/** numerator / denominator as a decimal text. A nonzero last digit indicates a remainder. */
function roundedText(numerator: bigint, denominator: bigint): string {
  const scaled = (numerator * SHIFT) / denominator;
  const sticky = scaled * denominator === numerator * SHIFT ? '0' : '1';
  const sign = numerator < 0n ? '-' : '';
  const digits = String(scaled)
    .replace('-', '')
    .padStart(Number(DIGITS) + 1, '0');
  return `${sign}${digits.slice(0, -Number(DIGITS))}.${digits.slice(-Number(DIGITS))}${sticky}`;
}

function rootText(numerator: bigint, denominator: bigint): string {
  const square = (numerator * SHIFT * SHIFT) / denominator;
  let [low, high] = [0n, square + 1n];
  while (high - low > 1n) {
    const middle = (low + high) / 2n;
    if (middle * middle <= square) low = middle;
    else high = middle;
  }
  const exact = low * low * denominator === numerator * SHIFT * SHIFT;
  const digits = String(low).padStart(Number(DIGITS) + 1, '0');
  return `${digits.slice(0, -Number(DIGITS))}.${digits.slice(-Number(DIGITS))}${exact ? '0' : '1'}`;
}

/** Writes all digits if JavaScript would write an exponent. */
function floatText(text: string): string {
  const value = Number(text);
  const plain = /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/.exec(String(value));
  if (plain === null) return Number.isInteger(value) ? `${value}.0` : String(value);
  const [, sign, whole, fraction = '', exponent] = plain;
  if (exponent.startsWith('-')) return `${sign}0.${'0'.repeat(-Number(exponent) - 1)}${whole}${fraction}`;
  return `${sign}${whole}${fraction}${'0'.repeat(Number(exponent) - fraction.length)}.0`;
}

const QUANTILES: Readonly<Partial<Record<Metric, bigint>>> = { median: 50n, p95: 95n, p99: 99n };

export function slowToken(metric: Metric, form: ValueForm, values: readonly Value[]): string {
  if (metric === 'count' || metric === 'count-events') return String(values.length);
  if (metric === 'count-distinct') return String(new Set(values).size);
  const numbers = (values as readonly bigint[]).toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const count = BigInt(numbers.length);
  const type = baseTypeOf(form.type);
  const unit = type === 'decimal' ? 10n ** BigInt(form.decimalPlaces ?? 0) : 1n;
  const stored = (value: bigint): string => {
    const text = textOfInteger(form, value);
    if (type === 'decimal') return text.includes('.') ? text : `${text}.0`;
    return type === 'date' || type === 'datetime' ? `"${text}"` : text;
  };
  const sum = numbers.reduce((total, value) => total + value, 0n);
  if (metric === 'sum') return stored(sum);
  if (count === 0n) return 'null';
  if (metric === 'min') return stored(numbers[0]);
  if (metric === 'max') return stored(numbers[numbers.length - 1]);
  if (metric === 'avg') return floatText(roundedText(sum, count * unit));
  if (metric === 'stddev') {
    if (count < 2n) return 'null';
    // From the distances to the mean, each multiplied by the count.
    const distances = numbers.reduce((total, value) => total + (value * count - sum) ** 2n, 0n);
    return floatText(rootText(distances, count * count * (count - 1n) * unit * unit));
  }
  const position = (QUANTILES[metric] as bigint) * (count - 1n);
  const low = numbers[Number(position / 100n)];
  const high = numbers[Number((position + 99n) / 100n)];
  return floatText(roundedText(low * 100n + (high - low) * (position % 100n), 100n * unit));
}
