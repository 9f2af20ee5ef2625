/**
 * Each call of the file system fails in turn: once, at its call site permanently, or the whole disk from there on; with EIO
 * (a write then stores a part of its bytes: a short write) and with ENOSPC; in the run of a store (first start, writes,
 * checkpoints, new log files, stop) and in a start after a kill. Then the process is killed or power is lost, and a start on
 * a healthy disk finds every acknowledged write and no part of another one, also after more writes and another power loss.
 * A call site is an operation on a kind of file in one place of the code.
 */
import { QuarryError } from '../../../src/base/index.js';
import { verifyStore } from '../../../src/inspect/index.js';
import { type DiskCall, FaultyDisk } from '../../support/faulty-disk.js';
import { type OpenedEngine, openEngine, STORE_DIR } from '../history/engine-fixture.js';
import type { TortureOptions } from '../history/torture-options.js';
import { AUTO, insert, type Lived, mutate, stateOf, type Write } from './life.js';

const SHARDS = 1;
/** Writes that a start on a healthy disk adds. */
const MARK = insert({ mark: { tag: 't7' }, ...AUTO });

export type Reach = 'once' | 'site' | 'disk';

/** The failing call (its ordinal among all calls), its error code, and the reach of the failure afterwards. */
export interface Fault {
  readonly at: number;
  readonly code: 'EIO' | 'ENOSPC';
  readonly reach: Reach;
}

function entities(tag: string, count: number): Record<string, unknown> {
  const all = Array.from({ length: count }, (_, index) => [
    `e${index}`,
    { tag, number: index, list: [tag], event: [{ value: tag, date: '2020-01-01' }] },
  ]);
  return { ...Object.fromEntries(all), ...AUTO };
}

const LIFE: readonly (Write | 'checkpoint')[] = [
  insert(entities('t0', 4)),
  insert(entities('t1', 2), 'named'),
  'checkpoint',
  // Exceeds the size of a log file.
  insert(entities('t2', 90)),
  mutate([{ number: { range: [3, 5] } }], { tag: 't3' }),
  'checkpoint',
  mutate([{ tag: { equals: 't3' } }], null, 'named-delete'),
  // This checkpoint begins another log file, so that deleted data is removed from the log.
  'checkpoint',
  insert(entities('t4', 60)),
  insert(entities('t5', 3)),
];
const WRITE_COUNT = LIFE.filter((step) => step !== 'checkpoint').length;

/** The kind of a file, by its name; a folder is a kind of its own. */
function kindOf(file: string): string {
  const name = file.slice(file.lastIndexOf('/') + 1);
  const kinds: readonly (readonly [RegExp, string])[] = [
    [/^log-spare/, 'prepared log file'],
    [/\.qlog$/, 'log file'],
    [/\.arrow$/, 'snapshot file'],
    [/\.qonce$/, 'file of named writes'],
    [/^d\d+-\d+$/, 'folder of a dimension'],
  ];
  return kinds.find(([pattern]) => pattern.test(name))?.[1] ?? name;
}

/** Counts calls, makes the chosen one fail, and records the site of every call. */
class Failing {
  readonly sites: string[] = [];
  /** Every site at which a call failed. */
  readonly failed = new Set<string>();
  readonly #fault: Fault | null;

  constructor(fault: Fault | null) {
    this.#fault = fault;
  }

  readonly fault = (_step: number, call: DiskCall, file: string): string | undefined => {
    const ordinal = this.sites.length;
    const site = `${call} ${kindOf(file)}`;
    this.sites.push(site);
    const fault = this.#fault;
    if (fault === null || ordinal < fault.at) return undefined;
    const fails =
      ordinal === fault.at ||
      fault.reach === 'disk' ||
      (fault.reach === 'site' && site === this.sites[fault.at]);
    if (!fails) return undefined;
    this.failed.add(site);
    return fault.code;
  };
}

interface Outcome extends Lived {
  /** Description of an error in the run itself. */
  readonly wrong: string | null;
}

/** Whether a failed call at this site may end the process: only one of the log or of the first start may. */
const endsProcess = (site: string): boolean =>
  /log|keys\.json|store|manifest/.test(site.slice(site.indexOf(' ')));

const isRefusal = (error: unknown): boolean => error instanceof QuarryError && error.code === 9002;

