/** The order of an extraction's rows; see extract.ts. */
import { hashBytes, reversedBits } from '../base/index.js';
import { compareText } from '../schema/index.js';
import type { ExtractPlan, OrderKey, OrderValue, RowPosition } from './extract.js';

export type OrderOfRows = Pick<ExtractPlan, 'scored' | 'near' | 'order'>;

/**
 * Sorts the rows of a complete result into the order in which they are returned: rows with a score are ordered by
 * `order` first.
 */
export function answerOrder<Row extends { readonly position: RowPosition }>(
  { scored, order }: Pick<ExtractPlan, 'scored' | 'order'>,
  rows: readonly Row[],
): readonly Row[] {
  if (scored === null || order.length === 0) return rows;
  return [...rows].sort((a, b) => byKeys(order, a.position, b.position) || byScore(a.position, b.position));
}

/** By descending score, then by ID. */
function byScore(a: RowPosition, b: RowPosition): number {
  return a.score === b.score ? compareText(a.id, b.id) : b.score - a.score;
}

function byKeys(keys: readonly OrderKey[], a: RowPosition, b: RowPosition): number {
  for (let key = 0; key < keys.length; key++) {
    const order = compareValues(a.values[key], b.values[key], keys[key].descending);
    if (order !== 0) return order;
  }
  return 0;
}

/** Whether the plan has no order, so that rows are ordered by the ranks of their IDs. */
export function ranksById({ scored, near, order }: OrderOfRows): boolean {
  return scored === null && near === null && order.length === 0;
}

/** The rank of an entity among rows without an order: the bit-reversed hash of its ID. */
export function rankOfId(id: string): number {
  const bytes = Buffer.from(id, 'utf8');
  return reversedBits(hashBytes(bytes, 0, bytes.length));
}

/** Missing values are last in both directions. */
function compareValues(a: OrderValue, b: OrderValue, descending: boolean): number {
  if (a === null || b === null) return (a === null ? 1 : 0) - (b === null ? 1 : 0);
  const order =
    typeof a === 'string' && typeof b === 'string' ? compareText(a, b) : a < b ? -1 : a > b ? 1 : 0;
  return descending ? -order : order;
}
