export * from './lane.js';
export * from './part-memory.js';
