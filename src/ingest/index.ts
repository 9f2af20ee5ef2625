export * from './insert.js';
export * from './parse.js';
export { createIngestScratch, type IngestScratch } from './scratch.js';
