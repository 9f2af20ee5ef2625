import t, { type Test } from 'tap';
import { verifyStore } from '../../src/inspect/index.js';
import { type DiskCall, FaultyDisk } from '../support/faulty-disk.js';
import { type Lived, live, openEngine, STORE_DIR, stateOf, WRITE_COUNT, write } from './engine-fixture.js';

const SHARDS = 2;
const SEED = 20_240_501;
/** More than a start takes. */
const STEPS_OF_START = 50;
t.setTimeout(240_000);
t.comment(`seed ${SEED}`);

/** The store's content behind each number of writes: what every later start is compared with. */
const states: string[] = [];

/** Runs the life from an empty disk until the disk stops; tells how far it came. */
async function liveUntilCrash(disk: FaultyDisk, seed: number): Promise<Lived> {
  const lived = { sent: 0, acknowledged: 0 };
  try {
    await live(await openEngine(disk, SHARDS, seed), lived);
  } catch (error) {
    if (!disk.crashed) throw error;
  }
  return lived;
}

/** How many writes the store on `disk` holds, or a text that says what is wrong with it. */
async function reopen(disk: FaultyDisk, shardCount: number | null, seed: number): Promise<number | string> {
  const { faults } = await verifyStore(disk, STORE_DIR);
  if (faults.length > 0) return `verify: ${faults.join('; ')}`;
  const { engine } = await openEngine(disk, shardCount, seed);
  const state = await stateOf(engine);
  await engine.close();
  const count = states.indexOf(state);
  return count >= 0 ? count : `a state that never was:\n${state}`;
}

const inRange = (found: number | string, { acknowledged, sent }: Lived): boolean =>
  typeof found === 'number' && found >= acknowledged && found <= sent;

t.before(async () => {
  const opened = await openEngine(new FaultyDisk({ seed: SEED }), SHARDS, SEED);
  states.push(await stateOf(opened.engine));
  const eachState = async (engine: typeof opened.engine): Promise<void> => {
    states.push(await stateOf(engine));
  };
  await live(opened, { sent: 0, acknowledged: 0 }, 0, eachState);
});

t.test('every write of the life shows in the state of the store', async (t) => {
  t.equal(states.length, WRITE_COUNT + 1);
  t.equal(new Set(states).size, states.length);
});

t.test(
  'a crash at any I/O step of writes and checkpoints keeps every acknowledged write and no part of one',
  async (t) => {
    const wrong: string[] = [];
    let step = 0;
    for (; ; step++) {
      const disk = new FaultyDisk({ crashAtStep: step, seed: SEED + step });
      const lived = await liveUntilCrash(disk, SEED);
      const found = await reopen(disk.afterCrash(), null, SEED + 1);
      if (!inRange(found, lived)) wrong.push(`step ${step}: ${JSON.stringify(lived)}, found ${found}`);
      if (!disk.crashed) break;
    }
    t.strictSame(wrong, []);
    t.ok(step > 150, `${step} steps`);
  },
);

/** Steps of the life at which a manifest is in its place but its name not yet durable, or removals begin. */
async function turningPoints(): Promise<number[]> {
  const steps: number[] = [];
  let before: DiskCall = 'open';
  const fault = (step: number, call: DiskCall, file: string): undefined => {
    if ((call === 'syncDir' && file === STORE_DIR) || (call === 'remove' && before !== 'remove'))
      steps.push(step);
    before = call;
  };
  await liveUntilCrash(new FaultyDisk({ seed: SEED, fault }), SEED);
  return steps;
}

/** A start on `disk` and the rest of the life, as far as the disk allows; what a later start must find. */
async function goOn(disk: FaultyDisk, before: Lived): Promise<Lived | string> {
  const lived = { ...before };
  try {
    const opened = await openEngine(disk, null, SEED + 2);
    const found = states.indexOf(await stateOf(opened.engine));
    if (!inRange(found, before)) return `found ${found} of ${JSON.stringify(before)}`;
    // What a start has found and served stays, though it was perhaps never acknowledged.
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
    `a crash at any step of the start after ${name}, or in the life that goes on, loses nothing either`,
    async (t) => {
      const wrong: string[] = [];
      let runs = 0;
      for (const at of await turningPoints()) {
        const first = new FaultyDisk({ crashAtStep: at, seed: SEED + at });
        const before = await liveUntilCrash(first, SEED);
        for (let step = at % 3; ; step += step < STEPS_OF_START ? 3 : 40, runs++) {
          const second = first[firstEnd]({ crashAtStep: step, seed: SEED + at + step });
          const lived = await goOn(second, before);
          const found = await reopen(second.afterCrash(), null, SEED + 3);
          const good = typeof lived !== 'string' && inRange(found, lived);
          if (!good) wrong.push(`first ${at}, then ${step}: ${JSON.stringify(lived)}, found ${found}`);
          if (!second.crashed) break;
        }
      }
      t.strictSame(wrong, []);
      t.ok(runs > 80, `${runs} runs`);
    },
  );
}

/** A checkpoint that meets a full disk, and one that does not. Rejects where the disk stops. */
async function fullThenRoom(t: Test, disk: FaultyDisk, lived: Lived): Promise<void> {
  const { engine, fatal } = await openEngine(disk, SHARDS, SEED);
  const story = async (): Promise<void> => {
    lived.sent = 3;
    await write(engine, 3);
    lived.acknowledged = 3;
    // Room for some of the snapshot files.
    disk.capacityBytes = disk.files().reduce((sum, file) => sum + disk.bytesOf(file).length, 0) + 10_000;
    const error = await engine.checkpoint().then(
      () => null,
      (error) => error,
    );
    if (!disk.crashed) t.match(error, { code: 9002 }, 'the checkpoint says that the disk is full');
    t.equal(await stateOf(engine), states[3], 'queries go on');
    t.equal(engine.stats().laneRestartCount, 0, 'no worker ended');
    disk.capacityBytes = Number.POSITIVE_INFINITY;
    await engine.checkpoint();
    await engine.close();
  };
  await Promise.race([story(), fatal]);
}

t.test(
  'a full disk lets a checkpoint fail and nothing else, and the next one stands on what the first left',
  async (t) => {
    await fullThenRoom(t, new FaultyDisk({ seed: SEED }), { sent: 0, acknowledged: 0 });
    const wrong: string[] = [];
    let step = 0;
    for (; ; step++) {
      const disk = new FaultyDisk({ crashAtStep: step, seed: SEED + step });
      const lived = { sent: 0, acknowledged: 0 };
      try {
        await fullThenRoom(t, disk, lived);
      } catch (error) {
        if (!disk.crashed) throw error;
      }
      const found = await reopen(disk.afterCrash(), null, SEED + 1);
      if (!inRange(found, lived)) wrong.push(`step ${step}: found ${found}`);
      if (!disk.crashed) break;
    }
    t.strictSame(wrong, []);
    t.ok(step > 60, `${step} steps`);
  },
);

t.test('a crash at any step of a start with another number of shards keeps everything', async (t) => {
  const whole = new FaultyDisk({ seed: SEED });
  await liveUntilCrash(whole, SEED);
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
    const found = await reopen(disk.afterCrash(), step % 2 === 0 ? null : 3, SEED + 5);
    if (found !== WRITE_COUNT) wrong.push(`step ${step}: found ${found}`);
    if (!disk.crashed) break;
  }
  t.strictSame(wrong, []);
  t.ok(step > 50, `${step} steps`);
});
