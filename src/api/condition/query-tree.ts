/**
 * A parsed query list with its operators. It becomes one condition, or the list of conditions of a score.
 * Invariants: a tree has at least one alternative, and each alternative at least one operand; a nested list of one operand
 * is replaced by that operand (except for two `not`s in a row); no condition contains `geo_near`.
 */
import { QuarryError } from '../../base/index.js';
import type { Condition, Window } from '../../ir/index.js';
import type { NearQuery } from './near.js';

/** Operands joined by `and`, joined by `or`. */
export interface QueryTree {
  readonly alternatives: readonly (readonly Operand[])[];
}

export type OperandContent =
  | { readonly is: 'condition'; readonly condition: Condition }
  | { readonly is: 'near'; readonly near: NearQuery }
  | { readonly is: 'list'; readonly tree: QueryTree };

export type Operand = OperandContent & {
  /** `not` precedes the operand. */
  readonly negated: boolean;
  /** Path of the operand in the body, for messages. */
  readonly path: string;
};

/** The operand for a nested list: its only operand, or the list itself. */
export function listOperand(tree: QueryTree, negated: boolean, path: string): Operand {
  const [[only, ...more], ...others] = tree.alternatives;
  const isOne = more.length === 0 && others.length === 0;
  if (isOne && !(negated && only.negated)) return { ...only, negated: negated || only.negated };
  return { is: 'list', tree, negated, path };
}

/** The condition of a tree. Throws 4007 if the tree contains a `geo_near`. */
export function conditionOf({ alternatives }: QueryTree): Condition {
  return joined(
    'or',
    alternatives.map((operands) => joined('and', operands.map(conditionOfOperand))),
  );
}

export function joined(op: 'and' | 'or', members: readonly Condition[]): Condition {
  return members.length === 1 ? members[0] : { op, members };
}

export function conditionOfOperand(operand: Operand): Condition {
  if (operand.is === 'near') {
    const { path, rules } = operand.near;
    throw new QuarryError(4007, `${path}: "geo_near" is allowed ${rules.where}`);
  }
  const condition = operand.is === 'condition' ? operand.condition : conditionOf(operand.tree);
  return operand.negated ? { op: 'not', member: condition } : condition;
}

/** All operands that are not lists, in order. */
function* leavesOf({ alternatives }: QueryTree): Generator<Exclude<Operand, { is: 'list' }>> {
  for (const operands of alternatives) {
    for (const operand of operands) {
      if (operand.is === 'list') yield* leavesOf(operand.tree);
      else yield operand;
    }
  }
}

/** The `geo_near` of the tree, or null. Throws 4049 for a second one. */
export function nearIn(tree: QueryTree): NearQuery | null {
  const found: NearQuery[] = [];
  for (const leaf of leavesOf(tree)) if (leaf.is === 'near') found.push(leaf.near);
  if (found.length > 1) throw new QuarryError(4049, `${found[1].path} is a second "geo_near" of the query`);
  return found[0] ?? null;
}

/** Throws 4055 if the conditions on event columns have different windows. */
export function checkOneWindow(tree: QueryTree): void {
  let first: Window | null = null;
  for (const leaf of leavesOf(tree)) {
    for (const { window, path } of windowsOf(leaf)) {
      first ??= window;
      if (window.from === first.from && window.to === first.to) continue;
      throw new QuarryError(4055, `${path} has other dates than the event columns before it`);
    }
  }
}

function windowsOf(
  leaf: Exclude<Operand, { is: 'list' }>,
): readonly { readonly window: Window; readonly path: string }[] {
  const { path } = leaf;
  if (leaf.is === 'near') {
    const { plan } = leaf.near;
    return plan.from === 'events' ? [{ window: plan.window, path }] : [];
  }
  const { condition } = leaf;
  if (condition.op === 'event') return [{ window: condition.event.window, path }];
  if (condition.op !== 'freqgroup') return [];
  return condition.events.map(({ window }, index) => ({ window, path: `${path}.freqgroup[${index}]` }));
}
