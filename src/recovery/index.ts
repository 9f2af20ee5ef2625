export * from './copy-store.js';
export * from './lane-snapshot.js';
export * from './manifest-file.js';
export * from './once-snapshot.js';
export * from './repartition.js';
export * from './restore-store.js';
