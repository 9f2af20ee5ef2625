/** Runs stages one after the other with the reference executor, over tables that are divided into two shards. */
import type { Relation, Stage } from '../../../src/ir/index.js';
import type { Value } from '../../../src/vector/index.js';
import { finishedRows, groupRows, type MemoryTables, memoryScan } from './memory-scan.js';
import { rowsOf, valuesOf } from './reference.js';
import type { Row } from './values.js';

function shardOf(tables: MemoryTables, shard: number): MemoryTables {
  return new Map(
    [...tables].map(([id, entities]) => [id, entities.filter((_, index) => index % 2 === shard)]),
  );
}

/** The rows of the last stage. */
export function runStages(stages: readonly Stage[], tables: MemoryTables): Value[][] {
  const done: Value[][][] = [];
  const received = (stage: number): Value[][] => {
    if (done[stage] === undefined) throw new Error(`stage ${stage} has not run`);
    return done[stage];
  };
  const sourcesOf = (shard: MemoryTables | null) => ({
    scan: (plan: Parameters<typeof memoryScan>[0]) => {
      if (shard === null) throw new Error('a scan runs on the shards');
      return memoryScan(plan, shard);
    },
    table: (): never => {
      throw new Error('tables are stages');
    },
    received,
  });
  const shards = (location: 'shards' | 'one'): (MemoryTables | null)[] =>
    location === 'one' ? [null] : [shardOf(tables, 0), shardOf(tables, 1)];
  const rowsAt = (root: Relation, location: 'shards' | 'one'): Row[] =>
    shards(location).flatMap((shard) => rowsOf(root, sourcesOf(shard), []));
  for (const stage of stages) {
    if (stage.runs === 'question') throw new Error('the oracle has no questions about behaviour');
    if (stage.runs === 'select') done.push(memoryScan(stage.plan, tables));
    else if (stage.runs === 'operators') {
      done.push(shards(stage.location).flatMap((shard) => valuesOf(stage.root, sourcesOf(shard))));
    } else {
      const { grouping } = stage.plan;
      if (grouping === null) throw new Error('groups have a grouping');
      done.push(finishedRows(stage.plan, groupRows(grouping, rowsAt(stage.input, stage.location))));
    }
  }
  return done[done.length - 1];
}
