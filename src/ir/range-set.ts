/**
 * Sets of 64-bit integers as disjoint ascending ranges, both ends included, no two adjacent. All predicates on ordered
 * values become such sets, so that several predicates on one column merge into one set.
 */
import { INT64_MAX, INT64_MIN } from '../base/index.js';
import type { ValueKind } from '../schema/index.js';
import type { IntRange } from './condition.js';

export type RangeSet = readonly IntRange[];

/** Returns the range of values that a column of this kind can store. */
export function domainOf(kind: ValueKind): IntRange {
  if (kind === 'bits') return { low: 0n, high: 1n };
  if (kind === 'i32') return { low: -(2n ** 31n), high: 2n ** 31n - 1n };
  return { low: INT64_MIN, high: INT64_MAX };
}

/** Returns the values of `domain` from `low` to `high`; possibly empty. */
export function rangeWithin(domain: IntRange, low: bigint, high: bigint): RangeSet {
  const cut = { low: low < domain.low ? domain.low : low, high: high > domain.high ? domain.high : high };
  return cut.low <= cut.high ? [cut] : [];
}

export function unite(ranges: readonly IntRange[]): RangeSet {
  const sorted = [...ranges].sort((a, b) => (a.low < b.low ? -1 : a.low > b.low ? 1 : 0));
  const united: IntRange[] = [];
  for (const range of sorted) {
    const last = united.at(-1);
    if (last === undefined || range.low > last.high + 1n) united.push(range);
    else if (range.high > last.high) united[united.length - 1] = { low: last.low, high: range.high };
  }
  return united;
}

export function complement(domain: IntRange, set: RangeSet): RangeSet {
  const rest: IntRange[] = [];
  let low = domain.low;
  for (const range of set) {
    if (range.low > low) rest.push({ low, high: range.low - 1n });
    low = range.high + 1n;
  }
  if (low <= domain.high) rest.push({ low, high: domain.high });
  return rest;
}

export function intersect(a: RangeSet, b: RangeSet): RangeSet {
  const common: IntRange[] = [];
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    common.push(...rangeWithin(a[i], b[j].low, b[j].high));
    if (a[i].high < b[j].high) i++;
    else j++;
  }
  return common;
}
