/**
 * The restart line: kill -9, start, and the time until /readyz answers 200, from a snapshot and from the log alone. For
 * the snapshot also the time until all counts are answered once, because the other databases have no readiness probe.
 * Rates use the loading time in the server's log, because starting Node and the threads takes the same time for an empty
 * store, which the table shows too.
 */
import type { Bench } from '../bench.js';
import type { Comparison } from '../comparison.js';
import { generatePeople, writeBodies } from '../data/bodies.js';
import { People, peopleColumns } from '../data/people.js';
import { spawnLoad } from '../load/job.js';
import { type Spread, spreadOf } from '../measure.js';
import { QuarryServer } from '../server/quarry.js';
import { snapshotColumnBytes } from '../server/snapshot-bytes.js';
import type { Table, TableCell } from '../table.js';
import { answersOf, answersOfPeer, checkAnswers, type Step } from './store.js';

/** One start of a store, up to /readyz. */
interface Start {
  readonly readySeconds: number;
  /** From the start of the process until `check` has its answers. */
  readonly answeredSeconds: number;
  readonly cpuSeconds: number;
  readonly snapshotSeconds: number;
  readonly logSeconds: number;
}

/** Starts the store `restartRounds` times and ends it by SIGKILL; `check` queries each server. */
async function restarts(
  bench: Bench,
  dir: string,
  what: string,
  check: (server: QuarryServer) => Promise<void>,
): Promise<Start[]> {
  const starts: Start[] = [];
  for (let round = 0; round < bench.scale.restartRounds; round++) {
    bench.say(`restart ${what}, round ${round + 1} of ${bench.scale.restartRounds}`);
    const startedMs = performance.now();
    const server = bench.keep(await QuarryServer.start(dir, bench.scale.workers[0]));
    const cpuSeconds = server.cpuSeconds();
    // Both times begin when the store is opened.
    const snapshotMs = Number(server.events('snapshot loaded')[0]?.ms ?? 0);
    const logMs = Number(server.events('log replayed')[0]?.ms ?? 0);
    await check(server);
    const answeredSeconds = (performance.now() - startedMs) / 1000;
    starts.push({
      answeredSeconds,
      readySeconds: server.readySeconds,
      cpuSeconds,
      snapshotSeconds: snapshotMs / 1000,
      logSeconds: (logMs - snapshotMs) / 1000,
    });
    await bench.close(server);
  }
  return starts;
}

const spreadOfKey = (starts: readonly Start[], key: keyof Start): Spread =>
  spreadOf(starts.map((one) => one[key]));

/** `amount` per second; times in the server's log are whole milliseconds. */
const ratesOf = (amount: number, starts: readonly Start[], key: keyof Start): Spread =>
  spreadOf(starts.map((one) => amount / Math.max(one[key], 0.001)));

async function emptyRow(bench: Bench): Promise<TableCell[]> {
  const dir = bench.newDir();
  // The first start creates the certificate and the keys.
  await bench.close(bench.keep(await QuarryServer.start(dir, bench.scale.workers[0])));
  const starts = await restarts(bench, dir, 'of an empty server', async (server) => {
    bench.check('entities of an empty server', await server.countAll(), 0);
  });
  const seconds = [spreadOfKey(starts, 'readySeconds'), spreadOfKey(starts, 'cpuSeconds')];
  return ['an empty server', ...seconds, null, null, null, null, null];
}

