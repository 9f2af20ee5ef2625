/**
 * Measures the aggregating kernels on one core: all segments of a column in one memory, one call per segment, SIMD and JS
 * twins. Every answer is checked against a row-at-a-time loop. GB/s count the bytes of all values, read or not.
 *   node dist/native-bench/kernels/aggregate.bench.js [rows] [rounds]
 */
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import { invariant, Prng, SEGMENT_ROWS_MAX } from '../../src/base/index.js';
import {
  ARENA_RESERVED_BYTES,
  bitmapBytes,
  compileKernels,
  type Kernels,
  kernelsFor,
} from '../../src/kernels/index.js';
import { readI64, readSum } from '../../test/kernels/results.js';

const SEED = 7;
const BITMAP_BYTES = bitmapBytes(SEGMENT_ROWS_MAX);
/** Bytes of a result: a cache line, so that columns begin on one. */
const OUT_BYTES = 64;

const WIDTHS = { I8: 1, I16: 2, I32: 4, I64: 8 } as const;
type Width = keyof typeof WIDTHS;
const widths = Object.keys(WIDTHS) as Width[];

/** Number of random rows set in every 64; `all` means no bitmap. */
const SELECTIONS = { all: 64, full: 64, half: 32, eighth: 8, '1 of 64': 1 } as const;
type Selection = keyof typeof SELECTIONS;
const selections = Object.keys(SELECTIONS) as Selection[];

export interface BenchRow {
  readonly kernel: string;
  readonly selection: Selection;
  readonly set: 'simd' | 'js';
  readonly msBest: number;
  readonly msMedian: number;
  readonly gigabytesPerSecond: number;
  /** The sum, or minimum and maximum; the bench stops if it differs from the loop's. */
  readonly answer: string;
}

interface Columns {
  readonly memory: WebAssembly.Memory;
  /** Byte offsets of the columns and bitmaps, segment after segment, and of the result. */
  readonly values: Record<Width, number>;
  readonly bitmaps: Record<Selection, number>;
  readonly out: number;
}

/** `rowCount` random values in each width. */
function fillColumns(rowCount: number): Columns {
  const segmentCount = Math.ceil(rowCount / SEGMENT_ROWS_MAX);
  let top = ARENA_RESERVED_BYTES;
  const take = (bytes: number): number => {
    top += bytes;
    return top - bytes;
  };
  const out = take(OUT_BYTES);
  const values = {} as Record<Width, number>;
  for (const width of widths) values[width] = take(segmentCount * SEGMENT_ROWS_MAX * WIDTHS[width]);
  const bitmaps = {} as Record<Selection, number>;
  for (const selection of selections) bitmaps[selection] = take(segmentCount * BITMAP_BYTES);
  const pages = Math.ceil(top / 65_536);
  const memory = new WebAssembly.Memory({ initial: pages, maximum: pages });

  const prng = new Prng(SEED);
  for (const width of widths) {
    const words = new Uint32Array(memory.buffer, values[width], Math.ceil((rowCount * WIDTHS[width]) / 4));
    for (let word = 0; word < words.length; word++) words[word] = prng.u32();
  }
  for (const selection of selections) {
    const bits = new Uint8Array(memory.buffer, bitmaps[selection], segmentCount * BITMAP_BYTES);
    const chance = SELECTIONS[selection] / 64;
    for (let row = 0; row < rowCount; row++) if (prng.chance(chance)) bits[row >> 3] |= 1 << (row & 7);
  }
  return { memory, values, bitmaps, out };
}

interface Answers {
  readonly sum: bigint;
  readonly least: bigint;
  readonly greatest: bigint;
}

/** Computes the expected result row by row. */
function answersOf(columns: Columns, width: Width, selection: Selection, rowCount: number): Answers {
  const { buffer } = columns.memory;
  const bits = new Uint8Array(buffer, columns.bitmaps[selection]);
  const at = columns.values[width];
  const rows = {
    I8: () => new Int8Array(buffer, at, rowCount),
    I16: () => new Int16Array(buffer, at, rowCount),
    I32: () => new Int32Array(buffer, at, rowCount),
    I64: () => new BigInt64Array(buffer, at, rowCount),
  }[width]();
  let sum = 0n;
  let least = rows[0];
  let greatest = rows[0];
  let isFirst = true;
  for (let row = 0; row < rowCount; row++) {
    if ((bits[row >> 3] & (1 << (row & 7))) === 0) continue;
    const value = rows[row];
    sum += BigInt(value);
    if (isFirst || value < least) least = value;
    if (isFirst || value > greatest) greatest = value;
    isFirst = false;
  }
  return { sum, least: BigInt(least), greatest: BigInt(greatest) };
}

