/**
 * Formats metrics as JSON tokens, rounded at most once. Counts, and min, max and sum of integers, have no fraction; all
 * other numbers have one.
 */
import { invariant } from '../../base/index.js';
import type { Metric } from '../../ir/index.js';
import { baseTypeOf, textOfInteger, type ValueForm } from '../../schema/index.js';
import { type Value, type Vector, valueAt } from '../../vector/index.js';
import { decimalToken, floatToken, nearestDouble } from '../exact-numbers.js';

/** The token of a metric without values. */
export function tokenOfNothing(metric: Metric, form: ValueForm): string {
  if (metric === 'sum') return valueToken(form, 0n);
  return metric === 'count-events' || metric === 'count' || metric === 'count-distinct' ? '0' : 'null';
}

/** The token of row `row` of the metric's aggregates: the count or value; of an average, the sum and the count. */
export function tokenOf(metric: Metric, form: ValueForm, aggregates: readonly Vector[], row: number): string {
  const value = valueAt(aggregates[0], row);
  if (value === null) return tokenOfNothing(metric, form);
  switch (metric) {
    case 'min':
    case 'max':
    case 'sum':
      return valueToken(form, integer(value));
    case 'count':
    case 'count-events':
    case 'count-distinct':
      return String(value);
    case 'avg': {
      const count = integer(valueAt(aggregates[1], row));
      return floatToken(nearestDouble(integer(value), count * unitOf(form)));
    }
    default:
      return floatToken(Number(value));
  }
}

function integer(value: Value): bigint {
  invariant(typeof value === 'bigint', 'exact values are integers');
  return value;
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
