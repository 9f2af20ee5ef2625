/**
 * Power loss at random steps of random runs: inserts that share a sync, updates, deletes, scripts, named writes and changes
 * of the model, with checkpoints during and between them, on small log files and 1 to 3 shards. Whatever unsynced data the
 * disk kept (all, nothing, single sectors, sizes, names), the next start finds the store as it was after some number of the
 * writes: all acknowledged ones and none that was not sent. Concurrent inserts take effect in the order of sending or in the
 * order of acknowledgement: one that needs a larger log file waits for it, and smaller ones overtake it. Some losses are
 * followed by another one during that start, some by a write that the next loss must not undo. Some happen only after the
 * process was killed and restarted on data that was never synced.
 * One run gives losses at several steps; its seed identifies it.
 */
import { createHash } from 'node:crypto';
import { createDimensions, deleteDimension, parseJson } from '../../../src/api/index.js';
import { Prng } from '../../../src/base/index.js';
import type { Engine } from '../../../src/engine/index.js';
import { verifyStore } from '../../../src/inspect/index.js';
import { FaultyDisk } from '../../support/faulty-disk.js';
import { openEngine, STORE_DIR } from '../history/engine-fixture.js';
import { entities, FIRST, randomWrite } from '../history/random-log.js';
import type { TortureOptions } from '../history/torture-options.js';
import { AUTO, bytesOf, change, checkpointOf, insert, type Lived, stateOf, type Write } from './life.js';

const LOSSES_PER_LIFE = 40;
/** Steps between two losses of a run; a run has a few hundred steps. */
const STEPS_APART_MAX = 6;
/** More steps than most starts have. */
const STEPS_OF_START = 40;

/** A write of a run, and the way it is sent. */
interface Step {
  readonly write: Write;
  /** Whether it is sent without waiting for the previous write, so that one sync may serve both. */
  readonly joins: boolean;
  readonly checkpoint: 'none' | 'beside' | 'waited';
}

interface Life {
  readonly shards: number;
  readonly steps: readonly Step[];
}

/** The content of the store after each number of writes. */
type States = readonly string[];

function randomModelChange(prng: Prng, at: number): Write {
  if (prng.chance(0.5)) return insert({ [`second${at}`]: { dimension: 'second', tag: 't1' }, ...AUTO });
  return change((model) => {
    const second = [...model.dimensions.values()].find(({ apiName }) => apiName === 'second');
    return second === undefined
      ? createDimensions(parseJson(bytesOf({ name: 'second', 'api-name': 'second' })), model)
      : deleteDimension(parseJson(bytesOf({ 'api-name': 'second' })), model);
  });
}

function randomStep(prng: Prng, at: number, insertBefore: boolean): Step & { readonly isInsert: boolean } {
  const kind = prng.unit();
  const isInsert = kind < 0.5;
  const idempotencyId = prng.chance(0.3) ? `named-${at}` : null;
  const write = isInsert
    ? insert(entities(prng), idempotencyId)
    : kind < 0.65
      ? randomModelChange(prng, at)
      : randomWrite(prng, at);
  return {
    write,
    isInsert,
    // Inserts are parsed in order, so their records have the same order.
    joins: isInsert && insertBefore && prng.chance(0.6),
    checkpoint: prng.pick(['none', 'none', 'none', 'beside', 'waited']),
  };
}

function lifeOf(seed: number): Life {
  const prng = new Prng(seed);
  const steps: Step[] = [{ write: FIRST, joins: false, checkpoint: 'none' }];
  let insertBefore = false;
  for (let count = prng.between(5, 12); count > 0; count--) {
    const step = randomStep(prng, count, insertBefore);
    steps.push(step);
    insertBefore = step.isInsert && step.checkpoint !== 'waited';
  }
  return { shards: prng.between(1, 3), steps };
}

