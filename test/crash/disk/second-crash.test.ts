/** Crashes during a start after a crash, during the continued run, and during a start with another number of shards. */
import t from 'tap';
import { type DiskCall, FaultyDisk } from '../../support/faulty-disk.js';
import { openEngine, STORE_DIR } from '../history/engine-fixture.js';
import { type Lived, live, stateOf, WRITE_COUNT } from './life.js';
import { inRange, liveUntilCrash, reopen, SEED, statesOfLife } from './life-crash.js';

/** More steps than a start has. */
const STEPS_OF_START = 50;
/** Distance between the crash points that are tried in each second run; the first one varies. */
const STRIDE_OF_START = 20;
const STRIDE_OF_LIFE = 170;
t.setTimeout(240_000);
t.comment(`seed ${SEED}`);

const states = await statesOfLife();

/** Steps of the run at which a manifest was renamed but its name is not yet durable, or removals begin. */
async function turningPoints(): Promise<number[]> {
  const steps: number[] = [];
  let before: DiskCall = 'open';
  const fault = (step: number, call: DiskCall, file: string): undefined => {
    if ((call === 'syncDir' && file === STORE_DIR) || (call === 'remove' && before !== 'remove'))
      steps.push(step);
    before = call;
  };
  await liveUntilCrash(new FaultyDisk({ seed: SEED, fault }));
  return steps;
}

/** Starts on `disk` and continues the run until the disk stops; returns the writes that a later start must find. */
async function goOn(disk: FaultyDisk, before: Lived): Promise<Lived | string> {
  const lived = { ...before };
  try {
    const opened = await openEngine(disk, null, SEED + 2);
    const found = states.indexOf(await stateOf(opened.engine));
    if (!inRange(found, before)) return `found ${found} of ${JSON.stringify(before)}`;
    // Writes that a start found must be kept, even if they were never acknowledged.
    lived.acknowledged = found;
    lived.sent = found;
    await live(opened, lived, found);
  } catch (error) {
    if (!disk.crashed) throw error;
  }
  return lived;
}

for (const firstEnd of ['afterCrash', 'afterKill'] as const) {
  const name = firstEnd === 'afterCrash' ? 'a crash' : 'the kill of the process';
  t.test(
    `a second crash at any step of the start after ${name}, or of the continued run, loses no acknowledged write`,
    async (t) => {
      const wrong: string[] = [];
      let runs = 0;
      for (const [index, at] of (await turningPoints()).entries()) {
        const first = new FaultyDisk({ crashAtStep: at, seed: SEED + at });
        const before = await liveUntilCrash(first);
        let step = (index * 4) % STRIDE_OF_START;
        for (; ; step += step < STEPS_OF_START ? STRIDE_OF_START : STRIDE_OF_LIFE, runs++) {
          const second = first[firstEnd]({ crashAtStep: step, seed: SEED + at + step });
          const lived = await goOn(second, before);
          const found = await reopen(second.afterCrash(), states);
          const good = typeof lived !== 'string' && inRange(found, lived);
          if (!good) wrong.push(`first ${at}, then ${step}: ${JSON.stringify(lived)}, found ${found}`);
          if (!second.crashed) break;
        }
      }
      t.strictSame(wrong, []);
      t.ok(runs > 60, `${runs} runs`);
    },
  );
}

t.test('a crash at any step of a start with another number of shards keeps all data', async (t) => {
  const whole = new FaultyDisk({ seed: SEED });
  await liveUntilCrash(whole);
  const wrong: string[] = [];
  let step = 0;
  for (; ; step++) {
    const disk = whole.afterKill({ crashAtStep: step, seed: SEED + step });
    try {
      const { engine, fatal } = await openEngine(disk, 5, SEED + 4);
      await Promise.race([engine.close(), fatal]);
    } catch (error) {
      if (!disk.crashed) throw error;
    }
    const found = await reopen(disk.afterCrash(), states, step % 4 === 0 ? 3 : null);
    if (found !== WRITE_COUNT) wrong.push(`step ${step}: found ${found}`);
    if (!disk.crashed) break;
  }
  t.strictSame(wrong, []);
  t.ok(step > 50, `${step} steps`);
});
