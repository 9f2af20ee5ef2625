/**
 * A cursor over one stage of a query on one worker. It returns the rows in parts, or the groups.
 * Invariants  as for a SelectCursor: the shards must not be written between the first part and the last, and between
 *             parts and slices the cursor holds no arena memory.
 */
import type { Allocator } from '../../../answer/index.js';
import { type IsOver, invariant, NEVER_OVER, runSlice, stopTask, type Task } from '../../../base/index.js';
import {
  countsTexts,
  type GroupPartial,
  type PartitionedTexts,
  type Relation,
  type RelationOf,
  type SelectPlan,
} from '../../../ir/index.js';
import type {
  OperatorStats,
  RowEncoding,
  RowsPart,
  SelectPart,
  WorkerStage,
} from '../../../protocol/index.js';
import type { Arena, Shard } from '../../../storage/index.js';
import { sharedWires, slice, type Vector, wireBytes } from '../../../vector/index.js';
import { DEFAULT_GROUP_OPTIONS, type GroupInput, groupShard } from '../../aggregate/groups/group.js';
import { countDistinctTexts } from '../../aggregate/states/count-distinct-texts.js';
import type { QueryMemories } from '../../query-memory.js';
import type { QueryRun } from '../../query-run.js';
import { ShardOperatorStats } from '../../scan/operator-stats.js';
import { type PartBuilder, type PartRows, partBuilder } from '../../scan/part-rows.js';
import { BATCH_ROWS_MAX, type RowBatch } from '../../scan/row-batches.js';
import { WorkerShards } from '../../scan/worker-shards.js';
import type { GroupInputs } from '../../spill/group-rows.js';
import type { Operator, RelationBatch } from '../operator.js';
import { createOperator } from './create-operator.js';
import { MeasuredOperators } from './measured-operators.js';
import { ScanRows } from './scan.js';

export interface StageSources {
  readonly shards: Iterable<Shard>;
  /** The rows of an earlier stage. Throws 9004 if this worker does not have them. */
  readonly received: (stage: number) => readonly RowsPart[];
  readonly scratch: Arena;
  readonly memories: QueryMemories;
  /** null = the result is returned as columns. */
  readonly encoding: RowEncoding | null;
  readonly profiled: boolean;
  /** Allocates encoded parts and the texts of groups. */
  readonly allocator: Allocator;
}

export class StageCursor {
  /** Whether `countTexts` may be called after the last part. */
  readonly countsTexts: boolean;
  readonly #run: QueryRun;
  readonly #stage: WorkerStage;
  readonly #sources: StageSources;
  #operator: Operator;
  readonly #scans: ScanRows[] = [];
  readonly #shards: WorkerShards[] = [];
  readonly #measured: MeasuredOperators | null;
  readonly #rows: StageRows | StageGroups;

  /** Throws 9004. `release` must be called at the end. */
  constructor(stage: WorkerStage, sources: StageSources, run: QueryRun) {
    const { encoding, profiled, allocator } = sources;
    invariant(encoding === null || stage.runs === 'operators', 'only the rows of operators are encoded');
    this.#run = run;
    this.#stage = stage;
    this.#sources = sources;
    this.#measured = profiled ? new MeasuredOperators(run.spill) : null;
    this.#operator = this.#createOperator();
    if (stage.runs === 'groups') {
      this.countsTexts = countsTexts(stage.plan);
      this.#rows = new StageGroups(stage.plan, this.#operator, run, sources);
    } else {
      this.countsTexts = false;
      this.#rows = new StageRows(stage, this.#operator, encoding, run, allocator);
    }
  }

  #createOperator(): Operator {
    const measured = this.#measured;
    return createOperator(inputOf(this.#stage), {
      ...{ run: this.#run, received: this.#sources.received, working: new Map() },
      scan: (relation) => this.#scan(relation, this.#sources),
      measured: measured && ((relation, operator) => measured.of(relation, operator)),
    });
  }

