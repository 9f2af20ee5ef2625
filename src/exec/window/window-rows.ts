/**
 * The operator `window`: the rows of the input in the order of the partition and order keys, with the values of window
 * functions. Functions have the semantics of PostgreSQL, except that sums are exact and AVG has six decimals.
 */
import { invariant, type MemoryAccount, type Task } from '../../base/index.js';
import type { RelationColumn, RelationOf, RelationSortKey, WindowFunction } from '../../ir/index.js';
import { gather, scaleOf, slice, type Vector, type VectorOrder } from '../../vector/index.js';
import type { QueryRun } from '../query-run.js';
import type { CollectedRows } from '../relation/collected-rows.js';
import type { Operator, RelationBatch } from '../relation/operator.js';
import { batchesOf, type ColumnRows, MemoryOperator, stepsOf } from '../relation/row-batches.js';
import { SpillableInput } from '../relation/spillable-input.js';
import { pageBatches, sortedRuns } from '../relation/stored-rows.js';
import type { SortedRuns } from '../spill/sorted-runs.js';
import { countColumn } from './counts.js';
import { decimalMeanColumn, exactMeanColumn, exactSumColumn } from './exact-sums.js';
import { extremeColumn } from './extremes.js';
import { firstRows } from './first-rows.js';
import { floatColumn } from './float-sums.js';
import { type Frames, framesOf } from './frames.js';
import { layoutOf, type WindowLayout } from './layout.js';
import { partitionGroups } from './partition-groups.js';
import { edgeColumn, nthColumn, ntileColumn, shiftedColumn } from './picked-values.js';
import { rankColumn } from './ranks.js';

/**
 * The rows of `input` with the values of the relation's functions; the relation's own input is not read. `first`: rows that have
 * at least this many rows of their partition before them may be omitted; null = no row is omitted.
 */
export function windowRows(
  input: Operator,
  relation: RelationOf<'window'>,
  run: QueryRun,
  first: number | null = null,
): Operator {
  const columns = [...input.columns, ...relation.functions];
  return new MemoryOperator(columns, input, run, (memory) =>
    rowsOf(first === null ? input : firstRows(input, relation, first, memory), relation, memory),
  );
}

function* rowsOf(
  input: Operator,
  relation: RelationOf<'window'>,
  memory: QueryRun,
): Generator<RelationBatch | null, undefined> {
  const keys = [...relation.partition.map(partitionKey), ...relation.order];
  const depth = relation.partition.length > 0 ? 0 : null;
  const spillable = new SpillableInput(input, memory, depth, () => sortedRuns(input.columns, keys, memory));
  try {
    const found = yield* spillable.run((rows, run) => evaluatedColumns(input.columns, rows, relation, run));
    if (found === null)
      yield* wholePartitions(input.columns, spillable.store as SortedRuns, relation, memory);
    else yield* batchesOf(found.columns, 0, found.count, memory);
  } finally {
    spillable.store?.release();
  }
}

const partitionKey = ({ column, type }: RelationColumn): RelationSortKey => ({
  ...{ column, type, descending: false, missingFirst: false },
});

/** Evaluates sorted rows in groups of whole partitions, as many as fit in a part of the memory. */
function* wholePartitions(
  columns: readonly RelationColumn[],
  runs: SortedRuns,
  relation: RelationOf<'window'>,
  memory: QueryRun,
): Generator<RelationBatch | null, undefined> {
  const groups = partitionGroups(columns, relation.partition, pageBatches(columns, runs.merged()), memory);
  for (const group of groups) {
    if (group === null) yield null;
    else {
      const run = memory.child();
      const found = yield* evaluatedColumns(columns, group, relation, run);
      yield* batchesOf(found.columns, 0, found.count, run);
      run.releaseAll();
    }
  }
}

interface Evaluated {
  readonly count: number;
  readonly columns: ReadonlyMap<number, ColumnRows>;
}

