/** Computes the results of aggregates from exact counts and sums; each is exact and rounded at most once. */
import { inSlices, type MemoryAccount, SLICE_TEXTS, type Task } from '../../base/index.js';
import type { AggregateFunction } from '../../ir/index.js';
import { sqlError } from '../../sql/index.js';
import {
  DIGITS_MAX,
  decimalMean,
  exactMean,
  fewMillionths,
  formOf,
  isSafe,
  MEAN_UNIT,
  nearest,
  nearestRootOfUnits,
  type SqlType,
  scaleOf,
  type Vector,
} from '../../vector/index.js';
import { BIGINT_BYTES } from './columns.js';
import type { GroupSums } from './group-sums.js';

const EXACT_END = 10n ** BigInt(DIGITS_MAX);

/** One double per group; a result that is not finite is missing. Throws 9006. */
export function* floatColumn(
  count: number,
  measure: (group: number) => number | null,
  budget: MemoryAccount,
): Task<Vector> {
  budget.reserve(count * 9);
  const numbers = new Float64Array(count);
  const valid = new Uint8Array(count);
  let missing = 0;
  yield* inSlices(
    count,
    (from, to) => {
      for (let group = from; group < to; group++) {
        const value = measure(group);
        if (value === null || !Number.isFinite(value)) missing++;
        else {
          numbers[group] = value;
          valid[group] = 1;
        }
      }
    },
    SLICE_TEXTS,
  );
  return { kind: 'float', count, valid: missing === 0 ? null : valid, numbers };
}

export const countColumn = (counts: Float64Array): Vector => ({
  kind: 'exact',
  count: counts.length,
  valid: null,
  numbers: counts,
  wide: null,
});

/** 1 where a count is above 0; null = everywhere. Throws 9006. */
function* validOf(counts: Float64Array, budget: MemoryAccount): Task<Uint8Array | null> {
  budget.reserve(counts.length);
  const valid = new Uint8Array(counts.length);
  let missing = 0;
  yield* inSlices(counts.length, (from, to) => {
    for (let group = from; group < to; group++) {
      if (counts[group] === 0) missing++;
      else valid[group] = 1;
    }
  });
  return missing === 0 ? null : valid;
}

/** The sum of each group; missing for a group without values. Throws 6000 for more than DIGITS_MAX digits, 9006. */
export function* sumColumn(
  of: SqlType,
  counts: Float64Array,
  sums: GroupSums,
  budget: MemoryAccount,
): Task<Vector> {
  const { unit, exponent } = formOf(of);
  if (of.type === 'float') {
    return yield* floatColumn(
      counts.length,
      (group) => (counts[group] === 0 ? null : nearest(sums.at(group), unit, exponent)),
      budget,
    );
  }
  const valid = yield* validOf(counts, budget);
  const { numbers } = sums;
  if (numbers !== null) return { kind: 'exact', count: counts.length, valid, numbers, wide: null };
  return yield* wideColumn(counts.length, valid, (group) => sums.at(group), budget);
}

function* wideColumn(
  count: number,
  valid: Uint8Array | null,
  resultOf: (group: number) => bigint,
  budget: MemoryAccount,
): Task<Vector> {
  budget.reserve(count * BIGINT_BYTES);
  const wide: bigint[] = [];
  let unsafe = 0;
  yield* inSlices(
    count,
    (from, to) => {
      for (let group = from; group < to; group++) {
        const sum = valid !== null && valid[group] === 0 ? 0n : resultOf(group);
        if (sum >= EXACT_END || sum <= -EXACT_END) {
          throw sqlError(`A sum has more than ${DIGITS_MAX} digits.`, null);
        }
        if (!isSafe(sum)) unsafe++;
        wide.push(sum);
      }
    },
    SLICE_TEXTS,
  );
  if (unsafe > 0) return { kind: 'exact', count, valid, numbers: null, wide };
  return { kind: 'exact', count, valid, numbers: Float64Array.from(wide, Number), wide: null };
}

/** The mean of each group with at most 6 decimals, halves away from zero. Throws 9006. */
export function* avgColumn(
  of: SqlType,
  counts: Float64Array,
  sums: GroupSums,
  budget: MemoryAccount,
): Task<Vector> {
  const form = formOf(of);
  const { numbers } = sums;
  const unit = form.unit <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(form.unit) : Number.POSITIVE_INFINITY;
  return yield* floatColumn(
    counts.length,
    (group) => {
      const count = counts[group];
      if (count === 0) return null;
      if (numbers !== null && form.exponent === 0) {
        const millionths = fewMillionths(numbers[group], count * unit);
        if (millionths !== null) return millionths / MEAN_UNIT;
      }
      return exactMean(sums.at(group), BigInt(count), form);
    },
    budget,
  );
}

/**
 * The mean of each group: of exact numbers a decimal of `type`, of floats the nearest float. Throws 6000 for more than DIGITS_MAX
 * digits, 9006.
 */
export function* meanColumn(
  of: SqlType,
  type: SqlType,
  counts: Float64Array,
  sums: GroupSums,
  budget: MemoryAccount,
): Task<Vector> {
  const form = formOf(of);
  if (type.type === 'float') {
    const mean = (group: number): number | null =>
      counts[group] === 0 ? null : nearest(sums.at(group), BigInt(counts[group]) * form.unit, form.exponent);
    return yield* floatColumn(counts.length, mean, budget);
  }
  const valid = yield* validOf(counts, budget);
  const scale = scaleOf(type);
  const mean = (group: number): bigint => decimalMean(sums.at(group), BigInt(counts[group]), form, scale);
  return yield* wideColumn(counts.length, valid, mean, budget);
}

/**
 * The variance or standard deviation: of the sample (divisor n - 1), missing for fewer than two values, or of the population
 * (divisor n), missing without a value. Throws 9006.
 */
export function* deviationColumn(
  name: AggregateFunction,
  of: SqlType,
  counts: Float64Array,
  sums: GroupSums,
  squares: GroupSums,
  budget: MemoryAccount,
): Task<Vector> {
  const { unit, exponent } = formOf(of);
  const isOfPopulation = name === 'stddev-pop' || name === 'variance-pop';
  const isRoot = name === 'stddev' || name === 'stddev-pop';
  return yield* floatColumn(
    counts.length,
    (group) => {
      if (counts[group] < (isOfPopulation ? 1 : 2)) return null;
      const count = BigInt(counts[group]);
      const sum = sums.at(group);
      const numerator = count * squares.at(group) - sum * sum;
      const denominator = count * (isOfPopulation ? count : count - 1n) * unit * unit;
      if (isRoot) return nearestRootOfUnits(numerator, denominator, exponent);
      return nearest(numerator, denominator, 2 * exponent);
    },
    budget,
  );
}