  #scan(
    { plan, columns }: RelationOf<'scan'>,
    { shards, scratch, memories, profiled }: StageSources,
  ): ScanRows {
    const { dimensionId } = plan;
    invariant(dimensionId !== null, 'a scan reads a dimension');
    const found = new WorkerShards(
      shards,
      { ...plan, dimensionId },
      [],
      scratch,
      memories,
      this.#run,
      profiled,
    );
    const scan = new ScanRows(found, columns);
    this.#shards.push(found);
    this.#scans.push(scan);
    return scan;
  }

  /** See SelectCursor.next. */
  next(rowsMax: number, bytesMax = Number.POSITIVE_INFINITY, isOver: IsOver = NEVER_OVER): SelectPart {
    this.#run.check();
    let cut = false;
    const part = this.#rows.next(rowsMax, bytesMax, () => {
      cut = isOver();
      return cut;
    });
    const { isDone } = this.#rows;
    if (!isDone) for (const scan of this.#scans) scan.rest(cut);
    const operatorStats = this.takeStats();
    if (part === null) return { done: false, operatorStats, gives: 'nothing' };
    // Groups keep their memory until `release`.
    if (isDone && part.gives !== 'groups') this.release();
    return { done: isDone, operatorStats, ...part };
  }

  /** Returns and resets the operator statistics since the last call. */
  takeStats(): OperatorStats[] {
    return [...this.#shards.flatMap((shards) => shards.takeStats()), ...(this.#measured?.take() ?? [])];
  }

  /** See SelectCursor.countTexts. */
  countTexts(lists: readonly PartitionedTexts[], from: number, to: number): number | null {
    return countDistinctTexts(lists, from, to, this.#run);
  }

  /** See SelectCursor.groupInputs. Throws 9004, too. */
  groupInputs(): GroupInputs {
    this.release();
    this.#scans.length = 0;
    this.#shards.length = 0;
    this.#measured?.clear();
    this.#operator = this.#createOperator();
    const operator = this.#operator;
    return {
      *each() {
        yield groupInput(operator);
        return undefined;
      },
      rest: () => {
        for (const scan of this.#scans) scan.rest(true);
      },
      release: () => operator.release(),
    };
  }

  /** Releases all memory; may be called repeatedly. */
  release(): void {
    this.#rows.release();
    this.#operator.release();
    this.#run.releaseAll();
  }
}

const inputOf = (stage: WorkerStage): Relation => (stage.runs === 'groups' ? stage.input : stage.root);

/** A batch whose rows before `from` were returned. */
interface OpenBatch {
  readonly columns: readonly Vector[];
  readonly count: number;
  from: number;
}

/** The rows of an operator, in parts. */
class StageRows {
  readonly #columns: readonly number[];
  readonly #batches: Generator<RelationBatch | null, undefined>;
  readonly #part: PartBuilder;
  #batch: OpenBatch | null = null;
  #ended = false;

  constructor(
    { columns }: WorkerStage,
    operator: Operator,
    encoding: RowEncoding | null,
    run: QueryRun,
    allocator: Allocator,
  ) {
    this.#columns = columns.map(({ column }) => column);
    this.#batches = operator.batches();
    const fields = encoding?.fields ?? columns.map(({ column, type }) => ({ name: String(column), type }));
    this.#part = partBuilder(fields, encoding?.format ?? null, run, allocator);
  }

  get isDone(): boolean {
    return this.#ended && this.#batch === null;
  }

  next(rowsMax: number, bytesMax: number, isOver: IsOver): PartRows | null {
    const isWanted = (): boolean => this.#part.rowCount < rowsMax && this.#part.bytes < bytesMax;
    let cut = false;
    while (isWanted() && !this.isDone && !cut) {
      this.#batch ??= this.#nextBatch();
      this.#append(rowsMax - this.#part.rowCount);
      cut = isOver();
    }
    return isWanted() && !this.isDone ? null : shared(this.#part.finish());
  }

  #nextBatch(): OpenBatch | null {
    const { done, value: batch } = this.#batches.next();
    this.#ended = done === true;
    if (batch === undefined || batch === null || batch.count === 0) return null;
    return { columns: this.#columns.map((column) => batch.input(column)), count: batch.count, from: 0 };
  }

  #append(wanted: number): void {
    const batch = this.#batch;
    if (batch === null) return;
    const to = Math.min(batch.count, batch.from + wanted);
    this.#part.append(batch.columns, batch.from, to);
    batch.from = to;
    if (to === batch.count) this.#batch = null;
  }

  release(): void {
    this.#ended = true;
    this.#batch = null;
    this.#batches.return(undefined);
  }
}

/** Parts below this size are copied faster than they are shared. */
const SHARED_BYTES_MIN = 64 * 1024;

/** The main thread passes columns on to other workers, without a copy if they are in shared memory. */
function shared(part: PartRows): PartRows {
  if (part.gives !== 'columns') return part;
  const bytes = part.outputs.reduce((sum, wire) => sum + wireBytes(wire), 0);
  return bytes < SHARED_BYTES_MIN ? part : { ...part, outputs: sharedWires(part.outputs) };
}

type GroupsPart = Omit<Extract<SelectPart, { readonly gives: 'groups' }>, 'done' | 'operatorStats'>;

/** The groups of an operator's rows. */
class StageGroups {
  readonly #work: Task<GroupPartial[]>;
  isDone = false;

  constructor(
    plan: SelectPlan,
    operator: Operator,
    run: QueryRun,
    { allocator, memories }: Pick<StageSources, 'allocator' | 'memories'>,
  ) {
    const stats = new ShardOperatorStats(0, false);
    this.#work = groupShard(groupInput(operator), plan, run, stats, {
      ...DEFAULT_GROUP_OPTIONS,
      allocator,
      memories,
    });
  }

  next(_rowsMax: number, _bytesMax: number, isOver: IsOver): GroupsPart | null {
    invariant(!this.isDone, 'groups are returned only once');
    const partials = runSlice(this.#work, isOver);
    if (partials === null) return null;
    this.isDone = true;
    return { gives: 'groups', partials };
  }

  release(): void {
    stopTask(this.#work);
  }
}

const NO_ENTITIES = new Uint32Array(0);

/** An operator's rows as the input of a grouping without entities and events. */
const groupInput = (operator: Operator): GroupInput => ({
  rowEnd: 0,
  *batches() {
    for (const batch of operator.batches()) {
      if (batch === null) yield null;
      else yield* groupBatches(batch);
    }
  },
  feedBatches: () => {
    invariant(false, 'relations have no events');
  },
});

function* groupBatches(batch: RelationBatch): Generator<RowBatch> {
  for (let from = 0; from < batch.count; from += BATCH_ROWS_MAX) {
    const to = Math.min(batch.count, from + BATCH_ROWS_MAX);
    const isWhole = to - from === batch.count;
    const vectors = new Map<number, Vector>();
    yield {
      count: to - from,
      entityRows: NO_ENTITIES,
      input: (column) => {
        if (isWhole) return batch.input(column);
        const vector = vectors.get(column) ?? slice(batch.input(column), from, to);
        vectors.set(column, vector);
        return vector;
      },
    };
  }
}
