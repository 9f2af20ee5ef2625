/** The JSON interface: the schemas of all bodies and answers, and their parts. */
export { TOP_VALUES_MAX } from '../base/limits.js';
export * as answers from './answers.js';
export * from './behaviour.js';
export * from './behaviour-tables.js';
export * from './cloud.js';
export * from './conditions.js';
export * from './data.js';
export * from './levels.js';
export * from './local-time.js';
export * from './model.js';
export * from './records.js';
export * from './schema.js';
export * from './segments.js';
export * from './sequences.js';
export * from './sql-functions.js';
export * from './team.js';
export * from './words.js';
