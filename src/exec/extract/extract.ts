/** The first rows of a worker's shards in an extraction's order, with their values. */
import { type ExtractPlan, positionOrder, type RowPosition } from '../../ir/index.js';
import { type PackedRows, packRows } from '../../protocol/index.js';
import type { Arena, Shard } from '../../storage/index.js';
import type { QueryRun } from '../query-run.js';
import { type FoundRow, findFirstRows } from './found-rows.js';
import { extractedValuesOf } from './row-values.js';

/** Bytes of a found row besides the characters of its ID, and bytes per character. */
const ROW_BYTES = 256;
const LETTER_BYTES = 2;

/** Returns at most plan.limit rows in the plan's order. Throws 9005 and 9006. */
export function extractRows(
  shards: Iterable<Shard>,
  plan: ExtractPlan,
  scratch: Arena,
  run: QueryRun,
): PackedRows {
  const compare = positionOrder(plan);
  let first: FoundRow[] = [];
  if (plan.limit < 1) return packRows([]);
  for (const shard of shards) {
    const dimension = shard.find(plan);
    if (dimension === undefined || dimension.entityCount === 0) continue;
    const until = first.length < plan.limit ? null : first[first.length - 1].position;
    const taken = run.reservedBytes;
    const found = findFirstRows(dimension, plan, until, scratch, run);
    run.release(run.reservedBytes - taken);
    for (const { position } of found) run.reserve(ROW_BYTES + position.id.length * LETTER_BYTES);
    first = merged(first, found, plan.limit, compare);
  }
  const values = extractedValuesOf(first, plan.columns, run);
  return packRows(first.map(({ position, nearest }, at) => ({ position, nearest, values: values[at] })));
}

/** Merges two ordered lists; returns the first `limit` rows. */
function merged(
  a: readonly FoundRow[],
  b: readonly FoundRow[],
  limit: number,
  compare: (a: RowPosition, b: RowPosition) => number,
): FoundRow[] {
  const rows: FoundRow[] = [];
  for (let [atA, atB] = [0, 0]; rows.length < limit; ) {
    if (atA === a.length && atB === b.length) break;
    const fromA = atB === b.length || (atA < a.length && compare(a[atA].position, b[atB].position) < 0);
    rows.push(fromA ? a[atA++] : b[atB++]);
  }
  return rows;
}
