/**
 * Groups batches of vectors in dense tables, whatever expressions they come from. The first batch decides what the
 * records of the first table hold: nothing for missing values if it has none, and sums of 64 bits if its values have at
 * most 32. Batches that do not fit go to a second table, with records for any integers of 64 bits, and the others are
 * left to the caller: the groups of all are merged like those of several shards.
 */
import type { Allocator } from '../../../answer/index.js';
import { QuarryError, type Task } from '../../../base/index.js';
import type { Grouping, GroupPartial } from '../../../ir/index.js';
import { are64, halvesOf, ORDERED_MAX, type Vector, vectorKindOf } from '../../../vector/index.js';
import type { QueryMemories, QueryMemory } from '../../query-memory.js';
import type { QueryRun } from '../../query-run.js';
import { BATCH_ROWS_MAX, type RowBatch } from '../../scan/row-batches.js';
import { type AggregationKind, aggregationKindOf } from '../states/aggregate-kinds.js';
import { Allocations } from './allocations.js';
import { type DenseAggregate, type DenseOperand, type DensePlan, Fields } from './dense-plan.js';
import { denseStates, slotsWithRows } from './dense-results.js';
import { type DenseInput, type DenseOptions, DenseTable } from './dense-table.js';
import { SegmentColumns } from './segment-columns.js';
import { VectorKeys } from './vector-keys.js';

/** An aggregated expression and the kinds of its aggregates. */
interface Wanted {
  readonly isExact: boolean;
  readonly kinds: ReadonlySet<AggregationKind>;
}

/** An expression over the rows of a batch. */
export interface BatchOperand {
  of(rows: RowBatch): Vector;
}

/** The columns that aggregates of a grouping read, and the aggregates over them. */
interface VectorAggregates {
  readonly sources: readonly BatchOperand[];
  readonly operands: readonly Wanted[];
  readonly aggregates: readonly DenseAggregate[];
}

/**
 * The aggregates, whose operands are `of`; null = dense tables do not compute them. Any column can be counted; all
 * other aggregates need integers.
 */
function vectorAggregates(
  { aggregates, perEntity }: Grouping,
  operandsOf: readonly (BatchOperand | null)[],
): VectorAggregates | null {
  if (perEntity) return null;
  const sources: BatchOperand[] = [];
  const operands: { isExact: boolean; kinds: Set<AggregationKind> }[] = [];
  const requested: DenseAggregate[] = [];
  for (const [index, aggregate] of aggregates.entries()) {
    const kind = aggregationKindOf(aggregate);
    const { feed, of, function: name } = aggregate;
    if (feed !== 'rows') return null;
    const source = operandsOf[index];
    if (of === null || source === null) {
      requested.push({ kind, operand: null });
      continue;
    }
    const isExact = vectorKindOf(of.type) === 'exact';
    if (kind !== 'count' && !isExact) return null;
    if (kind === 'distinct' && name !== 'count') return null;
    let operand = sources.indexOf(source);
    if (operand < 0) operand = sources.push(source) - 1;
    operands[operand] ??= { isExact, kinds: new Set() };
    operands[operand].kinds.add(kind);
    requested.push({ kind, operand });
  }
  return { sources, operands, aggregates: requested };
}

/** What the records of a table can hold of an operand. */
interface RecordLayout {
  readonly missing: boolean;
  /** Sums of integers of more than 32 bits. */
  readonly wide: boolean;
  /** Distinct integers that are not safe. */
  readonly unsafe: boolean;
}

interface Table {
  readonly plan: DensePlan;
  readonly table: DenseTable;
  readonly layout: readonly RecordLayout[];
}

/** Everything fits. */
const WIDEST: RecordLayout = { missing: true, wide: true, unsafe: true };

/** Where tables are built. */
export interface VectorMemory {
  readonly memories: QueryMemories;
  readonly run: QueryRun;
  readonly options?: DenseOptions | undefined;
}

/** Tables take some 100 microseconds to set up: no smaller batch creates them. */
const FIRST_ROWS_MIN = 512;

/** The groups of the batches that it accepts; created by the first of them. */
export class VectorGroups {
  readonly #grouping: Grouping;
  readonly #wanted: VectorAggregates | null;
  readonly #memory: VectorMemory;
  #tables: VectorTables | null = null;

