/**
 * Binds SELECT: names become columns; the part of WHERE that the interface's conditions can express becomes a condition, and
 * everything else becomes expressions.
 * Invariants: no column is read that the caller may not use; rows that the caller may not see are excluded from the first
 * table and from every joined table.
 */
import type { Condition, Expression, Grouping, Output, SelectPlan, SortKey } from '../../ir/index.js';
import { sqlError } from '../sql-error.js';
import type { SelectStatement, SqlNode } from '../tree.js';
import { RANGES_MAX } from './bounds.js';
import { Clauses } from './clauses/clauses.js';
import { GroupKeys } from './clauses/grouped-plan.js';
import { AGGREGATE_INPUTS, Inputs, isAggregateInput } from './clauses/inputs.js';
import { itemsOf, refOf } from './clauses/items.js';
import { bindJoins, pushDown } from './clauses/joins.js';
import { outputNames } from './clauses/names.js';
import { type BoundOrder, bindOrder, groupNodes, itemNamed, outputNamed } from './clauses/order.js';
import { type Shape, shapeOf } from './clauses/shape.js';
import { nameOfRef, Sources } from './clauses/sources.js';
import { junctionOf } from './expressions/build.js';
import { keyOf } from './expressions/expression-tree.js';
import { comparable } from './expressions/text-case.js';
import type { SqlRequest } from './request.js';
import { countCondition, splitHaving } from './where/having.js';
import type { LeafScope } from './where/leaf.js';
import { WhereReader } from './where/reader.js';
import { rowFilter } from './where/row-filter.js';

/** The outputs as expressions over rows and aggregates. */
interface Answer {
  readonly outputs: readonly Expression[];
  readonly having: Expression | null;
  readonly order: readonly BoundOrder[];
}

/** Throws 6000 with the source position for statements that cannot be bound, and 506 for columns that the caller may not use. */
export function bindSelect(statement: SelectStatement, request: SqlRequest): SelectPlan {
  const { model, nowMs, access } = request;
  const sources = new Sources(request);
  const inputs = new Inputs();
  if (statement.from !== null) sources.add(statement.from);
  const heads = bindJoins(statement.joins, sources, inputs, request);
  const items = itemsOf(statement.items, sources);
  const names = outputNames(
    items.map(({ alias, ref, node }) => ({ alias, node, columnName: ref === null ? null : nameOfRef(ref) })),
    (node) => {
      const ref = refOf(node, sources);
      return ref === null ? null : nameOfRef(ref);
    },
    sources.dialect,
  );
  const groups = groupNodes(statement.groupBy, items, sources);
  const leaves: LeafScope = { sources, table: 0, nowMs, rangesMax: RANGES_MAX };
  const having = splitHaving(statement.having, leaves);
  const shape = shapeOf(statement, items, groups, having.groups, sources);
  const where = new WhereReader(leaves).read(statement.where, having.events);
  const clauses = new Clauses({ sources, inputs, nowMs, items, shape, where });

  const keys = groups.map((group) => clauses.key(group));
  const outputs = items.map((_item, index) => clauses.output(index));
  const beside = perEntity(having.groups, shape, leaves, clauses);
  const answer: Answer = {
    outputs,
    having: havingOf(beside.left, shape, clauses),
    order: bindOrder(
      statement.orderBy,
      outputs,
      (node) => {
        const named = sources.dialect === 'postgres' ? outputNamed(node, names, outputs) : null;
        if (named !== null) return named;
        const item = itemNamed(node, names, items, sources);
        return item === null ? clauses.order(node) : outputs[item];
      },
      (of) => isPresent(of, inputs, clauses),
    ),
  };
  if (statement.distinct) checkOrdered(answer);
  const events = shape.rowEvents === null ? null : clauses.eventsOf(shape.rowEvents.id);
  const fact = sources.fact?.dimension ?? null;
  const { joins, predicates } = pushDown(where.predicates, heads, leaves);
  const rows = rowFilter(predicates, beside.conditions, events, fact, clauses.forms);
  const behind = overGroups(shape, keys, answer, clauses, inputs);
  return {
    databaseId: model.id,
    dimensionId: fact?.id ?? null,
    condition: fact === null ? null : access.restrict(fact, rows.condition, nowMs),
    filter: rows.filter,
    events,
    joins: joins.map((join, index) => ({ ...join, columns: inputs.joined[index] })),
    inputs: inputs.rows,
    feeds: clauses.aggregates.feeds,
    grouping: behind.grouping,
    having: behind.having,
    outputs: behind.outputs.map((of, index): Output => ({ name: names[index], type: of.type, of })),
    distinct: statement.distinct && behind.grouping !== null && shape.grouping !== 'outputs',
    order: behind.order,
    offset: statement.offset,
    limit: statement.limit?.count ?? null,
  };
}

