/** Metrics over the values of entities: exact if the answer is exact, otherwise computed from exact sums. */
import type { Json } from '../../../src/api/index.js';
import { doubleOf, exactNumber, integer, NearNumber, valueText } from './answer-value.js';
import type { Value } from './facts.js';
import { compareFractions, type Fraction } from './json.js';

/** The metric over values of columns of the type. Without values it is null, except 0 for sums and counts. */
export function metricOf(metric: string, values: readonly Value[], type: string): Json {
  switch (metric) {
    case 'count':
    case 'count-events':
      return integer(values.length);
    case 'count-distinct':
      return integer(new Set(values.map((value) => valueText(value, type))).size);
    case 'min':
    case 'max':
      return extreme(metric, values, type);
    case 'sum':
      return exactNumber(sumOf(values.map(asFraction)), type);
    case 'avg': {
      const { over, under } = sumOf(values.map(asFraction));
      return values.length === 0 ? null : new NearNumber(doubleOf(over, under * BigInt(values.length)));
    }
    case 'median':
      return quantile(values.map(asFraction), 50n);
    case 'p95':
      return quantile(values.map(asFraction), 95n);
    case 'p99':
      return quantile(values.map(asFraction), 99n);
    case 'stddev':
      return deviation(values.map(asFraction));
    default:
      throw new Error(`the model does not support the metric ${metric}`);
  }
}

function asFraction(value: Value): Fraction {
  if (typeof value === 'object' && 'over' in value) return value;
  throw new Error('a number was expected');
}

function extreme(metric: string, values: readonly Value[], type: string): Json {
  if (values.length === 0) return null;
  const sign = metric === 'min' ? -1 : 1;
  const best = values.reduce((one, other) => (orderOf(other, one) * sign > 0 ? other : one));
  return type === 'date' || type === 'datetime' ? valueText(best, type) : exactNumber(asFraction(best), type);
}

function orderOf(one: Value, other: Value): number {
  if (typeof one === 'object' && 'seconds' in one)
    return one.seconds - (other as { readonly seconds: number }).seconds;
  return compareFractions(asFraction(one), asFraction(other));
}

/** The values as integers over one denominator. */
function scaled(values: readonly Fraction[]): { readonly overs: bigint[]; readonly under: bigint } {
  let under = 1n;
  for (const value of values) if (value.under > under) under = value.under;
  return { overs: values.map((value) => value.over * (under / value.under)), under };
}

const total = (values: readonly bigint[]): bigint => values.reduce((sum, value) => sum + value, 0n);

function sumOf(values: readonly Fraction[]): Fraction {
  const { overs, under } = scaled(values);
  return { over: total(overs), under };
}

/** Interpolates linearly between the values at the ranks next to percent / 100 x (n - 1). */
function quantile(values: readonly Fraction[], percent: bigint): Json {
  if (values.length === 0) return null;
  const { overs, under } = scaled(values);
  overs.sort((one, other) => (one < other ? -1 : one > other ? 1 : 0));
  const position = percent * BigInt(values.length - 1);
  const rank = Number(position / 100n);
  const step = rank + 1 < overs.length ? overs[rank + 1] - overs[rank] : 0n;
  return new NearNumber(doubleOf(overs[rank] * 100n + step * (position % 100n), under * 100n));
}

/** Sample variance: the sum of squared differences from the mean, over n - 1. */
function deviation(values: readonly Fraction[]): Json {
  if (values.length < 2) return null;
  const { overs, under } = scaled(values);
  const count = BigInt(values.length);
  const sum = total(overs);
  const squares = total(overs.map((over) => over * over));
  const variance = doubleOf(squares * count - sum * sum, under * under * count * (count - 1n));
  return new NearNumber(Math.sqrt(variance));
}
