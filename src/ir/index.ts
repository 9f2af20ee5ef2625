export * from './aggregate.js';
export * from './condition.js';
export * from './extract.js';
export * from './plain.js';
export * from './row-order.js';