/** Splits off the conditions of HAVING that are evaluated per entity, if all rows form one group. */
function perEntity(
  having: readonly SqlNode[],
  shape: Shape,
  leaves: LeafScope,
  clauses: Clauses,
): { readonly conditions: readonly Condition[]; readonly left: readonly SqlNode[] } {
  const conditions: Condition[] = [];
  if (shape.grouping !== 'one') return { conditions, left: having };
  const left = having.filter((node) => {
    const condition = countCondition(node, leaves, (columnId) => clauses.eventsOf(columnId));
    if (condition !== null) conditions.push(condition);
    return condition === null;
  });
  return { conditions, left };
}

function havingOf(members: readonly SqlNode[], { grouping }: Shape, clauses: Clauses): Expression | null {
  const [first] = members;
  if (first === undefined) return null;
  if (grouping === 'rows' || grouping === 'outputs') {
    throw sqlError('HAVING requires GROUP BY or an aggregate; use WHERE to filter rows', first.position);
  }
  return junctionOf(
    'and',
    members.map((member) => clauses.having(member)),
  );
}

/** Whether an expression before grouping is never missing. */
function isPresent(of: Expression, inputs: Inputs, clauses: Clauses): boolean {
  if (of.op !== 'input') return false;
  if (isAggregateInput(of.input)) {
    return clauses.aggregates.all[of.input - AGGREGATE_INPUTS].function === 'count';
  }
  const { from } = inputs.rows[of.input];
  return from === 'entity-id' || from === 'event-value' || from === 'event-date';
}

/** Throws 6000 if a DISTINCT query orders by an expression that it does not select. */
function checkOrdered({ outputs, order }: Answer): void {
  const put = new Set(outputs.map(keyOf));
  for (const { written, node } of order) {
    if (!put.has(keyOf(written)))
      throw sqlError('with DISTINCT, ORDER BY expressions must be in the SELECT list', node.position);
  }
}

/** Builds the grouping and rewrites having, outputs and order over its groups. */
function overGroups(
  { grouping: shape }: Shape,
  written: readonly Expression[],
  { outputs, having, order }: Answer,
  clauses: Clauses,
  inputs: Inputs,
): {
  readonly grouping: Grouping | null;
  readonly outputs: readonly Expression[];
  readonly having: Expression | null;
  readonly order: readonly SortKey[];
} {
  const sorted = order.map(({ of, descending }) => ({
    of: comparable(of, clauses.orderScope),
    descending,
  }));
  if (shape === 'rows') return { grouping: null, outputs, having, order: sorted };
  const keys = new GroupKeys();
  for (const key of shape === 'outputs' ? outputs : written) keys.add(key);
  if (shape === 'entities') {
    const all = [...outputs, ...(having === null ? [] : [having]), ...sorted.map(({ of }) => of)];
    for (const expression of all) keys.addRowParts(expression);
  }
  const over = (expression: Expression): Expression => keys.over(expression, inputs);
  const aggregates = clauses.aggregates.all;
  return {
    grouping: { keys: keys.all, perEntity: shape === 'entities', aggregates },
    outputs: outputs.map(over),
    having: having === null ? null : over(having),
    order: sorted.map(({ of, descending }) => ({ of: over(of), descending })),
  };
}
