/**
 * Overlaps. Slots: one per combination of segments, which are its bits; entities in exactly these.
 * Cost  linear in entities times segments.
 */
import type { OverlapQuestion } from '../../ir/index.js';
import type { KernelInput } from './kernel.js';

/** Entities between two checks for a stop of the query. */
const CHECK_ROWS = 65_536;

export function countOverlap({
  question,
  events,
  entitiesOf,
  run,
  tally,
}: KernelInput<OverlapQuestion>): void {
  const segments = question.segments.map(entitiesOf);
  const { rows, starts } = events;
  for (let row = 0; row + 1 < starts.length; row++) {
    if (row % CHECK_ROWS === 0) run.check();
    if (!hasRow(rows, row)) continue;
    let combination = 0;
    for (let index = 0; index < segments.length; index++) {
      if (hasRow(segments[index], row)) combination |= 1 << index;
    }
    tally.counts[combination]++;
  }
}

/** Whether a bitmap has the row; null = all rows. */
export const hasRow = (rows: Uint8Array | null, row: number): boolean =>
  rows === null || ((rows[row >>> 3] >> (row & 7)) & 1) === 1;
