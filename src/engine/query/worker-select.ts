/**
 * One SELECT, or one stage of a query, on the workers: begins on all of them in one turn, returns its rows part by part, and
 * ends.
 * Invariant: it uses only the worker clients with which it began. A request to a worker that died rejects with 9004; the
 * worker that replaces it does not have the SELECT.
 */
import type { RowFormat } from '../../answer/index.js';
import { invariant } from '../../base/index.js';
import {
  collectsValues,
  countsTexts,
  type GroupPartial,
  type JoinTable,
  type MergeShare,
  type PartitionedPart,
  type PartitionedTexts,
  type SelectPlan,
  TEXT_PARTITIONS,
} from '../../ir/index.js';
import { isPartitionable } from '../../plan/index.js';
import {
  type Exchange,
  type OperatorStats,
  type PartMemory,
  type RowEncoding,
  receivedPart,
  type SelectPart,
  sentTable,
  sentTexts,
  type WorkerQueryLimits,
  type WorkerRequests,
  type WorkerResponses,
  type WorkerStage,
} from '../../protocol/index.js';
import type { WorkerApi } from '../workers/worker-client.js';
import type { RunningQuery } from './running-query.js';

/** Time that a worker spends on a SELECT before it serves other requests. */
export interface Slices {
  readonly ms: number;
  /**
   * true = a SELECT that is not done within the slice is not resumed, because records may be applied after the slice.
   * false = it is resumed, and the caller ensures that no record is applied meanwhile.
   */
  readonly isOnly: boolean;
}

/** Length of a slice of merging, which delays other requests but no record. */
export const MERGE_SLICE_MS = 20;
/** Rows per part of a worker that has further rows. */
const PART_ROWS = 65_536;
/** Approximate number of texts that a worker counts per request, in about 20 ms. */
const TEXTS_PER_REQUEST = 2 ** 20;
/** Approximate bytes per part. The main thread receives a part without a break for other work. */
const PART_BYTES = 4 * 2 ** 20;

export type WorkerSelectSettings = {
  /** See WorkerRequests. */
  readonly partitionGroupsMin: number | null;
  readonly exchange: Exchange;
} & (
  | {
      readonly runs: 'select';
      readonly plan: SelectPlan;
      readonly tables: readonly JoinTable[];
      /** The encoding of rows; null = as columns. */
      readonly format: RowFormat | null;
      /** See SelectOptions. */
      readonly best: number | null;
    }
  | {
      readonly runs: 'stage';
      readonly queryId: number;
      readonly stage: WorkerStage;
      /** null = as columns. */
      readonly encoding: RowEncoding | null;
      /** The index of the only worker that runs the stage; null = all workers. */
      readonly worker: number | null;
    }
);

interface PartSize {
  readonly rowsMax: number;
  readonly bytesMax: number;
  /** Number of spare buffers that the worker receives. */
  readonly spares: number;
}

export class WorkerSelect {
  readonly #selectId: number;
  readonly #workers: readonly WorkerApi[];
  readonly #settings: WorkerSelectSettings;
  #slices: Slices;
  readonly #query: RunningQuery;
  readonly #stats: OperatorStats[] | null;
  readonly #memory: PartMemory;
  /** Indexes of the workers that run it. */
  readonly #used: readonly number[];
  /** By worker: it has no further rows. */
  readonly #done: boolean[];
  #begun = false;
  #hasEnded = false;
  /** Workers may read rows of others, which stay until the end. */
  #merges = false;
  /** What the workers merge. */
  #merged: readonly PartitionedPart[] = [];

  /**
   * `selectId` must differ from those of other running SELECTs. `stats` receives the measurements of the operators; null = none
   * are collected. `memory`: the memory of the parts that were sent. The caller must call `end`.
   */
  constructor(
    selectId: number,
    workers: readonly WorkerApi[],
    settings: WorkerSelectSettings,
    slices: Slices,
    query: RunningQuery,
    stats: OperatorStats[] | null,
    memory: PartMemory,
  ) {
    this.#selectId = selectId;
    this.#workers = workers;
    this.#settings = settings;
    this.#slices = slices;
    this.#query = query;
    this.#stats = stats;
    this.#memory = memory;
    const only = settings.runs === 'stage' ? settings.worker : null;
    this.#used = only === null ? [...workers.keys()] : [only];
    this.#done = workers.map((_, index) => !this.#used.includes(index));
  }

  get workerCount(): number {
    return this.#workers.length;
  }

  /** The workers that have further parts. */
  get open(): readonly number[] {
    return this.#used.filter((worker) => !this.#done[worker]);
  }

  /** All rows of each worker in one part, at most `rowsMax`, or all groups of a grouped plan; null = one slice is too short. */
  async whole(rowsMax: number): Promise<readonly SelectPart[] | null> {
    const parts = await this.#fetchAll(rowsMax);
    return parts.some(({ gives }) => gives === 'nothing') ? null : parts;
  }

