/**
 * The scan line: how fast a SIMD kernel scans memory on this machine, on one core and on all cores at once, and which share
 * of that the counts over attributes reach without the round trip.
 */
import { Worker } from 'node:worker_threads';
import type { Bench } from '../bench.js';
import type { Expected } from '../oracle.js';
import { QUESTIONS } from '../questions.js';
import type { Table, TableCell } from '../table.js';
import type { ScanResult } from './scan-thread.js';

/** Gigabytes per second of `threads` threads in total, each over its own memory. */
async function scanSpeed(bench: Bench, threads: number): Promise<number> {
  const start = new Int32Array(new SharedArrayBuffer(8));
  const runs = Array.from(
    { length: threads },
    (_, seed) =>
      new Promise<ScanResult>((resolve, reject) => {
        const workerData = { seed: seed + 1, bytes: bench.scale.scanBytes, threads, start };
        const worker = new Worker(new URL('./scan-thread.js', import.meta.url), { workerData });
        worker.once('message', resolve);
        worker.once('error', reject);
      }),
  );
  const results = await Promise.all(runs);
  for (const { found, expected } of results) bench.check('codes found by the scan kernel', found, expected);
  return results.reduce((sum, { gigabytesPerSecond }) => sum + gigabytesPerSecond, 0);
}

/** `p50` in milliseconds by question ('' is the round trip); null if counts were not measured. */
export async function scanLine(
  bench: Bench,
  expected: Expected,
  p50: ReadonlyMap<string, number> | null,
): Promise<Table> {
  bench.say('scan: the speed of the memory');
  const [workers] = bench.scale.workers;
  const one = await scanSpeed(bench, 1);
  const all = await scanSpeed(bench, workers);
  const rows: TableCell[][] = [
    ['SIMD equality over 32-bit codes, 1 thread', one, null, null],
    [`the same, ${workers} threads at once`, all, null, null],
  ];
  for (const { name, scannedBytesPerEntity } of QUESTIONS) {
    if (p50 === null || scannedBytesPerEntity === null) continue;
    const scanMs = (p50.get(name) as number) - (p50.get('') as number);
    const bytes = scannedBytesPerEntity * expected.entityCount;
    const reached = scanMs > 0 ? bytes / 1e6 / scanMs : null;
    if (reached !== null) bench.reached(name, reached / all);
    rows.push([`${name}, ${bytes / 1e6} MB`, reached, scanMs, reached === null ? null : reached / all]);
  }
  return {
    line: 'scan',
    title: 'Speed of the memory, and the share that counts reach',
    columns: ['', 'GB/s', 'ms beyond the round trip', 'of all threads'],
    rows,
    notes: ['columns that fit in the caches may be read faster than the memory allows'],
  };
}
