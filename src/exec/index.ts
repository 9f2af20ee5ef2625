export * from './count.js';
export * from './look-up.js';
export * from './mutate.js';
