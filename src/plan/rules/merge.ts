/** Merges adjacent filters and adjacent projections. */
import {
  type Expression,
  nodeCount,
  type Relation,
  type RelationOf,
  type RelationPlan,
  replaceIn,
} from '../../ir/index.js';
import { allOf, conjunctsOf, substitute } from '../relations/expressions.js';
import { columnSet, overTrees, rewritten } from '../relations/tree.js';

/** A filter over a filter becomes one, inner conditions first. */
export const mergeFilters = (plan: RelationPlan): RelationPlan =>
  overTrees(plan, (root) => rewritten(root, mergedFilter));

export function mergedFilter(relation: Relation): Relation {
  if (relation.op !== 'filter') return relation;
  const conjuncts = conjunctsOf(relation.condition);
  const { input } = relation;
  return input.op === 'filter'
    ? filtered(input.input, [...conjunctsOf(input.condition), ...conjuncts])
    : filtered(input, conjuncts);
}

/** The rows for which all conjuncts are true, tested in this order. */
export function filtered(input: Relation, conjuncts: readonly Expression[]): Relation {
  const condition = allOf(conjuncts);
  return condition === null ? input : { op: 'filter', input, condition };
}

/** A projection over a projection becomes one; a projection that changes nothing disappears. */
export const mergeProjects = (plan: RelationPlan): RelationPlan =>
  overTrees(plan, (root) => rewritten(root, mergedProject));

export function mergedProject(relation: Relation): Relation {
  if (relation.op !== 'project') return relation;
  const { input } = relation;
  const merged =
    input.op === 'project' && isCheapTogether(relation, input) ? together(relation, input) : relation;
  return isIdentity(merged) ? merged.input : merged;
}

function together(outer: RelationOf<'project'>, inner: RelationOf<'project'>): RelationOf<'project'> {
  const definitions = new Map(inner.columns.map(({ column, of }) => [column, of]));
  const columns = outer.columns.map(({ column, of }) => {
    return { column, of: substitute(of, (input) => definitions.get(input)) };
  });
  return { ...outer, input: inner.input, columns };
}

/** The most nodes of an expression that is evaluated more than once. */
const REPEATED_NODES_MAX = 1;

/** Whether no expensive expression would be evaluated twice, and none that can fail where it was not evaluated. */
function isCheapTogether(outer: RelationOf<'project'>, inner: RelationOf<'project'>): boolean {
  const uses = new Map<number, number>();
  for (const { of } of outer.columns) {
    replaceIn(of, (part) => {
      if (part.op === 'input') uses.set(part.input, (uses.get(part.input) ?? 0) + 1);
      return null;
    });
  }
  return inner.columns.every(
    ({ column, of }) =>
      (uses.get(column) ?? 0) <= 1 || nodeCount(of, REPEATED_NODES_MAX) <= REPEATED_NODES_MAX,
  );
}

function isIdentity({ input, columns }: RelationOf<'project'>): boolean {
  const own = [...columnSet(input)];
  return (
    own.length === columns.length &&
    columns.every(
      ({ column, of }, index) => of.op === 'input' && of.input === column && own[index] === column,
    )
  );
}
