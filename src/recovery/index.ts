export * from './copy-store.js';
export * from './list-snapshot.js';
export * from './manifest-file.js';
export * from './repartition.js';
export * from './restore-store.js';
export * from './worker-snapshot.js';
