/**
 * The SELECTs and stages that a worker is executing, and the rows of earlier stages that they read.
 * Invariant: a SELECT or stage is a cursor with a number of its own; the main thread requests its parts one after the other.
 */
import { GarbageCollection, type IsOver, invariant, QuarryError } from '../base/index.js';
import {
  EventOrders,
  type QueryMemories,
  QueryRun,
  SelectCursor,
  type SpillStore,
  StageCursor,
  type StopFlags,
} from '../exec/index.js';
import { type SelectPlan, stageInputs } from '../ir/index.js';
import { isPartitionable } from '../plan/index.js';
import {
  type Exchange,
  PartMemory,
  type RowsPart,
  receivedTable,
  receivedTexts,
  type SentPart,
  type SentSelectPart,
  sentPart,
  type WorkerQueryLimits,
  type WorkerRequests,
  type WorkerResponses,
  type WorkerStage,
} from '../protocol/index.js';
import type { Arena, Shard } from '../storage/index.js';
import { rowsOfBytes, wireBytes } from '../vector/index.js';
import { GroupsCursor } from './groups-cursor.js';

export interface OpenQueriesDependencies {
  readonly shards: ReadonlyMap<number, Shard>;
  readonly scratch: Arena;
  readonly memories: QueryMemories;
  readonly spills: SpillStore;
  readonly stops: StopFlags;
  readonly exchange: Exchange;
  /** See EngineOptions. */
  readonly processBytesMax: number;
}

/** The rows of earlier stages of a query, by stage, and the account in which they are reserved. */
interface ReceivedRows {
  readonly run: QueryRun;
  readonly stages: Map<number, RowsPart[]>;
}

type Cursor = SelectCursor | StageCursor | GroupsCursor;

export class OpenQueries {
  readonly #dependencies: OpenQueriesDependencies;
  readonly #cursors = new Map<number, Cursor>();
  readonly #received = new Map<number, ReceivedRows>();
  readonly #partMemory: PartMemory;
  readonly #garbage: GarbageCollection;
  readonly #orders = new EventOrders();

  constructor(dependencies: OpenQueriesDependencies) {
    this.#dependencies = dependencies;
    this.#partMemory = new PartMemory(dependencies.exchange, dependencies.processBytesMax);
    this.#garbage = new GarbageCollection(dependencies.processBytesMax);
  }

  /** Starts the run of a query. Throws 9005 if the query was cancelled. */
  runOf({ slot, bytesMax }: WorkerQueryLimits): QueryRun {
    const { stops, spills, memories } = this.#dependencies;
    const run = new QueryRun(stops, slot, bytesMax, null, {
      spill: spills.ofQuery(slot),
      orders: this.#orders,
      memories,
    });
    run.check();
    return run;
  }

  beginSelect({
    selectId,
    bounds,
    partitionGroupsMin,
    tables: sentTables,
    ...settings
  }: WorkerRequests['select-begin']): null {
    this.end(selectId);
    const tables = sentTables.map(receivedTable);
    const { shards, scratch, memories } = this.#dependencies;
    const run = this.runOf(bounds);
    const allocator = this.#allocate;
    const cursor = new SelectCursor(
      shards.values(),
      { ...settings, tables, allocator, memories },
      scratch,
      run,
    );
    this.#cursors.set(selectId, this.#withPartitions(cursor, settings.plan, partitionGroupsMin, run));
    return null;
  }

