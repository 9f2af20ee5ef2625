export * from './column.js';
export * from './condition.js';
export * from './count-entity.js';
export * from './dimension.js';
export * from './exists.js';
export * from './json.js';
export * from './total.js';
