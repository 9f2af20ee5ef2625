export * from './condition.js';
export * from './plain.js';
