/**
 * npm run torture -- --what kill --rounds 50 --seed 1: what README.md calls by command, many times.
 *   kill        rounds of kill -9 under 8 writers (rounds.ts); --dir DIR keeps the store there (it must be empty), otherwise
 *               it lies in a temporary folder, which stays only when something is wrong
 *   flips       stores at rest with one flipped bit (bit-flips.ts)
 *   logs        random logs under several numbers of shards and workers (random-log.ts)
 *   histories   histories of 8 clients (histories.ts), of --operations each
 * Exit code 0: nothing was wrong; 1: something was; 2: wrong arguments.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { JsonClient } from '../support/json-client.js';
import { ServerProcess } from '../support/server-process.js';
import { flipBits } from './bit-flips.js';
import { createRegisterColumn, runHistory } from './histories.js';
import { logFault } from './random-log.js';
import { isClean, runRounds } from './rounds.js';
import type { Torture, Wanted } from './wanted.js';

function refuse(text: string): never {
  process.stderr.write(`${text}\n`);
  process.exit(2);
}

function numberOf(text: string, name: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value)) return value;
  return refuse(`--${name}: a whole number is wanted, not ${JSON.stringify(text)}`);
}

/** Whether nothing was wrong. */
async function kill({ dir, rounds, seed }: Wanted): Promise<boolean> {
  const startedAt = performance.now();
  const summary = await runRounds({
    dir,
    rounds,
    seed,
    requestsMax: 400,
    report: (line) => console.log(line),
  });
  for (const text of summary.texts) console.log(text);
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.log(
    `${summary.rounds} rounds, ${summary.killsWhileStarting} kills more while starting, ` +
      `${summary.checkpointsAsked} checkpoints asked for, ${summary.checks} counts compared, ${seconds} s`,
  );
  console.log(
    `${summary.acknowledged} requests acknowledged (${summary.entitiesAcknowledged} entities), ` +
      `${summary.refused} refused, ${summary.unanswered} without an answer ` +
      `(${summary.unansweredKept} kept whole, ${summary.unansweredGone} gone)`,
  );
  console.log([...summary.acknowledgedOf].map(([kind, count]) => `${kind} ${count}`).join(', '));
  console.log(`${summary.repeats} repeats under an Idempotency-Key answered as the first`);
  console.log(
    `${summary.lost} lost, ${summary.half} half, ${summary.doubled} doubled, ${summary.wrong} wrong, ${summary.unsound} unsound`,
  );
  return isClean(summary);
}

/** Whether nothing was wrong. */
async function histories({ dir, rounds, seed, operations }: Wanted): Promise<boolean> {
  const server = new ServerProcess({ dir, flags: ['--workers', '2', '--shards', '5'] });
  const startedAt = performance.now();
  let faults = 0;
  try {
    const client = new JsonClient(await server.serving, server.keys().master);
    await createRegisterColumn(client);
    for (let history = 0; history < rounds; history++) {
      const { fault } = await runHistory(client, history, seed + history, operations);
      if (fault === null) continue;
      faults++;
      console.log(`history ${history}: ${fault}`);
    }
    client.close();
  } finally {
    await server.kill();
  }
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.log(`${rounds} histories of ${operations} operations, ${faults} with a fault, ${seconds} s`);
  return faults === 0;
}

/** Whether nothing was wrong. */
async function flips({ rounds, seed }: Wanted): Promise<boolean> {
  const { refused, harmless, faults } = await flipBits(rounds, seed);
  for (const fault of faults) console.log(fault);
  console.log(`${rounds} flips: ${refused} refused by name, ${harmless} harmless, ${faults.length} wrong`);
  return faults.length === 0;
}

/** Whether nothing was wrong. */
async function logs({ rounds, seed }: Wanted): Promise<boolean> {
  const startedAt = performance.now();
  let faults = 0;
  for (let log = 0; log < rounds; log++) {
    const fault = await logFault(seed + log);
    if (fault === null) continue;
    faults++;
    console.log(fault);
  }
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.log(`${rounds} logs, ${faults} with a fault, ${seconds} s`);
  return faults === 0;
}

const KINDS: Readonly<Record<string, Torture>> = {
  kill,
  flips,
  logs,
  histories,
};

const { values } = parseArgs({
  options: {
    what: { type: 'string', default: 'kill' },
    rounds: { type: 'string', default: '50' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    dir: { type: 'string' },
    operations: { type: 'string', default: '1000' },
  },
});
if (!Object.hasOwn(KINDS, values.what)) refuse(`--what: one of ${Object.keys(KINDS).join(', ')} is wanted`);
const wanted: Wanted = {
  rounds: numberOf(values.rounds, 'rounds'),
  seed: numberOf(values.seed, 'seed'),
  operations: numberOf(values.operations, 'operations'),
  dir: values.dir ?? fs.mkdtempSync(path.join(os.tmpdir(), 'quarry-torture-')),
};
console.log(`${values.what}: ${wanted.rounds} rounds, seed ${wanted.seed}, in ${wanted.dir}`);
if (await KINDS[values.what](wanted)) {
  if (values.dir === undefined) fs.rmSync(wanted.dir, { recursive: true });
} else {
  console.log(`the store is kept in ${wanted.dir}`);
  process.exitCode = 1;
}
