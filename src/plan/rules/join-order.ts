/**
 * Orders chains of inner joins: the largest relation is leftmost, and its rows probe the others. Each further
 * relation is the one with the smallest estimated result among those that keys connect with the relations before it.
 */
import {
  columnsOf,
  type Expression,
  type JoinKey,
  type Relation,
  type RelationPlan,
} from '../../ir/index.js';
import { allOf, mayFail, readsOnly } from '../relations/expressions.js';
import { type InnerJoins, innerJoins, isInnerJoin } from '../relations/inner-joins.js';
import { columnSet, narrowed, overInputs, overTrees } from '../relations/tree.js';
import { Estimates } from './estimates.js';
import type { Statistics } from './statistics.js';

export function joinOrder(plan: RelationPlan, statistics: Statistics): RelationPlan {
  const estimates = new Estimates(statistics, plan.tables);
  return overTrees(plan, (root) => ordered(root, estimates));
}

function ordered(relation: Relation, estimates: Estimates): Relation {
  if (!isInnerJoin(relation)) return overInputs(relation, (input) => ordered(input, estimates));
  const joins = innerJoins(relation);
  // A condition that can fail is evaluated only for the pairs that the joins before it leave.
  if (joins.conditions.some(mayFail)) return overInputs(relation, (input) => ordered(input, estimates));
  const leaves = joins.leaves.map((leaf) => ordered(leaf, estimates));
  return narrowed(orderedJoins({ ...joins, leaves }, estimates), columnsOf(relation));
}

/** Joins the leaves one after the other. */
function orderedJoins({ leaves, keys, conditions }: InnerJoins, estimates: Estimates): Relation {
  const rest = [...leaves];
  const largest = rest.reduce((most, leaf) => (estimates.rows(leaf) > estimates.rows(most) ? leaf : most));
  rest.splice(rest.indexOf(largest), 1);
  let joined = largest;
  let left: readonly Expression[] = conditions;
  while (rest.length > 0) {
    const next = nextLeaf(joined, rest, keys, estimates);
    rest.splice(rest.indexOf(next), 1);
    const available = new Set([...columnSet(joined), ...columnSet(next)]);
    const condition = allOf(left.filter((one) => readsOnly(one, available)));
    left = left.filter((one) => !readsOnly(one, available));
    const own = keysBetween(joined, next, keys);
    joined = { op: 'join', kind: 'inner', left: joined, right: next, keys: own, condition, mark: null };
  }
  return joined;
}

function nextLeaf(
  joined: Relation,
  leaves: readonly Relation[],
  keys: readonly JoinKey[],
  estimates: Estimates,
): Relation {
  const connected = leaves.filter((leaf) => keysBetween(joined, leaf, keys).length > 0);
  const candidates = connected.length > 0 ? connected : leaves;
  const cost = (leaf: Relation): number => estimates.joined(joined, leaf, keysBetween(joined, leaf, keys));
  return candidates.reduce((best, leaf) => {
    const [a, b] = [cost(leaf), cost(best)];
    return a < b || (a === b && estimates.rows(leaf) < estimates.rows(best)) ? leaf : best;
  });
}

/** The keys between two relations, in their direction. */
function keysBetween(left: Relation, right: Relation, keys: readonly JoinKey[]): readonly JoinKey[] {
  const [ofLeft, ofRight] = [columnSet(left), columnSet(right)];
  return keys.flatMap((key) => {
    if (ofLeft.has(key.left) && ofRight.has(key.right)) return [key];
    if (ofLeft.has(key.right) && ofRight.has(key.left)) return [{ ...key, left: key.right, right: key.left }];
    return [];
  });
}
