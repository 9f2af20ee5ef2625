/** Runs that end when their disk stops, and the number of their writes that a later start finds. */
import { verifyStore } from '../../../src/inspect/index.js';
import { FaultyDisk } from '../../support/faulty-disk.js';
import { openEngine, STORE_DIR } from '../history/engine-fixture.js';
import { type Lived, live, stateOf } from './life.js';

export const SHARDS = 2;
export const SEED = 20_240_501;

/** Runs the life on an empty disk until the disk stops, and returns its progress. */
export async function liveUntilCrash(disk: FaultyDisk): Promise<Lived> {
  const lived = { sent: 0, acknowledged: 0 };
  try {
    await live(await openEngine(disk, SHARDS, SEED), lived);
  } catch (error) {
    if (!disk.crashed) throw error;
  }
  return lived;
}

/** The content of the store after each number of writes, with which every later start is compared. */
export async function statesOfLife(): Promise<readonly string[]> {
  const opened = await openEngine(new FaultyDisk({ seed: SEED }), SHARDS, SEED);
  const states = [await stateOf(opened.engine)];
  await live(opened, { sent: 0, acknowledged: 0 }, 0, async (engine) => {
    states.push(await stateOf(engine));
  });
  return states;
}

/** The number of writes that the store on `disk` holds, or a description of its error. */
export async function reopen(
  disk: FaultyDisk,
  states: readonly string[],
  shardCount: number | null = null,
): Promise<number | string> {
  const { faults } = await verifyStore(disk, STORE_DIR);
  if (faults.length > 0) return `verify: ${faults.join('; ')}`;
  const { engine } = await openEngine(disk, shardCount, SEED + 1);
  const state = await stateOf(engine);
  await engine.close();
  const count = states.indexOf(state);
  return count >= 0 ? count : `a state that never existed:\n${state}`;
}

/** Whether all acknowledged writes are present, and none that was not sent. */
export const inRange = (found: number | string, { acknowledged, sent }: Lived): boolean =>
  typeof found === 'number' && found >= acknowledged && found <= sent;
