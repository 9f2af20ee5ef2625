/**
 * Measures the filter kernels on one core: all segments of a column in one memory, one call per segment, SIMD and JS
 * twins. Every count is checked against a row-at-a-time loop. GB/s count the bytes of the input.
 *   node dist/native-bench/kernels/select.bench.js [rows] [rounds]
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

const SEED = 7;
const BITMAP_BYTES = bitmapBytes(SEGMENT_ROWS_MAX);
const TABLE_BYTES = 8192;

/** Columns of the bench, with their bytes per row. */
const COLUMNS = { u8: 1, u16: 2, u32: 4, i32: 4, i64: 8 } as const;
type Column = keyof typeof COLUMNS;

export interface BenchRow {
  readonly kernel: string;
  readonly set: 'simd' | 'js';
  readonly msBest: number;
  readonly msMedian: number;
  readonly gigabytesPerSecond: number;
  /** Selected rows of all segments; the bench stops if the count differs from the loop's. */
  readonly selected: number;
}

/** Offsets of a segment: each column, its validity and the output bitmap. */
interface Segment extends Record<Column, number> {
  readonly rows: number;
  readonly validity: number;
  readonly other: number;
  readonly out: number;
}

interface Probe {
  readonly kernel: string;
  readonly bytesPerRow: number;
  run(kernels: Kernels, segment: Segment): number;
  keeps(row: number): boolean;
}

