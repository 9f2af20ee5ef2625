/** Window functions of positions: numbers and ranks of rows, which read no values. */
import { inSlices, type MemoryAccount, type Task } from '../../base/index.js';
import type { WindowFunctionName } from '../../ir/index.js';
import type { Vector } from '../../vector/index.js';
import { eachPartition, type WindowLayout } from './layout.js';

export type RankFunction = Extract<
  WindowFunctionName,
  'row-number' | 'rank' | 'dense-rank' | 'percent-rank' | 'cume-dist'
>;

/** By position. The memory of the result stays reserved. Throws 9006. */
export function* rankColumn(name: RankFunction, layout: WindowLayout, memory: MemoryAccount): Task<Vector> {
  const { count, groups } = layout;
  memory.reserve(count * 8);
  const numbers = new Float64Array(count);
  if (name === 'row-number') yield* rowNumbers(layout, numbers);
  else {
    let partition = 0;
    yield* inSlices(groups.length - 1, (from, to) => {
      partition = ranksOfGroups(name, layout, partition, from, to, numbers);
    });
  }
  const isFloat = name === 'percent-rank' || name === 'cume-dist';
  return isFloat
    ? { kind: 'float', count, valid: null, numbers }
    : { kind: 'exact', count, valid: null, numbers, wide: null };
}

function rowNumbers(layout: WindowLayout, numbers: Float64Array): Task<void> {
  return inSlices(layout.count, (from, to) =>
    eachPartition(layout, from, to, (partition, first, end) => {
      const before = layout.partitions[partition] - 1;
      for (let at = first; at < end; at++) numbers[at] = at - before;
    }),
  );
}

/** For groups [from, to); `partition` is the partition of an earlier group. Returns the partition of the last one. */
function ranksOfGroups(
  name: RankFunction,
  { partitions, groups, firstGroups }: WindowLayout,
  partition: number,
  from: number,
  to: number,
  numbers: Float64Array,
): number {
  for (let group = from; group < to; group++) {
    while (group >= firstGroups[partition + 1]) partition++;
    const rank = rankOf(name, {
      first: groups[group] - partitions[partition],
      end: groups[group + 1] - partitions[partition],
      group: group - firstGroups[partition],
      rows: partitions[partition + 1] - partitions[partition],
    });
    for (let at = groups[group]; at < groups[group + 1]; at++) numbers[at] = rank;
  }
  return partition;
}

/** A group of peers: its rows in the partition, counted from 0, its number, and the rows of the partition. */
interface Peers {
  readonly first: number;
  readonly end: number;
  readonly group: number;
  readonly rows: number;
}

function rankOf(name: RankFunction, { first, end, group, rows }: Peers): number {
  switch (name) {
    case 'dense-rank':
      return group + 1;
    case 'percent-rank':
      return rows === 1 ? 0 : first / (rows - 1);
    case 'cume-dist':
      return end / rows;
    default:
      return first + 1;
  }
}