export function aggregateBench(wasmBytes: Uint8Array, rowCount: number, rounds: number): BenchRow[] {
  const columns = fillColumns(rowCount);
  const words = new Uint32Array(columns.memory.buffer);
  const sets = [kernelsFor(columns.memory, compileKernels(wasmBytes)), kernelsFor(columns.memory, null)];
  const { out } = columns;

  /** Calls `each` per segment with its values, bitmap and rows. */
  const segments = (
    width: Width,
    selection: Selection,
    each: (values: number, bitmap: number, rows: number) => void,
  ): void => {
    for (let first = 0, index = 0; first < rowCount; first += SEGMENT_ROWS_MAX, index++) {
      const bitmap = selection === 'all' ? 0 : columns.bitmaps[selection] + index * BITMAP_BYTES;
      const rows = Math.min(SEGMENT_ROWS_MAX, rowCount - first);
      each(columns.values[width] + first * WIDTHS[width], bitmap, rows);
    }
  };
  const sum = (kernels: Kernels, width: Width, selection: Selection): string => {
    let total = 0n;
    segments(width, selection, (values, bitmap, rows) => {
      kernels[`sum${width}`](values, bitmap, rows, out);
      total += readSum(words, out);
    });
    return String(total);
  };
  const extremes = (kernels: Kernels, width: Width, selection: Selection): string => {
    let least: bigint | null = null;
    let greatest: bigint | null = null;
    segments(width, selection, (values, bitmap, rows) => {
      if (kernels[`extremes${width}`](values, bitmap, rows, out) === 0) return;
      const low = readI64(words, out);
      const high = readI64(words, out + 8);
      if (least === null || low < least) least = low;
      if (greatest === null || high > greatest) greatest = high;
    });
    return `${least} to ${greatest}`;
  };

  const found: BenchRow[] = [];
  for (const width of widths) {
    for (const selection of selections) {
      const expected = answersOf(columns, width, selection, rowCount);
      const probes = [
        { kernel: `sum${width}`, run: sum, wanted: String(expected.sum) },
        { kernel: `extremes${width}`, run: extremes, wanted: `${expected.least} to ${expected.greatest}` },
      ];
      for (const { kernel, run, wanted } of probes) {
        for (const kernels of sets) {
          const times: number[] = [];
          for (let round = 0; round < rounds + 2; round++) {
            const start = performance.now();
            const answer = run(kernels, width, selection);
            // The first two rounds warm the compilers up.
            if (round >= 2) times.push(performance.now() - start);
            invariant(answer === wanted, `${kernel} (${kernels.name}) gave ${answer}, expected ${wanted}`);
          }
          times.sort((a, b) => a - b);
          const msMedian = times[times.length >> 1];
          found.push({
            kernel,
            selection,
            set: kernels.name,
            msBest: times[0],
            msMedian,
            gigabytesPerSecond: (rowCount * WIDTHS[width]) / 1e6 / msMedian,
            answer: wanted,
          });
        }
      }
    }
  }
  return found;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const rowCount = Number(process.argv[2] ?? 10_000_000);
  const rounds = Number(process.argv[3] ?? 11);
  const wasmBytes = fs.readFileSync(new URL('../../src/kernels/kernels.wasm', import.meta.url));
  console.log(`${rowCount} rows, ${Math.ceil(rowCount / SEGMENT_ROWS_MAX)} segments, seed ${SEED}, one core`);
  console.log(
    'kernel'.padEnd(12),
    'rows set',
    'set ',
    ' best ms',
    ' median ms',
    '  GB/s',
    '  answer (checked)',
  );
  for (const row of aggregateBench(wasmBytes, rowCount, rounds)) {
    console.log(
      row.kernel.padEnd(12),
      row.selection.padEnd(8),
      row.set.padEnd(4),
      row.msBest.toFixed(2).padStart(8),
      row.msMedian.toFixed(2).padStart(10),
      row.gigabytesPerSecond.toFixed(1).padStart(6),
      ` ${row.answer}`,
    );
  }
}
