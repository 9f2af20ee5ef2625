export type * from './answers.js';
export { ConnectionError, QuarryError } from './errors.js';
export type { Inserter, InserterOptions } from './inserter.js';
export type { Live, LiveOptions } from './live.js';
export { Quarry } from './quarry.js';
export type * from './queries.js';
export type { QuarryOptions, WriteOptions } from './sender.js';
export { type CallOptions, type Fault, type Fetch, NO_CODE } from './transport/index.js';
