/**
 * WHERE as a tree of predicates: parts that are conditions of the interface, parts that only expressions can represent, and how
 * they are joined.
 * Rule: WHERE keeps rows for which it is true, so `not` is pushed down to single conditions and expressions, where unknown may
 * be treated as false.
 */
import type { Condition, Expression } from '../../../ir/index.js';
import type { SqlNode } from '../../tree.js';

export type Predicate =
  /** `scored` = false: the condition adds no point to the score. */
  | { readonly is: 'condition'; readonly condition: Condition; readonly scored: boolean }
  | { readonly is: 'expression'; readonly node: SqlNode }
  | { readonly is: 'constant'; readonly truth: boolean | null }
  | { readonly is: 'not'; readonly member: Predicate }
  | {
      readonly is: 'and' | 'or';
      readonly members: readonly Predicate[];
      /** Whether it was parenthesized. */
      readonly parenthesized: boolean;
    };

/** The conditions for all entities and for none. */
export const ALWAYS: Condition = { op: 'entity-id', tests: [] };
export const NEVER: Condition = {
  op: 'entity-id',
  tests: [{ kind: 'text', match: 'equals', texts: [], negated: false }],
};

/** Joins conditions and simplifies ALWAYS and NEVER. */
export function joinConditions(op: 'and' | 'or', members: readonly Condition[]): Condition {
  const [decisive, neutral] = op === 'and' ? [NEVER, ALWAYS] : [ALWAYS, NEVER];
  if (members.includes(decisive)) return decisive;
  const left = members.filter((member) => member !== neutral);
  if (left.length === 0) return neutral;
  return left.length === 1 ? left[0] : { op, members: left };
}

const flipped = (op: 'and' | 'or'): 'and' | 'or' => (op === 'and' ? 'or' : 'and');

/** The condition that is true if the predicate (`negated`: its negation) is; null if a condition cannot express it. */
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

/** The members of AND that are conditions, and the rest; a row must satisfy all of them. */
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

/** Converts predicates to expressions over the rows. */
export interface PredicateForms {
  /** The expression that is true if the row's entity satisfies the condition. */
  ofCondition(condition: Condition): Expression;
  ofNode(node: SqlNode): Expression;
  not(member: Expression): Expression;
  join(op: 'and' | 'or', members: readonly Expression[]): Expression;
  constant(truth: boolean): Expression;
}

/** The expression that is true if the predicate (`negated`: its negation) is. Parts that are conditions stay together. */
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
