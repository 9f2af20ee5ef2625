/**
 * The rows of a relation in the order of their partition and order keys, and where partitions and groups of peers
 * begin. A position is an index into this order. Peers are rows of one partition with equal order keys.
 */
import { inSlices, lowerBound, type MemoryAccount, type Task } from '../../base/index.js';
import { rowsInOrder, type SortWords, sortWords, type VectorOrder } from '../../vector/index.js';

export interface WindowLayout {
  readonly count: number;
  /** By position, the row. */
  readonly order: Uint32Array;
  /** The first position of each partition, then `count`. */
  readonly partitions: Uint32Array;
  /** The first position of each group of peers, then `count`. */
  readonly groups: Uint32Array;
  /** By partition, the index of its first group; then the number of groups. */
  readonly firstGroups: Uint32Array;
}

const GROUP = 1;
const PARTITION = 2;

/**
 * The first `partitionKeys` of the keys are those of the partition. The memory of the layout stays reserved. Throws
 * 9006.
 */
export function* layoutOf(
  keys: readonly VectorOrder[],
  partitionKeys: number,
  count: number,
  memory: MemoryAccount,
): Task<WindowLayout> {
  const scratch = memory.child();
  const words = yield* sortWords(keys, count, scratch);
  const order = yield* rowsInOrder(words, count, memory);
  scratch.reserve(count);
  const begins = new Uint8Array(count);
  const partitionBits = partitionKeys === 0 ? 0 : words.ends[partitionKeys - 1];
  let groupCount = 0;
  let partitionCount = 0;
  yield* inSlices(count, (from, to) => {
    markBegins(words, order, partitionBits, begins, from, to);
    for (let at = from; at < to; at++) {
      if (begins[at] !== 0) groupCount++;
      if (begins[at] === PARTITION) partitionCount++;
    }
  });
  const partitions = memory.u32(partitionCount + 1);
  const groups = memory.u32(groupCount + 1);
  const firstGroups = memory.u32(partitionCount + 1);
  let [partition, group] = [0, 0];
  yield* inSlices(count, (from, to) => {
    for (let at = from; at < to; at++) {
      const begin = begins[at];
      if (begin === 0) continue;
      if (begin === PARTITION) {
        partitions[partition] = at;
        firstGroups[partition++] = group;
      }
      groups[group++] = at;
    }
  });
  partitions[partitionCount] = count;
  firstGroups[partitionCount] = groupCount;
  groups[groupCount] = count;
  scratch.releaseAll();
  return { count, order, partitions, groups, firstGroups };
}

/** Marks the positions in [from, to) at which a partition or a group begins. */
function markBegins(
  { words }: SortWords,
  order: Uint32Array,
  partitionBits: number,
  begins: Uint8Array,
  from: number,
  to: number,
): void {
  if (from === 0) begins[0] = PARTITION;
  for (let index = words.length - 1; index >= 0; index--) {
    const word = words[index];
    // More significant words are compared later and overwrite the mark.
    const bitsLeft = partitionBits - index * 32;
    let before = word[order[Math.max(from - 1, 0)]];
    for (let at = from; at < to; at++) {
      const own = word[order[at]];
      const difference = own ^ before;
      before = own;
      if (difference === 0 || begins[at] === PARTITION) continue;
      begins[at] = Math.clz32(difference) < bitsLeft ? PARTITION : GROUP;
    }
  }
}

/** Calls `work` for the part of each partition that is in positions [from, to). */
export function eachPartition(
  { partitions }: WindowLayout,
  from: number,
  to: number,
  work: (partition: number, first: number, end: number) => void,
): void {
  let partition = lowerBound(partitions, from + 1) - 1;
  for (let first = from; first < to; partition++) {
    const end = Math.min(to, partitions[partition + 1]);
    work(partition, first, end);
    first = end;
  }
}
