export * from './deduplication-file.js';
export * from './line-key-file.js';
export * from './lz4.js';
export * from './manifest.js';
export * from './record.js';
export * from './record-payload.js';
