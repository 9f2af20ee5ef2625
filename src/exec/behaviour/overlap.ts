/**
 * Overlaps. Slots: one per combination of segments, which are its bits; entities in exactly these.
 * Cost  linear in entities times segments.
 */
import type { OverlapQuestion } from '../../ir/index.js';
import { eachRow, hasRow } from './entity-rows.js';
import type { KernelInput } from './kernel.js';

export function countOverlap(input: KernelInput<OverlapQuestion>): void {
  const { question, shard, events, entitiesOf, run, tally } = input;
  const segments = question.segments.map(entitiesOf);
  eachRow(shard, events.rows, run, (row) => {
    let combination = 0;
    for (let index = 0; index < segments.length; index++) {
      if (hasRow(segments[index], row)) combination |= 1 << index;
    }
    tally.counts[combination]++;
  });
}
