export * from './lane-snapshot.js';
export * from './manifest-file.js';
export * from './once-snapshot.js';
export * from './repartition.js';
