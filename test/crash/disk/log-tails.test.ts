/**
 * The end of the log cut, zeroed or filled with noise at every byte (log-tails.ts). `npm run torture -- --what tails` tries
 * more.
 */
import t from 'tap';
import { damageLogs, damageStores, TAIL_NAMES } from './log-tails.js';

const SEED = 606;
const LAST_RECORDS = 3;
const STORES = 42;
t.setTimeout(120_000);
t.comment(`seed ${SEED}`);

t.test(
  `a log that is damaged from any byte of its last ${LAST_RECORDS} records on keeps every record before it and continues`,
  async (t) => {
    const { tried, refused, faults } = await damageLogs(SEED, LAST_RECORDS);
    t.strictSame(faults, []);
    t.ok(tried > TAIL_NAMES.length * 500, `${tried} logs, ${refused} refused`);
  },
);

t.test(
  'a store whose log is damaged from some byte on keeps the writes before it and accepts new writes',
  async (t) => {
    const { tried, refused, faults } = await damageStores(SEED, STORES);
    t.strictSame(faults, []);
    t.ok(refused < tried / 2, `${tried} stores, ${refused} refused`);
  },
);
