/** Syncs that fail beneath the real server (fsync-fails.ts). `npm run torture -- --what fsync` tries any number. */
import t from 'tap';
import { failSyncs } from './fsync-fails.js';

const SEED = 77;
t.setTimeout(120_000);
t.comment(`seed ${SEED}`);

t.test(
  'after a failed sync of the log the process ends with code 70, one of a snapshot only lets the checkpoint fail, and nothing acknowledged is lost',
  async (t) => {
    const { acknowledged, faults } = await failSyncs(t.testdir(), SEED, ['log', 'snapshot', 'start']);
    t.strictSame(faults, []);
    t.ok(acknowledged > 0, `${acknowledged} requests were acknowledged`);
  },
);
