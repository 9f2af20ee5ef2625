/** Reads the results of a SELECT or stage from the workers: its groups, merged, or its rows, as they come. */
import type { GroupPartial, PartitionedTexts, SelectPlan } from '../../ir/index.js';
import { finishGroups, type Table, textsToCount } from '../../plan/index.js';
import type { SelectPart } from '../../protocol/index.js';
import { type Field, fromWire } from '../../vector/index.js';
import type { RowSink } from './row-sink.js';
import type { RunningQuery } from './running-query.js';
import { columnsOf, partialsOf, type WorkerSelect } from './worker-select.js';

/** The merged groups of a grouped plan; null = only one slice is allowed, and it is too short. */
export async function mergedGroups(
  plan: SelectPlan,
  workerSelect: WorkerSelect,
  query: RunningQuery,
  bytesMax: number,
): Promise<Table | null> {
  const parts = await workerSelect.whole(Number.MAX_SAFE_INTEGER);
  if (parts === null) return null;
  const partials = parts.flatMap(partialsOf);
  const textCounts = await countTexts(workerSelect, partials);
  const table = await query.inSlices(finishGroups(plan, partials, bytesMax, textCounts));
  workerSelect.recycle(partials);
  return table;
}

/** The numbers of distinct texts that the workers counted, by index of the aggregate. */
async function countTexts(
  workerSelect: WorkerSelect,
  partials: readonly GroupPartial[],
): Promise<ReadonlyMap<number, number>> {
  const textCounts = new Map<number, number>();
  // Aggregates of the same values share their texts.
  const counted = new Map<PartitionedTexts, number | null>();
  for (const [aggregate, lists] of textsToCount(partials)) {
    const known = counted.get(lists[0]);
    const different = known === undefined ? await workerSelect.countTexts(lists) : known;
    counted.set(lists[0], different);
    if (different !== null) textCounts.set(aggregate, different);
  }
  return textCounts;
}

/**
 * Writes at most `limit` rows in the order of their arrival. The workers produce the next part while one is written.
 * `fields`: those of rows that are not encoded.
 */
export async function writeRows(
  workerSelect: WorkerSelect,
  limit: number,
  fields: readonly Field[],
  sink: RowSink,
): Promise<void> {
  let missing = limit;
  for (let next = workerSelect.share(missing); next !== null; ) {
    const parts = await next;
    for (const part of parts)
      if (part.gives === 'bytes' || part.gives === 'columns') missing -= part.rowCount;
    next = workerSelect.share(missing);
    // Nothing awaits the request while the previous part is written.
    next?.catch(() => {});
    for (const part of parts) await writePart(part, fields, sink);
  }
}

/** Writes the rows of one part. */
export async function writePart(part: SelectPart, fields: readonly Field[], sink: RowSink): Promise<void> {
  if (part.gives === 'bytes') return sink.parts(part);
  const { rowCount, outputs } = columnsOf(part);
  return sink.table({ fields, columns: outputs.map(fromWire), rowCount });
}
