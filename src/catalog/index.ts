export * from './catalog.js';
export * from './change.js';
export * from './key-text.js';
export * from './permissions.js';
export * from './plain.js';
export * from './view.js';
