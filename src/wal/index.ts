export { type ArchiveStats, LogArchive } from './archive.js';
export { beginEmptyLog, type CopiedLog, copyLog, type LogCut } from './copy-log.js';
export * from './log.js';
export { type LogFileName, listLogFiles } from './names.js';
export * from './replay.js';
