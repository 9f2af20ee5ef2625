/** The order of an extraction's rows; see extract.ts. */
import { hashBytes, reversedBits } from '../base/index.js';
import { compareText } from '../schema/index.js';
import type { ExtractPlan, OrderKey, OrderValue, RowPosition } from './extract.js';

export type OrderOfRows = Pick<ExtractPlan, 'scored' | 'near' | 'order'>;

/**
 * Compares rows of one merge in the order in which the plan chooses them: below 0 when `a` comes before `b`, above 0 when
 * it comes after `b`, 0 only for the same entity. The comparison keeps the ranks of the IDs that it has seen.
 */
export function positionOrder(plan: OrderOfRows): (a: RowPosition, b: RowPosition) => number {
  const ranks = ranksById(plan) ? new Map<string, number>() : null;
  return (a, b) => {
    if (plan.scored !== null) return byScore(a, b);
    if (plan.near !== null && a.distanceKm !== b.distanceKm) return a.distanceKm - b.distanceKm;
    const order = byKeys(plan.order, a, b);
    if (order !== 0) return order;
    if (ranks !== null) {
      const order = rankIn(ranks, a.id) - rankIn(ranks, b.id);
      if (order !== 0) return order;
    }
    return compareText(a.id, b.id);
  };
}

/** The rows of a whole answer in the order in which they are answered: the chosen rows of a score come by `order` first. */
export function answerOrder<Row extends { readonly position: RowPosition }>(
  { scored, order }: Pick<ExtractPlan, 'scored' | 'order'>,
  rows: readonly Row[],
): readonly Row[] {
  if (scored === null || order.length === 0) return rows;
  return [...rows].sort((a, b) => byKeys(order, a.position, b.position) || byScore(a.position, b.position));
}

/** The highest score first, then by ID. */
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
