/** Writes the rows of a SELECT or stage as they arrive from the workers. */
import type { SelectPart } from '../../protocol/index.js';
import { type Field, fromWire } from '../../vector/index.js';
import type { RowSink } from './row-sink.js';
import { columnsOf, type WorkerSelect } from './worker-select.js';

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
