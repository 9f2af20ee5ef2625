/**
 * Formats metrics as JSON tokens, computed exactly from integers and rounded at most once. Defines which moments a
 * metric needs and its value. Counts, and min, max and sum of integers, have no fraction; all other numbers have one.
 */
import { InvariantError } from '../base/index.js';
import type { Metric, MetricStatistic } from '../ir/index.js';
import { baseTypeOf, textOfInteger, type ValueForm } from '../schema/index.js';
import { decimalToken, floatToken, nearestDouble, nearestRoot } from './exact-numbers.js';
import type { Moments } from './moment-merge.js';

export const MOMENT_OF: Readonly<Record<Metric, MetricStatistic>> = {
  min: 'extremes',
  max: 'extremes',
  avg: 'sum',
  sum: 'sum',
  'count-events': 'count',
  count: 'count',
  'count-distinct': 'values',
  median: 'values',
  p95: 'values',
  p99: 'values',
  stddev: 'squares',
};

/** A fraction: 19/20 of the ranks are below the 95th percentile. */
export interface Fraction {
  readonly of: bigint;
  readonly parts: bigint;
}

export const QUANTILES: Readonly<Partial<Record<Metric, Fraction>>> = {
  median: { parts: 1n, of: 2n },
  p95: { parts: 19n, of: 20n },
  p99: { parts: 99n, of: 100n },
};

/** The token of a metric without values. */
export function tokenOfNothing(metric: Metric, form: ValueForm): string {
  if (metric === 'sum') return valueToken(form, 0n);
  return metric === 'count-events' || metric === 'count' || metric === 'count-distinct' ? '0' : 'null';
}

/** The metric over at least one value. */
export function tokenOfMoments(metric: Metric, form: ValueForm, moments: Moments): string {
  const { count, sum, squares, least, greatest } = moments;
  switch (metric) {
    case 'min':
      return valueToken(form, least);
    case 'max':
      return valueToken(form, greatest);
    case 'sum':
      return valueToken(form, sum);
    case 'count':
    case 'count-events':
      return String(count);
    case 'avg':
      return floatToken(nearestDouble(sum, BigInt(count) * unitOf(form)));
    case 'stddev':
      return deviationToken(form, BigInt(count), sum, squares);
    default:
      throw new InvariantError(`${metric} is not a metric of moments`);
  }
}

/** The sample standard deviation (divisor n - 1). */
function deviationToken(form: ValueForm, count: bigint, sum: bigint, squares: bigint): string {
  if (count < 2n) return 'null';
  const unit = unitOf(form);
  return floatToken(nearestRoot(count * squares - sum * sum, count * (count - 1n) * unit * unit));
}

/** The position of a quantile of `count` values: `rank`, plus `parts` / `of` of the distance to the next rank. */
export function quantilePosition(quantile: Fraction, count: number): Fraction & { readonly rank: number } {
  const position = quantile.parts * BigInt(count - 1);
  return { rank: Number(position / quantile.of), parts: position % quantile.of, of: quantile.of };
}

/** The value at `parts` / `of` between `low` and `high`. */
export function betweenToken(form: ValueForm, low: bigint, high: bigint, { parts, of }: Fraction): string {
  return floatToken(nearestDouble(low * of + (high - low) * parts, of * unitOf(form)));
}

/** A stored value, or a sum of stored values, without conversion. */
function valueToken(form: ValueForm, value: bigint): string {
  switch (baseTypeOf(form.type)) {
    case 'decimal':
      return decimalToken(value, form.decimalPlaces ?? 0);
    case 'date':
    case 'datetime':
      return JSON.stringify(textOfInteger(form, value));
    default:
      return String(value);
  }
}

/** The denominator of stored values: a stored value is a multiple of 1 / unit. */
function unitOf({ type, decimalPlaces }: ValueForm): bigint {
  return baseTypeOf(type) === 'decimal' ? 10n ** BigInt(decimalPlaces ?? 0) : 1n;
}
