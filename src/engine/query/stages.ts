/** The stages of a query, and the dimensions that it reads. */
import {
  isRelationPlan,
  type ReadPlan,
  type Relation,
  relationInputs,
  type SelectPlan,
} from '../../ir/index.js';
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
