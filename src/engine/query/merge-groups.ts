/**
 * Merges the groups of a SELECT or stage. Few groups are merged on the main thread. If a worker has many, each worker
 * partitions its groups and merges some partitions of all workers; the main thread then merges the ordered groups of
 * the workers.
 */
import type { GroupPartial, PartitionedTexts, SelectPlan } from '../../ir/index.js';
import {
  allGroups,
  areCertain,
  finishGroups,
  finishRows,
  haveGroups,
  mergeMemory,
  orderedPlan,
  partitionGroups,
  planMerge,
  sharedMerge,
  type Table,
  textsToCount,
} from '../../plan/index.js';
import type { SelectPart } from '../../protocol/index.js';
import { allGroupsOf, mergeByMessages, ownSource, workerSource } from './merge-messages.js';
import type { RunningQuery } from './running-query.js';
import { columnsOf, MERGE_SLICE_MS, partialsOf, type WorkerSelect } from './worker-select.js';

/**
 * The merged groups of a grouped plan; null = only one slice is allowed, and it is too short; 'uncertain' = the groups
 * that were omitted because of `best` may be among the first ones.
 */
export async function mergedGroups(
  plan: SelectPlan,
  workerSelect: WorkerSelect,
  query: RunningQuery,
  bytesMax: number,
): Promise<Table | null | 'uncertain'> {
  const parts = await workerSelect.whole(Number.MAX_SAFE_INTEGER);
  if (parts === null) return null;
  const few = parts.filter(({ gives }) => gives !== 'group-count');
  if (few.length === parts.length) {
    const partials = few.flatMap(partialsOf);
    if (!(await query.inSlices(areCertain(plan, partials, bytesMax)))) return 'uncertain';
    return mergedHere(plan, partials, workerSelect, query, bytesMax);
  }
  const rest = await workerSelect.continueFree(MERGE_SLICE_MS);
  return mergedByWorkers(plan, [...few, ...rest], workerSelect, query, bytesMax);
}

async function mergedHere(
  plan: SelectPlan,
  partials: readonly GroupPartial[],
  workerSelect: WorkerSelect,
  query: RunningQuery,
  bytesMax: number,
): Promise<Table> {
  const textCounts = await countTexts(workerSelect, partials);
  const table = await query.inSlices(finishGroups(plan, partials, bytesMax, textCounts));
  workerSelect.recycle(partials);
  return table;
}

/** `parts` have groups or partitions. */
async function mergedByWorkers(
  plan: SelectPlan,
  parts: readonly SelectPart[],
  workerSelect: WorkerSelect,
  query: RunningQuery,
  bytesMax: number,
): Promise<Table> {
  const partitioned = parts.flatMap((part) => (part.gives === 'partitions' ? part.partials : []));
  const groups = parts.flatMap((part) => (part.gives === 'groups' ? part.partials : []));
  const exchanged = parts.flatMap((part) => (part.gives === 'exchanged-groups' ? [part.groupCount] : []));
  const { open } = workerSelect;
  const sources = exchanged.map((groupCount, index) => workerSource(workerSelect, open[index], groupCount));
  const memory = mergeMemory(bytesMax);
  if (partitioned.length + exchanged.length === 0 || !haveGroups(groups)) {
    const all = partitioned.map((partial) => allGroups(partial, memory));
    all.push(...(await allGroupsOf(sources, memory)));
    return mergedHere(plan, [...groups, ...all], workerSelect, query, memory.availableBytes);
  }
  for (const partial of groups) partitioned.push(await query.inSlices(partitionGroups(partial, memory)));
  if (exchanged.length > 0) {
    const own = partitioned.map((partial) => ownSource(partial, memory));
    await mergeByMessages(plan, [...own, ...sources], workerSelect, memory);
  } else {
    const groupCount = partitioned.reduce((sum, partial) => sum + partial.groupCount, 0);
    await workerSelect.merge(partitioned, sharedMerge(planMerge(plan, groupCount, open.length)));
  }
  const rows = await workerSelect.continueFree(MERGE_SLICE_MS);
  return query.inSlices(finishRows(orderedPlan(plan), rows.map(columnsOf), memory.availableBytes));
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
