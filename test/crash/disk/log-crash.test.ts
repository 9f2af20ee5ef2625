import t, { type Test } from 'tap';
import { Prng } from '../../../src/base/index.js';
import type { Durability } from '../../../src/wal/index.js';
import { type FaultyDisk, faultyDisk } from '../../support/faulty-disk.js';
import { openLog, payloadFor, replay, sizeFor } from '../../support/log-fixture.js';

const SEEDS = [1, 2, 3];
const RECORD_COUNT = 30;
t.comment(`seeds ${SEEDS}`);

interface Outcome {
  acknowledgedLsn: number;
  appendedLsn: number;
}

/**
 * Appends groups of records to several files and removes old files, until the disk stops or all records are written.
 */
async function writeUntilCrash(
  disk: FaultyDisk,
  seed: number,
  firstLsn: number,
  durability: Durability,
): Promise<Outcome> {
  const prng = new Prng(seed);
  const outcome = { acknowledgedLsn: firstLsn - 1, appendedLsn: firstLsn - 1 };
  try {
    const log = await openLog(disk, firstLsn, { durability, intervalMs: 1e6 });
    for (let lsn = firstLsn; lsn < firstLsn + RECORD_COUNT; ) {
      const written: Promise<void>[] = [];
      for (let left = prng.between(1, 5); left > 0 && lsn < firstLsn + RECORD_COUNT; left--) {
        while (!log.hasCapacity(sizeFor(lsn))) await log.waitForCapacity(sizeFor(lsn));
        const appended = log.append(payloadFor(lsn, sizeFor(lsn)));
        outcome.appendedLsn = appended.lsn;
        const acknowledged = appended.written.then(() => {
          outcome.acknowledgedLsn = appended.lsn;
        });
        written.push(acknowledged);
        lsn++;
      }
      await Promise.all(written);
    }
    await log.close();
  } catch (error) {
    if (!disk.crashed) throw error;
  }
  return outcome;
}

/**
 * After a crash the log must contain the acknowledged records, complete and in order; it may contain later ones too.
 */
async function check(t: Test, disk: FaultyDisk, outcome: Outcome, context: string): Promise<number> {
  const { lsns, payloads, end } = await replay(disk);
  const last = lsns.length;
  const inOrder = lsns.every((lsn, index) => lsn === index + 1);
  const whole = payloads.every(
    (payload, index) => Buffer.compare(payload, payloadFor(index + 1, sizeFor(index + 1))) === 0,
  );
  if (!inOrder || !whole) t.fail(`${context}: records out of order or changed: ${lsns}`);
  if (last < outcome.acknowledgedLsn)
    t.fail(`${context}: ${outcome.acknowledgedLsn} acknowledged, ${last} there`);
  if (last > outcome.appendedLsn) t.fail(`${context}: ${outcome.appendedLsn} appended, ${last} there`);
  if (end.nextLsn !== last + 1) t.fail(`${context}: continues at ${end.nextLsn} after ${last}`);
  return last;
}

t.test(
  'a crash at any I/O step keeps every acknowledged record, complete and in order, and adds none',
  async (t) => {
    for (const seed of SEEDS) {
      let step = 0;
      for (; ; step++) {
        const disk = faultyDisk({ crashAtStep: step, seed: seed * 1_000 + step });
        const outcome = await writeUntilCrash(disk, seed, 1, 'fsync');
        const found = disk.afterCrash();
        const last = await check(t, found, outcome, `seed ${seed}, step ${step}`);
        if (!disk.crashed) {
          t.equal(last, RECORD_COUNT);
          break;
        }
      }
      t.ok(step > 50, `seed ${seed}: ${step} steps`);
    }
  },
);

for (const firstEnd of ['afterCrash', 'afterKill'] as const) {
  const first = firstEnd === 'afterCrash' ? 'a crash' : 'the kill of the process';
  t.test(
    `a second crash at any step of the start after ${first}, or of later writes, loses no acknowledged record`,
    async (t) => {
      const seed = 77;
      for (let round = 0; round < 8; round++) {
        const first = faultyDisk({ crashAtStep: 20 + round * 9, seed: seed + round });
        const outcome = await writeUntilCrash(first, seed, 1, 'fsync');
        for (let step = 0; ; step++) {
          const second = first[firstEnd]({ crashAtStep: step, seed: seed * 100 + step });
          let later = outcome;
          try {
            const { end } = await replay(second);
            // Records that a start found must be kept, even if they were never acknowledged.
            later = { acknowledgedLsn: end.nextLsn - 1, appendedLsn: end.nextLsn - 1 };
            later = await writeUntilCrash(second, seed + 1, end.nextLsn, 'fsync');
          } catch (error) {
            if (!second.crashed) throw error;
          }
          const appendedLsn = Math.max(later.appendedLsn, outcome.appendedLsn);
          await check(t, second.afterCrash(), { ...later, appendedLsn }, `round ${round}, step ${step}`);
          if (!second.crashed) break;
        }
      }
      t.pass('every step was tried');
    },
  );
}

for (const durability of ['interval', 'none'] as const) {
  t.test(
    `with durability ${durability} a crash may lose the last records, but never leaves a gap or a refusal`,
    async (t) => {
      for (const seed of SEEDS) {
        for (let step = 0; ; step++) {
          const disk = faultyDisk({ crashAtStep: step, seed: seed * 1_000 + step });
          const outcome = await writeUntilCrash(disk, seed, 1, durability);
          await check(t, disk.afterCrash(), { ...outcome, acknowledgedLsn: 0 }, `seed ${seed}, step ${step}`);
          if (!disk.crashed) break;
        }
      }
      t.pass('every step was tried');
    },
  );
}
