export * from './aggregation.js';
export { explainRelation, explainStages, type StoredNames } from './explain/explain-relation.js';
export { stagesOf } from './fragments/stages.js';
export * from './lowered-select.js';
export * from './pages.js';
export { optimize, RULE_NAMES, type Rule, type RuleName } from './rules/rules.js';
export { NO_STATISTICS, type Statistics } from './rules/statistics.js';
export * from './select/index.js';
