/**
 * Merges the groups of a SELECT or stage. Few groups are merged on the main thread. If a worker has many, each worker
 * partitions its groups and merges some partitions of all workers; the main thread then merges the ordered groups of
 * the workers, while they send them part by part.
 */
import { invariant } from '../../base/index.js';
import type {
  GroupPartial,
  PartitionedGroups,
  PartitionedPart,
  PartitionedTexts,
  SelectPlan,
} from '../../ir/index.js';
import {
  allGroups,
  finishFirstGroups,
  haveGroups,
  isSpilled,
  mergeMemory,
  mergeUnitOf,
  orderedPlan,
  partitionGroups,
  planMerge,
  RowMerge,
  sharedMerge,
  type Table,
  textsToCount,
} from '../../plan/index.js';
import type { SelectPart } from '../../protocol/index.js';
import { allGroupsOf, mergeByMessages, ownSource, workerSource } from './merge-messages.js';
import type { RunningQuery } from './running-query.js';
import { columnsOf, MERGE_SLICE_MS, partialsOf, type WorkerSelect } from './worker-select.js';

/** Tables whose rows are those of one result, in its order. They are read once. */
export type Tables = AsyncIterable<Table>;

/** One table. */
export async function* oneTable(table: Table): Tables {
  yield table;
}

/** All tables. */
export async function listOf(tables: Tables): Promise<Table[]> {
  const list: Table[] = [];
  for await (const table of tables) list.push(table);
  return list;
}

/**
 * The merged groups of a grouped plan; null = only one slice is allowed, and it is too short; 'uncertain' = the groups that
 * were omitted because of `best` may be among the first ones. Ends the SELECT when its groups are merged, which may be while
 * the tables are read, and at the end of the query at the latest.
 */
export async function mergedGroups(
  plan: SelectPlan,
  workerSelect: WorkerSelect,
  query: RunningQuery,
  bytesMax: number,
): Promise<Tables | null | 'uncertain'> {
  const end = (): void => workerSelect.end();
  query.onEnd(end);
  const found = await groupsOf(plan, workerSelect, query, bytesMax);
  if (found === null || found === 'uncertain') end();
  return found;
}

async function groupsOf(
  plan: SelectPlan,
  workerSelect: WorkerSelect,
  query: RunningQuery,
  bytesMax: number,
): Promise<Tables | null | 'uncertain'> {
  const parts = await workerSelect.whole(Number.MAX_SAFE_INTEGER);
  if (parts === null) return null;
  const few = parts.filter(({ gives }) => gives !== 'group-count');
  if (few.length === parts.length) {
    return mergedHere(plan, few.flatMap(partialsOf), workerSelect, query, bytesMax);
  }
  const rest = await workerSelect.continueFree(MERGE_SLICE_MS);
  return mergedByWorkers(plan, [...few, ...rest], workerSelect, query, bytesMax);
}

const isOfGroups = (part: PartitionedPart): part is PartitionedGroups => !isSpilled(part);

/** A part of each worker takes this part of the memory of waiting rows. */
const WAITING_PART = 4;
async function mergedHere(
  plan: SelectPlan,
  partials: readonly GroupPartial[],
  workerSelect: WorkerSelect,
  query: RunningQuery,
  bytesMax: number,
): Promise<Tables | 'uncertain'> {
  const textCounts = await countTexts(workerSelect, partials);
  const table = await query.inSlices(finishFirstGroups(plan, partials, bytesMax, textCounts));
  workerSelect.recycle(partials);
  if (table === null) return 'uncertain';
  workerSelect.end();
  return oneTable(table);
}

/** `parts` have groups or partitions. */
async function mergedByWorkers(
  plan: SelectPlan,
  parts: readonly SelectPart[],
  workerSelect: WorkerSelect,
  query: RunningQuery,
  bytesMax: number,
): Promise<Tables | 'uncertain'> {
  const partitioned = parts.flatMap((part) => (part.gives === 'partitions' ? part.partials : []));
  const groups = parts.flatMap((part) => (part.gives === 'groups' ? part.partials : []));
  const exchanged = parts.flatMap((part) => (part.gives === 'exchanged-groups' ? [part.groupCount] : []));
  const { open } = workerSelect;
  const sources = exchanged.map((groupCount, index) => workerSource(workerSelect, open[index], groupCount));
  const memory = mergeMemory(bytesMax);
  if (partitioned.length + exchanged.length === 0 || !haveGroups(groups)) {
    const all = partitioned.filter(isOfGroups).map((partial) => allGroups(partial, memory));
    invariant(all.length === partitioned.length, 'groups without keys are not spilled');
    all.push(...(await allGroupsOf(sources, memory)));
    const { availableBytes } = memory;
    return mergedHere(plan, [...groups, ...all], workerSelect, query, availableBytes);
  }
  const own: PartitionedGroups[] = [];
  for (const partial of groups) own.push(await query.inSlices(partitionGroups(partial, memory)));
  if (exchanged.length > 0) {
    const ownSources = own.map((partial) => ownSource(partial, memory));
    await mergeByMessages(plan, [...ownSources, ...sources], workerSelect, memory);
  } else {
    const all = [...partitioned, ...own];
    const groupCount = all.reduce((sum, partial) => sum + partial.groupCount, 0);
    const steps = planMerge(plan, groupCount, open.length, mergeUnitOf(all));
    await workerSelect.merge(all, sharedMerge(steps));
  }
  return untilEnd(workerSelect, orderedRows(orderedPlan(plan), workerSelect, query, memory.availableBytes));
}

/** Ends the SELECT after its last table. */
async function* untilEnd(workerSelect: WorkerSelect, tables: Tables): Tables {
  try {
    yield* tables;
  } finally {
    workerSelect.end();
  }
}

/** The rows of all workers in the order of a plan, merged part by part. Rejects with 6000, 9004, 9005, 9006. */
export async function* orderedRows(
  plan: SelectPlan,
  workerSelect: WorkerSelect,
  query: RunningQuery,
  bytesMax: number,
): Tables {
  const merge = new RowMerge(plan, workerSelect.workerCount, bytesMax);
  const partBytes = bytesMax / WAITING_PART / workerSelect.workerCount;
  for (let worker = 0; worker < workerSelect.workerCount; worker++)
    if (!workerSelect.open.includes(worker)) merge.end(worker);
  while (!merge.done) {
    for (const [worker, part] of await workerSelect.of(merge.missing, partBytes)) {
      merge.push(worker, columnsOf(part));
      if (part.done) merge.end(worker);
    }
    for (let table = merge.take(); table !== null; table = merge.take()) {
      yield table;
      await query.turn();
    }
  }
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
