/** A whole run: executes the requested lines in an order that reuses each load as often as possible. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Bench } from './bench.js';
import { comparisonTable } from './comparison.js';
import { goalsTable } from './goals.js';
import { countLine, loadPeers } from './lines/counts.js';
import { ingestLine } from './lines/ingest.js';
import { loadLine } from './lines/load.js';
import { compareMemory, compareSizes, memoryRow, memoryTable } from './lines/memory.js';
import { queriesLine } from './lines/queries.js';
import { restartLine } from './lines/restart.js';
import { scalingRow, scalingTable } from './lines/scaling.js';
import { scanLine } from './lines/scan.js';
import { sqlLine } from './lines/sql.js';
import { grow, type Prepared, prepareSteps, startStore } from './lines/store.js';
import { thisMachine } from './machine.js';
import { PeerProcess } from './peers/process.js';
import type { Report } from './report.js';
import type { Scale } from './scale.js';
import type { Table, TableCell } from './table.js';

export const LINES = [
  'ingest',
  'load',
  'counts',
  'queries',
  'sql',
  'memory',
  'restart',
  'scaling',
  'scan',
] as const;
export type Line = (typeof LINES)[number];
/** Lines that also query the other databases over the same people. */
const COMPARED: readonly Line[] = ['counts', 'queries', 'sql', 'memory', 'restart'];

export interface RunOptions {
  readonly scale: Scale;
  readonly seed: number;
  readonly lines: readonly Line[];
  /** Parent of the run's directory for data and files, which is removed at the end. */
  readonly parentDir?: string;
  readonly say: (text: string) => void;
  /** Called with the bench of the run, so that a signal can end it. */
  readonly onBench?: (bench: Bench) => void;
}

/** Runs the lines. Rejects at the first wrong answer, after ending all started processes. */
export async function run({
  scale,
  seed,
  lines,
  parentDir = os.tmpdir(),
  say,
  onBench,
}: RunOptions): Promise<Report> {
  const startedMs = performance.now();
  const machine = thisMachine();
  const dir = fs.mkdtempSync(path.join(parentDir, 'quarry-bench-'));
  const peers = [
    new PeerProcess('DuckDB', `${dir}/duckdb`),
    new PeerProcess('ClickHouse', `${dir}/clickhouse`),
  ];
  const bench = new Bench(scale, seed, dir, peers, say);
  onBench?.(bench);
  try {
    const versions = Object.fromEntries(
      await Promise.all(peers.map(async (peer) => [peer.name, await peer.version()])),
    );
    const tables: Table[] = [];
    if (lines.includes('ingest')) tables.push(await ingestLine(bench));
    if (lines.includes('load')) tables.push(await loadLine(bench));
    tables.push(...(await storeLines(bench, lines)));
    const seconds = (performance.now() - startedMs) / 1000;
    const { answersChecked, comparisons } = bench;
    const summary = comparisonTable(comparisons);
    if (summary !== null) tables.push(summary);
    const report = { scale: scale.name, machine, versions, seconds, answersChecked, tables, comparisons };
    const goals = goalsTable(report);
    return goals === null ? report : { ...report, tables: [...tables, goals] };
  } finally {
    await bench.end();
  }
}

async function storeLines(bench: Bench, lines: readonly Line[]): Promise<Table[]> {
  const wants = (line: Line): boolean => lines.includes(line);
  if (!lines.some((line) => line !== 'ingest' && line !== 'load')) return [];
  const prepared = prepareSteps(bench);
  const { steps } = prepared;
  const last = steps[steps.length - 1];
  const scaling: TableCell[][] = [];
  const [workers, ...otherWorkers] = bench.scale.workers;
  const counted = await grownStore(bench, prepared, workers, lines, scaling);
  if (wants('scaling')) {
    for (const count of otherWorkers) {
      const server = await startStore(bench, count);
      for (const step of steps) {
        bench.say(`scaling: ${count} workers, ${step.expected.entityCount} entities`);
        scaling.push(await scalingRow(bench, server, count, step, await grow(bench, server, step)));
      }
      await bench.close(server);
    }
  }
  const tables = [...counted.tables];
  if (wants('scaling')) tables.push(scalingTable(scaling));
  if (wants('scan')) tables.push(await scanLine(bench, last.expected, counted.p50));
  return tables;
}

/** The store with the first number of workers, which every line except ingest uses. */
async function grownStore(
  bench: Bench,
  prepared: Prepared,
  workers: number,
  lines: readonly Line[],
  scaling: TableCell[][],
): Promise<{ tables: Table[]; p50: ReadonlyMap<string, number> | null }> {
  const { steps } = prepared;
  const tables: Table[] = [];
  const memory: TableCell[][] = [];
  const server = await startStore(bench, workers);
  const emptyBytes = server.residentBytes();
  let fullBytes = 0;
  for (const step of steps) {
    bench.say(`scaling: ${workers} workers, ${step.expected.entityCount} entities`);
    const grown = await grow(bench, server, step);
    // The restart line also needs the checkpoint that memoryRow takes.
    memory.push(await memoryRow(server, step.expected, emptyBytes));
    fullBytes = server.residentBytes();
    if (lines.includes('scaling')) scaling.push(await scalingRow(bench, server, workers, step, grown));
  }
  const last = steps[steps.length - 1];
  let p50: ReadonlyMap<string, number> | null = null;
  if (COMPARED.some((line) => lines.includes(line))) {
    const duckDb = bench.peers.find(({ name }) => name === 'DuckDB') as PeerProcess;
    const duckDbEmpty = await duckDb.residentBytes();
    await loadPeers(bench, prepared, bench.peers);
    const duckDbBytes = (await duckDb.residentBytes()) - duckDbEmpty;
    if (lines.includes('memory')) {
      compareMemory(bench, fullBytes - emptyBytes, duckDbBytes);
      compareSizes(bench, server);
    }
  }
  if (lines.includes('counts')) {
    const counted = await countLine(bench, server, last);
    tables.push(counted.table);
    p50 = counted.p50;
  }
  if (lines.includes('queries')) tables.push(await queriesLine(bench, server, prepared));
  if (lines.includes('sql')) tables.push(...(await sqlLine(bench, server, prepared, bench.peers)));
  if (lines.includes('memory')) tables.push(memoryTable(bench, memory));
  if (lines.includes('restart')) tables.push(await restartLine(bench, server, last));
  else await bench.close(server);
  return { tables, p50 };
}
