export * from './aggregation.js';
export * from './pages.js';
export type { Sliced } from './slices.js';
