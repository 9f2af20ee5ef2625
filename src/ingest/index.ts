export { parseInsert } from './insert.js';
export * from './lines.js';
export * from './parse.js';
export * from './records/mapping.js';
export { parseRecords, QUOTED_BREAK } from './records/parse-records.js';
export { createIngestScratch, type IngestScratch } from './scratch.js';