/** The run on `disk` as far as it gets. */
async function live(disk: FaultyDisk, states: readonly string[]): Promise<Outcome> {
  const lived = { sent: 0, acknowledged: 0 };
  let opened: OpenedEngine;
  try {
    opened = await openEngine(disk, SHARDS, 1);
  } catch (error) {
    return { ...lived, wrong: clear(error) };
  }
  const { engine, fatal } = opened;
  let ended: unknown = null;
  fatal.catch((error) => {
    ended = error;
  });
  const story = async (): Promise<string | null> => {
    for (const step of LIFE) {
      if (step === 'checkpoint') {
        const unclear = await engine.checkpoint().then(() => null, clear);
        if (unclear !== null) return `a checkpoint: ${unclear}`;
        continue;
      }
      lived.sent++;
      try {
        await step(engine);
      } catch (error) {
        if (!isRefusal(error)) throw error;
        // A refused write had no effect, and reads continue.
        lived.sent--;
        if ((await stateOf(engine)) !== states[lived.sent]) return 'a refused write had an effect';
        break;
      }
      if (ended !== null) return 'a write was acknowledged after a fatal error';
      lived.acknowledged = lived.sent;
    }
    return engine.close().then(() => null, clear);
  };
  const storyFault = await Promise.race([story(), fatal]).catch((error) => {
    // A write that rejects for another reason than a full disk does so because the log is dead.
    return ended === null ? `it failed without a fatal error: ${String(error)}` : null;
  });
  const wrong = storyFault ?? (ended === null ? null : await acknowledgedLate(opened));
  disk.stop();
  await engine.close().catch(() => {});
  return { ...lived, wrong };
}

/** Description of a request that is acknowledged after the fatal error; null = none is. */
async function acknowledgedLate({ engine }: OpenedEngine): Promise<string | null> {
  const written = MARK(engine).then(
    () => 'a write was acknowledged after a fatal error',
    () => null,
  );
  const waited = new Promise<null>((resolve) => setImmediate(() => resolve(null)));
  return Promise.race([written, waited]);
}

/** A failed start reports the reason of the operating system. */
function clear(error: unknown): string | null {
  const text = String(error);
  return /EIO|ENOSPC|disk full/.test(text)
    ? null
    : `the start failed with a message without the reason: ${text}`;
}

async function found(disk: FaultyDisk, states: readonly string[]): Promise<readonly [number, OpenedEngine]> {
  const { faults } = await verifyStore(disk, STORE_DIR);
  if (faults.length > 0) throw new Error(`verify: ${faults.join('; ')}`);
  const opened = await openEngine(disk, null, 2);
  return [states.indexOf(await stateOf(opened.engine)), opened];
}

/** Errors that a start on the healthy disk finds, and those of a start after another power loss. */
async function faultOf(disk: FaultyDisk, states: readonly string[], lived: Lived): Promise<string | null> {
  try {
    const [count, { engine }] = await found(disk, states);
    if (count < lived.acknowledged || count > lived.sent) {
      disk.stop();
      await engine.close().catch(() => {});
      return `${lived.acknowledged} acknowledged, ${lived.sent} sent, ${count} found`;
    }
    await MARK(engine);
    const wanted = await stateOf(engine);
    const again = disk.afterCrash();
    disk.stop();
    await engine.close().catch(() => {});
    const [there, { engine: last }] = await found(again, [wanted]);
    await last.close();
    return there === 0 ? null : 'a write after it was lost by the next power loss';
  } catch (error) {
    return `the start on a healthy disk: ${String(error)}`;
  }
}

/** The content of the store after each number of writes, and the sites of all calls of a run without a failure. */
async function untroubled(): Promise<{
  readonly states: readonly string[];
  readonly sites: readonly string[];
}> {
  const { engine } = await openEngine(new FaultyDisk({}), SHARDS, 1);
  const states = [await stateOf(engine)];
  for (const step of LIFE) {
    if (step === 'checkpoint') continue;
    await step(engine);
    states.push(await stateOf(engine));
  }
  await engine.close();
  const calls = new Failing(null);
  const { acknowledged } = await live(new FaultyDisk({ fault: calls.fault }), states);
  if (acknowledged !== WRITE_COUNT) throw new Error(`the run itself ended at ${acknowledged}`);
  return { states, sites: calls.sites };
}

