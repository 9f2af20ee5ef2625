export { parseInsert } from './insert.js';
export * from './lines.js';
export * from './parse.js';
export { createIngestScratch, type IngestScratch } from './scratch.js';