async function statesOf({ shards, steps }: Life, seed: number): Promise<States> {
  const { engine } = await openEngine(new FaultyDisk({ seed }), shards, seed);
  const states = [await stateOf(engine)];
  for (const { write } of steps) {
    await write(engine);
    states.push(await stateOf(engine));
  }
  await engine.close();
  return states;
}

/** For each possible order of the writes. */
async function allStatesOf(life: Life, order: readonly number[], seed: number): Promise<readonly States[]> {
  const asSent = await statesOf(life, seed);
  if (order.every((step, at) => step === at)) return [asSent];
  return [asSent, await statesOf({ ...life, steps: order.map((step) => life.steps[step]) }, seed)];
}

/** Executes the run on `disk`; resolves with the steps in the order of their answers when the engine is closed. */
async function live(
  { shards, steps }: Life,
  disk: FaultyDisk,
  seed: number,
  lived: Lived,
): Promise<readonly number[]> {
  const { engine, fatal } = await openEngine(disk, shards, seed);
  const order: number[] = [];
  const story = async (): Promise<void> => {
    let underWay: Promise<void>[] = [];
    for (const { write, joins, checkpoint } of steps) {
      if (!joins) await Promise.all(underWay.splice(0));
      const step = lived.sent++;
      const answered = write(engine).then(() => {
        lived.acknowledged = order.push(step);
      });
      underWay.push(answered);
      if (checkpoint === 'none') continue;
      const done = checkpointOf(engine);
      if (checkpoint === 'waited') await Promise.all([...underWay.splice(0), done]);
      else underWay = [...underWay, done];
    }
    await Promise.all(underWay);
    await engine.close();
  };
  await Promise.race([story(), fatal]);
  return order;
}

/**
 * Events around the loss: none; another loss during the next start; a write after that start, and another loss; or a kill of
 * the process before it, so that the loss comes during the start after the kill, or after a write that follows it.
 */
type Sequel = 'none' | 'loss' | 'write' | 'kill';
const SEQUELS: readonly Sequel[] = ['none', 'none', 'none', 'loss', 'write', 'kill'];

/** A disk after a power loss, and the writes before the loss. */
interface Loss extends Lived {
  readonly step: number;
  readonly disk: FaultyDisk;
  readonly sequel: Sequel;
}

interface Losses {
  readonly losses: readonly Loss[];
  readonly order: readonly number[];
}

async function lossesOf(life: Life, seed: number): Promise<Losses> {
  const prng = new Prng(seed + 1);
  const lived = { sent: 0, acknowledged: 0 };
  const losses: Loss[] = [];
  let next = prng.below(STEPS_APART_MAX);
  const onStep = (step: number): void => {
    if (step < next || losses.length === LOSSES_PER_LIFE) return;
    next = step + prng.between(1, STEPS_APART_MAX);
    const sequel = prng.pick(SEQUELS);
    const again = sequel === 'loss' || (sequel === 'kill' && prng.chance(0.5));
    const options = again ? { crashAtStep: prng.below(STEPS_OF_START) } : {};
    const left = sequel === 'kill' ? disk.afterKill(options) : disk.afterCrash(options);
    losses.push({ step, ...lived, sequel, disk: left });
  };
  const disk = new FaultyDisk({ seed, onStep });
  const order = await live(life, disk, seed, lived);
  return { losses, order };
}

/** The engine of the first start that is not ended by another loss, or a description of the error. */
async function startBehind(first: FaultyDisk, seed: number): Promise<readonly [FaultyDisk, Engine] | string> {
  for (let disk = first; ; disk = disk.afterCrash()) {
    const { faults } = await verifyStore(disk, STORE_DIR).catch((error) => {
      if (!disk.crashed) throw error;
      return { faults: [] };
    });
    if (faults.length > 0) return `verify: ${faults.join('; ')}`;
    try {
      return [disk, (await openEngine(disk, null, seed)).engine];
    } catch (error) {
      if (!disk.crashed) return `the start failed: ${String(error)}`;
    }
  }
}

