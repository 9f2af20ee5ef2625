export * from './lz4.js';
export * from './manifest.js';
export * from './once-file.js';
export * from './record.js';
export * from './record-payload.js';
