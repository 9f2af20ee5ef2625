/** The dimensions that a query reads. */
import { isRelationPlan, type ReadPlan } from './read-plan.js';
import { type Relation, relationInputs } from './relation.js';
import type { SelectPlan } from './select.js';

/** The dimensions whose rows a plan reads, each once. */
export function dimensionsOf(
  plan: ReadPlan,
): readonly { readonly databaseId: number; readonly dimensionId: number }[] {
  const relations = isRelationPlan(plan) ? [plan.root, ...plan.tables] : [];
  const scans = isRelationPlan(plan) ? relations.flatMap(scansOf) : [plan];
  const ids = [
    ...relations.flatMap(questionedIn),
    ...scans.flatMap(({ dimensionId, joins }) => [
      ...(dimensionId === null ? [] : [dimensionId]),
      ...joins.map((join) => join.dimensionId),
    ]),
  ];
  return [...new Set(ids)].map((dimensionId) => ({ databaseId: plan.databaseId, dimensionId }));
}

const scansOf = (relation: Relation): readonly SelectPlan[] =>
  relation.op === 'scan' ? [relation.plan] : relationInputs(relation).flatMap(scansOf);

const questionedIn = (relation: Relation): readonly number[] =>
  relation.op === 'question'
    ? [relation.question.plan.dimensionId]
    : relationInputs(relation).flatMap(questionedIn);
