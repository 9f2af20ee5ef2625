export * from './clock.js';
export * from './corruption.js';
export * from './errors.js';
export * from './hash.js';
export * from './limits.js';
export * from './prng.js';
export * from './random.js';
