export * from './arrow-column.js';
export * from './batch.js';
export * from './ipc.js';
export * from './ipc-stream.js';
