import t from 'tap';
import { verifyStore } from '../../src/inspect/index.js';
import { FaultyDisk } from '../support/faulty-disk.js';
import { type Lived, live, openEngine, STORE_DIR, stateOf, WRITE_COUNT } from './engine-fixture.js';

const SHARDS = 2;
const SEED = 20_240_501;
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

t.test('a crash at any I/O step of writes and checkpoints keeps every acknowledged write and no part of one', async (t) => {
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
  t.ok(step > 200, `${step} steps`);
});

for (const firstEnd of ['afterCrash', 'afterKill'] as const) {
  const first = firstEnd === 'afterCrash' ? 'a crash' : 'the kill of the process';
  t.test(`a crash at any step of the start after ${first}, or of the life that goes on, loses nothing either`, async (t) => {
    const wrong: string[] = [];
    let runs = 0;
    for (let at = 30; ; at += 67) {
      const first = new FaultyDisk({ crashAtStep: at, seed: SEED + at });
      const before = await liveUntilCrash(first, SEED);
      if (!first.crashed) break;
      for (let step = 0; ; step += step < 40 ? 1 : 5, runs++) {
        const second = first[firstEnd]({ crashAtStep: step, seed: SEED + at + step });
        const lived = { ...before };
        try {
          const opened = await openEngine(second, null, SEED + 2);
          const found = states.indexOf(await stateOf(opened.engine));
          if (!inRange(found, before)) wrong.push(`first ${at}: ${JSON.stringify(before)}, found ${found}`);
          // What a start has found and served stays, though it was perhaps never acknowledged.
          lived.acknowledged = found;
          lived.sent = found;
          await live(opened, lived, found);
        } catch (error) {
          if (!second.crashed) throw error;
        }
        const found = await reopen(second.afterCrash(), null, SEED + 3);
        if (!inRange(found, lived)) wrong.push(`first ${at}, then ${step}: ${JSON.stringify(lived)}, found ${found}`);
        if (!second.crashed) break;
      }
    }
    t.strictSame(wrong, []);
    t.ok(runs > 100, `${runs} runs`);
  });
}

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
