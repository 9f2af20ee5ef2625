export * from './api.js';
export { Engine } from './engine.js';
export { EXPLAIN_FIELDS } from './explain.js';
export { type LaneApi, LaneDownError, type MakeLane } from './lane.js';
export type { EngineEvents, EngineOptions } from './options.js';
