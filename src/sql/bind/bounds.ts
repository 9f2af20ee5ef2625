/** How much one statement may ask for, beyond the bounds that it shares with the JSON interface. */
import { sqlError } from '../sql-error.js';
import type { Place } from '../tree.js';

export const OUTPUTS_MAX = 1_000;
/** Columns and conditions that the expressions of a statement read. */
export const INPUTS_MAX = 2_000;
export const AGGREGATES_MAX = 1_000;
export const GROUP_KEYS_MAX = 100;
export const SORT_KEYS_MAX = 100;
export const JOINS_MAX = 16;
/** Nodes of all expressions of a statement, as they are bound. */
export const STATEMENT_NODES_MAX = 500_000;
/** Values of one IN. */
export const IN_VALUES_MAX = 10_000;
/** More disjoint ranges of one column are looked up one by one rather than scanned for. */
export const RANGES_MAX = 100;

/** Refuses the item that makes them too many: 6000. */
export function checkCount(count: number, most: number, what: string, place: Place | null): void {
  if (count > most) throw sqlError(`there are more than ${most} ${what}`, place);
}
