/** Limits of one statement, in addition to the limits that it shares with the JSON interface. */
import { sqlError } from '../sql-error.js';
import type { SourcePosition } from '../tree.js';

export const OUTPUTS_MAX = 1_000;
/** Maximum number of columns and conditions that the expressions of a statement read. */
export const INPUTS_MAX = 2_000;
export const AGGREGATES_MAX = 1_000;
export const GROUP_KEYS_MAX = 100;
export const SORT_KEYS_MAX = 100;
export const LOOKUP_JOINS_MAX = 16;
/** Maximum number of nodes of all bound expressions of a statement. */
export const STATEMENT_NODES_MAX = 500_000;
/** Maximum number of values of one IN. */
export const IN_VALUES_MAX = 10_000;
/** A set of more disjoint ranges than this is evaluated by look-up instead of by scans. */
export const RANGES_MAX = 100;

/** Throws 6000 if there are more than `most` items. */
export function checkCount(count: number, most: number, what: string, position: SourcePosition | null): void {
  if (count > most) throw sqlError(`there are more than ${most} ${what}`, position);
}
