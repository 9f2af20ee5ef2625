/** How relation plans run: the dimensions that they read, and their stages. */
import {
  isRelationPlan,
  type ReadPlan,
  type Relation,
  type RelationPlan,
  relationInputs,
  type SelectPlan,
  type Stage,
} from '../../ir/index.js';
import { stagesOf as divided, optimize } from '../../plan/index.js';
import type { DimensionKey } from '../../storage/index.js';

/** The dimensions whose rows a plan reads. */
export function dimensionsOf(plan: ReadPlan): readonly DimensionKey[] {
  const scans = isRelationPlan(plan) ? [plan.root, ...plan.tables].flatMap(scansOf) : [plan];
  const ids = scans.flatMap(({ dimensionId, joins }) => [
    ...(dimensionId === null ? [] : [dimensionId]),
    ...joins.map((join) => join.dimensionId),
  ]);
  return [...new Set(ids)].map((dimensionId) => ({ databaseId: plan.databaseId, dimensionId }));
}

const scansOf = (relation: Relation): readonly SelectPlan[] =>
  relation.op === 'scan' ? [relation.plan] : relationInputs(relation).flatMap(scansOf);

/** The stages of the improved plan. */
export const stagesOf = (plan: RelationPlan): readonly Stage[] => divided(optimize(plan));