export function selectBench(wasmBytes: Uint8Array, rowCount: number, rounds: number): BenchRow[] {
  const segmentCount = Math.ceil(rowCount / SEGMENT_ROWS_MAX);
  const valueBytes = Object.values(COLUMNS).reduce((sum, bytes) => sum + bytes, 0);
  const byteCount =
    ARENA_RESERVED_BYTES + TABLE_BYTES + segmentCount * (SEGMENT_ROWS_MAX * valueBytes + 3 * BITMAP_BYTES);
  const pages = Math.ceil(byteCount / 65_536);
  const memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
  let top = ARENA_RESERVED_BYTES;
  const take = (bytes: number): number => {
    top += bytes;
    return top - bytes;
  };

  const prng = new Prng(SEED);
  const tableAt = take(TABLE_BYTES);
  const table = new Uint8Array(memory.buffer, tableAt, TABLE_BYTES);
  for (let code = 1; code < 65_536; code++) if (prng.chance(0.1)) table[code >> 3] |= 1 << (code & 7);
  const inTable = (code: number): boolean => (table[code >> 3] & (1 << (code & 7))) !== 0;

  // Column by column, so that a kernel reads one contiguous range of memory, as the scan of a shard does.
  const rowsPadded = segmentCount * SEGMENT_ROWS_MAX;
  const at = Object.fromEntries(
    (Object.keys(COLUMNS) as Column[]).map((column) => [column, take(rowsPadded * COLUMNS[column])]),
  ) as Record<Column, number>;
  const [validityAt, otherAt, outAt] = [0, 1, 2].map(() => take(segmentCount * BITMAP_BYTES));
  const u8 = new Uint8Array(memory.buffer, at.u8, rowsPadded);
  const u16 = new Uint16Array(memory.buffer, at.u16, rowsPadded);
  const u32 = new Uint32Array(memory.buffer, at.u32, rowsPadded);
  const i32 = new Int32Array(memory.buffer, at.i32, rowsPadded);
  const i64 = new BigInt64Array(memory.buffer, at.i64, rowsPadded);
  const validity = new Uint8Array(memory.buffer, validityAt, segmentCount * BITMAP_BYTES);
  const other = new Uint8Array(memory.buffer, otherAt, segmentCount * BITMAP_BYTES);
  for (let row = 0; row < rowCount; row++) {
    const random = prng.u32();
    u8[row] = random & 0xff;
    u16[row] = random >>> 16;
    u32[row] = random % 100_000;
    i32[row] = random | 0;
    i64[row] = BigInt(random | 0);
  }
  for (let byte = 0; byte < validity.length; byte++) {
    validity[byte] = prng.u32();
    other[byte] = prng.u32();
  }
  const isSet = (bits: Uint8Array, row: number): boolean => (bits[row >> 3] & (1 << (row & 7))) !== 0;

  const segments: Segment[] = Array.from({ length: segmentCount }, (_, index) => {
    const first = index * SEGMENT_ROWS_MAX;
    return {
      rows: Math.min(SEGMENT_ROWS_MAX, rowCount - first),
      u8: at.u8 + first * COLUMNS.u8,
      u16: at.u16 + first * COLUMNS.u16,
      u32: at.u32 + first * COLUMNS.u32,
      i32: at.i32 + first * COLUMNS.i32,
      i64: at.i64 + first * COLUMNS.i64,
      validity: validityAt + index * BITMAP_BYTES,
      other: otherAt + index * BITMAP_BYTES,
      out: outAt + index * BITMAP_BYTES,
    };
  });

  const probes: Probe[] = [
    {
      kernel: 'equalU8',
      bytesPerRow: 1,
      run: (k, s) => k.equalU8(s.u8, s.rows, 42, false, s.out),
      keeps: (row) => u8[row] === 42,
    },
    {
      kernel: 'equalU16',
      bytesPerRow: 2,
      run: (k, s) => k.equalU16(s.u16, s.rows, 42, false, s.out),
      keeps: (row) => u16[row] === 42,
    },
    {
      kernel: 'equalU32',
      bytesPerRow: 4,
      run: (k, s) => k.equalU32(s.u32, s.rows, 42, false, s.out),
      keeps: (row) => u32[row] === 42,
    },
    {
      kernel: 'equalU32, negated',
      bytesPerRow: 4,
      run: (k, s) => k.equalU32(s.u32, s.rows, 42, true, s.out),
      keeps: (row) => u32[row] !== 42 && u32[row] !== 0,
    },
    {
      kernel: 'rangeU32',
      bytesPerRow: 4,
      run: (k, s) => k.rangeU32(s.u32, s.rows, 1_000, 60_000, s.out),
      keeps: (row) => u32[row] >= 1_000 && u32[row] <= 60_000,
    },
    {
      kernel: 'rangeI32, validity',
      bytesPerRow: 4.125,
      run: (k, s) => k.rangeI32(s.i32, s.validity, s.rows, -1_000_000, 900_000_000, false, s.out),
      keeps: (row) => isSet(validity, row) && i32[row] >= -1_000_000 && i32[row] <= 900_000_000,
    },
    {
      kernel: 'rangeI64, validity',
      bytesPerRow: 8.125,
      run: (k, s) => k.rangeI64(s.i64, s.validity, s.rows, -1_000_000n, 900_000_000n, false, s.out),
      keeps: (row) => isSet(validity, row) && i32[row] >= -1_000_000 && i32[row] <= 900_000_000,
    },
    {
      kernel: 'memberU8',
      bytesPerRow: 1,
      run: (k, s) => k.memberU8(s.u8, s.rows, tableAt, s.out),
      keeps: (row) => inTable(u8[row]),
    },
    {
      kernel: 'memberU16',
      bytesPerRow: 2,
      run: (k, s) => k.memberU16(s.u16, s.rows, tableAt, s.out),
      keeps: (row) => inTable(u16[row]),
    },
    {
      kernel: 'and',
      bytesPerRow: 0.25,
      run: (k, s) => k.and(s.validity, s.other, s.rows, s.out),
      keeps: (row) => isSet(validity, row) && isSet(other, row),
    },
  ];

  const sets = [kernelsFor(memory, compileKernels(wasmBytes)), kernelsFor(memory, null)];
  return probes.flatMap((probe) => {
    let expected = 0;
    for (let row = 0; row < rowCount; row++) if (probe.keeps(row)) expected++;
    return sets.map((kernels): BenchRow => {
      const times: number[] = [];
      for (let round = 0; round < rounds + 2; round++) {
        const start = performance.now();
        let retained = 0;
        for (const segment of segments) retained += probe.run(kernels, segment);
        // The first two rounds warm the compilers up.
        if (round >= 2) times.push(performance.now() - start);
        invariant(
          retained === expected,
          `${probe.kernel} (${kernels.name}) kept ${retained}, expected ${expected}`,
        );
      }
      times.sort((a, b) => a - b);
      const msMedian = times[times.length >> 1];
      return {
        kernel: probe.kernel,
        set: kernels.name,
        msBest: times[0],
        msMedian,
        gigabytesPerSecond: (rowCount * probe.bytesPerRow) / 1e6 / msMedian,
        selected: expected,
      };
    });
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const rowCount = Number(process.argv[2] ?? 10_000_000);
  const rounds = Number(process.argv[3] ?? 11);
  const wasmBytes = fs.readFileSync(new URL('../../src/kernels/kernels.wasm', import.meta.url));
  console.log(`${rowCount} rows, ${Math.ceil(rowCount / SEGMENT_ROWS_MAX)} segments, seed ${SEED}, one core`);
  console.log('kernel'.padEnd(20), 'set ', ' best ms', ' median ms', '  GB/s', '  kept (checked)');
  for (const row of selectBench(wasmBytes, rowCount, rounds)) {
    console.log(
      row.kernel.padEnd(20),
      row.set.padEnd(4),
      row.msBest.toFixed(2).padStart(8),
      row.msMedian.toFixed(2).padStart(10),
      row.gigabytesPerSecond.toFixed(1).padStart(6),
      String(row.selected).padStart(16),
    );
  }
}
