/** The order of an extraction's rows; see extract.ts. */
import { hashBytes, reversedBits } from '../base/index.js';
import { compareText } from '../schema/index.js';
import type { ExtractPlan, OrderValue, RowPosition } from './extract.js';

export type OrderOfRows = Pick<ExtractPlan, 'scored' | 'near' | 'order'>;

/**
 * Compares rows of one merge: negative if `a` is before `b` in the plan's order, positive if after, 0 only for the same entity.
 * Caches the ranks of the IDs.
 */
export function positionOrder(plan: OrderOfRows): (a: RowPosition, b: RowPosition) => number {
  const ranks = ranksById(plan) ? new Map<string, number>() : null;
  return (a, b) => {
    if (plan.scored !== null) {
      if (a.score !== b.score) return b.score - a.score;
    } else if (plan.near !== null && a.distanceKm !== b.distanceKm) return a.distanceKm - b.distanceKm;
    for (let key = 0; key < plan.order.length; key++) {
      const order = compareValues(a.values[key], b.values[key], plan.order[key].descending);
      if (order !== 0) return order;
    }
    if (ranks !== null) {
      const order = rankIn(ranks, a.id) - rankIn(ranks, b.id);
      if (order !== 0) return order;
    }
    return compareText(a.id, b.id);
  };
}

/** Whether the plan specifies no order, so that rows are ordered by the ranks of their IDs. */
export function ranksById({ scored, near, order }: OrderOfRows): boolean {
  return scored === null && near === null && order.length === 0;
}

/** The rank of an entity among rows without an order: its hash with the bits reversed. */
export function rankOfId(id: string): number {
  const bytes = Buffer.from(id, 'utf8');
  return reversedBits(hashBytes(bytes, 0, bytes.length));
}

function rankIn(ranks: Map<string, number>, id: string): number {
  let rank = ranks.get(id);
  if (rank === undefined) {
    rank = rankOfId(id);
    ranks.set(id, rank);
  }
  return rank;
}

/** Missing values are last in both directions. */
function compareValues(a: OrderValue, b: OrderValue, descending: boolean): number {
  if (a === null || b === null) return (a === null ? 1 : 0) - (b === null ? 1 : 0);
  const order =
    typeof a === 'string' && typeof b === 'string' ? compareText(a, b) : a < b ? -1 : a > b ? 1 : 0;
  return descending ? -order : order;
}
