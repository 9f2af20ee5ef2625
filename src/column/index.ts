export * from './arrow-column.js';
export * from './batch.js';
export * from './ipc.js';
export { FlatTable, readSize } from './ipc-flatbuffer.js';
export * from './ipc-stream.js';
