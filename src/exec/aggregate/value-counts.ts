/**
 * Entities of each distinct value of a level, within each group.
 * Invariant: what is taken of the query's memory while counting is given back; what the answer takes is not.
 */
import type { LevelPlan, ValueCounts } from '../../ir/index.js';
import type { DimensionShard } from '../../storage/index.js';
import type { EntitySelection } from '../condition/selection.js';
import type { QueryRun } from '../query-run.js';
import { CellCounts } from './cell-counts.js';
import { countDirect } from './direct-counts.js';
import type { RowGroups } from './group-rows.js';
import { countIds } from './id-counts.js';
import { eachValue, isSingleValued } from './level-values.js';
import { CodeNumbers, DirectNumbers, numberingOf } from './numbering.js';
import { RowFilter } from './row-filter.js';

/**
 * An entity counts once per group and value. `groups` null: the selected entities are one group. `best`: see RoundAsk.
 * Throws 9005 and 9006.
 */
export function countValues(
  shard: DimensionShard,
  selection: EntitySelection,
  groups: RowGroups | null,
  { source, tests }: LevelPlan,
  best: number | null,
  run: QueryRun,
): ValueCounts {
  const memory = run.child();
  const filter = new RowFilter(shard, selection, groups?.members ?? null, run);
  try {
    if (source.from === 'entity-id') return countIds(shard, tests, filter, groups, memory, run);
    const walk = { shard, source, tests, filter, memory, run };
    const numbering = numberingOf(shard, source, memory);
    const counts = new CellCounts(shard, groups, memory);
    const direct = numbering instanceof CodeNumbers || numbering instanceof DirectNumbers;
    if (direct && groups === null && isSingleValued(shard, source)) {
      countDirect(walk, numbering, counts.ofNumbers(numbering.count));
    } else {
      eachValue(walk, numbering, (rows, numbers, count) => counts.add(rows, numbers, count, numbering.count));
    }
    return counts.answer(numbering, run, best);
  } finally {
    filter.release();
    memory.releaseAll();
  }
}
