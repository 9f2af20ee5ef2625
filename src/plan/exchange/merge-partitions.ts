/**
 * Merges partitions of the groups of all shards on one worker, and orders the groups. In slices.
 * With a small limit, one step merges a few partitions and keeps only the first groups, so that no thread has all.
 * Otherwise each worker merges an equal number of partitions at once. In shared memory, the workers take the steps by a
 * counter.
 */
import { invariant, type MemoryAccount, type Task } from '../../base/index.js';
import {
  GROUP_PARTITIONS,
  type GroupPartial,
  type MergeShare,
  type MergeSteps,
  type PartitionedGroups,
  type SelectPlan,
} from '../../ir/index.js';
import { memoryBytesOf, type Vector } from '../../vector/index.js';
import { mergeMemory } from '../merge-memory.js';
import { gatherRows, joinColumns } from '../select/columns.js';
import { type OrderedGroups, orderedGroups, orderedPlan } from '../select/finish-groups.js';
import { sortedRows } from '../select/row-order.js';
import { numberTexts } from './number-texts.js';
import { groupsOfPartitions } from './partition-groups.js';

/** Groups that a step merges with a small limit: about what fits in a core's cache. */
const STEP_GROUPS = 32_768;
/** More groups than this are not selected step by step. */
const SELECTED_MAX = 65_536;
/** The first groups of several steps are collected until there are this many, and then selected together. */
const WAITING_GROUPS = 65_536;

/** Plans the steps of `workerCount` workers that merge `groupCount` groups. */
export function planMerge(
  { offset, limit }: SelectPlan,
  groupCount: number,
  workerCount: number,
): MergeSteps {
  const wanted = limit === null ? Number.POSITIVE_INFINITY : offset + limit;
  const whole = Math.ceil(GROUP_PARTITIONS / workerCount);
  if (wanted > Math.min(SELECTED_MAX, groupCount / workerCount)) return { step: whole, wanted };
  const fitting = Math.floor((STEP_GROUPS * GROUP_PARTITIONS) / groupCount);
  return { step: Math.max(1, Math.min(fitting, whole)), wanted };
}

/** The steps, and the counter by which workers take them. */
export const sharedMerge = (steps: MergeSteps): MergeShare => ({
  ...steps,
  taken: new Int32Array(new SharedArrayBuffer(4)),
});

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
  const merge = new StepMerge(plan, wanted, memory);
  for (;;) {
    const from = Atomics.add(taken, 0, step);
    if (from >= GROUP_PARTITIONS) break;
    const to = Math.min(GROUP_PARTITIONS, from + step);
    yield* merge.step((budget) =>
      partials.map((partial) => groupsOfPartitions(partial, from, to, texts, budget)),
    );
  }
  return yield* merge.first();
}

/** Merges groups step by step and keeps the first `wanted` of them. In slices. */
export class StepMerge {
  readonly #plan: SelectPlan;
  readonly #wanted: number;
  readonly #memory: MemoryAccount;
  #waiting: OrderedGroups[] = [];
  #count = 0;

  /** The memory of the first groups stays reserved in `memory`. */
  constructor(plan: SelectPlan, wanted: number, memory: MemoryAccount) {
    this.#plan = plan;
    this.#wanted = wanted;
    this.#memory = memory;
  }

  /** Equal groups must be in the same step. The memory of `groupsOf` is the budget of the step. Throws 6000, 9006. */
  *step(groupsOf: (budget: MemoryAccount) => readonly GroupPartial[]): Task<void> {
    const [memory, wanted] = [this.#memory, this.#wanted];
    const budget = mergeMemory(memory.availableBytes);
    const found = yield* orderedGroups(this.#plan, groupsOf(budget), wanted, budget);
    memory.reserve(bytesOf(found));
    this.#waiting.push(found);
    this.#count += found.count;
    if (this.#count <= Math.max(WAITING_GROUPS, 2 * wanted)) return;
    this.#waiting = [yield* firstOf(this.#plan, this.#waiting, wanted, memory)];
    this.#count = this.#waiting[0].count;
  }

  /** The first groups of all steps. Throws 9006. */
  first(): Task<OrderedGroups> {
    return firstOf(this.#plan, this.#waiting, this.#wanted, this.#memory);
  }
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