  /** All rows in one part of each worker, if the parts are not too large and one slice is enough for them; otherwise null. */
  async onePart(): Promise<readonly SelectPart[] | null> {
    const parts = (await this.#fetch(() => PART_ROWS, PART_BYTES)).map(([, part]) => part);
    return parts.every(({ done }) => done) ? parts : null;
  }

  /** Takes all rows, in parts in order of arrival; returns false and takes none if only one slice is allowed and too short. */
  async rows(take: (part: SelectPart) => void): Promise<boolean> {
    if (this.#slices.isOnly) {
      const parts = await this.onePart();
      parts?.forEach(take);
      return parts !== null;
    }
    for (;;) {
      const parts = await this.share(Number.POSITIVE_INFINITY);
      if (parts === null) return true;
      parts.forEach(take);
    }
  }

  /** One part of each of these workers, of about `bytesMax` bytes at most, with the worker's index. */
  of(workers: readonly number[], bytesMax = PART_BYTES): Promise<readonly (readonly [number, SelectPart])[]> {
    return this.#fetch(
      (worker) => (workers.includes(worker) ? PART_ROWS : 0),
      Math.min(PART_BYTES, bytesMax),
    );
  }

  /** Parts with at most `rowCount` rows in total from all workers that have more; null if no rows are left or requested. */
  share(rowCount: number): Promise<readonly SelectPart[]> | null {
    const { open } = this;
    if (open.length === 0 || rowCount <= 0) return null;
    const each = Math.min(PART_ROWS, Math.floor(rowCount / open.length));
    const rowsMax = new Map(
      open.map((worker, workerIndex) => [
        worker,
        each === PART_ROWS ? each : each + (workerIndex < rowCount % open.length ? 1 : 0),
      ]),
    );
    return this.#fetch((worker) => rowsMax.get(worker) ?? 0, PART_BYTES).then((found) =>
      found.map(([, part]) => part),
    );
  }

  /**
   * The number of distinct texts in lists that workers returned in this SELECT; null = counting would take too long. Each
   * worker counts some of the partitions.
   */
  async countTexts(lists: readonly PartitionedTexts[]): Promise<number | null> {
    const textCount = lists.reduce((sum, { count }) => sum + count, 0);
    const share = Math.ceil(TEXT_PARTITIONS / this.#used.length);
    const step = Math.max(1, Math.min(share, Math.floor((TEXTS_PER_REQUEST * TEXT_PARTITIONS) / textCount)));
    const selectId = this.#selectId;
    let different = 0;
    for (let next = 0; next < TEXT_PARTITIONS; ) {
      const counted = await this.#query.sendAll<number | null>(({ index }) => {
        if (!this.#used.includes(index)) return Promise.resolve(0);
        const from = Math.min(TEXT_PARTITIONS, next);
        const to = Math.min(TEXT_PARTITIONS, from + step);
        next = to;
        const sent = lists.map((list) => sentTexts(list, from, to, this.#settings.exchange));
        return this.#workers[index].send('select-count-texts', { selectId, lists: sent, from, to });
      });
      for (const count of counted) {
        if (count === null) return null;
        different += count;
      }
    }
    return different;
  }

  /** Releases the memory of partial results that are no longer read. */
  recycle(partials: readonly GroupPartial[]): void {
    this.#memory.releasePartials(partials);
  }

  /**
   * Continues without reading data: from now on, parts are waited for in slices of `sliceMs`, while records may be applied.
   */
  async continueFree(sliceMs: number): Promise<readonly SelectPart[]> {
    this.#slices = { ms: sliceMs, isOnly: false };
    return this.#fetchAll(Number.MAX_SAFE_INTEGER);
  }

  async #fetchAll(rowsMax: number): Promise<readonly SelectPart[]> {
    const parts = await this.#fetch(() => rowsMax, Number.POSITIVE_INFINITY);
    return parts.map(([, part]) => part);
  }

  /**
   * Lets the workers merge the groups that they returned in partitions; the following parts contain the groups as ordered rows.
   */
  async merge(partials: readonly PartitionedPart[], share: MergeShare): Promise<void> {
    const selectId = this.#selectId;
    this.#merges = true;
    this.#merged = partials;
    await this.#query.sendAll(({ index }) =>
      this.#done[index]
        ? Promise.resolve(null)
        : this.#workers[index].send('select-merge', { selectId, partials, share }),
    );
  }

  /** Sends a request about this SELECT to one worker. */
  send<Op extends GroupOp>(
    worker: number,
    op: Op,
    request: Omit<WorkerRequests[Op], 'selectId'>,
  ): Promise<WorkerResponses[Op]> {
    this.#query.check();
    return this.#workers[worker].send(op, {
      ...request,
      selectId: this.#selectId,
    } as unknown as WorkerRequests[Op]);
  }

  /** Runs `act` for each worker that has further parts, all at the same time. */
  async onEach(act: (worker: number) => Promise<void>): Promise<void> {
    await this.#query.sendAll(({ index }) => (this.#done[index] ? Promise.resolve() : act(index)));
  }

  /** Sends a request, in this turn, to each worker for which `rowsMax` is not 0. */
  async #fetch(
    rowsMax: (worker: number) => number,
    bytesMax: number,
  ): Promise<(readonly [number, SelectPart])[]> {
    const isFirst = !this.#begun;
    this.#begun = true;
    if (isFirst && readsShards(this.#settings)) this.#query.noteRead();
    const spares = usesSpareBuffers(this.#settings) ? Math.ceil(this.#memory.count / this.#used.length) : 0;
    const answers = await this.#query.sendAll(({ index }, bounds) =>
      this.#done[index]
        ? Promise.resolve(null)
        : this.#fetchFrom(
            this.#workers[index],
            isFirst,
            { rowsMax: rowsMax(index), bytesMax, spares },
            bounds,
          ),
    );
    const parts = answers.flatMap((part, worker) => (part === null ? [] : [[worker, part] as const]));
    for (const [worker, { done, operatorStats }] of parts) {
      this.#done[worker] = done;
      this.#stats?.push(...operatorStats);
    }
    if (this.#merged.length > 0 && this.open.length === 0) {
      this.#memory.releasePartitions(this.#merged);
      this.#merged = [];
    }
    return parts;
  }

  async #fetchFrom(
    worker: WorkerApi,
    isFirst: boolean,
    { rowsMax, bytesMax, spares }: PartSize,
    bounds: WorkerQueryLimits,
  ): Promise<SelectPart | null> {
    const selectId = this.#selectId;
    const begun = isFirst ? this.#begin(worker, bounds) : null;
    if (rowsMax === 0) {
      await begun;
      return null;
    }
    const sliceMs = this.#slices.ms;
    const spare = this.#memory.take(spares);
    const first = worker.send('select-next', {
      ...{ selectId, rowsMax, bytesMax, sliceMs, spare },
      isSmall: this.#settings.runs === 'select' && this.#settings.best !== null,
    });
    let [, part] = await Promise.all([begun, first]);
    const operatorStats = [...part.operatorStats];
    while (part.gives === 'nothing' && !this.#slices.isOnly) {
      part = await worker.send('select-next', { selectId, rowsMax, bytesMax, sliceMs, spare: [] });
      operatorStats.push(...part.operatorStats);
    }
    return { ...receivedPart(part), operatorStats };
  }

  #begin(worker: WorkerApi, bounds: WorkerQueryLimits): Promise<null> {
    const profiled = this.#stats !== null;
    const selectId = this.#selectId;
    const settings = this.#settings;
    const { partitionGroupsMin } = settings;
    if (settings.runs === 'select') {
      const { plan, tables, format, best } = settings;
      return worker.send('select-begin', {
        selectId,
        plan,
        tables: tables.map((table) => sentTable(table, settings.exchange)),
        format,
        best,
        profiled,
        partitionGroupsMin,
        bounds,
      });
    }
    const { queryId, stage, encoding } = settings;
    // A worker that works alone may use the memory of all.
    const share = { ...bounds, bytesMax: (bounds.bytesMax * this.#workers.length) / this.#used.length };
    return worker.send('stage-begin', {
      queryId,
      selectId,
      stage,
      encoding,
      profiled,
      partitionGroupsMin,
      bounds: share,
    });
  }

  /** Ends the SELECT on the workers that still have it; may be called repeatedly. */
  end(): void {
    if (!this.#begun || this.#hasEnded) return;
    this.#hasEnded = true;
    const selectId = this.#selectId;
    const plan = groupedPlanOf(this.#settings);
    const keepsTexts = plan !== null && countsTexts(plan);
    this.#workers.forEach((worker, index) => {
      if (!this.#used.includes(index)) return;
      if (keepsTexts || this.#merges || !this.#done[index])
        worker.send('select-end', { selectId }).catch(() => {});
    });
  }
}

const readsShards = (settings: WorkerSelectSettings): boolean =>
  settings.runs === 'select' || settings.stage.location === 'shards';

/** Requests by which workers exchange groups in messages. */
type GroupOp = 'select-partitions' | 'select-groups' | 'select-merge-step';

/** Whether workers can reuse the memory of parts: for encoded rows and for texts to count. */
function usesSpareBuffers(settings: WorkerSelectSettings): boolean {
  const plan = groupedPlanOf(settings);
  if (plan !== null && (collectsValues(plan) || isPartitionable(plan))) return true;
  return (settings.runs === 'select' ? settings.format : settings.encoding) !== null;
}

/** The plan whose grouping the workers compute; null = they return rows. */
function groupedPlanOf(settings: WorkerSelectSettings): SelectPlan | null {
  if (settings.runs === 'select') return settings.plan.grouping === null ? null : settings.plan;
  return settings.stage.runs === 'groups' ? settings.stage.plan : null;
}

export function columnsOf(part: SelectPart): Extract<SelectPart, { readonly gives: 'columns' }> {
  invariant(part.gives === 'columns', `a worker returned ${part.gives} instead of columns`);
  return part;
}

export function partialsOf(part: SelectPart): readonly GroupPartial[] {
  invariant(part.gives === 'groups', `a worker returned ${part.gives} instead of groups`);
  return part.partials;
}
