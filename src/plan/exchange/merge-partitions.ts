/**
 * Merges partitions of the groups of all shards on one worker, and orders the groups. In slices.
 * With a small limit, one step merges a few partitions and keeps only the first groups, so that no thread has all. The
 * workers then share the partitions by a counter. Otherwise each worker merges an equal number of partitions at once.
 */
import { invariant, type MemoryAccount, type Task } from '../../base/index.js';
import {
  GROUP_PARTITIONS,
  type MergeShare,
  type PartitionedGroups,
  type SelectPlan,
} from '../../ir/index.js';
import { memoryBytesOf, type Vector } from '../../vector/index.js';
import { mergeMemory } from '../merge-memory.js';
import { gatherRows, joinColumns } from '../select/columns.js';
import { type OrderedGroups, orderedGroups, orderedPlan } from '../select/finish-groups.js';
import { sortedRows } from '../select/row-order.js';
import { numberTexts } from './number-texts.js';
import { groupsOfPartitions, type NumberedTexts } from './partition-groups.js';

/** Groups that a step merges with a small limit: about what fits in a core's cache. */
const STEP_GROUPS = 32_768;
/** More groups than this are not selected step by step. */
const SELECTED_MAX = 65_536;
/** The first groups of several steps are collected until there are this many, and then selected together. */
const WAITING_GROUPS = 65_536;

/** Plans the shares of `workerCount` workers; each has the same share. */
export function planMerge(
  { offset, limit }: SelectPlan,
  partials: readonly PartitionedGroups[],
  workerCount: number,
): MergeShare {
  const taken = new Int32Array(new SharedArrayBuffer(4));
  const groupCount = partials.reduce((sum, partial) => sum + partial.groupCount, 0);
  const wanted = limit === null ? Number.POSITIVE_INFINITY : offset + limit;
  const whole = Math.ceil(GROUP_PARTITIONS / workerCount);
  if (wanted > Math.min(SELECTED_MAX, groupCount / workerCount)) return { taken, step: whole, wanted };
  const fitting = Math.floor((STEP_GROUPS * GROUP_PARTITIONS) / groupCount);
  return { taken, step: Math.max(1, Math.min(fitting, whole)), wanted };
}

/**
 * The first groups of the partitions that this worker takes. The memory of the result stays reserved in `memory`.
 * Throws 6000, 9006.
 */
export function* mergePartitions(
  plan: SelectPlan,
  partials: readonly PartitionedGroups[],
  { taken, step, wanted }: MergeShare,
  memory: MemoryAccount,
): Task<OrderedGroups> {
  const texts = yield* numberTexts(partials, memory);
  let waiting: OrderedGroups[] = [];
  let count = 0;
  for (;;) {
    const from = Atomics.add(taken, 0, step);
    if (from >= GROUP_PARTITIONS) break;
    const to = Math.min(GROUP_PARTITIONS, from + step);
    const found = yield* mergeStep(plan, partials, { from, to, texts, wanted }, memory);
    waiting.push(found);
    count += found.count;
    if (count <= Math.max(WAITING_GROUPS, 2 * wanted)) continue;
    waiting = [yield* firstOf(plan, waiting, wanted, memory)];
    count = waiting[0].count;
  }
  return yield* firstOf(plan, waiting, wanted, memory);
}

interface Step {
  readonly from: number;
  readonly to: number;
  readonly texts: NumberedTexts;
  readonly wanted: number;
}

function* mergeStep(
  plan: SelectPlan,
  partials: readonly PartitionedGroups[],
  { from, to, texts, wanted }: Step,
  memory: MemoryAccount,
): Task<OrderedGroups> {
  const budget = mergeMemory(memory.availableBytes);
  const groups = partials.map((partial) => groupsOfPartitions(partial, from, to, texts, budget));
  const found = yield* orderedGroups(plan, groups, wanted, budget);
  memory.reserve(bytesOf(found));
  return found;
}

const bytesOf = ({ outputs, order }: OrderedGroups): number =>
  [...new Set([...outputs, ...order])].reduce((sum, vector) => sum + memoryBytesOf(vector), 0);

/** Merges the first groups of several steps; releases their memory. */
function* firstOf(
  plan: SelectPlan,
  steps: readonly OrderedGroups[],
  wanted: number,
  memory: MemoryAccount,
): Task<OrderedGroups> {
  if (steps.length === 1) return steps[0];
  const budget = memory.remainder();
  const sort = orderedPlan(plan).order;
  const outputs: Vector[] = [];
  for (const [index, { type }] of plan.outputs.entries()) {
    const parts = steps.map((step) => step.outputs[index]);
    outputs.push(yield* joinColumns(parts, type, budget));
  }
  const order: Vector[] = [];
  for (const [index, { of }] of sort.entries()) {
    const parts = steps.map((step) => step.order[index]);
    order.push(yield* joinColumns(parts, of.type, budget));
  }
  const count = steps.reduce((sum, step) => sum + step.count, 0);
  const columns = order.map((vector, index) => ({ vector, descending: sort[index].descending }));
  const rows = yield* sortedRows(columns, count, Math.min(count, wanted), budget);
  const gathered = function* (vectors: readonly Vector[]): Task<Vector[]> {
    const found: Vector[] = [];
    for (const vector of vectors) found.push(yield* gatherRows(vector, rows, budget));
    return found;
  };
  const first = { count: rows.length, outputs: yield* gathered(outputs), order: yield* gathered(order) };
  memory.release(steps.reduce((sum, step) => sum + bytesOf(step), 0));
  memory.reserve(bytesOf(first));
  invariant(first.count <= wanted, 'at most the requested number of groups is kept');
  return first;
}