/**
 * Every call once with each code, the whole disk from every call on, and every site permanently from some of its calls
 * on.
 */
function faultsOver(sites: readonly string[], everyCall: boolean): Fault[] {
  const seen = new Map<string, number>();
  return sites.flatMap((site, at) => {
    const before = seen.get(site) ?? 0;
    seen.set(site, before + 1);
    const faults: Fault[] = [{ at, code: 'EIO', reach: 'once' }];
    if (everyCall || before % 5 === 0) faults.push({ at, code: 'EIO', reach: 'site' });
    if (everyCall || before % 5 === 1) faults.push({ at, code: 'EIO', reach: 'disk' });
    if (!takesSpace(site)) return faults;
    if (everyCall || before % 3 === 0) faults.push({ at, code: 'ENOSPC', reach: 'once' });
    if (everyCall || before % 5 === 0) faults.push({ at, code: 'ENOSPC', reach: 'site' });
    return faults;
  });
}

const takesSpace = (site: string): boolean =>
  /^(open|writev|dataSync|rename|syncDir|makeDir|truncate) /.test(site);

export interface Errors {
  readonly runs: number;
  /** Sites at which a call failed. */
  readonly sites: ReadonlySet<string>;
  readonly faults: readonly string[];
}

/** `everyCall`: tries all faults of faultsOver with a kill and a power loss each, instead of a sample. */
export async function failWhileLiving(everyCall: boolean): Promise<Errors> {
  const { states, sites } = await untroubled();
  const failed = new Set<string>();
  const faults: string[] = [];
  const all = faultsOver(sites, everyCall);
  for (const [run, fault] of all.entries()) {
    const calls = new Failing(fault);
    const disk = new FaultyDisk({ seed: run, fault: calls.fault });
    const outcome = await live(disk, states);
    for (const site of calls.failed) failed.add(site);
    const site = calls.sites[fault.at];
    const what = `${fault.code} at call ${fault.at} (${site}), ${fault.reach}`;
    if (outcome.wrong !== null) faults.push(`${what}: ${outcome.wrong}`);
    const harmless = fault.reach !== 'disk' && !endsProcess(site) && outcome.sent > 0;
    if (harmless && outcome.acknowledged < WRITE_COUNT) {
      faults.push(`${what}: the run stopped at write ${outcome.acknowledged}`);
    }
    const ends = [disk.afterKill(), disk.afterCrash()];
    for (const end of everyCall ? ends : [ends[run % 2]]) {
      const wrong = await faultOf(end, states, outcome);
      if (wrong !== null) faults.push(`${what}, then ${end === ends[0] ? 'killed' : 'no power'}: ${wrong}`);
    }
  }
  return { runs: all.length, sites: failed, faults };
}

/** A store as left by a kill: snapshots, a later log, unsynced records with a torn last one, and temporary files. */
async function killedStore(): Promise<{ readonly disk: FaultyDisk; readonly state: string }> {
  const disk = new FaultyDisk({ seed: 5 });
  const { engine } = await openEngine(disk, SHARDS, 1);
  for (const step of LIFE) {
    if (step === 'checkpoint') await engine.checkpoint();
    else await step(engine);
  }
  const killed = disk.afterKill();
  disk.stop();
  await engine.close().catch(() => {});
  // The last group was written but not synced before the kill: it is written again, so that it is unsynced on the disk.
  const file = killed.files().findLast((name) => name.endsWith('.qlog')) ?? '';
  const bytes = killed.bytesOf(file);
  const end = bytes.findLastIndex((byte) => byte !== 0) + 1;
  killed.put(file, bytes.slice().fill(0, end - 1_000));
  const handle = await killed.open(file, 'read-write');
  await handle.writev([bytes.subarray(end - 1_000, end), new Uint8Array(700).fill(9)], end - 1_000);
  killed.put(`${STORE_DIR}/log/log-spare-7.tmp`, new Uint8Array(600));
  killed.put(`${STORE_DIR}/snapshot/d1-9/entities-s0of1-g0-l1.arrow`, new Uint8Array(70));
  killed.put(`${STORE_DIR}/spool/1.rows`, new Uint8Array(10));
  const [, opened] = await found(killed.afterKill(), []);
  const state = await stateOf(opened.engine);
  await opened.engine.close();
  return { disk: killed, state };
}

