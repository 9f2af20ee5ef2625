/**
 * Backups and the archive of the log beside a life of writes and checkpoints (life.ts): each backup must be the store as
 * it was between the moments at which it began and ended, and with the archive a store as of any later record.
 */
import { Prng } from '../../../src/base/index.js';
import type { Engine, EngineOptions } from '../../../src/engine/index.js';
import { verifyStore } from '../../../src/inspect/index.js';
import { restoreStore } from '../../../src/recovery/index.js';
import { FaultyDisk } from '../../support/faulty-disk.js';
import { type Lived, live, stateOf } from '../disk/life.js';
import { SEED, SHARDS, statesOfLife } from '../disk/life-crash.js';
import { openEngine } from './engine-fixture.js';
import type { Wanted } from './wanted.js';

const ARCHIVE_DIR = '/archive';
const BACKUPS_MAX = 4;
const ARCHIVING: Partial<EngineOptions> = { archiveDir: ARCHIVE_DIR, archiveIntervalMs: 3 };

/** One backup that was begun. */
export interface Taken {
  readonly dir: string;
  /** Writes acknowledged before it began. */
  readonly from: number;
  /** Of what it said when it was done; null before. */
  lsn: number | null;
  /** Writes sent when it was done. */
  to: number;
}

export interface LifeWithBackups {
  readonly lived: Lived;
  readonly taken: readonly Taken[];
  /** By number of writes: the log's last LSN when the last of them was acknowledged. */
  readonly lsns: readonly number[];
}

/** Lives on `disk` until the end or until it stops, taking backups at moments that the seed gives. */
export async function liveWithBackups(disk: FaultyDisk, seed: number): Promise<LifeWithBackups> {
  const prng = new Prng(seed);
  const lived: Lived = { sent: 0, acknowledged: 0 };
  const taken: Taken[] = [];
  const running: Promise<void>[] = [];
  const lsns: number[] = [];
  const take = async (engine: Engine): Promise<void> => {
    const dir = `/backup-${taken.length}`;
    const backup: Taken = { dir, from: lived.acknowledged, lsn: null, to: Number.POSITIVE_INFINITY };
    taken.push(backup);
    const { lsn } = await engine.backup(dir);
    backup.to = lived.sent;
    backup.lsn = lsn;
  };
  const eachState = async (engine: Engine): Promise<void> => {
    lsns[lived.acknowledged] = engine.stats().lsnAppended;
    if (taken.length < BACKUPS_MAX && prng.chance(0.2)) {
      const taking = take(engine);
      // Looked at later.
      taking.catch(() => {});
      running.push(taking);
    }
    // The last ones must be done before the engine closes.
    if (prng.chance(0.2) || lived.acknowledged > 15) await Promise.all(running);
  };
  try {
    const opened = await openEngine(disk, SHARDS, SEED, 1, ARCHIVING);
    lsns[0] = opened.engine.stats().lsnAppended;
    await live(opened, lived, 0, eachState);
    await Promise.all(running);
  } catch (error) {
    await Promise.allSettled(running);
    if (!disk.crashed) throw error;
  }
  return { lived, taken, lsns };
}

/** The number of writes that the store in `dir` holds, or a text that says what is wrong with it. */
export async function writesIn(
  disk: FaultyDisk,
  dir: string,
  states: readonly string[],
): Promise<number | string> {
  const { faults } = await verifyStore(disk, dir);
  if (faults.length > 0) return `verify: ${faults.join('; ')}`;
  const { engine } = await openEngine(disk, null, SEED + 1, 1, { dir });
  const state = await stateOf(engine);
  await engine.close();
  const count = states.indexOf(state);
  return count >= 0 ? count : `a state that never was:\n${state}`;
}

/** Whether a store that ends with record `lsn` may hold `count` writes: between two of them stand records without any. */
const isCountAt = (lsns: readonly number[], count: number, lsn: number): boolean =>
  (count === 0 || lsns[count - 1] < lsn) && lsn < (lsns[count + 1] ?? Number.POSITIVE_INFINITY);

/** What is wrong with the backups of the life of `seed`; and how many restores were compared. */
export async function backupFaults(
  seed: number,
  states: readonly string[],
): Promise<{ faults: string[]; compared: number }> {
  const disk = new FaultyDisk({ seed });
  const prng = new Prng(seed + 1);
  const { lived, taken, lsns } = await liveWithBackups(disk, seed);
  const faults: string[] = [];
  let compared = 0;
  const compare = async (what: string, dir: string, isRight: (count: number) => boolean): Promise<void> => {
    const found = await writesIn(disk, dir, states);
    compared++;
    if (typeof found === 'string' || !isRight(found)) faults.push(`seed ${seed}, ${what}: found ${found}`);
  };
  for (const { dir, from, to, lsn } of taken) {
    if (lsn === null) throw new Error(`${dir} was not finished`);
    // Behind the last write a record may have begun a log file.
    const last = Math.max(lsns[lived.acknowledged], lsn);
    for (const target of [lsn, prng.between(lsn, last), last]) {
      const restored = `${dir}-to-${target}`;
      if (await disk.exists(`${restored}/manifest`)) continue;
      const common = { fs: disk, backup: dir, archive: ARCHIVE_DIR, random64: () => BigInt(prng.u32()) };
      const { lsn: reached } = await restoreStore({ ...common, to: restored, target: { lsn: target } });
      if (reached !== target) faults.push(`seed ${seed}, ${restored}: it ends with ${reached}`);
      await compare(restored, restored, (count) => isCountAt(lsns, count, target));
    }
    await compare(dir, dir, (count) => count >= from && count <= to && isCountAt(lsns, count, lsn));
  }
  return { faults, compared };
}

/** `npm run torture -- --what backups`: a round is a life with its backups. */
export async function backups({ rounds, seed }: Wanted): Promise<boolean> {
  const startedMs = performance.now();
  const states = await statesOfLife();
  let wrong = 0;
  let compared = 0;
  for (let round = 0; round < rounds; round++) {
    const found = await backupFaults(seed + round, states);
    for (const fault of found.faults) console.log(fault);
    wrong += found.faults.length;
    compared += found.compared;
  }
  const seconds = Math.round((performance.now() - startedMs) / 1000);
  console.log(`${rounds} lives, ${compared} backups and restores compared, ${wrong} wrong, ${seconds} s`);
  return wrong === 0;
}
