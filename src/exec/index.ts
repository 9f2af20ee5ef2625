export * from './aggregate/round.js';
export * from './count.js';
export * from './extract/extract.js';
export * from './look-up.js';
export * from './mutate.js';
export * from './query-run.js';
export * from './select/cursor.js';
export * from './select/scan-summary.js';
