export * from './api.js';
export * from './database-usage.js';
export { Engine } from './engine.js';
export type { EngineEvents, EngineOptions } from './options.js';
export { EXPLAIN_FIELDS } from './query/explain.js';
export { type CreateWorkerClient, type WorkerApi, WorkerDownError } from './workers/worker-client.js';
export { readForScript } from './write/script-reading.js';
