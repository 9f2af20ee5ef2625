export * from './make.js';
export * from './memory.js';
export * from './move.js';
export * from './order.js';
export * from './shared-wire.js';
export * from './texts.js';
export * from './vector.js';
export * from './wire.js';
