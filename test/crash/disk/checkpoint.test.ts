/** Crashes at every I/O step of a run of writes and checkpoints, and checkpoints on a full disk. */
import t, { type Test } from 'tap';
import { FaultyDisk } from '../../support/faulty-disk.js';
import { openEngine } from '../history/engine-fixture.js';
import { type Lived, stateOf, WRITE_COUNT, write } from './life.js';
import { inRange, liveUntilCrash, reopen, SEED, SHARDS, statesOfLife } from './life-crash.js';

t.setTimeout(240_000);
t.comment(`seed ${SEED}`);

const states = await statesOfLife();

t.test('every write of the run changes the state of the store', async (t) => {
  t.equal(states.length, WRITE_COUNT + 1);
  t.equal(new Set(states).size, states.length);
});

t.test(
  'a crash at any I/O step of writes and checkpoints keeps every acknowledged write and no partial write',
  async (t) => {
    const wrong: string[] = [];
    let step = 0;
    for (; ; step++) {
      const disk = new FaultyDisk({ crashAtStep: step, seed: SEED + step });
      const lived = await liveUntilCrash(disk);
      const found = await reopen(disk.afterCrash(), states);
      if (!inRange(found, lived)) wrong.push(`step ${step}: ${JSON.stringify(lived)}, found ${found}`);
      if (!disk.crashed) break;
    }
    t.strictSame(wrong, []);
    t.ok(step > 200, `${step} steps`);
  },
);

/** A checkpoint on a full disk, and one with enough space. Rejects when the disk stops. */
async function fullThenFreed(t: Test, disk: FaultyDisk, lived: Lived): Promise<void> {
  const { engine, fatal } = await openEngine(disk, SHARDS, SEED);
  const story = async (): Promise<void> => {
    lived.sent = 3;
    await write(engine, 3);
    lived.acknowledged = 3;
    // Enough space for some of the snapshot files.
    disk.capacityBytes = disk.files().reduce((sum, file) => sum + disk.bytesOf(file).length, 0) + 10_000;
    const error = await engine.checkpoint().then(
      () => null,
      (error) => error,
    );
    if (!disk.crashed) t.match(error, { code: 9002 }, 'the checkpoint reports that the disk is full');
    t.equal(await stateOf(engine), states[3], 'queries are answered');
    t.equal(engine.stats().workerRestartCount, 0, 'no worker ended');
    disk.capacityBytes = Number.POSITIVE_INFINITY;
    await engine.checkpoint();
    await engine.close();
  };
  await Promise.race([story(), fatal]);
}

t.test(
  'a full disk makes only the checkpoint fail, and the next checkpoint succeeds with the files that it left',
  async (t) => {
    await fullThenFreed(t, new FaultyDisk({ seed: SEED }), { sent: 0, acknowledged: 0 });
    const wrong: string[] = [];
    let step = 0;
    for (; ; step++) {
      const disk = new FaultyDisk({ crashAtStep: step, seed: SEED + step });
      const lived = { sent: 0, acknowledged: 0 };
      try {
        await fullThenFreed(t, disk, lived);
      } catch (error) {
        if (!disk.crashed) throw error;
      }
      const found = await reopen(disk.afterCrash(), states);
      if (!inRange(found, lived)) wrong.push(`step ${step}: found ${found}`);
      if (!disk.crashed) break;
    }
    t.strictSame(wrong, []);
    t.ok(step > 60, `${step} steps`);
  },
);
