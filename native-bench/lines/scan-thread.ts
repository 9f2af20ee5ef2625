/** A thread of the scan line: fills a memory, waits for all threads, scans it several times, and reports the median. */
import fs from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { Prng, SEGMENT_ROWS_MAX } from '../../src/base/index.js';
import { ARENA_RESERVED_BYTES, bitmapBytes, compileKernels, kernelsFor } from '../../src/kernels/index.js';
import { spreadOf } from '../measure.js';

export interface ScanResult {
  readonly gigabytesPerSecond: number;
  readonly found: number;
  readonly expected: number;
}

const WALKS = 15;
const CODE = 42;
const { seed, bytes, threads, start } = workerData as {
  seed: number;
  bytes: number;
  threads: number;
  start: Int32Array;
};

const segmentCount = Math.max(1, Math.floor(bytes / (SEGMENT_ROWS_MAX * 4)));
const rowCount = segmentCount * SEGMENT_ROWS_MAX;
const out = ARENA_RESERVED_BYTES;
const codesAt = out + bitmapBytes(SEGMENT_ROWS_MAX);
const pages = Math.ceil((codesAt + rowCount * 4) / 65_536);
const memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
const kernels = kernelsFor(
  memory,
  compileKernels(fs.readFileSync(new URL('../../src/kernels/kernels.wasm', import.meta.url))),
);
const codes = new Uint32Array(memory.buffer, codesAt, rowCount);
const prng = new Prng(seed);
let expected = 0;
for (let row = 0; row < rowCount; row++) {
  const code = 1 + (prng.u32() & 127);
  codes[row] = code;
  if (code === CODE) expected++;
}

Atomics.add(start, 0, 1);
while (Atomics.load(start, 0) < threads) Atomics.wait(start, 1, 0, 1);

let found = 0;
const times: number[] = [];
for (let walk = 0; walk < WALKS; walk++) {
  const startMs = performance.now();
  found = 0;
  for (let segment = 0; segment < segmentCount; segment++) {
    found += kernels.equalU32(codesAt + segment * SEGMENT_ROWS_MAX * 4, SEGMENT_ROWS_MAX, CODE, false, out);
  }
  times.push(performance.now() - startMs);
}
const result: ScanResult = {
  gigabytesPerSecond: (rowCount * 4) / 1e6 / spreadOf(times).median,
  found,
  expected,
};
parentPort?.postMessage(result);
