export * from './best-groups.js';
export * from './constant-table.js';
export * from './finish-groups.js';
export * from './row-merge.js';
export type * from './table.js';
export * from './texts-to-count.js';