/** The rows in order, with the values of the functions. */
function* evaluatedColumns(
  inputColumns: readonly RelationColumn[],
  rows: CollectedRows,
  { partition, order, functions }: RelationOf<'window'>,
  memory: QueryRun,
): Generator<null, Evaluated> {
  const { count } = rows;
  const columns = new Map<number, ColumnRows>();
  if (count === 0) return { count, columns };
  const partitionKeys = partition.map((key) => ({ ...partitionKey(key), vector: rows.input(key.column) }));
  const orderKeys = order.map((key) => ({ ...key, vector: rows.input(key.column) }));
  const keys = [...partitionKeys, ...orderKeys];
  const layout = yield* stepsOf(layoutOf(keys, partition.length, count, memory), memory);
  for (const { column } of inputColumns) {
    const vector = rows.input(column);
    columns.set(column, (from, to) => gather(vector, layout.order.subarray(from, to), to - from));
  }
  const evaluation = new Evaluation(rows, layout, orderKeys, memory);
  for (const definition of functions) {
    columns.set(definition.column, yield* stepsOf(evaluation.column(definition), memory));
  }
  evaluation.releaseFrames();
  return { count, columns };
}

const slices =
  (vector: Vector): ColumnRows =>
  (from, to) =>
    slice(vector, from, to);

/** Evaluates the functions of one node, which share frames. */
class Evaluation {
  readonly #rows: CollectedRows;
  readonly #layout: WindowLayout;
  readonly #order: readonly VectorOrder[];
  readonly #memory: QueryRun;
  readonly #framesMemory: MemoryAccount;
  readonly #frames = new Map<string, Frames>();

  constructor(rows: CollectedRows, layout: WindowLayout, order: readonly VectorOrder[], memory: QueryRun) {
    this.#rows = rows;
    this.#layout = layout;
    this.#order = order;
    this.#memory = memory;
    this.#framesMemory = memory.child();
  }

  /** The values of the function by position. Throws 6000, 9006. */
  *column(definition: WindowFunction): Task<ColumnRows> {
    const { function: name, args, type } = definition;
    const [value] = args.map(({ column }) => this.#rows.input(column));
    switch (name) {
      case 'row-number':
      case 'rank':
      case 'dense-rank':
      case 'percent-rank':
      case 'cume-dist':
        return slices(yield* rankColumn(name, this.#layout, this.#memory));
      case 'ntile':
        return slices(yield* ntileColumn(value, this.#layout, this.#memory));
      case 'lag':
      case 'lead': {
        const [offset, otherwise] = [this.#argument(definition, 1), this.#argument(definition, 2)];
        const shifted = { value, offset, otherwise };
        return yield* shiftedColumn(shifted, type, name === 'lag' ? -1 : 1, this.#layout, this.#memory);
      }
      default:
        return yield* this.#ofFrames(definition, yield* this.#framesOf(definition));
    }
  }

  #argument({ args }: WindowFunction, index: number): Vector | null {
    return index < args.length ? this.#rows.input(args[index].column) : null;
  }

  *#ofFrames(definition: WindowFunction, frames: Frames): Task<ColumnRows> {
    const { function: name } = definition;
    const [layout, memory] = [this.#layout, this.#memory];
    const value = this.#argument(definition, 0);
    if (name === 'count') return slices(yield* countColumn(value, frames, layout, memory));
    invariant(value !== null, `${name} has an argument`);
    switch (name) {
      case 'first-value':
      case 'last-value':
        return yield* edgeColumn(value, name === 'first-value', frames, layout, memory);
      case 'nth-value': {
        const n = this.#argument(definition, 1);
        invariant(n !== null, 'nth-value has two arguments');
        return yield* nthColumn(value, n, frames, layout, memory);
      }
      case 'min':
      case 'max':
        return yield* extremeColumn(value, name, frames, layout, memory);
      case 'sum':
      case 'avg':
      case 'mean': {
        if (value.kind === 'float') return slices(yield* floatColumn(value, name, frames, layout, memory));
        invariant(value.kind === 'exact', `${name} takes numbers`);
        if (name === 'sum') return slices(yield* exactSumColumn(value, frames, layout, memory));
        const { type } = definition.args[0];
        if (name === 'avg') return slices(yield* exactMeanColumn(value, type, frames, layout, memory));
        const scale = scaleOf(definition.type);
        return slices(yield* decimalMeanColumn(value, type, scale, layout, { frames, memory }));
      }
      default:
        invariant(false, `${name} reads no frame`);
    }
  }

  *#framesOf({ frame }: WindowFunction): Task<Frames> {
    const key = JSON.stringify(frame, (_, value) => (typeof value === 'bigint' ? `${value}n` : value));
    let frames = this.#frames.get(key);
    if (frames === undefined) {
      frames = yield* framesOf(frame, this.#layout, this.#order, this.#framesMemory);
      this.#frames.set(key, frames);
    }
    return frames;
  }

  releaseFrames(): void {
    this.#frames.clear();
    this.#framesMemory.releaseAll();
  }
}
