export * from './calendar/index.js';
export * from './dates.js';
export * from './decimals.js';
export * from './intervals.js';
export * from './model.js';
export * from './numbers/index.js';
export * from './text.js';
export * from './value-text.js';
