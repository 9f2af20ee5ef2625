/**
 * The groups of one worker in partitions, without shared memory: other workers receive them as bytes, and this worker receives
 * groups of the partitions that it merges.
 * Invariant: the groups, and the bytes that are not merged yet, stay reserved in the run.
 */
import { type IsOver, invariant, runSlice, stopTask, type Task } from '../base/index.js';
import type { QueryRun } from '../exec/index.js';
import {
  type AggregateState,
  GROUP_PARTITIONS,
  type GroupPartial,
  type PartitionedGroups,
  type SelectPlan,
} from '../ir/index.js';
import { groupsOfPartitions, type OrderedGroups, StepMerge } from '../plan/index.js';
import { bytesOfGroups, groupsOfBytes, type WorkerResponses } from '../protocol/index.js';
import { fromWire, toWire, type WireVector, wireBytes } from '../vector/index.js';

export class ExchangedGroups {
  readonly #plan: SelectPlan;
  readonly #partials: readonly PartitionedGroups[];
  readonly #run: QueryRun;
  /** Approximate bytes of partitions [0, p), by p. */
  readonly #ends: Float64Array;
  #received: Uint8Array<ArrayBuffer>[] = [];
  #merge: StepMerge | null = null;
  #step: Task<StepMerge> | null = null;

  /** `bytes`: those of the partials, which are reserved in `run`. */
  constructor(plan: SelectPlan, partials: readonly PartitionedGroups[], bytes: number, run: QueryRun) {
    this.#plan = plan;
    this.#partials = partials;
    this.#run = run;
    const weights = Float64Array.from({ length: GROUP_PARTITIONS + 1 }, (_, partition) =>
      partials.reduce((sum, partial) => sum + weightBefore(partial, partition), 0),
    );
    const all = Math.max(1, weights[GROUP_PARTITIONS]);
    this.#ends = weights.map((weight) => (weight / all) * bytes);
  }

  get groupCount(): number {
    return this.#partials.reduce((sum, { groupCount }) => sum + groupCount, 0);
  }

  /** See 'select-partitions'. Throws 9006. */
  bytesOf(from: number, to: number, bytesMax: number): WorkerResponses['select-partitions'] {
    invariant(from < to && to <= GROUP_PARTITIONS, 'some partitions are requested');
    let reached = from + 1;
    while (reached < to && this.#ends[reached + 1] - this.#ends[from] <= bytesMax) reached++;
    const memory = this.#run.child();
    try {
      memory.reserve(Math.ceil(this.#ends[reached] - this.#ends[from]));
      const groups = this.#partials
        .filter(({ starts }) => starts[reached] > starts[from])
        .map((partial) =>
          bytesOfGroups(withOwnTexts(groupsOfPartitions(partial, from, reached, new Map(), memory))),
        );
      return { to: reached, groups };
    } finally {
      memory.releaseAll();
    }
  }

  /** See 'select-groups'. Throws 9006. */
  receive(groups: readonly Uint8Array<ArrayBuffer>[]): null {
    this.#run.reserve(sizeOf(groups));
    this.#received.push(...groups);
    return null;
  }

  /** See 'select-merge-step'. Throws 6000, 9006, and a BlockError if received bytes are damaged. */
  mergeStep(wanted: number, isOver: IsOver): boolean {
    this.#merge ??= new StepMerge(this.#plan, wanted, this.#run);
    this.#step ??= this.#mergeReceived(this.#merge);
    if (runSlice(this.#step, isOver) === null) return false;
    this.#step = null;
    this.#run.release(sizeOf(this.#received));
    this.#received = [];
    return true;
  }

  *#mergeReceived(merge: StepMerge): Task<StepMerge> {
    yield* merge.step((budget) =>
      this.#received.map((bytes) => {
        const partial = groupsOfBytes(bytes);
        budget.reserve(integerBytes(partial));
        return partial;
      }),
    );
    return merge;
  }

  /** The first groups of all steps. Throws 9006. */
  first(): Task<OrderedGroups> {
    this.#merge ??= new StepMerge(this.#plan, 0, this.#run);
    return this.#merge.first();
  }

  release(): void {
    stopTask(this.#step);
  }
}

/** The groups with only the texts that occur in them. */
function withOwnTexts({ groupCount, keys, states }: GroupPartial): GroupPartial {
  const own = (column: WireVector): WireVector =>
    column.kind === 'text' && column.codes !== null ? toWire(fromWire(column), true) : column;
  const known = new Map<AggregateState, AggregateState>();
  const ownState = (state: AggregateState): AggregateState => {
    const found =
      known.get(state) ??
      (state.holds === 'extreme' || state.holds === 'values'
        ? { ...state, values: own(state.values) }
        : state);
    known.set(state, found);
    return found;
  };
  return { groupCount, keys: keys.map(own), states: states.map(ownState) };
}

const sizeOf = (groups: readonly Uint8Array[]): number =>
  groups.reduce((sum, { byteLength }) => sum + byteLength, 0);

/** Groups before a partition, and the values of their states. */
function weightBefore({ starts, states }: PartitionedGroups, partition: number): number {
  let weight = starts[partition];
  for (const state of new Set(states)) {
    if (state.holds === 'values') weight += state.starts[partition];
    else if (state.holds === 'runs') weight += state.starts[starts[partition]];
  }
  return weight;
}

/** Bytes of integers that are not views of the received bytes. */
function integerBytes({ keys, states }: GroupPartial): number {
  let bytes = 0;
  for (const column of keys) if (column.kind === 'exact') bytes += wireBytes(column);
  for (const state of new Set(states)) {
    if (state.holds === 'sum' || state.holds === 'squares') bytes += wireBytes(state.sums);
    if (state.holds === 'squares') bytes += wireBytes(state.squares);
  }
  return bytes;
}
