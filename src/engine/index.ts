export * from './api.js';
export { Engine } from './engine.js';
export { hashOfKey } from './first-start.js';
export type { EngineEvents, EngineOptions } from './options.js';
