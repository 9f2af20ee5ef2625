export * from './log.js';
export { type LogFileName, listLogFiles } from './names.js';
export * from './replay.js';
