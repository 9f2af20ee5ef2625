/**
 * SUM(x + k) of exact values and a constant is SUM(x) + k * COUNT(x), so that any number of such sums of one column
 * takes one sum and one count.
 */
import {
  type Aggregate,
  type Constant,
  type Expression,
  INTEGER,
  inputExpression,
  keyOf,
  type SelectPlan,
} from '../../../ir/index.js';
import { vectorKindOf } from '../../../vector/index.js';
import { regrouped } from './regroup.js';

/** Larger constants could make the product exceed the digits of an exact value where the sum does not. */
const SHIFT_MAX = 2n ** 53n;

export function withoutShiftedSums(plan: SelectPlan): SelectPlan {
  const { grouping } = plan;
  if (grouping === null || !grouping.aggregates.some((aggregate) => shiftedOf(aggregate) !== null))
    return plan;
  const { keys } = grouping;
  const aggregates: Aggregate[] = [];
  const positions = new Map<string, number>();
  const resultOf = (aggregate: Aggregate): Expression => {
    const key = keyOf(aggregate);
    const position = positions.get(key) ?? aggregates.push(aggregate) - 1;
    positions.set(key, position);
    return inputExpression(aggregate.type, keys.length + position);
  };
  const results = grouping.aggregates.map((aggregate) => {
    const shifted = shiftedOf(aggregate);
    if (shifted === null) return resultOf(aggregate);
    const sum = resultOf({ ...aggregate, of: shifted.of });
    const count = resultOf({ ...aggregate, function: 'count', of: shifted.of, type: INTEGER });
    const { type } = aggregate;
    const product: Expression = { op: 'arithmetic', type, operator: '*', left: shifted.by, right: count };
    return { op: 'arithmetic', type, operator: shifted.operator, left: sum, right: product } as const;
  });
  const ownKeys = keys.map(({ type }, key) => inputExpression(type, key));
  return regrouped(plan, { ...grouping, aggregates }, [...ownKeys, ...results]);
}

interface Shifted {
  readonly of: Expression;
  readonly operator: '+' | '-';
  readonly by: Constant;
}

/** null if the aggregate is not the sum of a value plus or minus a constant. */
function shiftedOf({ function: name, of, distinct, type }: Aggregate): Shifted | null {
  if (name !== 'sum' || distinct || of === null || of.op !== 'arithmetic') return null;
  const { operator, left, right } = of;
  if (vectorKindOf(of.type) !== 'exact' || keyOf(type) !== keyOf(of.type)) return null;
  if (operator === '+' && isShift(left)) return { of: right, operator, by: left };
  if ((operator === '+' || operator === '-') && isShift(right)) return { of: left, operator, by: right };
  return null;
}

function isShift(expression: Expression): expression is Constant {
  if (expression.op !== 'constant' || typeof expression.value !== 'bigint') return false;
  return expression.value <= SHIFT_MAX && expression.value >= -SHIFT_MAX;
}
