/** The rows of several lanes as one list in an extraction's order. */
import { type ExtractedRow, type ExtractPlan, positionOrder } from '../ir/index.js';

/** The first `limit` rows of lists that are in the plan's order. */
export function firstRows(
  plan: ExtractPlan,
  lanes: readonly (readonly ExtractedRow[])[],
  limit: number,
): ExtractedRow[] {
  const compare = positionOrder(plan);
  const next = lanes.map(() => 0);
  const rows: ExtractedRow[] = [];
  while (rows.length < limit) {
    let first = -1;
    for (let lane = 0; lane < lanes.length; lane++) {
      if (next[lane] === lanes[lane].length) continue;
      if (first < 0 || compare(lanes[lane][next[lane]].position, lanes[first][next[first]].position) < 0) {
        first = lane;
      }
    }
    if (first < 0) break;
    rows.push(lanes[first][next[first]++]);
  }
  return rows;
}
