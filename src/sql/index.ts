export * from './bind/request.js';
export * from './bind/select.js';
export * from './bind/target.js';
export * from './bind/writes.js';
export * from './script.js';
export * from './script-cache.js';
export * from './sql-error.js';
export * from './tree.js';