/** Ends `server`, whose last checkpoint contains everything. */
async function snapshotRow(bench: Bench, server: QuarryServer, { expected }: Step): Promise<TableCell[]> {
  const { dir } = server;
  await bench.close(server);
  const columnBytes = await snapshotColumnBytes(dir);
  const starts = await restarts(bench, dir, 'from a snapshot', (again) =>
    checkAnswers(bench, answersOf(again), expected),
  );
  bench.compare({
    ...{ line: 'restart', name: 'until all counts are answered once', unit: 's', better: 'less' },
    quarry: spreadOfKey(starts, 'answeredSeconds'),
    p99: null,
    peers: await peersAgain(bench, expected),
    ofMemory: null,
  });
  return [
    `snapshot: ${expected.entityCount.toLocaleString('en-US')} entities, ${expected.eventCount.toLocaleString('en-US')} events`,
    spreadOfKey(starts, 'readySeconds'),
    spreadOfKey(starts, 'cpuSeconds'),
    spreadOfKey(starts, 'snapshotSeconds'),
    ratesOf(columnBytes / 1e6, starts, 'snapshotSeconds'),
    500,
    ratesOf(expected.entityCount, starts, 'snapshotSeconds'),
    null,
  ];
}

/** Restarts every peer on the data that it stored, as often as the server. */
async function peersAgain(bench: Bench, expected: Step['expected']): Promise<Comparison['peers']> {
  const found: { name: string; spread: Spread }[] = [];
  for (const peer of bench.peers) {
    await peer.keep();
    await bench.close(peer);
    const seconds: number[] = [];
    for (let round = 0; round < bench.scale.restartRounds; round++) {
      bench.say(`restart of ${peer.name}, round ${round + 1} of ${bench.scale.restartRounds}`);
      const startedMs = performance.now();
      const again = bench.keep(peer.again());
      await checkAnswers(bench, answersOfPeer(again), expected);
      seconds.push((performance.now() - startedMs) / 1000);
      await bench.close(again);
    }
    found.push({ name: peer.name, spread: spreadOf(seconds) });
  }
  return found;
}

async function logRow(bench: Bench): Promise<TableCell[]> {
  const { scale } = bench;
  const file = `${bench.dir}/log.bodies`;
  writeBodies(file, generatePeople(new People(bench.seed, 'ingest'), 0, scale.logEntities));
  const dir = bench.newDir();
  const filled = bench.keep(await QuarryServer.start(dir, scale.workers[0]));
  await filled.createColumns(peopleColumns('ingest'));
  const target = filled.target('/v1/insert', false);
  const load = await spawnLoad({ target, connections: scale.connections[0], bodies: { kind: 'file', file } });
  bench.checked(load.requests);
  const metrics = await filled.metrics();
  bench.check('checkpoints before the log is replayed', metrics.get('quarry_checkpoints_total'), 0);
  const logBytes = metrics.get('quarry_log_bytes_total') as number;
  await bench.close(filled);
  const starts = await restarts(bench, dir, 'from the log', async (again) => {
    bench.check('entities from the log', await again.countAll(), scale.logEntities);
  });
  return [
    `log alone: ${scale.logEntities.toLocaleString('en-US')} entities with 2 events`,
    spreadOfKey(starts, 'readySeconds'),
    spreadOfKey(starts, 'cpuSeconds'),
    spreadOfKey(starts, 'logSeconds'),
    ratesOf(logBytes / 1e6, starts, 'logSeconds'),
    null,
    ratesOf(scale.logEntities, starts, 'logSeconds'),
    500_000,
  ];
}

/** Ends `server`, whose last checkpoint contains everything. */
export async function restartLine(bench: Bench, server: QuarryServer, last: Step): Promise<Table> {
  const { scale } = bench;
  const fromSnapshot = await snapshotRow(bench, server, last);
  return {
    line: 'restart',
    title: `Restart after kill -9, ${scale.workers[0]} workers`,
    columns: ['', 'seconds to ready', 'CPU s', 'seconds loading', 'MB/s', 'wanted', 'entities/s', 'wanted'],
    rows: [await emptyRow(bench), fromSnapshot, await logRow(bench)],
    notes: [
      'rates are over the seconds loading, as the server logs them; MB are uncompressed column bytes of the snapshot, or bytes of log',
      `medians [least..most] of ${scale.restartRounds} restarts; the files were in the page cache`,
    ],
  };
}
