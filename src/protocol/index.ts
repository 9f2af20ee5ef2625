export * from './lane.js';
export * from './moved-buffers.js';
export * from './part-memory.js';
