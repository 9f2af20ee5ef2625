/** Gives a plan another grouping with the same groups. */
import { type Expression, type Grouping, replaceIn, type SelectPlan } from '../../../ir/index.js';

/**
 * The plan with `grouping`, whose groups are those of its own. `results`: by input of HAVING, the outputs and the
 * order, an expression over the keys and aggregates of `grouping`.
 */
export function regrouped(plan: SelectPlan, grouping: Grouping, results: readonly Expression[]): SelectPlan {
  const over = (expression: Expression): Expression =>
    replaceIn(expression, (part) => (part.op === 'input' ? results[part.input] : null));
  return {
    ...plan,
    grouping,
    having: plan.having === null ? null : over(plan.having),
    outputs: plan.outputs.map((output) => ({ ...output, of: over(output.of) })),
    order: plan.order.map((key) => ({ ...key, of: over(key.of) })),
  };
}
