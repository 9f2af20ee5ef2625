/**
 * Keys that are computed from other keys, or are constant, do not change the groups: they are computed once per group.
 * One key remains, because a grouping without keys has a group even without rows.
 */
import {
  childrenOf,
  type Expression,
  inputExpression,
  keyOf,
  replaceIn,
  type SelectPlan,
} from '../../../ir/index.js';
import { regrouped } from './regroup.js';

export function withoutDependentKeys(plan: SelectPlan): SelectPlan {
  const { grouping } = plan;
  if (grouping === null || grouping.perEntity || grouping.keys.length < 2) return plan;
  const { keys, aggregates } = grouping;
  const inputs = new Set(keys.flatMap((key) => (key.op === 'input' ? [key.input] : [])));
  const dependent = keys.map((key) => key.op !== 'input' && isOver(key, inputs));
  if (dependent.every((is) => is)) dependent[0] = false;
  const retained = keys.filter((_, key) => !dependent[key]);
  if (retained.length === keys.length) return plan;
  const positions = new Map(retained.map((key, position) => [keyOf(key), position]));
  const over = (key: Expression): Expression =>
    replaceIn(key, (part) => {
      const position = positions.get(keyOf(part));
      return position === undefined ? null : inputExpression(part.type, position);
    });
  const results = aggregates.map(({ type }, aggregate) => inputExpression(type, retained.length + aggregate));
  return regrouped(plan, { ...grouping, keys: retained }, [...keys.map(over), ...results]);
}

/** Operations whose results depend on their operands alone, and that cannot fail for operands that are exact. */
const OPERATIONS: readonly Expression['op'][] = ['constant', 'input', 'arithmetic', 'cast'];

function isOver(expression: Expression, inputs: ReadonlySet<number>): boolean {
  if (!OPERATIONS.includes(expression.op)) return false;
  if (expression.op === 'input') return inputs.has(expression.input);
  return childrenOf(expression).every((child) => isOver(child, inputs));
}
