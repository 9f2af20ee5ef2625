export * from './arrow-column.js';
export * from './batch.js';
export * from './ipc.js';
