export {
  ArrowError,
  type ArrowMessage,
  arrowMessageAt,
  dictionaryHeadOf,
  rowCountOf,
} from './columnar/arrow-message.js';
export { ARROW_ROWS_MAX, parseColumns } from './columnar/parse-columns.js';
export { batchesOfIds } from './id-batches.js';
export { parseInsert } from './insert.js';
export * from './lines.js';
export * from './parse.js';
export {
  isLineError,
  parseOrQuarantine,
  type Quarantined,
  type QuarantineOutcome,
} from './quarantine/parse-or-quarantine.js';
export { quarantineOf } from './quarantine/quarantine-model.js';
export { bodyOfLine, type QuarantinedLine } from './quarantine/quarantined-line.js';
export { pieces, type QuarantineSettings } from './quarantine/refused-line.js';
export { keyedLines, type LineKeyList, type LineKeySettings } from './records/keyed-lines.js';
export * from './records/mapping.js';
export { parseRecords, QUOTED_BREAK } from './records/parse-records.js';
export { createIngestScratch, type IngestScratch } from './scratch.js';
