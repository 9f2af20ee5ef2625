/**
 * Computes the result from the groups of all shards: merges equal groups, computes exact aggregates, then applies
 * HAVING, outputs, DISTINCT, ORDER BY, OFFSET and LIMIT. In slices.
 * Order  rows that tie in the plan's order, or have no order, are ordered by their keys, and distinct rows by their
 *        outputs, so that the result does not depend on the number of shards. Groups that are entities keep the order
 *        of the shards if the plan has no order.
 */

import { inSlices, invariant, type MemoryAccount, type Task } from '../../base/index.js';
import type { Grouping, GroupPartial, SelectPlan } from '../../ir/index.js';
import { memoryBytesOf, type Vector } from '../../vector/index.js';
import { mergeMemory } from '../merge-memory.js';
import { aggregateColumn } from './aggregate-columns.js';
import { areCertain } from './best-groups.js';
import { gatherRows, withoutSignedZeros } from './columns.js';
import { evaluated, type Selected, satisfying } from './evaluation.js';
import { type MergedGroups, mergeGroups } from './group-merge.js';
import { countColumn } from './measures.js';
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
  const selected = yield* selectedGroups(plan, partials, groups, budget, knownAggregates);
  return plan.distinct
    ? yield* distinctTable(plan, selected, budget)
    : yield* groupTable(plan, selected, budget);
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
  const keys = plan.grouping?.keys.map(({ type }, input) => ({
    of: { op: 'input', type, input } as const,
    descending: false,
  }));
  const order = areRowsEqual(plan) ? [] : [...plan.order, ...(keys ?? [])];
  return { ...plan, grouping: null, having: null, order };
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
  const selected = yield* selectedGroups(plan, partials, groups, budget, NONE_KNOWN);
  const columns: OrderColumn[] = [];
  for (const { of, descending } of orderedPlan(plan).order) {
    columns.push({ vector: yield* evaluated(of, selected, budget), descending });
  }
  const rows = yield* sortedRows(columns, selected.count, Math.min(wanted, selected.count), budget);
  const order: Vector[] = [];
  for (const { vector } of columns) order.push(yield* gatherRows(vector, rows, budget));
  if (selected.rows !== null) yield* lookUp(rows, selected.rows);
  const chosen = { columns: selected.columns, count: rows.length, rows };
  const outputs: Vector[] = [];
  for (const { of } of plan.outputs) outputs.push(yield* evaluated(of, chosen, budget));
  return { count: rows.length, outputs, order };
}

function groupingOf({ grouping }: SelectPlan): Grouping {
  invariant(grouping !== null, 'the plan has groups');
  return grouping;
}

/** The merged groups that satisfy HAVING, as keys and aggregates. Throws 6000, 9006. */
function* selectedGroups(
  plan: SelectPlan,
  partials: readonly GroupPartial[],
  groups: MergedGroups,
  budget: MemoryAccount,
  knownAggregates: ReadonlyMap<number, number>,
): Task<Selected> {
  const columns: Vector[] = [];
  for (const key of groups.keys) columns.push(yield* withoutSignedZeros(key, budget));
  for (const [index, aggregate] of groupingOf(plan).aggregates.entries()) {
    const states = partials.map(({ states }) => states[index]);
    const known = knownAggregates.get(index);
    const column =
      known === undefined
        ? yield* aggregateColumn(aggregate, states, groups, budget.remainder())
        : countColumn(Float64Array.of(known));
    budget.reserve(memoryBytesOf(column));
    columns.push(yield* withoutSignedZeros(column, budget));
  }
  const all: Selected = { columns, count: groups.count, rows: null };
  return plan.having === null ? all : yield* selectedBy(plan.having, all, budget);
}

const NONE_KNOWN: ReadonlyMap<number, number> = new Map();

function* selectedBy(
  condition: NonNullable<SelectPlan['having']>,
  all: Selected,
  budget: MemoryAccount,
): Task<Selected> {
  const rows = yield* satisfying(condition, all, budget);
  return { columns: all.columns, count: rows.length, rows };
}

function* groupTable(plan: SelectPlan, selected: Selected, budget: MemoryAccount): Task<Table> {
  let rows = selected.rows;
  if (selected.count > 1 || plan.offset > 0 || plan.limit === 0) {
    const columns = areRowsEqual(plan) ? [] : yield* groupOrder(plan, selected, budget);
    rows = yield* chosenRows(plan, columns, selected.count, budget);
    if (selected.rows !== null) yield* lookUp(rows, selected.rows);
  }
  const chosen = { columns: selected.columns, count: rows === null ? selected.count : rows.length, rows };
  const outputs: Vector[] = [];
  for (const { of } of plan.outputs) outputs.push(yield* evaluated(of, chosen, budget));
  return { fields: fieldsOf(plan), columns: outputs, rowCount: chosen.count };
}

/** The order of the plan, then of the keys. */
function* groupOrder(plan: SelectPlan, selected: Selected, budget: MemoryAccount): Task<OrderColumn[]> {
  const { order } = plan;
  const grouping = groupingOf(plan);
  const columns = yield* orderColumns(plan, selected, budget);
  if (order.length === 0 && grouping.perEntity) return columns;
  const keys = grouping.perEntity ? selected.columns : selected.columns.slice(0, grouping.keys.length);
  for (const key of keys) {
    const vector = selected.rows === null ? key : yield* gatherRows(key, selected.rows, budget);
    columns.push({ vector, descending: false });
  }
  return columns;
}

function* distinctTable(plan: SelectPlan, filtered: Selected, budget: MemoryAccount): Task<Table> {
  const all: Vector[] = [];
  for (const { of } of plan.outputs) all.push(yield* evaluated(of, filtered, budget));
  const different = yield* differentRows(all, filtered.count, budget);
  const outputs: Vector[] = [];
  for (const output of all) outputs.push(yield* gatherRows(output, different, budget));
  const sourceRows = different.slice();
  if (filtered.rows !== null) yield* lookUp(sourceRows, filtered.rows);
  const selected = { columns: filtered.columns, count: different.length, rows: sourceRows };
  const columns = yield* orderColumns(plan, selected, budget);
  for (const vector of outputs) columns.push({ vector, descending: false });
  const rows = yield* chosenRows(plan, columns, different.length, budget);
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

function* orderColumns(plan: SelectPlan, selected: Selected, budget: MemoryAccount): Task<OrderColumn[]> {
  const columns: OrderColumn[] = [];
  for (const { of, descending } of plan.order) {
    columns.push({ vector: yield* evaluated(of, selected, budget), descending });
  }
  return columns;
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
