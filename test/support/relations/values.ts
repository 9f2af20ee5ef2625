/** Values as keys of groups, and their order. */
import type { RelationSortKey } from '../../../src/ir/index.js';
import type { Value } from '../../../src/vector/index.js';

/** By column number. */
export type Row = readonly Value[];

/** Equal values have the same text, including -0 and 0; missing values are equal. */
export const textOf = (values: readonly Value[]): string =>
  values.map((value) => `${typeof value} ${typeof value === 'number' ? value + 0 : value}`).join('\n');

/** Compares values that are not missing. */
export function compareValues(a: Value, b: Value): number {
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b));
  if (a === null || b === null) throw new Error('a missing value is compared');
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Negative if row `a` sorts before row `b`. */
export function compareRows(keys: readonly RelationSortKey[], a: Row, b: Row): number {
  for (const { column, descending, missingFirst } of keys) {
    const [left, right] = [a[column], b[column]];
    if (left === null || right === null) {
      if (left === right) continue;
      return (left === null) === missingFirst ? -1 : 1;
    }
    const order = compareValues(left, right);
    if (order !== 0) return descending ? -order : order;
  }
  return 0;
}
