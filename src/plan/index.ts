export * from './aggregation.js';
export * from './pages.js';
