/**
 * Merges partitions of the groups of all shards on one worker, and orders the groups. In slices.
 * With a small limit, one step merges a few partitions and keeps only the first groups, so that no thread has all.
 * Otherwise each worker merges an equal number of partitions at once. In shared memory, the workers take the steps by a
 * counter.
 */
import { invariant, isOutOfMemory, type MemoryAccount, type Task } from '../../base/index.js';
import {
  GROUP_PARTITIONS,
  type GroupPartial,
  type MergeShare,
  type MergeSteps,
  type PartitionedGroups,
  type PartitionedPart,
  type PartitionedRows,
  type SelectPlan,
  type SpilledGroups,
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

/** Plans the steps of `workerCount` workers that merge `groupCount` groups. `unit`: see mergeUnitOf. */
export function planMerge(
  { offset, limit }: SelectPlan,
  groupCount: number,
  workerCount: number,
  unit = 1,
): MergeSteps {
  const wanted = limit === null ? Number.POSITIVE_INFINITY : offset + limit;
  const whole = Math.ceil(GROUP_PARTITIONS / workerCount / unit) * unit;
  if (wanted > Math.min(SELECTED_MAX, groupCount / workerCount)) return { step: whole, wanted };
  const fitting = Math.floor((STEP_GROUPS * GROUP_PARTITIONS) / groupCount / unit) * unit;
  return { step: Math.max(unit, Math.min(fitting, whole)), wanted };
}

export const isSpilled = (part: PartitionedPart): part is SpilledGroups => 'rows' in part;

/** The number of neighbouring partitions that a step must merge together. */
export const mergeUnitOf = (parts: readonly PartitionedPart[]): number =>
  Math.max(1, ...parts.filter(isSpilled).map(unitOf));

/** The partitions of groups that one partition of rows covers. */
const unitOf = ({ rows }: SpilledGroups): number => GROUP_PARTITIONS / rows.partitionCount;

/** What a merge needs beyond its memory. */
export interface MergeSpill {
  /** At most so many spilled rows are grouped at once. */
  readonly rowsMax: number;
  /** The groups of partitions [from, to) of spilled rows. They stay reserved until `release`. Throws 189, 9002, 9005, 9006. */
  groups(rows: PartitionedRows, from: number, to: number): Task<GroupPartial>;
  release(): void;
  /** Moves rows of groups to disk: their outputs, then the values of their order. Throws 189, 9002, 9005, 9006. */
  store(columns: readonly Vector[], count: number): Task<void>;
}

/** The steps, and the counter by which workers take them. */
export const sharedMerge = (steps: MergeSteps): MergeShare => ({
  ...steps,
  taken: new Int32Array(new SharedArrayBuffer(4)),
});

/**
 * The first groups of the partitions that this worker takes, or none if they are stored by `spill` because the memory did not
 * suffice. The memory of the result stays reserved in `memory`. Throws 189, 6000, 9002, 9005, 9006.
 */
export function* mergePartitions(
  plan: SelectPlan,
  parts: readonly PartitionedPart[],
  { taken, step, wanted }: MergeShare,
  memory: MemoryAccount,
  spill: MergeSpill | null = null,
): Task<OrderedGroups> {
  const groups = parts.filter((part): part is PartitionedGroups => !isSpilled(part));
  const spilled = parts.filter(isSpilled);
  const texts = yield* numberTexts(groups, memory);
  const merge: Merge = { plan, groups, spilled, texts, wanted, spill, memory };
  const waiting = new WaitingSteps(merge);
  for (;;) {
    const from = Atomics.add(taken, 0, step);
    if (from >= GROUP_PARTITIONS) break;
    yield* mergeSteps(merge, waiting, from, Math.min(GROUP_PARTITIONS, from + step));
  }
  return yield* waiting.finish();
}

interface Selection {
  readonly plan: SelectPlan;
  readonly wanted: number;
  readonly spill: MergeSpill | null;
  readonly memory: MemoryAccount;
}

interface Merge extends Selection {
  readonly groups: readonly PartitionedGroups[];
  readonly spilled: readonly SpilledGroups[];
  readonly texts: NumberedTexts;
}

/** Merges partitions [from, to), fewer at once if there is too little memory for more. */
function* mergeSteps(merge: Merge, waiting: WaitingSteps, from: number, to: number): Task<void> {
  const unit = Math.max(1, ...merge.spilled.map(unitOf));
  let countMax = to - from;
  for (let next = from; next < to; ) {
    const end = endOfStep(merge, next, Math.min(to, next + countMax));
    let found: OrderedGroups;
    try {
      found = yield* mergeStep(merge, next, end);
    } catch (error) {
      merge.spill?.release();
      const hasMore = end - next > unit;
      if (!isOutOfMemory(error) || (!(yield* waiting.toDisk()) && !hasMore)) throw error;
      if (hasMore) countMax = Math.max(unit, Math.floor((end - next) / 2 / unit) * unit);
      continue;
    }
    yield* waiting.add(found);
    next = end;
  }
}

/** The first groups of the steps so far, in memory or on disk. */
class WaitingSteps {
  readonly #merge: Selection;
  #steps: OrderedGroups[] = [];
  #count = 0;
  #isOnDisk = false;

  constructor(merge: Selection) {
    this.#merge = merge;
  }

  *add(found: OrderedGroups): Task<void> {
    const { wanted, memory, spill } = this.#merge;
    if (spill === null) memory.reserve(bytesOfGroups(found));
    else if (this.#isOnDisk || !memory.tryReserve(bytesOfGroups(found))) {
      yield* this.toDisk();
      yield* spill.store([...found.outputs, ...found.order], found.count);
      return;
    }
    this.#steps.push(found);
    this.#count += found.count;
    if (this.#count > Math.max(WAITING_GROUPS, 2 * wanted)) yield* this.#select();
  }

  /** Keeps the first groups only, or moves all to disk if that takes too much memory. */
  *#select(): Task<void> {
    const { plan, wanted, memory, spill } = this.#merge;
    try {
      this.#steps = [yield* firstOf(plan, this.#steps, wanted, memory)];
      this.#count = this.#steps[0].count;
    } catch (error) {
      if (spill === null || !isOutOfMemory(error)) throw error;
      yield* this.toDisk();
    }
  }

  /** Moves all steps to disk; returns whether memory was released. */
  *toDisk(): Task<boolean> {
    const { memory, spill } = this.#merge;
    if (spill === null) return false;
    const steps = this.#steps;
    this.#steps = [];
    this.#isOnDisk = true;
    // The store needs a part of this memory.
    memory.release(steps.reduce((sum, step) => sum + bytesOfGroups(step), 0));
    for (const { outputs, order, count } of steps) yield* spill.store([...outputs, ...order], count);
    return steps.length > 0;
  }

  /** All groups; none if they are on disk. */
  *finish(): Task<OrderedGroups> {
    if (!this.#isOnDisk) yield* this.#select();
    return this.#isOnDisk ? { count: 0, outputs: [], order: [] } : this.#steps[0];
  }
}

/** The end of the partitions from `from` on, up to `to`, whose spilled rows are grouped in one step. */
function endOfStep({ spilled, spill }: Merge, from: number, to: number): number {
  if (spilled.length === 0 || spill === null) return to;
  const unit = Math.max(...spilled.map(unitOf));
  let rowCount = 0;
  for (let next = from; next < to; next += unit) {
    for (const { rows } of spilled) {
      const scale = GROUP_PARTITIONS / rows.partitionCount;
      for (let at = next / scale; at < (next + unit) / scale; at++) rowCount += rows.rowCounts[at];
    }
    if (rowCount > spill.rowsMax) return next === from ? from + unit : next;
  }
  return to;
}

function* mergeStep(merge: Merge, from: number, to: number): Task<OrderedGroups> {
  const { plan, groups, spilled, texts, wanted, spill, memory } = merge;
  const found: GroupPartial[] = [];
  for (const { rows } of spilled) {
    invariant(spill !== null, 'rows are spilled by a query that can spill');
    const scale = GROUP_PARTITIONS / rows.partitionCount;
    found.push(yield* spill.groups(rows, from / scale, to / scale));
  }
  const budget = mergeMemory(memory.availableBytes);
  for (const partial of groups) found.push(groupsOfPartitions(partial, from, to, texts, budget));
  const ordered = yield* orderedGroups(plan, found, wanted, budget);
  spill?.release();
  return ordered;
}

/** Merges groups step by step and keeps the first `wanted` of them. In slices. */
export class StepMerge {
  readonly #plan: SelectPlan;
  readonly #wanted: number;
  readonly #memory: MemoryAccount;
  readonly #waiting: WaitingSteps;

  /** The memory of the first groups stays reserved in `memory`. */
  constructor(plan: SelectPlan, wanted: number, memory: MemoryAccount) {
    this.#plan = plan;
    this.#wanted = wanted;
    this.#memory = memory;
    this.#waiting = new WaitingSteps({ plan, wanted, memory, spill: null });
  }

  /** Equal groups must be in the same step. The memory of `groupsOf` is the budget of the step. Throws 6000, 9006. */
  *step(groupsOf: (budget: MemoryAccount) => readonly GroupPartial[]): Task<void> {
    const budget = mergeMemory(this.#memory.availableBytes);
    const found = yield* orderedGroups(this.#plan, groupsOf(budget), this.#wanted, budget);
    yield* this.#waiting.add(found);
  }

  /** The first groups of all steps. Throws 9006. */
  first(): Task<OrderedGroups> {
    return this.#waiting.finish();
  }
}

/** Memory of groups. */
export const bytesOfGroups = ({ outputs, order }: OrderedGroups): number =>
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
  memory.release(steps.reduce((sum, step) => sum + bytesOfGroups(step), 0));
  memory.reserve(bytesOfGroups(first));
  invariant(first.count <= wanted, 'at most the requested number of groups is kept');
  return first;
}
