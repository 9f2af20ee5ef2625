/**
 * Backups and the log archive during a run of writes and checkpoints (life.ts). Each backup must be the store as of some
 * time between its begin and its end; with the archive it must restore to any later record.
 */
import { Prng } from '../../../src/base/index.js';
import type { Engine, EngineOptions } from '../../../src/engine/index.js';
import { verifyStore } from '../../../src/inspect/index.js';
import { restoreStore } from '../../../src/recovery/index.js';
import { FaultyDisk } from '../../support/faulty-disk.js';
import { type Lived, live, stateOf } from '../disk/life.js';
import { SEED, SHARDS, statesOfLife } from '../disk/life-crash.js';
import { openEngine } from './engine-fixture.js';
import type { TortureOptions } from './torture-options.js';

const ARCHIVE_DIR = '/archive';
const BACKUPS_MAX = 4;
const ARCHIVING: Partial<EngineOptions> = { archiveDir: ARCHIVE_DIR, archiveIntervalMs: 3 };

/** A started backup. */
export interface Taken {
  readonly dir: string;
  /** Writes acknowledged before it began. */
  readonly from: number;
  /** The LSN that the finished backup reported; null before its end. */
  lsn: number | null;
  /** Writes sent before it ended. */
  to: number;
}

export interface LifeWithBackups {
  readonly lived: Lived;
  readonly taken: readonly Taken[];
  /** By number of writes: the last LSN of the log when the last of them was acknowledged. */
  readonly lsns: readonly number[];
}

/** Runs the writes on `disk` to their end or to the crash, and takes backups at times drawn from the seed. */
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
      // Checked later.
      taking.catch(() => {});
      running.push(taking);
    }
    // The last backups must end before the engine closes.
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

/** The number of writes that the store in `dir` holds, or a description of its error. */
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
  return count >= 0 ? count : `a state that never existed:\n${state}`;
}

/** Whether a store that ends with record `lsn` may hold `count` writes: there are records without a write between two writes. */
const isCountAt = (lsns: readonly number[], count: number, lsn: number): boolean =>
  (count === 0 || lsns[count - 1] < lsn) && lsn < (lsns[count + 1] ?? Number.POSITIVE_INFINITY);

/** The errors of the backups of the run of `seed`, and the number of compared restores. */
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
    // After the last write a record may have started a log file.
    const last = Math.max(lsns[lived.acknowledged], lsn);
    for (const target of [lsn, prng.between(lsn, last), last]) {
      const restored = `${dir}-to-${target}`;
      if (await disk.exists(`${restored}/manifest`)) continue;
      const common = { fs: disk, backup: dir, archive: ARCHIVE_DIR, random64: () => BigInt(prng.u32()) };
      const { lsn: reached } = await restoreStore({ ...common, to: restored, target: { lsn: target } });
      if (reached !== target) faults.push(`seed ${seed}, ${restored}: the store ends with ${reached}`);
      await compare(restored, restored, (count) => isCountAt(lsns, count, target));
    }
    await compare(dir, dir, (count) => count >= from && count <= to && isCountAt(lsns, count, lsn));
  }
  return { faults, compared };
}

/** `npm run torture -- --what backups`: a round is a run with its backups. */
export async function backups({ rounds, seed }: TortureOptions): Promise<boolean> {
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
  console.log(`${rounds} runs, ${compared} backups and restores compared, ${wrong} wrong, ${seconds} s`);
  return wrong === 0;
}
