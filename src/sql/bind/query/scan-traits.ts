/** What is known about the outputs of a bound SELECT beyond their types. */
import type { Expression, SelectPlan } from '../../../ir/index.js';
import { lowerCase } from '../../../schema/index.js';
import type { InputTraits } from '../scope.js';
import { PLAIN_TRAITS } from './plan-columns.js';

/** The traits of output `index`. Stored texts are in lower case. */
export function outputTraits(plan: SelectPlan, index: number): InputTraits {
  const { of } = plan.outputs[index];
  return plan.grouping === null ? rowTraits(of, plan) : groupTraits(of, plan);
}

function groupTraits(of: Expression, plan: SelectPlan): InputTraits {
  const { keys, aggregates } = plan.grouping ?? { keys: [], aggregates: [] };
  if (of.op !== 'input') return constantTraits(of);
  if (of.input < keys.length) return rowTraits(keys[of.input], plan);
  const operand = aggregates[of.input - keys.length].of;
  return of.type.type !== 'text' || operand === null ? PLAIN_TRAITS : rowTraits(operand, plan);
}

function rowTraits(of: Expression, { inputs }: SelectPlan): InputTraits {
  if (of.op !== 'input') return constantTraits(of);
  const input = inputs[of.input];
  const points = (input.from === 'attribute' || input.from === 'event-value') && input.kind === 'geo';
  return { points, lowerCase: of.type.type === 'text' };
}

const constantTraits = (of: Expression): InputTraits =>
  of.op === 'constant' && typeof of.value === 'string' && lowerCase(of.value) === of.value
    ? { points: false, lowerCase: true }
    : PLAIN_TRAITS;