function fingerprintOf(disk: FaultyDisk): string {
  const hash = createHash('sha1');
  for (const file of disk.files()) hash.update(`${file}\0`).update(disk.bytesOf(file));
  return hash.digest('base64');
}

/** A write may leave the state unchanged: then several numbers of writes match. */
function outOfRange(state: string, all: readonly States[], { acknowledged, sent }: Lived): string | null {
  if (all.some((states) => states.slice(acknowledged, sent + 1).includes(state))) return null;
  const found = all[0].indexOf(state);
  return found < 0 ? `a state that never existed:\n${state}` : `the first ${found} writes were found`;
}

/**
 * Description of the error after a loss; null = none. `known`: the state that a start found on a disk with identical
 * files.
 */
async function faultBehind(
  loss: Loss,
  states: readonly States[],
  seed: number,
  known: Map<string, string>,
): Promise<string | null> {
  const fingerprint = loss.sequel === 'none' ? fingerprintOf(loss.disk) : '';
  const same = known.get(fingerprint);
  if (same !== undefined) return outOfRange(same, states, loss);
  const started = await startBehind(loss.disk, seed);
  if (typeof started === 'string') return started;
  const [disk, engine] = started;
  try {
    const state = await stateOf(engine);
    const fault = outOfRange(state, states, loss);
    if (fault !== null) return fault;
    if (loss.sequel === 'none') known.set(fingerprint, state);
    if (loss.sequel !== 'write' && loss.sequel !== 'kill') return null;
    await insert({ behind: { tag: 't7' }, ...AUTO })(engine);
    return await faultAgain(disk, await stateOf(engine), seed);
  } catch (error) {
    return disk.crashed ? null : `the engine failed: ${String(error)}`;
  } finally {
    disk.stop();
    await engine.close().catch(() => {});
  }
}

/** The same check after another loss, with all writes acknowledged. */
async function faultAgain(disk: FaultyDisk, wanted: string, seed: number): Promise<string | null> {
  if (disk.crashed) return null;
  const started = await startBehind(disk.afterCrash(), seed + 1);
  if (typeof started === 'string') return `after a write that followed the loss: ${started}`;
  const [, engine] = started;
  const state = await stateOf(engine);
  await engine.close();
  return state === wanted ? null : `a write after the loss was lost by the next one:\n${state}`;
}

export interface PowerLosses {
  readonly losses: number;
  readonly lives: number;
  readonly faults: readonly string[];
}

/** Runs until there were `count` losses; the first run has the seed `seed`, each later one the next number. */
export async function losePower(count: number, seed: number): Promise<PowerLosses> {
  const faults: string[] = [];
  let losses = 0;
  let lives = 0;
  for (; losses < count; lives++) {
    const lifeSeed = seed + lives;
    const life = lifeOf(lifeSeed);
    const lived = await lossesOf(life, lifeSeed);
    const states = await allStatesOf(life, lived.order, lifeSeed);
    const known = new Map<string, string>();
    for (const loss of lived.losses.slice(0, count - losses)) {
      losses++;
      const fault = await faultBehind(loss, states, lifeSeed, known);
      if (fault === null) continue;
      const { sent, acknowledged, step } = loss;
      const what = `seed ${lifeSeed}, step ${step}: ${acknowledged} writes acknowledged, ${sent} sent`;
      faults.push(`${what}: ${fault}`);
    }
  }
  return { losses, lives, faults };
}

/** `rounds` is the number of losses. */
export async function powerLoss({ rounds, seed }: TortureOptions): Promise<boolean> {
  const startedAt = performance.now();
  const { losses, lives, faults } = await losePower(rounds, seed);
  for (const fault of faults) console.log(fault);
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.log(`${losses} power losses in ${lives} runs, ${faults.length} with an error, ${seconds} s`);
  return faults.length === 0;
}
