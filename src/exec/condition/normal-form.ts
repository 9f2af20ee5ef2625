/**
 * Normalizes conditions: `not` is pushed down to the leaves, and members are ordered for evaluation.
 * In three-valued logic De Morgan's laws hold and only "true" selects. After the push each leaf needs only the rows
 * for which it, or its negation, is true; unknown rows are in neither, and and/or become plain bitmap operations.
 */
import type { Condition } from '../../ir/index.js';

export type Leaf = Exclude<Condition, { op: 'and' | 'or' | 'not' }>;

export type NormalNode =
  | {
      readonly op: 'leaf';
      readonly leaf: Leaf;
      readonly negated: boolean;
      readonly need: 1;
      readonly cost: number;
    }
  | {
      readonly op: 'and' | 'or';
      readonly members: readonly NormalNode[];
      /** Number of scratch bitmaps that the evaluation uses at the same time. */
      readonly need: number;
      readonly cost: number;
    };

/** The cost of a leaf per row, roughly in bytes read: cheap leaves are evaluated first. */
export type LeafCost = (leaf: Leaf) => number;

export function normalize(condition: Condition, costOf: LeafCost, negated = false): NormalNode {
  switch (condition.op) {
    case 'not':
      return normalize(condition.member, costOf, !negated);
    case 'and':
      return join(negated ? 'or' : 'and', condition.members, costOf, negated);
    case 'or':
      return join(negated ? 'and' : 'or', condition.members, costOf, negated);
    default:
      return { op: 'leaf', leaf: condition, negated, need: 1, cost: costOf(condition) };
  }
}

function join(
  op: 'and' | 'or',
  conditions: readonly Condition[],
  costOf: LeafCost,
  negated: boolean,
): NormalNode {
  const members: NormalNode[] = [];
  for (const member of conditions) {
    const node = normalize(member, costOf, negated);
    if (node.op === op) members.push(...node.members);
    else members.push(node);
  }
  // Evaluating the member with the greatest need first limits the need to log2(leaves) + 1 at any nesting depth.
  members.sort((a, b) => b.need - a.need || a.cost - b.cost);
  const need = members.reduce(
    (most, member, index) => Math.max(most, member.need + (index === 0 ? 0 : 1)),
    1,
  );
  return { op, members, need, cost: members.reduce((sum, member) => sum + member.cost, 0) };
}
