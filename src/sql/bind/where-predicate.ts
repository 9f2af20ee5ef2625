/**
 * WHERE as it was read: what the interface's conditions can say, what only expressions can, and how both are joined.
 * Rule: only whether something is true counts in the end, so `not` is pushed down to what is a condition or an expression
 * by itself, and there what is unknown may be false.
 */
import type { Condition, Expression } from '../../ir/index.js';
import type { SqlNode } from '../tree.js';

export type Predicate =
  /** `scored` false: it adds no point to the score. */
  | { readonly is: 'condition'; readonly condition: Condition; readonly scored: boolean }
  | { readonly is: 'expression'; readonly node: SqlNode }
  | { readonly is: 'constant'; readonly truth: boolean | null }
  | { readonly is: 'not'; readonly member: Predicate }
  | {
      readonly is: 'and' | 'or';
      readonly members: readonly Predicate[];
      /** It stood in parentheses of its own. */
      readonly parenthesized: boolean;
    };

/** All entities, and none. */
export const ALWAYS: Condition = { op: 'entity-id', tests: [] };
export const NEVER: Condition = {
  op: 'entity-id',
  tests: [{ kind: 'text', match: 'equals', texts: [], negated: false }],
};

/** Members joined; ALWAYS and NEVER are the answer or left out. */
export function joinConditions(op: 'and' | 'or', members: readonly Condition[]): Condition {
  const [decisive, neutral] = op === 'and' ? [NEVER, ALWAYS] : [ALWAYS, NEVER];
  if (members.includes(decisive)) return decisive;
  const left = members.filter((member) => member !== neutral);
  if (left.length === 0) return neutral;
  return left.length === 1 ? left[0] : { op, members: left };
}

const flipped = (op: 'and' | 'or'): 'and' | 'or' => (op === 'and' ? 'or' : 'and');

/** The condition that is true where the predicate (`negated`: its negation) is; null where no condition says it. */
export function conditionOf(predicate: Predicate, negated: boolean): Condition | null {
  switch (predicate.is) {
    case 'condition':
      return negated ? { op: 'not', member: predicate.condition } : predicate.condition;
    case 'expression':
      return null;
    case 'constant':
      return predicate.truth === !negated ? ALWAYS : NEVER;
    case 'not':
      return conditionOf(predicate.member, !negated);
    default: {
      const members: Condition[] = [];
      for (const member of predicate.members) {
        const condition = conditionOf(member, negated);
        if (condition === null) return null;
        members.push(condition);
      }
      return joinConditions(negated ? flipped(predicate.is) : predicate.is, members);
    }
  }
}

/** What of AND's members is a condition, and the rest; rows for which all of them are true stay. */
export interface SplitPredicate {
  readonly conditions: readonly Condition[];
  readonly rest: readonly { readonly predicate: Predicate; readonly negated: boolean }[];
}

export function splitPredicates(predicates: readonly Predicate[]): SplitPredicate {
  const conditions: Condition[] = [];
  const rest: { predicate: Predicate; negated: boolean }[] = [];
  const split = (predicate: Predicate, negated: boolean): void => {
    if (predicate.is === 'not') split(predicate.member, !negated);
    else if (predicate.is === (negated ? 'or' : 'and')) {
      for (const member of predicate.members) split(member, negated);
    } else {
      const condition = conditionOf(predicate, negated);
      if (condition === null) rest.push({ predicate, negated });
      else conditions.push(condition);
    }
  };
  for (const predicate of predicates) split(predicate, false);
  return { conditions, rest };
}

/** How predicates become expressions over the rows. */
export interface PredicateForms {
  /** Whether the row's entity satisfies it. */
  ofCondition(condition: Condition): Expression;
  ofNode(node: SqlNode): Expression;
  not(member: Expression): Expression;
  join(op: 'and' | 'or', members: readonly Expression[]): Expression;
  constant(truth: boolean): Expression;
}

/** The expression that is true where the predicate (`negated`: its negation) is. Its parts that are conditions stay together. */
export function expressionOf(predicate: Predicate, negated: boolean, forms: PredicateForms): Expression {
  const whole = conditionOf(predicate, negated);
  if (whole !== null) return expressionOfCondition(whole, forms);
  switch (predicate.is) {
    case 'expression': {
      const expression = forms.ofNode(predicate.node);
      return negated ? forms.not(expression) : expression;
    }
    case 'not':
      return expressionOf(predicate.member, !negated, forms);
    case 'and':
    case 'or': {
      const op = negated ? flipped(predicate.is) : predicate.is;
      const conditions: Condition[] = [];
      const expressions: Expression[] = [];
      for (const member of predicate.members) {
        const condition = conditionOf(member, negated);
        if (condition === null) expressions.push(expressionOf(member, negated, forms));
        else conditions.push(condition);
      }
      if (conditions.length === 0) return forms.join(op, expressions);
      return forms.join(op, [expressionOfCondition(joinConditions(op, conditions), forms), ...expressions]);
    }
    default:
      return forms.constant(predicate.is === 'constant' && predicate.truth === !negated);
  }
}

function expressionOfCondition(condition: Condition, forms: PredicateForms): Expression {
  if (condition === ALWAYS || condition === NEVER) return forms.constant(condition === ALWAYS);
  return forms.ofCondition(condition);
}
