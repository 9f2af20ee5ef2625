/**
 * Computes the result from the groups of all shards: merges equal groups, computes exact aggregates, then applies
 * HAVING, outputs, DISTINCT, ORDER BY, OFFSET and LIMIT. In slices.
 * Order  rows that tie in the plan's order, or have no order, are ordered by their keys, and distinct rows by their
 *        outputs, so that the result does not depend on the number of shards. Groups that are entities keep the order
 *        of the shards if the plan has no order.
 */

import { inSlices, invariant, type MemoryAccount, type Task } from '../../base/index.js';
import type { Expression, Grouping, GroupPartial, SelectPlan, SortKey } from '../../ir/index.js';
import type { Vector } from '../../vector/index.js';
import { mergeMemory } from '../merge-memory.js';
import { areCertain } from './best-groups.js';
import { gatherRows } from './columns.js';
import { evaluated, type Selected, satisfying } from './evaluation.js';
import { GroupColumns } from './group-columns.js';
import { mergeGroups } from './group-merge.js';
import { sortedRows } from './row-order.js';
import { firstRows } from './row-words.js';
import type { OrderColumn } from './sort-keys.js';
import { fieldsOf, type Table } from './table.js';

/**
 * `plan` must have a grouping; `bytesMax`: memory limit of this computation; `knownAggregates`: already known
 * aggregates of the only group, by aggregate number. Throws 6000, 9006.
 */
export function* finishGroups(
  plan: SelectPlan,
  partials: readonly GroupPartial[],
  bytesMax: number,
  knownAggregates: ReadonlyMap<number, number> = NONE_KNOWN,
): Task<Table> {
  const table = yield* finishFirstGroups(plan, partials, bytesMax, knownAggregates);
  invariant(table !== null, 'no groups were omitted');
  return table;
}

/** Like finishGroups; null = groups that the shards omitted may be among the first (see best-groups.ts). */
export function* finishFirstGroups(
  plan: SelectPlan,
  partials: readonly GroupPartial[],
  bytesMax: number,
  knownAggregates: ReadonlyMap<number, number> = NONE_KNOWN,
): Task<Table | null> {
  const budget = mergeMemory(bytesMax);
  const groups = yield* mergeGroups(groupingOf(plan), partials, budget);
  if (!(yield* areCertain(plan, partials, groups, budget))) return null;
  const columns = new GroupColumns(groupingOf(plan), partials, groups, knownAggregates, budget);
  const passing = yield* passingGroups(plan, columns, budget);
  const finish: Finish = { plan, columns, passing, count: passing?.length ?? columns.count, budget };
  return plan.distinct ? yield* distinctTable(finish) : yield* groupTable(finish);
}

/** Whether all rows are equal, so that they are only counted. */
const areRowsEqual = ({ outputs }: SelectPlan): boolean => outputs.every(({ of }) => of.op === 'constant');

/** Groups in the plan's order, with the values by which they are ordered. */
export interface OrderedGroups {
  readonly count: number;
  readonly outputs: readonly Vector[];
  /** See `orderedPlan`. */
  readonly order: readonly Vector[];
}

/**
 * The plan of rows that are groups of `plan` and are ordered like them: the keys decide between groups that tie. Equal
 * rows need no order.
 */
export function orderedPlan(plan: SelectPlan): SelectPlan {
  const order = areRowsEqual(plan) ? [] : withTies(plan.order, plan.grouping?.keys ?? []);
  return { ...plan, grouping: null, having: null, order };
}

/** The order, then the inputs that it lacks: they have these types, from the first input on. */
function withTies(
  order: readonly SortKey[],
  inputs: readonly Pick<Expression, 'type'>[],
): readonly SortKey[] {
  const has = new Set(order.map(({ of }) => (of.op === 'input' ? of.input : null)));
  const all = inputs.map(
    ({ type }, input): SortKey => ({ of: { op: 'input', type, input }, descending: false }),
  );
  return [...order, ...all.filter((_, input) => !has.has(input))];
}

/**
 * The first groups of a plan without DISTINCT whose groups are not entities: at most `wanted`, regardless of its offset
 * and limit. Throws 6000, 9006.
 */
export function* orderedGroups(
  plan: SelectPlan,
  partials: readonly GroupPartial[],
  wanted: number,
  budget: MemoryAccount,
): Task<OrderedGroups> {
  const groups = yield* mergeGroups(groupingOf(plan), partials, budget);
  const columns = new GroupColumns(groupingOf(plan), partials, groups, NONE_KNOWN, budget);
  const passing = yield* passingGroups(plan, columns, budget);
  const count = passing?.length ?? columns.count;
  const keys = yield* sortColumns({ plan, columns, passing, count, budget }, orderedPlan(plan).order);
  const rows = yield* sortedRows(keys, count, Math.min(wanted, count), budget);
  const order: Vector[] = [];
  for (const { vector } of keys) order.push(yield* gatherRows(vector, rows, budget));
  if (passing !== null) yield* lookUp(rows, passing);
  return { count: rows.length, outputs: yield* outputsOf(plan, columns, rows, budget), order };
}

function groupingOf({ grouping }: SelectPlan): Grouping {
  invariant(grouping !== null, 'the plan has groups');
  return grouping;
}