export async function failWhileStarting(everyCall: boolean): Promise<Errors> {
  const { disk: killed, state } = await killedStore();
  const whole = { sent: 0, acknowledged: 0 };
  const without = new Failing(null);
  await openEngine(killed.afterKill({ fault: without.fault }), null, 2);
  const failed = new Set<string>();
  const faults: string[] = [];
  const all = faultsOver(without.sites, everyCall);
  for (const [run, fault] of all.entries()) {
    const calls = new Failing(fault);
    const disk = killed.afterKill({ seed: run, fault: calls.fault });
    const what = `${fault.code} at call ${fault.at} of a start (${without.sites[fault.at]}), ${fault.reach}`;
    const tell = (wrong: string | null, then = ''): void => {
      if (wrong !== null) faults.push(`${what}${then}: ${wrong}`);
    };
    try {
      const { engine } = await openEngine(disk, null, 2);
      if ((await stateOf(engine)) !== state) tell('the start found another state');
      disk.stop();
      await engine.close().catch(() => {});
    } catch (error) {
      tell(clear(error));
    }
    for (const site of calls.failed) failed.add(site);
    tell(await faultOf(disk.afterKill(), [state], whole), ', then started again');
  }
  return { runs: all.length, sites: failed, faults };
}

/**
 * A checkpoint fails at each of its calls in turn, and power is lost at every `stride`th step of the next checkpoint at
 * the same LSN. The disk may have either of the two manifests, so both must be valid.
 */
export async function failCheckpoints(stride: number): Promise<Errors> {
  const failed = new Set<string>();
  const faults: string[] = [];
  let runs = 0;
  for (let at = 0; ; at++) {
    let calls: Failing | null = null;
    const losses: FaultyDisk[] = [];
    let step = at;
    const disk: FaultyDisk = new FaultyDisk({
      seed: at,
      fault: (...call) => calls?.fault(...call),
      onStep: () => {
        if (calls === null || calls.failed.size === 0) return;
        // If the sync of the name of the manifest failed, either manifest may be on the disk.
        const draws = calls.failed.has('syncDir store') ? 3 : step++ % stride === 0 ? 1 : 0;
        for (let draw = 0; draw < draws; draw++) losses.push(disk.afterCrash());
      },
    });
    const { engine } = await openEngine(disk, SHARDS, 1);
    await insert(entities('t0', 4), 'named')(engine);
    await engine.checkpoint();
    await mutate([{ number: { range: [1, 1] } }], { tag: 't3' }, 'named-update')(engine);
    const state = await stateOf(engine);
    calls = new Failing({ at, code: 'EIO', reach: 'once' });
    const error = await engine.checkpoint().then(() => null, String);
    const site = calls.sites[at];
    if (calls.failed.size === 0) {
      await engine.close();
      return { runs, sites: failed, faults };
    }
    for (const one of calls.failed) failed.add(one);
    await engine.checkpoint().catch((again) => faults.push(`${site} failed, then again: ${again}`));
    disk.stop();
    await engine.close().catch(() => {});
    for (const [loss, left] of losses.entries()) {
      runs++;
      const wrong = await faultOf(left, [state], { sent: 0, acknowledged: 0 });
      if (wrong !== null) faults.push(`${site} failed (${error}), then power loss ${loss}: ${wrong}`);
    }
  }
}

/** Tries all calls regardless of rounds; the seed only determines how much of a failed write is kept. */
export async function ioErrors(_wanted: TortureOptions): Promise<boolean> {
  const startedAt = performance.now();
  let clean = true;
  for (const [when, fail] of [
    ['living', () => failWhileLiving(true)],
    ['starting', () => failWhileStarting(true)],
    ['repeating a checkpoint', () => failCheckpoints(1)],
  ] as const) {
    const { runs, sites, faults } = await fail();
    for (const fault of faults) console.log(fault);
    console.log(
      `while ${when}: ${runs} runs, calls failed at ${sites.size} sites, ${faults.length} with a fault`,
    );
    clean &&= faults.length === 0;
  }
  console.log(`${Math.round((performance.now() - startedAt) / 1000)} s`);
  return clean;
}
