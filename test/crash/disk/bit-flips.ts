/**
 * One flipped bit anywhere in a closed store: log, snapshot files, manifest. Either a start refuses the store and names
 * the file, or the bit is in bytes that are never read and the content of the store is unchanged.
 */
import { CorruptionError, Prng } from '../../../src/base/index.js';
import { verifyStore } from '../../../src/inspect/index.js';
import { FaultyDisk } from '../../support/faulty-disk.js';
import { openEngine, STORE_DIR } from '../history/engine-fixture.js';
import type { TortureOptions } from '../history/torture-options.js';
import { insert, live, stateOf } from './life.js';
import { SEED, SHARDS } from './life-crash.js';

/** Inserts after the last checkpoint, which are only in the log. */
const LOGGED_INSERTS = 12;

export interface Flips {
  /** Starts that failed and named the file. */
  readonly refused: number;
  /** Flips in bytes that are never read. */
  readonly harmless: number;
  readonly faults: readonly string[];
}

/** A store with snapshots and a later log, as left by a kill. */
async function storeAtRest(): Promise<{ readonly disk: FaultyDisk; readonly state: string }> {
  const disk = new FaultyDisk({ seed: SEED });
  await live(await openEngine(disk, SHARDS, SEED), { sent: 0, acknowledged: 0 });
  const { engine } = await openEngine(disk, SHARDS, SEED + 1);
  for (let at = 0; at < LOGGED_INSERTS; at++) {
    const event = { value: `t${at % 5}`, date: '2022-02-02' };
    await insert({ [`late${at}`]: { tag: `t${at % 8}`, event } })(engine);
  }
  const state = await stateOf(engine);
  return { disk: disk.afterKill(), state };
}

const isOfStore = (file: string): boolean => !/keys\.json|\/tls\//.test(file);

/** Flips `count` bits, one at a time, spread evenly over all files; half of them are in bytes other than zero. */
export async function flipBits(count: number, seed: number): Promise<Flips> {
  const { disk, state } = await storeAtRest();
  const prng = new Prng(seed);
  const files = disk.files().filter((file) => isOfStore(file) && disk.bytesOf(file).length > 0);
  let [refused, harmless] = [0, 0];
  const faults: string[] = [];
  for (let flip = 0; flip < count; flip++) {
    const file = prng.pick(files);
    const bytes = disk.bytesOf(file);
    const end = bytes.findLastIndex((byte) => byte !== 0) + 1;
    const at = prng.below(prng.chance(0.5) && end > 0 ? end : bytes.length);
    const bit = prng.below(8);
    const damaged = disk.afterKill();
    const changed = bytes.slice();
    changed[at] ^= 1 << bit;
    damaged.put(file, changed);
    const what = `bit ${bit} of byte ${at} of ${file}`;
    const found = await startOn(damaged, state);
    if (found === 'as before') harmless++;
    else if (found.startsWith(file)) refused++;
    else faults.push(`${what}: ${found}`);
  }
  return { refused, harmless, faults };
}

/** "as before", the file that the start names, or a description of the error. */
async function startOn(disk: FaultyDisk, state: string): Promise<string> {
  const { faults } = await verifyStore(disk, STORE_DIR);
  try {
    const { engine } = await openEngine(disk, null, SEED + 2);
    const found = await stateOf(engine);
    await engine.close();
    if (found !== state) return `another state: ${found}`;
    return 'as before';
  } catch (error) {
    if (!(error instanceof CorruptionError)) return `an error that names no file: ${String(error)}`;
    return faults.length > 0 ? error.file : `${error.file} is refused by the start and not by verify`;
  }
}

/** `npm run torture -- --what flips`. */
export async function flips({ rounds, seed }: TortureOptions): Promise<boolean> {
  const { refused, harmless, faults } = await flipBits(rounds, seed);
  for (const fault of faults) console.log(fault);
  console.log(`${rounds} flips: ${refused} refused by name, ${harmless} harmless, ${faults.length} wrong`);
  return faults.length === 0;
}
