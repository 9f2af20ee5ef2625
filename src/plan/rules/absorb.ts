/**
 * Moves operators above a scan into its SELECT where that has a clause for them: projections, groups, conditions on
 * groups, order and limit. So a subquery around a plain SELECT costs nothing, and groups use the fast paths of SELECT.
 */
import {
  type Aggregate,
  type Expression,
  inputExpression,
  nodeCount,
  type Output,
  type Relation,
  type RelationColumn,
  type RelationOf,
  type RelationPlan,
  type SelectPlan,
} from '../../ir/index.js';
import { allOf, conjunctsOf, substitute } from '../relations/expressions.js';
import { presentColumns } from '../relations/properties.js';
import { isPlainScan } from '../relations/scans.js';
import { overTrees, rewritten } from '../relations/tree.js';
import { mergedFilter, mergedProject } from './merge.js';

export const absorb = (plan: RelationPlan): RelationPlan =>
  overTrees(plan, (root) => rewritten(root, (part) => absorbed(mergedFilter(mergedProject(part)))));

/** The most nodes of an output that is absorbed. */
const OUTPUT_NODES_MAX = 500;

const absorbed = (relation: Relation): Relation =>
  'input' in relation && relation.input.op === 'scan'
    ? (absorbedInto(relation.input, relation) ?? relation)
    : relation;

/** The scan with the work of an operator over it; null if its SELECT cannot do that. */
export function absorbedInto(scan: RelationOf<'scan'>, operator: Relation): RelationOf<'scan'> | null {
  switch (operator.op) {
    case 'project':
      return absorbedProject(operator, scan);
    case 'filter':
      return absorbedFilter(operator, scan);
    case 'aggregate':
      return absorbedAggregate(operator, scan);
    case 'sort':
      return absorbedSort(operator, scan);
    default:
      return null;
  }
}

type Scan = RelationOf<'scan'>;

/** Rewrites an expression over the columns of a scan to one over the rows or groups of its SELECT. */
function overRows({ plan, columns }: RelationOf<'scan'>): (expression: Expression) => Expression {
  const outputs = new Map(columns.map(({ column }, index) => [column, plan.outputs[index].of]));
  return (expression) => substitute(expression, (input) => outputs.get(input));
}

const outputOf = ({ column, type }: RelationColumn, of: Expression): Output => ({
  name: `c${column}`,
  type,
  of,
});

function absorbedProject(project: RelationOf<'project'>, scan: RelationOf<'scan'>): Scan | null {
  if (scan.plan.distinct) return null;
  const over = overRows(scan);
  const columns = project.columns.map(({ column, of }) => ({ column, type: of.type }));
  const outputs = project.columns.map(({ of }, index) => outputOf(columns[index], over(of)));
  if (outputs.some(({ of }) => nodeCount(of, OUTPUT_NODES_MAX) > OUTPUT_NODES_MAX)) return null;
  return { op: 'scan', plan: { ...scan.plan, outputs }, columns };
}

/** A condition on groups becomes HAVING; conditions on rows are the work of `pushdown`. */
function absorbedFilter({ condition }: RelationOf<'filter'>, scan: RelationOf<'scan'>): Scan | null {
  const { plan } = scan;
  if (plan.limit !== null || plan.offset > 0) return null;
  const over = overRows(scan)(condition);
  if (plan.grouping === null) {
    const filter = allOf([...conjunctsOf(plan.filter), ...conjunctsOf(over)]);
    return { ...scan, plan: { ...plan, filter } };
  }
  const having = allOf([...conjunctsOf(plan.having), ...conjunctsOf(over)]);
  return { ...scan, plan: { ...plan, having } };
}

function absorbedAggregate(aggregate: RelationOf<'aggregate'>, scan: RelationOf<'scan'>): Scan | null {
  const { plan } = scan;
  const isWhole = plan.limit === null && plan.offset === 0;
  if (plan.dimensionId === null || !isWhole || !isPlainScan({ ...plan, order: [] })) return null;
  const over = overRows(scan);
  const read = ({ column, type }: RelationColumn): Expression => over(inputExpression(type, column));
  const keys = aggregate.keys.map(read);
  const aggregates = aggregate.aggregates.map(
    ({ function: name, of, distinct, fraction, type }): Aggregate => ({
      function: name,
      of: of === null ? null : read(of),
      distinct,
      feed: 'rows',
      fraction,
      type,
    }),
  );
  const columns = [...aggregate.keys, ...aggregate.aggregates].map(({ column, type }) => ({ column, type }));
  const outputs = columns.map((column, index) => outputOf(column, inputExpression(column.type, index)));
  const grouping = { keys, perEntity: false, aggregates };
  return { op: 'scan', plan: { ...plan, grouping, outputs, order: [] }, columns };
}

/** Missing values are last in the order of SELECT. */
function absorbedSort(sort: RelationOf<'sort'>, scan: RelationOf<'scan'>): Scan | null {
  const { plan } = scan;
  if (plan.dimensionId === null && plan.grouping === null) return null;
  const isLimited = plan.limit !== null || plan.offset > 0;
  if (isLimited && sort.keys.length > 0) return null;
  const present = presentColumns(scan);
  if (sort.keys.some(({ column, missingFirst }) => missingFirst && !present.has(column))) return null;
  const over = overRows(scan);
  const keys = sort.keys.map(({ column, type, descending }) => {
    return { of: over(inputExpression(type, column)), descending };
  });
  return { ...scan, plan: withLimit({ ...plan, order: keys.length > 0 ? keys : plan.order }, sort) };
}

function withLimit(plan: SelectPlan, { offset, limit }: RelationOf<'sort'>): SelectPlan {
  const left = plan.limit === null ? null : Math.max(0, plan.limit - offset);
  const both = left === null ? limit : limit === null ? left : Math.min(left, limit);
  return { ...plan, offset: plan.offset + offset, limit: both };
}
