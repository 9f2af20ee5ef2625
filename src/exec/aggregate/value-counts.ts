/**
 * Counts the entities of each distinct value of a level, within each group.
 * Invariant  memory reserved for counting is released; the result's memory is not.
 */
import type { LevelPlan, ValueCounts } from '../../ir/index.js';
import type { DimensionShard } from '../../storage/index.js';
import type { EntitySelection } from '../condition/selection.js';
import type { QueryRun } from '../query-run.js';
import { countDirect } from './direct-counts.js';
import { GroupCounts } from './group-counts.js';
import type { GroupsOfRows } from './group-rows.js';
import { countIds } from './id-counts.js';
import { eachValue, isSingleValued } from './level-values.js';
import { CodeNumbering, DirectNumbering, numberingOf } from './numbering.js';
import { RowFilter } from './row-filter.js';

/**
 * An entity counts once per group and value. `groups` null: the selected entities are one group. `best`: see
 * RoundAsk. Throws 9005 and 9006.
 */
export function countValues(
  shard: DimensionShard,
  selection: EntitySelection,
  groups: GroupsOfRows | null,
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
    const counts = new GroupCounts(shard, groups, memory);
    const direct = numbering instanceof CodeNumbering || numbering instanceof DirectNumbering;
    if (direct && groups === null && isSingleValued(shard, source)) {
      countDirect(walk, numbering, counts.ofNumbers(numbering.count));
    } else {
      eachValue(walk, numbering, (rows, numbers, count) => counts.add(rows, numbers, count, numbering.count));
    }
    return counts.result(numbering, run, best);
  } finally {
    filter.release();
    memory.releaseAll();
  }
}