  /** `operands`: by aggregate; null = it has none. `release` must be called at the end. */
  constructor(grouping: Grouping, operands: readonly (BatchOperand | null)[], memory: VectorMemory) {
    this.#grouping = grouping;
    this.#wanted = vectorAggregates(grouping, operands);
    this.#memory = memory;
  }

  /**
   * Adds a batch of at most BATCH_ROWS_MAX rows with these keys; returns false, without changes, if that is not possible or not
   * worthwhile. Throws 9006, and 6000 from operands.
   */
  add(rows: RowBatch, keys: readonly Vector[]): boolean {
    if (this.#wanted === null || (this.#tables === null && rows.count < FIRST_ROWS_MIN)) return false;
    this.#tables ??= new VectorTables(this.#grouping, this.#wanted, this.#memory);
    const operands = this.#wanted.sources.map((source) => source.of(rows));
    return this.#tables.add(keys, operands, rows.count);
  }

  /** How groups are found, for EXPLAIN. */
  get notes(): readonly string[] {
    return this.#tables?.notes ?? [];
  }

  /** The groups. Their memory is reserved in `run`. Throws 9005, 9006. */
  *partials(allocator: Allocator, run: QueryRun): Task<GroupPartial[]> {
    return this.#tables === null ? [] : yield* this.#tables.partials(allocator, run);
  }

  release(): void {
    this.#tables?.release();
    this.#tables = null;
  }
}

class VectorTables {
  readonly #grouping: Grouping;
  readonly #wanted: VectorAggregates;
  readonly #memories: QueryMemories;
  readonly #memory: QueryMemory;
  readonly #run: QueryRun;
  readonly #account: QueryRun;
  readonly #options: DenseOptions | undefined;
  readonly #columns: SegmentColumns;
  readonly #keys: VectorKeys;
  readonly #tables: Table[] = [];
  readonly #isFull: boolean;

  constructor(grouping: Grouping, wanted: VectorAggregates, { memories, run, options }: VectorMemory) {
    this.#grouping = grouping;
    this.#wanted = wanted;
    this.#memories = memories;
    this.#memory = memories.acquire();
    this.#run = run;
    this.#account = run.child();
    this.#options = options;
    const allocations = new Allocations(this.#memory, this.#account);
    const { at } = allocations;
    const operandCount = wanted.operands.length;
    const columnIds = Array.from({ length: operandCount + grouping.keys.length }, (_, id) => id);
    this.#columns = new SegmentColumns({ columnIds, computed: [] }, this.#memory, at, BATCH_ROWS_MAX);
    const types = grouping.keys.map(({ type }) => type);
    this.#keys = new VectorKeys(types, operandCount, this.#columns, {
      memory: this.#memory,
      run: this.#account,
      at,
      rowsMax: BATCH_ROWS_MAX,
    });
    this.#isFull = allocations.isFull;
  }

