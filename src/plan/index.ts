export * from './aggregation.js';
export * from './fragments/stages.js';
export * from './lowered-select.js';
export * from './pages.js';
export { optimize } from './rules/rules.js';
export type { Statistics } from './rules/statistics.js';
export * from './select/index.js';
