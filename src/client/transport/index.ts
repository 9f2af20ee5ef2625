export { parseExact, writeExact } from './json.js';
export { type Fault, faultsOf, NO_CODE, type Refusal } from './refusal.js';
export { type Failure, type Retries, type RetryPolicy, sleep } from './retry.js';
export * from './transport.js';
