/** The segments that conditions consist of. */
import type { BehaviourScope, Condition } from './condition.js';

/** The conditions directly inside a condition. */
function membersIn(condition: Condition): readonly (Condition | null)[] {
  switch (condition.op) {
    case 'and':
    case 'or':
      return condition.members;
    case 'not':
      return [condition.member];
    case 'segment':
      return [condition.condition];
    case 'behaviour':
      return conditionsIn(condition.question);
    default:
      return [];
  }
}

function conditionsIn({ condition, question }: BehaviourScope): readonly (Condition | null)[] {
  switch (question.kind) {
    case 'funnel':
      return [condition, ...question.stepConditions];
    case 'overlap':
    case 'compare':
      return [condition, ...question.segments];
    default:
      return [condition];
  }
}

/** The ids of the static segments anywhere inside the condition. */
export function staticSegmentsIn(condition: Condition): readonly number[] {
  const found = new Set<number>();
  const visit = (one: Condition | null): void => {
    if (one === null) return;
    if (one.op === 'segment' && one.condition === null) found.add(one.segmentId);
    else membersIn(one).forEach(visit);
  };
  visit(condition);
  return [...found];
}
