export { type JsonValue, rowOf } from './arrow-rows.js';
export { readLogHead, recordsFrom, recordsOfFile } from './log-records.js';
export { briefOf, contentOf, type RecordBrief, recordOf, withoutSecrets } from './record-content.js';
export { readSnapshot, type SnapshotColumn, type SnapshotFile } from './snapshot-file.js';
export { catalogOf, type DimensionFiles, type StoreSummary, summarizeStore } from './store-summary.js';
export * from './verify.js';
