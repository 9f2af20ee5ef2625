export type * from './answers.js';
export { ConnectionError, type Fault, NO_CODE, QuarryError } from './errors.js';
export type { Inserter, InserterOptions } from './inserter.js';
export { Quarry } from './quarry.js';
export type * from './queries.js';
export type { QuarryOptions } from './sender.js';
export type { CallOptions, Fetch, WriteOptions } from './transport.js';
