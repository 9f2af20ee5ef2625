/** Failing syncs in the real server (fsync-fails.ts). `npm run torture -- --what fsync` runs any number of rounds. */
import t from 'tap';
import { failSyncs } from './fsync-fails.js';

const SEED = 77;
t.setTimeout(120_000);
t.comment(`seed ${SEED}`);

t.test(
  'a failed sync of the log ends the process with code 70, one of a snapshot fails the checkpoint, and nothing acknowledged is lost',
  async (t) => {
    const { acknowledged, faults } = await failSyncs(t.testdir(), SEED, ['log', 'snapshot', 'start']);
    t.strictSame(faults, []);
    t.ok(acknowledged > 0, `${acknowledged} requests were acknowledged`);
  },
);
