/**
 * Lets the workers merge their groups without shared memory. The main thread hands out steps of partitions: for each step it
 * requests the groups of these partitions from all sources and passes them on, without reading them, to the worker that
 * merges them.
 * Invariant: at most one message per worker is on its way, and its bytes are reserved.
 */
import type { MemoryAccount } from '../../base/index.js';
import {
  GROUP_PARTITIONS,
  type GroupPartial,
  type PartitionedGroups,
  type SelectPlan,
} from '../../ir/index.js';
import { groupsOfPartitions, planMerge } from '../../plan/index.js';
import { bytesOfGroups, groupsOfBytes, type WorkerResponses } from '../../protocol/index.js';
import { MERGE_SLICE_MS, type WorkerSelect } from './worker-select.js';

/** Approximate bytes per message. */
const MESSAGE_BYTES = 4 * 2 ** 20;

type Received = WorkerResponses['select-partitions'];

/** Groups in partitions, on a worker or here. */
export interface GroupSource {
  readonly groupCount: number;
  /** See 'select-partitions'. */
  readonly request: (from: number, to: number, bytesMax: number) => Promise<Received>;
}

/** The groups that worker `worker` keeps. */
export const workerSource = (
  workerSelect: WorkerSelect,
  worker: number,
  groupCount: number,
): GroupSource => ({
  groupCount,
  request: (from, to, bytesMax) => workerSelect.send(worker, 'select-partitions', { from, to, bytesMax }),
});

/** Groups of this thread. */
export const ownSource = (groups: PartitionedGroups, memory: MemoryAccount): GroupSource => ({
  groupCount: groups.groupCount,
  request: async (from, to) => ({
    to,
    groups: [bytesOfGroups(groupsOfPartitions(groups, from, to, new Map(), memory))],
  }),
});

/** Merges the groups of all sources on the workers that have further parts, which then contain the ordered groups. */
export async function mergeByMessages(
  plan: SelectPlan,
  sources: readonly GroupSource[],
  workerSelect: WorkerSelect,
  memory: MemoryAccount,
): Promise<void> {
  const groupCount = sources.reduce((sum, source) => sum + source.groupCount, 0);
  const { step, wanted } = planMerge(plan, groupCount, workerSelect.open.length);
  let next = 0;
  await workerSelect.onEach(async (worker) => {
    while (next < GROUP_PARTITIONS) {
      const from = next;
      next = Math.min(GROUP_PARTITIONS, from + step);
      for await (const groups of messagesOf(sources, from, next, memory)) {
        await workerSelect.send(worker, 'select-groups', { groups });
      }
      const request = { wanted, sliceMs: MERGE_SLICE_MS };
      while (!(await workerSelect.send(worker, 'select-merge-step', request)));
    }
  });
}

/** All groups of the sources, which stay reserved in `memory`. */
export async function allGroupsOf(
  sources: readonly GroupSource[],
  memory: MemoryAccount,
): Promise<GroupPartial[]> {
  const partials: GroupPartial[] = [];
  for await (const groups of messagesOf(sources, 0, GROUP_PARTITIONS, memory)) {
    memory.reserve(bytesOf(groups));
    partials.push(...groups.map(groupsOfBytes));
  }
  return partials;
}

/** The groups of partitions [from, to), message by message. */
async function* messagesOf(
  sources: readonly GroupSource[],
  from: number,
  to: number,
  memory: MemoryAccount,
): AsyncGenerator<Received['groups']> {
  for (const source of sources) {
    for (let at = from; at < to; ) {
      const received = await source.request(at, to, MESSAGE_BYTES);
      at = received.to;
      const bytes = bytesOf(received.groups);
      memory.reserve(bytes);
      yield received.groups;
      memory.release(bytes);
    }
  }
}

const bytesOf = (groups: Received['groups']): number =>
  groups.reduce((sum, { byteLength }) => sum + byteLength, 0);
