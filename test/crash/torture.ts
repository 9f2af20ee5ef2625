/**
 * npm run torture -- --what kill --rounds 50 --seed 1: any number of rounds of one kind of fault; README.md lists past runs.
 * --dir DIR, an empty folder, keeps the files of the run; without it they are in a temporary folder, which is kept only
 * when an error was found.
 * A round, by kind:
 *   kill         rounds of kill -9 under 8 writers (kill.ts)
 *   power        power losses on a disk in memory (power-loss.ts)
 *   io-errors    each call of the disk failing in turn, once and permanently; --rounds is ignored (io-errors.ts)
 *   fsync        a failing fsync of the real process (fsync-fails.ts)
 *   flips        closed stores with one flipped bit (bit-flips.ts)
 *   tails        logs cut, zeroed and overwritten at every byte of their ends (log-tails.ts)
 *   disk-full    a small disk that fills up and has free space again (disk-full.ts)
 *   memory       a server under the kernel's memory limit (memory-limit.ts)
 *   workers      threads that die under load (worker-deaths.ts)
 *   clients      hostile clients alongside a good one, by windows of time (hostile-clients.ts)
 *   bodies, sql  generated and damaged requests (test/fuzz/bodies.ts, sql-texts.ts)
 *   logs         random logs under several numbers of shards and workers (random-log.ts)
 *   histories    histories of 8 clients, of --operations each (histories.ts)
 *   backups      runs with backups and restores (backups.ts)
 *   soak         one mixed load of --operations minutes (soak.ts)
 * Exit code 0: no error; 1: an error was found; 2: wrong arguments.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { fuzzBodies } from '../fuzz/bodies.js';
import { fuzzSql } from '../fuzz/sql-texts.js';
import { hostileClients } from './client/hostile-clients.js';
import { flips } from './disk/bit-flips.js';
import { diskFull } from './disk/disk-full.js';
import { fsyncFails } from './disk/fsync-fails.js';
import { ioErrors } from './disk/io-errors.js';
import { logTails } from './disk/log-tails.js';
import { powerLoss } from './disk/power-loss.js';
import { backups } from './history/backups.js';
import { histories } from './history/histories.js';
import { logs } from './history/random-log.js';
import type { Torture, TortureOptions } from './history/torture-options.js';
import { kill } from './process/kill.js';
import { memoryLimit } from './process/memory-limit.js';
import { soak } from './process/soak.js';
import { workerDeaths } from './process/worker-deaths.js';

function refuse(text: string): never {
  process.stderr.write(`${text}\n`);
  process.exit(2);
}

function numberOf(text: string, name: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value)) return value;
  return refuse(`--${name}: expected a whole number, not ${JSON.stringify(text)}`);
}

const KINDS: Readonly<Record<string, Torture>> = {
  kill,
  power: powerLoss,
  'io-errors': ioErrors,
  fsync: fsyncFails,
  flips,
  tails: logTails,
  'disk-full': diskFull,
  memory: memoryLimit,
  workers: workerDeaths,
  clients: hostileClients,
  bodies: fuzzBodies,
  sql: fuzzSql,
  logs,
  histories,
  backups,
  soak,
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
if (!Object.hasOwn(KINDS, values.what)) refuse(`--what: expected one of ${Object.keys(KINDS).join(', ')}`);
const wanted: TortureOptions = {
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
