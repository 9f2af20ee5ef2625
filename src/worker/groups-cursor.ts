/**
 * A cursor over a SELECT or stage with groups on one worker. Few groups are returned to the main thread. Many are put in
 * partitions, in shared memory or for other workers that request them; then this worker merges some partitions of all
 * workers, and returns the groups as rows. If there is too little memory for the groups, and memory can be shared, the rows
 * are read again and put in partitions, in memory and on disk, and grouped when their partition is merged.
 * Invariant: the groups of this worker stay reserved until `release`, because the other workers read them.
 */
import { type IsOver, invariant, isOutOfMemory, runSlice, stopTask, type Task } from '../base/index.js';
import {
  GroupRows,
  type GroupRowsPlan,
  planGroupRows,
  type QueryRun,
  type SelectCursor,
  SpilledMerge,
  type StageCursor,
  type StoredParts,
  spilledStats,
} from '../exec/index.js';
import type {
  GroupPartial,
  MergeShare,
  PartitionedGroups,
  PartitionedPart,
  PartitionedRows,
  PartitionedTexts,
  SelectPlan,
} from '../ir/index.js';
import {
  bytesOfGroups,
  haveGroups,
  mergePartitions,
  type OrderedGroups,
  orderedPlan,
  partitionGroups,
} from '../plan/index.js';
import type { Exchange, PartMemory, SelectPart } from '../protocol/index.js';
import { sharedWires, slice, toWire, wireBytes } from '../vector/index.js';
import { ExchangedGroups } from './exchanged-groups.js';

export interface GroupsCursorSettings {
  readonly plan: SelectPlan;
  /** See WorkerRequests. */
  readonly partitionGroupsMin: number;
  /** The account of the cursor alone. */
  readonly run: QueryRun;
  readonly partMemory: PartMemory;
  readonly exchange: Exchange;
}

/** The groups of this worker, while they are put in partitions. */
interface Groups {
  readonly partials: readonly GroupPartial[];
  readonly partition: Task<PartitionedGroups[]>;
  /** Memory of the run that was reserved before. */
  readonly bytesBefore: number;
}

const NOTHING: SelectPart = { done: false, operatorStats: [], gives: 'nothing' };

export class GroupsCursor {
  readonly #settings: GroupsCursorSettings;
  /** Computes the groups; null once they are in partitions. */
  #source: SelectCursor | StageCursor | null;
  #groups: Groups | null = null;
  /** How rows are spilled; null = they cannot be. */
  readonly #rowsPlan: GroupRowsPlan | null;
  #rows: GroupRows | null = null;
  /** The rows of this worker, until they are returned. */
  #partitioned: PartitionedRows | null = null;
  #exchanged: ExchangedGroups | null = null;
  #merge: Task<OrderedGroups> | null = null;
  /** What the merge stores on disk. */
  #mergeSpill: SpilledMerge | null = null;
  #merged: OrderedGroups | StoredParts | null = null;
  /** The next row of `#merged`. */
  #row = 0;

  /** `release` must be called at the end. */
  constructor(source: SelectCursor | StageCursor, settings: GroupsCursorSettings) {
    this.#source = source;
    this.#settings = settings;
    const { plan, run, exchange } = settings;
    this.#rowsPlan = run.spill === null || exchange === 'bytes' ? null : planGroupRows(plan);
  }

  get countsTexts(): boolean {
    return this.#source?.countsTexts ?? false;
  }

  /** Whether other workers read rows of this one until the main thread ends the SELECT. */
  get hasRows(): boolean {
    return this.#rows !== null;
  }