const NONE_KNOWN: ReadonlyMap<number, number> = new Map();

/** The groups of a plan, before they are ordered. */
interface Finish {
  readonly plan: SelectPlan;
  readonly columns: GroupColumns;
  /** The groups that satisfy HAVING; null = all. */
  readonly passing: Uint32Array | null;
  readonly count: number;
  readonly budget: MemoryAccount;
}

/** The groups that satisfy HAVING; null = all. Throws 6000, 9006. */
function* passingGroups(
  { having }: SelectPlan,
  columns: GroupColumns,
  budget: MemoryAccount,
): Task<Uint32Array | null> {
  if (having === null) return null;
  const all = { columns: yield* columns.whole([having]), count: columns.count, rows: null };
  return yield* satisfying(having, all, budget);
}

function* groupTable({ plan, columns, passing, count, budget }: Finish): Task<Table> {
  const order = areRowsEqual(plan) ? [] : groupOrder(plan);
  const keys = count > 1 ? yield* sortColumns({ plan, columns, passing, count, budget }, order) : [];
  const rows = yield* chosenRows(plan, keys, count, budget);
  if (passing !== null) yield* lookUp(rows, passing);
  const outputs = yield* outputsOf(plan, columns, rows, budget);
  return { fields: fieldsOf(plan), columns: outputs, rowCount: rows.length };
}

/** The order of the plan, then of the keys. */
function groupOrder(plan: SelectPlan): readonly SortKey[] {
  const { keys, aggregates, perEntity } = groupingOf(plan);
  if (plan.order.length === 0 && perEntity) return [];
  return withTies(plan.order, perEntity ? [...keys, ...aggregates] : keys);
}

/** The outputs of the plan for some groups. */
function* outputsOf(
  { outputs }: SelectPlan,
  columns: GroupColumns,
  groups: Uint32Array,
  budget: MemoryAccount,
): Task<Vector[]> {
  const expressions = outputs.map(({ of }) => of);
  const inputs = yield* columns.ofGroups(expressions, groups);
  return yield* allEvaluated(expressions, { columns: inputs, count: groups.length, rows: null }, budget);
}

function* allEvaluated(
  expressions: readonly Expression[],
  selected: Selected,
  budget: MemoryAccount,
): Task<Vector[]> {
  const vectors: Vector[] = [];
  for (const expression of expressions) vectors.push(yield* evaluated(expression, selected, budget));
  return vectors;
}

/** The values by which the passing groups are ordered. */
function* sortColumns(
  { columns, passing, count, budget }: Finish,
  order: readonly SortKey[],
): Task<readonly OrderColumn[]> {
  const expressions = order.map(({ of }) => of);
  const selected = { columns: yield* columns.whole(expressions), count, rows: passing };
  const vectors = yield* allEvaluated(expressions, selected, budget);
  return vectors.map((vector, index) => ({ vector, descending: order[index].descending }));
}

function* distinctTable(finish: Finish): Task<Table> {
  const { plan, columns, passing, count, budget } = finish;
  const expressions = plan.outputs.map(({ of }) => of);
  const whole = { columns: yield* columns.whole(expressions), count, rows: passing };
  const all = yield* allEvaluated(expressions, whole, budget);
  const different = yield* differentRows(all, count, budget);
  const outputs: Vector[] = [];
  for (const output of all) outputs.push(yield* gatherRows(output, different, budget));
  const sources = different.slice();
  if (passing !== null) yield* lookUp(sources, passing);
  const ordered = { ...finish, passing: sources, count: different.length };
  const keys = [
    ...(yield* sortColumns(ordered, plan.order)),
    ...outputs.map((vector) => ({ vector, descending: false })),
  ];
  const rows = yield* chosenRows(plan, keys, different.length, budget);
  const chosen: Vector[] = [];
  for (const output of outputs) chosen.push(yield* gatherRows(output, rows, budget));
  return { fields: fieldsOf(plan), columns: chosen, rowCount: rows.length };
}

/** The first row of each set of equal rows, ascending. */
function* differentRows(columns: readonly Vector[], count: number, budget: MemoryAccount): Task<Uint32Array> {
  const firsts = yield* firstRows(columns, count, budget);
  let different = 0;
  yield* inSlices(count, (from, to) => {
    for (let row = from; row < to; row++) if (firsts[row] === row) firsts[different++] = row;
  });
  return firsts.subarray(0, different);
}

/** The rows after the offset, up to the limit, in the order of the columns. */
function* chosenRows(
  { offset, limit }: SelectPlan,
  columns: readonly OrderColumn[],
  count: number,
  budget: MemoryAccount,
): Task<Uint32Array> {
  const end = limit === null ? count : Math.min(count, offset + limit);
  const rows = yield* sortedRows(columns, count, offset < end ? end : 0, budget);
  return rows.subarray(Math.min(offset, rows.length));
}

/** Replaces rows[i] with places[rows[i]]. */
function* lookUp(rows: Uint32Array, mapping: Uint32Array): Task<void> {
  yield* inSlices(rows.length, (from, to) => {
    for (let index = from; index < to; index++) rows[index] = mapping[rows[index]];
  });
}
