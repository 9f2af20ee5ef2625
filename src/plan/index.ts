export * from './aggregation.js';
export * from './lowered-select.js';
export * from './pages.js';
export * from './select/index.js';
