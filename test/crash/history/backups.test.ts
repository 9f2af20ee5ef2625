/** Backups and restores during writes, and crashes while they run. */
import t from 'tap';
import { restoreStore } from '../../../src/recovery/index.js';
import { FaultyDisk } from '../../support/faulty-disk.js';
import { inRange, reopen, SEED, statesOfLife } from '../disk/life-crash.js';
import { backupFaults, liveWithBackups, writesIn } from './backups.js';

const LIVES = 8;
/** Distance in I/O steps between the crash points that are tried. */
const STRIDE = 23;
t.setTimeout(240_000);
t.comment(`seed ${SEED}`);

const states = await statesOfLife();

t.test(
  'a backup is the store at one time, and can be restored to any later record with the archive',
  async (t) => {
    let compared = 0;
    for (let life = 0; life < LIVES; life++) {
      const found = await backupFaults(SEED + life, states);
      t.strictSame(found.faults, []);
      compared += found.compared;
    }
    t.ok(compared > 20, `${compared} backups and restores`);
  },
);

t.test(
  'a crash leaves a complete backup or one that is marked as incomplete, and a valid store',
  async (t) => {
    const wrong: string[] = [];
    let [whole, torn, restores] = [0, 0, 0];
    for (let step = SEED % STRIDE; ; step += STRIDE) {
      const disk = new FaultyDisk({ crashAtStep: step, seed: SEED + step });
      const { lived, taken } = await liveWithBackups(disk, SEED + step);
      if (!disk.crashed) break;
      const after = disk.afterCrash();
      const found = await reopen(after, states);
      if (!inRange(found, lived)) wrong.push(`step ${step}: the store has ${found}`);
      for (const { dir, from, lsn } of taken) {
        if (!(await after.exists(`${dir}/manifest`))) {
          torn++;
          if (lsn !== null) wrong.push(`step ${step}: ${dir} is gone`);
          continue;
        }
        whole++;
        const common = { fs: after, backup: dir, archive: '/archive', random64: () => 7n };
        const restored = await restoreStore({ ...common, to: `${dir}-restored`, target: null });
        if (restored.lsn > restored.backupLsn) restores++;
        for (const storeDir of [dir, `${dir}-restored`]) {
          const count = await writesIn(after, storeDir, states);
          if (typeof count === 'string' || count < from || count > lived.sent)
            wrong.push(`step ${step}: ${storeDir} holds ${count}`);
        }
      }
    }
    t.strictSame(wrong, []);
    t.ok(whole > 10 && torn > 3 && restores > 3, `${whole} whole, ${torn} torn, ${restores} with records`);
  },
);
