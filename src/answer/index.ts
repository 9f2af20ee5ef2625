export { type Allocator, allocateDoubles } from './allocator.js';
export * from './read-lines.js';
export * from './row-encoder.js';
export * from './row-stream.js';
export * from './rows.js';
