/**
 * A query list as it was read, with its operators: what becomes one condition, or a score's list of conditions.
 * Invariants: a tree has an operand in each alternative and at least one alternative; a list of one operand within a
 * list stands as that operand (save two `not`s in a row); `geo_near` is in no condition.
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
  /** `not` stands before it. */
  readonly negated: boolean;
  /** Where it stands in the body, for messages. */
  readonly place: string;
};

/** The operand of a list of one within a list, or the list itself as an operand. */
export function listOperand(tree: QueryTree, negated: boolean, place: string): Operand {
  const [[only, ...more], ...others] = tree.alternatives;
  const isOne = more.length === 0 && others.length === 0;
  if (isOne && !(negated && only.negated)) return { ...only, negated: negated || only.negated };
  return { is: 'list', tree, negated, place };
}

/** Throws 4007 where the tree holds a `geo_near`. */
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
    const { place, rules } = operand.near;
    throw new QuarryError(4007, `${place}: "geo_near" must stand ${rules.where}`);
  }
  const condition = operand.is === 'condition' ? operand.condition : conditionOf(operand.tree);
  return operand.negated ? { op: 'not', member: condition } : condition;
}

/** All operands that are no lists, in their order. */
function* leavesOf({ alternatives }: QueryTree): Generator<Exclude<Operand, { is: 'list' }>> {
  for (const operands of alternatives) {
    for (const operand of operands) {
      if (operand.is === 'list') yield* leavesOf(operand.tree);
      else yield operand;
    }
  }
}

/** The one `geo_near` of the tree, or null. Throws 4049 for a second one. */
export function nearIn(tree: QueryTree): NearQuery | null {
  const found: NearQuery[] = [];
  for (const leaf of leavesOf(tree)) if (leaf.is === 'near') found.push(leaf.near);
  if (found.length > 1) throw new QuarryError(4049, `${found[1].place} is a second "geo_near" of the query`);
  return found[0] ?? null;
}

/** Refuses a tree whose event columns are asked for in different windows: 4055. */
export function checkOneWindow(tree: QueryTree): void {
  let first: Window | null = null;
  for (const leaf of leavesOf(tree)) {
    for (const { window, place } of windowsOf(leaf)) {
      first ??= window;
      if (window.from === first.from && window.to === first.to) continue;
      throw new QuarryError(4055, `${place} has other dates than the event columns before it`);
    }
  }
}

function windowsOf(
  leaf: Exclude<Operand, { is: 'list' }>,
): readonly { readonly window: Window; readonly place: string }[] {
  const { place } = leaf;
  if (leaf.is === 'near') {
    const { plan } = leaf.near;
    return plan.from === 'events' ? [{ window: plan.window, place }] : [];
  }
  const { condition } = leaf;
  if (condition.op === 'event') return [{ window: condition.event.window, place }];
  if (condition.op !== 'freqgroup') return [];
  return condition.events.map(({ window }, index) => ({ window, place: `${place}.freqgroup[${index}]` }));
}
