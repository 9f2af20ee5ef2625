export * from './civil.js';
export { DateFields } from './date-fields.js';
export * from './interval.js';
export * from './periods.js';
export type { ReadDate } from './read-fields.js';
export { makeReadTemplate } from './read-template.js';
export { makeStrftime, makeStrptime } from './strftime.js';
export { makeWriteTemplate, ordinal } from './write-template.js';
export { makeZones, ZoneOffsets } from './zones.js';