  countTexts(lists: readonly PartitionedTexts[], from: number, to: number): number | null {
    invariant(this.#source !== null, 'only texts of returned groups are counted');
    return this.#source.countTexts(lists, from, to);
  }

  /** See SelectCursor.next. */
  next(rowsMax: number, bytesMax: number, isOver: IsOver): SelectPart {
    this.#settings.run.check();
    if (this.#merge !== null) return this.#nextRows(this.#merge, rowsMax, bytesMax, isOver);
    if (this.#groups !== null) return this.#nextPartitions(this.#groups, isOver);
    if (this.#exchanged !== null) {
      this.#merge = this.#exchanged.first();
      return NOTHING;
    }
    if (this.#partitioned !== null) return this.#returnRows(this.#partitioned);
    if (this.#rows !== null) return this.#partitionRows(this.#rows, isOver);
    return this.#nextGroups(rowsMax, bytesMax, isOver);
  }

  #nextGroups(rowsMax: number, bytesMax: number, isOver: IsOver): SelectPart {
    const { run, partitionGroupsMin, partMemory } = this.#settings;
    invariant(this.#source !== null, 'partitions are merged');
    if (this.#rowsPlan !== null && run.spill?.shareBytesMax !== Number.POSITIVE_INFINITY)
      return this.#spill();
    let part: SelectPart;
    try {
      part = this.#source.next(rowsMax, bytesMax, isOver);
    } catch (error) {
      if (this.#rowsPlan === null || !isOutOfMemory(error)) throw error;
      return this.#spill();
    }
    if (part.gives !== 'groups') return part;
    const { partials, operatorStats } = part;
    const groupCount = partials.reduce((sum, partial) => sum + partial.groupCount, 0);
    if (groupCount < partitionGroupsMin || !haveGroups(partials)) return part;
    if (this.#rowsPlan !== null && partitionedBytes(partials) > run.freeBytes) return this.#spill();
    this.#groups = {
      partials,
      partition: partitionAll(partials, run, partMemory),
      bytesBefore: run.reservedBytes,
    };
    return { done: false, operatorStats, gives: 'group-count', groupCount };
  }

  /** Starts to read all rows again. */
  #spill(): SelectPart {
    const { run } = this.#settings;
    invariant(this.#source !== null && this.#rowsPlan !== null, 'rows that can be spilled are read again');
    this.#rows = new GroupRows(this.#source.groupInputs(), this.#rowsPlan, run);
    return NOTHING;
  }

  #partitionRows(rows: GroupRows, isOver: IsOver): SelectPart {
    this.#partitioned = rows.next(isOver);
    if (this.#partitioned === null) return NOTHING;
    const operatorStats = [
      ...(this.#source?.takeStats() ?? []),
      ...spilledStats('group', this.#settings.run.spill),
    ];
    return { done: false, operatorStats, gives: 'group-count', groupCount: this.#partitioned.rowCount };
  }

  #returnRows(rows: PartitionedRows): SelectPart {
    this.#source?.release();
    this.#source = null;
    this.#partitioned = null;
    return { ...NOTHING, gives: 'partitions', partials: [{ groupCount: rows.rowCount, rows }] };
  }

  #nextPartitions({ partials, partition, bytesBefore }: Groups, isOver: IsOver): SelectPart {
    const { plan, run, partMemory, exchange } = this.#settings;
    let partitioned: PartitionedGroups[] | null;
    try {
      partitioned = runSlice(partition, isOver);
    } catch (error) {
      if (!isOutOfMemory(error)) throw error;
      run.release(run.reservedBytes - bytesBefore);
      this.#groups = null;
      return { done: true, operatorStats: [], gives: 'groups', partials };
    }
    if (partitioned === null) return NOTHING;
    const bytes = run.reservedBytes - bytesBefore;
    this.#source?.release();
    run.releaseAll();
    run.reserve(bytes);
    this.#source = null;
    this.#groups = null;
    partMemory.releasePartials(partials);
    partMemory.releaseOwn(partials);
    if (exchange === 'shared')
      return { done: false, operatorStats: [], gives: 'partitions', partials: partitioned };
    this.#exchanged = new ExchangedGroups(plan, partitioned, bytes, run);
    return {
      done: false,
      operatorStats: [],
      gives: 'exchanged-groups',
      groupCount: this.#exchanged.groupCount,
    };
  }

  /** The groups in partitions, unless they are in shared memory. */
  get exchanged(): ExchangedGroups {
    invariant(
      this.#exchanged !== null && this.#merge === null,
      'groups are exchanged in partitions, before the first row',
    );
    this.#settings.run.check();
    return this.#exchanged;
  }

  /** Begins to merge; `partials` are those of all workers. */
  merge(partials: readonly PartitionedPart[], share: MergeShare): void {
    invariant(
      this.#source === null && this.#merge === null,
      'groups in partitions are merged, and only by one request',
    );
    const { plan, run } = this.#settings;
    if (run.spill !== null) this.#mergeSpill = new SpilledMerge(this.#rowsPlan, orderedPlan(plan), run);
    this.#merge = mergePartitions(plan, partials, share, run, this.#mergeSpill);
  }

  #nextRows(merge: Task<OrderedGroups>, rowsMax: number, bytesMax: number, isOver: IsOver): SelectPart {
    if (this.#merged === null) {
      const groups = runSlice(merge, isOver);
      if (groups === null) return NOTHING;
      this.#merged = this.#mergeSpill?.parts() ?? groups;
    }
    if ('outputs' in this.#merged) return this.#rowsOf(this.#merged, rowsMax, bytesMax);
    const part = this.#merged.next(rowsMax, bytesMax, isOver);
    const operatorStats = spilledStats('merge', this.#settings.run.spill);
    return part === null ? NOTHING : { done: this.#merged.isDone, operatorStats, ...part };
  }

  #rowsOf(merged: OrderedGroups, rowsMax: number, bytesMax: number): SelectPart {
    const { count, outputs, order } = merged;
    const from = this.#row;
    const fitting = count === 0 ? 0 : Math.floor((bytesMax * count) / bytesOfGroups(merged));
    const to = Math.min(count, from + Math.max(1, Math.min(rowsMax, fitting)));
    this.#row = to;
    const columns = [...outputs, ...order].map((vector) => toWire(slice(vector, from, to)));
    const isCopied = this.#settings.exchange === 'bytes' || to - from < SHARED_ROWS_MIN;
    const wires = isCopied ? columns : sharedWires(columns);
    return {
      done: to === count,
      operatorStats: [],
      gives: 'columns',
      rowCount: to - from,
      outputs: wires.slice(0, outputs.length),
      order: wires.slice(outputs.length),
    };
  }

  /** Releases all memory; may be called repeatedly. */
  release(): void {
    stopTask(this.#groups?.partition ?? null);
    stopTask(this.#merge);
    this.#exchanged?.release();
    this.#exchanged = null;
    this.#source?.release();
    this.#source = null;
    this.#groups = null;
    this.#merged = null;
    this.#rows?.release();
    this.#mergeSpill?.close();
    this.#settings.run.releaseAll();
  }
}

/** Memory of the groups in partitions, with their hashes and their order. */
function partitionedBytes(partials: readonly GroupPartial[]): number {
  let bytes = 0;
  for (const { groupCount, keys, states } of partials) {
    for (const key of keys) bytes += wireBytes(key);
    bytes += new Set(states).size * groupCount * STATE_BYTES + groupCount * ORDER_BYTES;
  }
  return bytes;
}

const STATE_BYTES = 17;
const ORDER_BYTES = 12;

/** Fewer rows are copied faster than they are shared. */
const SHARED_ROWS_MIN = 4_096;

function* partitionAll(
  partials: readonly GroupPartial[],
  run: QueryRun,
  memory: PartMemory,
): Task<PartitionedGroups[]> {
  const allocate = (byteCount: number): Uint8Array => memory.allocateShared(byteCount);
  const found: PartitionedGroups[] = [];
  for (const partial of partials) found.push(yield* partitionGroups(partial, run, allocate));
  return found;
}
