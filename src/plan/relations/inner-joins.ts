/** Chains of inner joins, whose rows do not depend on the order of the joins. */
import type { Expression, JoinKey, Relation, RelationOf } from '../../ir/index.js';
import { conjunctsOf } from './expressions.js';

export interface InnerJoins {
  /** The relations that are joined, from left to right; none is an inner join. */
  readonly leaves: readonly Relation[];
  readonly keys: readonly JoinKey[];
  readonly conditions: readonly Expression[];
}

export const isInnerJoin = (relation: Relation): relation is RelationOf<'join'> =>
  relation.op === 'join' && relation.kind === 'inner';

/** The inner joins at the top of a tree, also below projections that only omit columns. */
export function innerJoins(relation: Relation): InnerJoins {
  const below = omitting(relation);
  if (!isInnerJoin(below)) return { leaves: [relation], keys: [], conditions: [] };
  const [left, right] = [innerJoins(below.left), innerJoins(below.right)];
  return {
    leaves: [...left.leaves, ...right.leaves],
    keys: [...left.keys, ...right.keys, ...below.keys],
    conditions: [...left.conditions, ...right.conditions, ...conjunctsOf(below.condition)],
  };
}

function omitting(relation: Relation): Relation {
  if (relation.op !== 'project') return relation;
  return relation.columns.every(({ column, of }) => of.op === 'input' && of.input === column)
    ? omitting(relation.input)
    : relation;
}

/** The same joins over changed leaves with the same columns. */
export function overLeaves(relation: Relation, change: (leaf: Relation) => Relation): Relation {
  if (isInnerJoin(relation)) {
    return {
      ...relation,
      left: overLeaves(relation.left, change),
      right: overLeaves(relation.right, change),
    };
  }
  if (relation.op === 'project' && isInnerJoin(omitting(relation))) {
    return { ...relation, input: overLeaves(relation.input, change) };
  }
  return change(relation);
}
