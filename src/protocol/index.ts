export * from './lane.js';
export * from './moved-buffers.js';
