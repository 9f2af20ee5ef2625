/** Simplifies the groupings of flat plans. */
import type { RelationPlan, SelectPlan } from '../../../ir/index.js';
import { rewritten } from '../../relations/tree.js';
import { withoutDependentKeys } from './dependent-keys.js';
import { withoutShiftedSums } from './shifted-sums.js';

/** A plan with the same rows. */
export const simplifyGrouping = (plan: SelectPlan): SelectPlan =>
  plan.grouping === null ? plan : withoutDependentKeys(withoutShiftedSums(plan));

/** The same for the scans of a relation plan. */
export function groupings({ root, tables, ...rest }: RelationPlan): RelationPlan {
  const changed = (relation: RelationPlan['root']): RelationPlan['root'] =>
    rewritten(relation, (part) =>
      part.op === 'scan' ? { ...part, plan: simplifyGrouping(part.plan) } : part,
    );
  return { ...rest, root: changed(root), tables: tables.map(changed) };
}
