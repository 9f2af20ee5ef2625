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

type JoinOf = (left: Relation, right: Relation) => Relation;

/** Joins the leaves one after the other. */
function orderedJoins({ leaves, keys, conditions }: InnerJoins, estimates: Estimates): Relation {
  let pending: readonly Expression[] = conditions;
  const join: JoinOf = (left, right) => {
    const available = new Set([...columnSet(left), ...columnSet(right)]);
    const condition = allOf(pending.filter((one) => readsOnly(one, available)));
    pending = pending.filter((one) => !readsOnly(one, available));
    return {
      ...{ op: 'join', kind: 'inner', left, right, condition, mark: null },
      keys: keysBetween(left, right, keys),
    };
  };
  const largest = leaves.reduce((most, leaf) => (estimates.rows(leaf) > estimates.rows(most) ? leaf : most));
  const rest = reducedLeaves(leaves, largest, keys, estimates, join).filter((leaf) => leaf !== largest);
  let joined = largest;
  while (rest.length > 0) {
    const next = nextLeaf(joined, rest, keys, estimates);
    rest.splice(rest.indexOf(next), 1);
    joined = join(joined, next);
  }
  return joined;
}

/** A leaf counts as reduced if a join leaves at most this share of its rows. */
const REDUCED_SHARE_MAX = 0.5;

/**
 * A leaf that keys connect with only one other leaf, and that leaves few of that leaf's rows, is joined to it first, because the
 * rows of the other leaf are sent to every worker. The rows of the largest leaf are not sent.
 */
function reducedLeaves(
  leaves: readonly Relation[],
  largest: Relation,
  keys: readonly JoinKey[],
  estimates: Estimates,
  join: JoinOf,
): Relation[] {
  for (const leaf of leaves) {
    const others = leaves.filter((one) => one !== leaf && keysBetween(one, leaf, keys).length > 0);
    const [other] = others;
    if (leaf === largest || others.length !== 1 || other === largest) continue;
    const rows = estimates.rows(other);
    const isReduced =
      estimates.joined(other, leaf, keysBetween(other, leaf, keys)) <= rows * REDUCED_SHARE_MAX;
    if (!isReduced || estimates.rows(leaf) > rows) continue;
    const rest = leaves.filter((one) => one !== leaf && one !== other);
    return reducedLeaves([...rest, join(other, leaf)], largest, keys, estimates, join);
  }
  return [...leaves];
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
