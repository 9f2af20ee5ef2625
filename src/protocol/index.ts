export * from './exchange/group-bytes.js';
export * from './exchange/sent-part.js';
export * from './part-memory.js';
export * from './refusal.js';
export * from './select-part.js';
export * from './shared-bytes.js';
export * from './spill-space.js';
export * from './worker-messages.js';
