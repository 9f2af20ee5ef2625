/** The plan of a query of any kind that returns rows. */
import type { RelationPlan } from './relation.js';
import type { SelectPlan } from './select.js';

/** A SELECT over one dimension, which needs no relational operators, or a tree of them. */
export type ReadPlan = SelectPlan | RelationPlan;

export const isRelationPlan = (plan: object): plan is RelationPlan => 'root' in plan;
