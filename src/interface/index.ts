/** The JSON interface: the schema of every body and answer, and what they are made of. */
export { TOP_VALUES_MAX } from '../base/limits.js';
export * as answers from './answers.js';
export * from './cloud.js';
export * from './conditions.js';
export * from './data.js';
export * from './levels.js';
export * from './model.js';
export * from './schema.js';
export * from './team.js';
export * from './words.js';
