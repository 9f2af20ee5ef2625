export * from './lane.js';
export * from './packed-rows.js';
export * from './part-memory.js';
export * from './refusal.js';
export * from './shared-place.js';
