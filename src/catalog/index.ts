export * from './catalog.js';
export * from './plain.js';