  /** See VectorGroups. */
  add(keys: readonly Vector[], operands: readonly Vector[], count: number): boolean {
    if (this.#isFull) return false;
    const { operands: wanted } = this.#wanted;
    if (!keys.every(isStorable) || !operands.every((vector, index) => isAcceptable(vector, wanted[index]))) {
      return false;
    }
    for (const [index, vector] of operands.entries()) this.#columns.put(index, vector);
    const layouts = operands.map((vector, index) => this.#needed(vector, index));
    const table = this.#tableFor(layouts);
    if (table === null) return false;
    this.#keys.put(keys);
    if (!table.table.add(count, true)) throw this.#refusal();
    return true;
  }

  /** The layout that the vector needs; it is the operand's column now. */
  #needed(vector: Vector, operand: number): RecordLayout {
    const { stored } = this.#columns.column(operand);
    const { kinds } = this.#wanted.operands[operand];
    return {
      missing: vector.valid !== null,
      wide: stored?.width === 8 && kinds.has('sum'),
      unsafe: vector.kind === 'exact' && vector.numbers === null && kinds.has('distinct'),
    };
  }

  /** A table whose records can hold the batch; null = the query has no memory for another table. */
  #tableFor(needed: readonly RecordLayout[]): Table | null {
    const found = this.#tables.find(({ layout }) =>
      needed.every((need, operand) => fits(need, layout[operand])),
    );
    if (found !== undefined) return found;
    const layout = this.#tables.length === 0 ? needed : needed.map(() => WIDEST);
    const plan = planOf(this.#wanted, layout, this.#grouping.keys.length > 0);
    const writeWords: DenseInput['writeWords'] = (block, words) => this.#keys.write(block, words);
    const input = { columns: this.#columns, writeWords };
    const table = DenseTable.create(plan, input, this.#memory, this.#account, this.#options);
    if (table === null) return null;
    const created = { plan, table, layout };
    this.#tables.push(created);
    return created;
  }

  #refusal(): QuarryError {
    return new QuarryError(
      9006,
      `the query needs more than ${this.#account.limitBytes} bytes of memory for its groups`,
    );
  }

  get notes(): readonly string[] {
    return this.#tables.map(({ table }) => table.note);
  }

  *partials(allocator: Allocator, run: QueryRun): Task<GroupPartial[]> {
    const partials: GroupPartial[] = [];
    for (const { plan, table } of this.#tables) {
      if (!(yield* table.finish())) throw this.#refusal();
      const { slotCount } = table;
      const hasKeys = this.#grouping.keys.length > 0;
      this.#account.reserve(slotCount * 4);
      const slots = hasKeys
        ? slotsWithRows(this.#memory, table.records, plan.fieldCount, slotCount)
        : Uint32Array.of(0);
      const keys = this.#keys.vectors(table.words, hasKeys ? slots.length : 0, run);
      yield;
      const results = { memory: this.#memory, account: this.#account, run, allocator };
      const states = yield* denseStates(plan, table, slots, results);
      if (states === null) throw this.#refusal();
      partials.push({ groupCount: slots.length, keys, states });
    }
    return partials;
  }

  release(): void {
    this.#account.releaseAll();
    this.#memories.release(this.#memory, this.#run);
  }
}

const fits = (need: RecordLayout, layout: RecordLayout): boolean =>
  (layout.missing || !need.missing) && (layout.wide || !need.wide) && (layout.unsafe || !need.unsafe);

/** Whether the values are integers of at most 64 bits, or of another kind. */
const isStorable = (vector: Vector): boolean =>
  vector.kind !== 'exact' || vector.wide === null || are64(vector.wide);

function isAcceptable(vector: Vector, { isExact, kinds }: Wanted): boolean {
  if (!isExact) return true;
  if (vector.kind !== 'exact' || !isStorable(vector)) return false;
  const { numbers, wide } = vector;
  if (numbers !== null) return !kinds.has('squares') || isNarrow(numbers, vector.valid, vector.count);
  if (kinds.has('squares') || kinds.has('counted')) return false;
  return !kinds.has('distinct') || isOrderable(wide as BigInt64Array, vector.count);
}

function isNarrow(numbers: Float64Array, valid: Uint8Array | null, count: number): boolean {
  for (let row = 0; row < count; row++) {
    if ((numbers[row] | 0) !== numbers[row] && (valid === null || valid[row] === 1)) return false;
  }
  return true;
}

/** See putOrdered. */
function isOrderable(integers: BigInt64Array<ArrayBufferLike>, count: number): boolean {
  const halves = halvesOf(integers);
  const highMax = ORDERED_MAX / 2 ** 32;
  for (let row = 0; row < count; row++) {
    const high = halves[row * 2 + 1];
    if (high >= highMax || high < -highMax) return false;
  }
  return true;
}

function planOf(
  { operands, aggregates }: VectorAggregates,
  layouts: readonly RecordLayout[],
  hasKeys: boolean,
): DensePlan {
  const fields = new Fields();
  const planned = operands.map(({ kinds }, columnId): DenseOperand => {
    const { missing, wide, unsafe } = layouts[columnId];
    const sums = kinds.has('sum') || kinds.has('squares');
    return {
      columnId,
      isWide: wide,
      present: missing ? fields.add(1) : null,
      sum: sums ? fields.add(wide ? 2 : 1) : null,
      squares: kinds.has('squares') ? fields.add(2) : null,
      min: kinds.has('min') ? fields.minCount++ : null,
      max: kinds.has('max') ? fields.maxCount++ : null,
      runs: kinds.has('counted') ? 'all' : kinds.has('distinct') ? 'distinct' : 'none',
      isUnsafe: unsafe && !kinds.has('counted'),
      bitmap: null,
    };
  });
  return fields.plan({ keys: [], slotCount: hasKeys ? null : 1, computed: [], aggregates }, planned);
}