  #withPartitions(
    source: SelectCursor | StageCursor,
    plan: SelectPlan | null,
    partitionGroupsMin: number | null,
    run: QueryRun,
  ): Cursor {
    if (plan === null || partitionGroupsMin === null || !isPartitionable(plan)) return source;
    const { exchange } = this.#dependencies;
    const partMemory = this.#partMemory;
    return new GroupsCursor(source, { plan, partitionGroupsMin, run, partMemory, exchange });
  }

  merge({ selectId, partials, share }: WorkerRequests['select-merge']): null {
    this.#groupsOf(selectId).merge(partials, share);
    return null;
  }

  partitions({
    selectId,
    from,
    to,
    bytesMax,
  }: WorkerRequests['select-partitions']): WorkerResponses['select-partitions'] {
    return this.#groupsOf(selectId).exchanged.bytesOf(from, to, bytesMax);
  }

  receiveGroups({ selectId, groups }: WorkerRequests['select-groups']): null {
    return this.#groupsOf(selectId).exchanged.receive(groups);
  }

  mergeStep({ selectId, wanted, sliceMs }: WorkerRequests['select-merge-step']): boolean {
    return this.#groupsOf(selectId).exchanged.mergeStep(wanted, untilOver(sliceMs));
  }

  #groupsOf(selectId: number): GroupsCursor {
    const cursor = this.#cursorOf(selectId);
    invariant(cursor instanceof GroupsCursor, 'only groups are merged');
    return cursor;
  }

  readonly #allocate = (byteCount: number): Uint8Array => this.#partMemory.allocate(byteCount);

  /** Throws 9006 if the rows do not fit in the memory of the query. */
  receive({ queryId, stage, parts, bounds }: WorkerRequests['stage-rows']): null {
    let received = this.#received.get(queryId);
    if (received === undefined) {
      received = { run: this.runOf(bounds), stages: new Map() };
      this.#received.set(queryId, received);
    }
    const known = received.stages.get(stage) ?? [];
    const added = parts.map((part) => receivedPart(part, received.run));
    received.stages.set(stage, [...known, ...added]);
    return null;
  }

  endRows({ queryId, stages }: WorkerRequests['stage-rows-end']): null {
    const received = this.#received.get(queryId);
    if (received === undefined) return null;
    for (const stage of stages ?? []) {
      received.run.release(bytesOf(received.stages.get(stage) ?? []));
      received.stages.delete(stage);
    }
    if (stages === null) this.#received.delete(queryId);
    this.#garbage.check();
    return null;
  }

  /** The stage may use the memory of the query except that of rows which it does not read; operators reserve the others. */
  beginStage({
    queryId,
    selectId,
    bounds,
    partitionGroupsMin,
    ...settings
  }: WorkerRequests['stage-begin']): null {
    this.end(selectId);
    const received = this.#received.get(queryId);
    const run = this.runOf({ ...bounds, bytesMax: bounds.bytesMax - unreadBytes(received, settings.stage) });
    const { shards, scratch, memories } = this.#dependencies;
    const cursor = new StageCursor(
      settings.stage,
      {
        ...settings,
        ...{ scratch, memories, shards: [...shards.values()], allocator: this.#allocate },
        received: (stage) => {
          const parts = received?.stages.get(stage);
          if (parts === undefined) throw new QuarryError(9004, 'the rows of an earlier stage are missing');
          return parts;
        },
      },
      run,
    );
    const plan = settings.stage.runs === 'groups' ? settings.stage.plan : null;
    this.#cursors.set(selectId, this.#withPartitions(cursor, plan, partitionGroupsMin, run));
    return null;
  }

  next({ selectId, rowsMax, bytesMax, sliceMs, spare }: WorkerRequests['select-next']): SentSelectPart {
    this.#partMemory.add(spare);
    const cursor = this.#cursorOf(selectId);
    const part = cursor.next(rowsMax, bytesMax, untilOver(sliceMs));
    const sent = sentPart(part, this.#dependencies.exchange);
    this.#garbage.check();
    const isReadByOthers = cursor instanceof GroupsCursor && cursor.hasRows;
    if (part.done && !cursor.countsTexts && !isReadByOthers) this.end(selectId);
    return sent;
  }

  countTexts({ selectId, lists, from, to }: WorkerRequests['select-count-texts']): number | null {
    return this.#cursorOf(selectId).countTexts(lists.map(receivedTexts), from, to);
  }

  /** Throws 9004 if the SELECT or stage was refused when it should have started. */
  #cursorOf(selectId: number): Cursor {
    const cursor = this.#cursors.get(selectId);
    if (cursor === undefined) throw new QuarryError(9004, 'the SELECT has not begun');
    return cursor;
  }

  end(selectId: number): null {
    this.#cursors.get(selectId)?.release();
    if (this.#cursors.delete(selectId)) this.#garbage.check();
    return null;
  }
}

function untilOver(sliceMs: number): IsOver {
  const endMs = performance.now() + sliceMs;
  return () => performance.now() >= endMs;
}

/** Bytes of the rows that are stored for later stages. */
function unreadBytes(received: ReceivedRows | undefined, stage: WorkerStage): number {
  if (received === undefined) return 0;
  let bytes = received.run.reservedBytes;
  for (const input of stageInputs(stage)) bytes -= bytesOf(received.stages.get(input) ?? []);
  return bytes;
}

/** Reserves the rows of a part. Throws 9006, and a BlockError if its bytes are damaged. */
function receivedPart(part: SentPart, run: QueryRun): RowsPart {
  if (!(part instanceof Uint8Array)) {
    run.reserve(bytesOf([part]));
    return part;
  }
  const rows = { ...rowsOfBytes(part), page: null };
  run.reserve(bytesOf([rows]));
  return rows;
}

function bytesOf(parts: readonly RowsPart[]): number {
  let bytes = 0;
  for (const { columns } of parts) for (const wire of columns) bytes += wireBytes(wire);
  return bytes;
}
