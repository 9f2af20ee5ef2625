/**
 * Cost of the rate limiter per request. Run after a build: node dist/native-bench/http/limits.bench.js [millions]
 * Prints nanoseconds per request for the check, for the values of the answer's headers, and for the charge of an insert;
 * and the number of admitted requests, which follows from the limits only.
 */
import { DEFAULT_PROPERTIES } from '../../src/catalog/index.js';
import { NO_USAGE } from '../../src/engine/index.js';
import type { Caller } from '../../src/http/auth/caller.js';
import { ENDPOINTS } from '../../src/http/index.js';
import { SPEC_LIMITS } from '../../src/http/limits/limit-table.js';
import { RateLimiter } from '../../src/http/limits/limits.js';

const DATABASES = 50;
const LIMIT_A_MINUTE = SPEC_LIMITS.queriesPerMinute.mega;
/** Time between two requests: 100,000 requests per second. */
const STEP_MS = 0.01;

const limiter = new RateLimiter(SPEC_LIMITS, ENDPOINTS);
const count = ENDPOINTS.find(({ path }) => path === '/v1/query/count/entity');
const insert = ENDPOINTS.find(({ path }) => path === '/v1/insert');
if (count === undefined || insert === undefined) throw new Error('the table of endpoints lacks one');
const databases = Array.from({ length: DATABASES }, (_, index) => ({ ...DEFAULT_PROPERTIES, id: index + 1 }));

const callers = databases.map(({ id }): Caller => ({ kind: 'master', hash: `key of ${id}`, databaseId: id }));

function nanoseconds(rounds: number, one: (index: number, elapsedMs: number) => void): string {
  const before = performance.now();
  for (let index = 0; index < rounds; index++) one(index, index * STEP_MS);
  return `${(((performance.now() - before) * 1e6) / rounds).toFixed(0)} ns`;
}

const rounds = Number(process.argv[2] ?? 5) * 1e6;
for (let turn = 0; turn < 3; turn++) {
  let admitted = 0;
  let limitSum = 0;
  const startMs = turn * (rounds * STEP_MS + 120_000);
  const check = (index: number, elapsedMs: number): void => {
    const bound = limiter.inDatabase(count, databases[index % DATABASES], callers[index % DATABASES]);
    if (bound?.window.tryCount(bound.cost, startMs + elapsedMs) === true) admitted++;
  };
  const readWindow = (index: number, elapsedMs: number): void => {
    limitSum +=
      limiter
        .inDatabase(count, databases[index % DATABASES], callers[index % DATABASES])
        ?.window.status(startMs + elapsedMs).limit ?? 0;
  };
  const charge = (index: number, elapsedMs: number): void => {
    const database = databases[index % DATABASES];
    const caller = callers[index % DATABASES];
    limiter.charge(
      insert,
      { caller, database, usage: NO_USAGE, elapsedMs: startMs + elapsedMs, clockMs: 0 },
      0,
    );
  };
  const timings = [nanoseconds(rounds, check), nanoseconds(rounds, readWindow), nanoseconds(rounds, charge)];
  const windows = Math.ceil((rounds * STEP_MS) / 60_000);
  const most = DATABASES * LIMIT_A_MINUTE * windows;
  const right = admitted <= most && limitSum === rounds * LIMIT_A_MINUTE;
  console.log(`check ${timings[0]}, headers ${timings[1]}, charge ${timings[2]}; ${admitted} admitted`);
  if (!right) throw new Error(`more than ${most} were admitted`);
}
