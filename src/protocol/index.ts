export * from './packed-rows.js';
export * from './part-memory.js';
export * from './refusal.js';
export * from './shared-bytes.js';
export * from './spill-space.js';
export * from './worker-messages.js';
