/**
 * A cursor over a SELECT or stage with groups on one worker. Few groups are returned to the main thread. Many are put in
 * partitions, in shared memory or for other workers that request them; then this worker merges some partitions of all
 * workers, and returns the groups as rows.
 * Invariant: the groups of this worker stay reserved until `release`, because the other workers read them.
 */
import { type IsOver, invariant, QuarryError, runSlice, stopTask, type Task } from '../base/index.js';
import type { QueryRun, SelectCursor, StageCursor } from '../exec/index.js';
import type {
  GroupPartial,
  MergeShare,
  PartitionedGroups,
  PartitionedTexts,
  SelectPlan,
} from '../ir/index.js';
import { haveGroups, mergePartitions, type OrderedGroups, partitionGroups } from '../plan/index.js';
import type { Exchange, PartMemory, SelectPart } from '../protocol/index.js';
import { sharedWires, slice, toWire } from '../vector/index.js';
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
  #exchanged: ExchangedGroups | null = null;
  #merge: Task<OrderedGroups> | null = null;
  #merged: OrderedGroups | null = null;
  /** The next row of `#merged`. */
  #row = 0;

  /** `release` must be called at the end. */
  constructor(source: SelectCursor | StageCursor, settings: GroupsCursorSettings) {
    this.#source = source;
    this.#settings = settings;
  }

  get countsTexts(): boolean {
    return this.#source?.countsTexts ?? false;
  }

  countTexts(lists: readonly PartitionedTexts[], from: number, to: number): number | null {
    invariant(this.#source !== null, 'only texts of returned groups are counted');
    return this.#source.countTexts(lists, from, to);
  }

  /** See SelectCursor.next. */
  next(rowsMax: number, bytesMax: number, isOver: IsOver): SelectPart {
    const { run, partitionGroupsMin } = this.#settings;
    run.check();
    if (this.#merge !== null) return this.#nextRows(this.#merge, rowsMax, isOver);
    if (this.#groups !== null) return this.#nextPartitions(this.#groups, isOver);
    if (this.#exchanged !== null) {
      this.#merge = this.#exchanged.first();
      return NOTHING;
    }
    invariant(this.#source !== null, 'partitions are merged');
    const part = this.#source.next(rowsMax, bytesMax, isOver);
    if (part.gives !== 'groups') return part;
    const { partials, operatorStats } = part;
    const groupCount = partials.reduce((sum, partial) => sum + partial.groupCount, 0);
    if (groupCount < partitionGroupsMin || !haveGroups(partials)) return part;
    this.#groups = { partials, partition: partitionAll(partials, run), bytesBefore: run.reservedBytes };
    return { done: false, operatorStats, gives: 'group-count', groupCount };
  }

  #nextPartitions({ partials, partition, bytesBefore }: Groups, isOver: IsOver): SelectPart {
    const { plan, run, partMemory, exchange } = this.#settings;
    let partitioned: PartitionedGroups[] | null;
    try {
      partitioned = runSlice(partition, isOver);
    } catch (error) {
      if (!(error instanceof QuarryError) || error.code !== 9006) throw error;
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
  merge(partials: readonly PartitionedGroups[], share: MergeShare): void {
    invariant(
      this.#source === null && this.#merge === null,
      'groups in partitions are merged, and only by one request',
    );
    const { plan, run } = this.#settings;
    this.#merge = mergePartitions(plan, partials, share, run);
  }

  #nextRows(merge: Task<OrderedGroups>, rowsMax: number, isOver: IsOver): SelectPart {
    this.#merged ??= runSlice(merge, isOver);
    if (this.#merged === null) return NOTHING;
    const { count, outputs, order } = this.#merged;
    const from = this.#row;
    const to = Math.min(count, from + rowsMax);
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
    this.#settings.run.releaseAll();
  }
}

/** Fewer rows are copied faster than they are shared. */
const SHARED_ROWS_MIN = 4_096;

function* partitionAll(partials: readonly GroupPartial[], run: QueryRun): Task<PartitionedGroups[]> {
  const found: PartitionedGroups[] = [];
  for (const partial of partials) found.push(yield* partitionGroups(partial, run));
  return found;
}
