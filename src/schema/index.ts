export * from './dates.js';
export * from './decimals.js';
export * from './model.js';
export * from './text.js';
