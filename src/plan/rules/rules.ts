/** The rules that improve relation plans, in their order. Each can be switched off except `decorrelate`. */
import type { RelationPlan } from '../../ir/index.js';
import { absorb } from './absorb.js';
import { decorrelate } from './decorrelate/decorrelate.js';
import { groupRight } from './group-right.js';
import { groupings } from './groupings/groupings.js';
import { joinOrder } from './join-order.js';
import { mergeFilters, mergeProjects } from './merge.js';
import { prune } from './prune.js';
import { pushdown } from './pushdown/pushdown.js';
import { reduceRight } from './reduce-right.js';
import { simplify } from './simplify/simplify.js';
import { NO_STATISTICS, type Statistics } from './statistics.js';
import { transitive } from './transitive.js';

export type RuleName =
  | 'decorrelate'
  | 'mergeFilters'
  | 'simplify'
  | 'transitive'
  | 'pushdown'
  | 'joinOrder'
  | 'groupRight'
  | 'reduceRight'
  | 'prune'
  | 'mergeProjects'
  | 'absorb'
  | 'groupings';

export type Rule = (plan: RelationPlan, statistics: Statistics) => RelationPlan;

const RULES: readonly (readonly [name: RuleName, rule: Rule])[] = [
  ['decorrelate', decorrelate],
  ['mergeFilters', mergeFilters],
  ['simplify', simplify],
  // Must run before conditions are moved to scans.
  ['transitive', transitive],
  ['pushdown', pushdown],
  ['simplify', simplify],
  ['pushdown', pushdown],
  ['mergeProjects', mergeProjects],
  ['joinOrder', joinOrder],
  ['groupRight', groupRight],
  ['reduceRight', reduceRight],
  ['prune', prune],
  ['mergeProjects', mergeProjects],
  ['absorb', absorb],
  ['groupings', groupings],
  ['prune', prune],
];

export const RULE_NAMES: readonly RuleName[] = [...new Set(RULES.map(([name]) => name))];

const NONE: ReadonlySet<RuleName> = new Set();

/** A plan with the same rows that reads no columns of a join's left side on its right side. */
export function optimize(
  plan: RelationPlan,
  statistics: Statistics = NO_STATISTICS,
  disabled: ReadonlySet<RuleName> = NONE,
): RelationPlan {
  return RULES.reduce(
    (before, [name, rule]) =>
      disabled.has(name) && name !== 'decorrelate' ? before : rule(before, statistics),
    plan,
  );
}
