import t from 'tap';
import { logFault } from './random-log.js';

const LOGS = 20;
const seed = Number(process.env.QUARRY_TEST_SEED ?? Date.now() % 1_000_000);
t.setTimeout(240_000);
t.comment(`seed ${seed}`);

t.test(
  'the same writes give the same state on any number of shards and workers, live, replayed and re-partitioned',
  async (t) => {
    const faults: string[] = [];
    for (let log = 0; log < LOGS; log++) {
      const fault = await logFault(seed + log);
      if (fault !== null) faults.push(fault);
    }
    t.strictSame(faults, []);
  },
);
