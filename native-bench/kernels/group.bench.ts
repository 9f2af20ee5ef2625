/**
 * Measures the kernels of a dense aggregation on one core: rows of a block become records that are added to tables of
 * growing sizes, by one kernel for all aggregates and by one kernel per aggregate; slots are found by a hash table, with
 * and without partitions; values are scattered into runs, which are sorted. Every answer is checked against a loop.
 *   node dist/native-bench/kernels/group.bench.js [rows] [rounds]
 */
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import { invariant, Prng } from '../../src/base/index.js';
import { HashPartitions, PARTITION_COUNT } from '../../src/exec/aggregate/dense/hash-partitions.js';
import { HashTable } from '../../src/exec/aggregate/dense/hash-table.js';
import { QueryMemory } from '../../src/exec/query-memory.js';
import { UNBOUNDED } from '../../src/exec/query-run.js';
import { ARENA_RESERVED_BYTES, compileKernels, type Kernels, kernelsFor } from '../../src/kernels/index.js';

const SEED = 11;
/** Rows of a block, as in src/exec/aggregate/dense/dense-table.ts. */
const BLOCK_ROWS = 4_096;
/** Bytes of a count and three sums. */
const RECORD_BYTES = 32;
/** The group sizes of the sort. */
const RUN_LENGTHS = [16, 500, 50_000];
const SLOT_COUNTS = [100, 10_000, 100_000, 1_000_000];
/** Bytes of a count and a sum. */
const SHORT_RECORD_BYTES = 16;

export interface GroupBenchRow {
  readonly work: string;
  readonly nanosecondsPerRow: number;
}

/** The median CPU time of `run`, in nanoseconds per row; `check` follows each round. */
function measure(rows: number, rounds: number, run: () => void, check: () => void): number {
  const times: number[] = [];
  for (let round = 0; round < rounds + 2; round++) {
    const start = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(start);
    // The first two rounds warm the compiler up.
    if (round >= 2) times.push(((user + system) * 1_000) / rows);
    check();
  }
  return times.sort((a, b) => a - b)[times.length >> 1];
}

class Bench {
  readonly #memory: WebAssembly.Memory;
  readonly #kernels: Kernels;
  readonly #prng = new Prng(SEED);
  readonly rows: number;
  readonly #rounds: number;

  constructor(wasmBytes: Uint8Array, rows: number, rounds: number) {
    this.rows = Math.ceil(rows / BLOCK_ROWS) * BLOCK_ROWS;
    this.#rounds = rounds;
    const bytes = ARENA_RESERVED_BYTES + this.rows * 24 + 1_000_000 * 2 * RECORD_BYTES + 4 * 2 ** 20;
    const pages = Math.ceil(bytes / 65_536);
    this.#memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
    this.#kernels = kernelsFor(this.#memory, compileKernels(wasmBytes));
  }

  /** Three sums and a count by `slotCount` slots, with one kernel for all. */
  records(slotCount: number): GroupBenchRow {
    const { buffer } = this.#memory;
    const [u32, i32, i64] = [new Uint32Array(buffer), new Int32Array(buffer), new BigInt64Array(buffer)];
    const slots = ARENA_RESERVED_BYTES;
    const values = slots + this.rows * 4;
    const block = values + BLOCK_ROWS * 4;
    const table = block + BLOCK_ROWS * RECORD_BYTES;
    for (let row = 0; row < this.rows; row++) u32[slots / 4 + row] = this.#prng.below(slotCount);
    for (let row = 0; row < BLOCK_ROWS; row++) i32[values / 4 + row] = this.#prng.below(1_000) - 500;
    const wanted = new BigInt64Array(slotCount * 2);
    for (let row = 0; row < this.rows; row++) {
      const slot = u32[slots / 4 + row];
      wanted[slot * 2]++;
      wanted[slot * 2 + 1] += BigInt(i32[values / 4 + (row % BLOCK_ROWS)]);
    }
    const { stageI32, stageOnes, addRecords, fillI64 } = this.#kernels;
    const run = (): void => {
      fillI64(0n, (slotCount * RECORD_BYTES) / 8, table);
      stageOnes(BLOCK_ROWS, block, RECORD_BYTES);
      for (let from = 0; from < this.rows; from += BLOCK_ROWS) {
        for (let field = 1; field < 4; field++)
          stageI32(values, 0, BLOCK_ROWS, block + field * 8, RECORD_BYTES);
        addRecords(slots + from * 4, BLOCK_ROWS, block, RECORD_BYTES, table);
      }
    };
    const check = (): void => {
      for (let slot = 0; slot < slotCount; slot++) {
        const at = (table + slot * RECORD_BYTES) / 8;
        const isRight =
          i64[at] === wanted[slot * 2] &&
          [1, 2, 3].every((field) => i64[at + field] === wanted[slot * 2 + 1]);
        invariant(isRight, `slot ${slot} is wrong`);
      }
    };
    const nanosecondsPerRow = measure(this.rows, this.#rounds, run, check);
    return { work: `count and three sums, ${slotCount} slots, one record each`, nanosecondsPerRow };
  }

  /** The same with a table and a kernel for each aggregate, by slots of 16 bits. */
  separately(slotCount: number): GroupBenchRow {
    const { buffer } = this.#memory;
    const [u16, i32, i64] = [new Uint16Array(buffer), new Int32Array(buffer), new BigInt64Array(buffer)];
    const slots = ARENA_RESERVED_BYTES;
    const values = slots + this.rows * 2;
    const counts = values + BLOCK_ROWS * 4;
    const sums = counts + slotCount * 8;
    for (let row = 0; row < this.rows; row++) u16[slots / 2 + row] = this.#prng.below(slotCount);
    for (let row = 0; row < BLOCK_ROWS; row++) i32[values / 4 + row] = this.#prng.below(1_000) - 500;
    const wanted = new BigInt64Array(slotCount);
    for (let row = 0; row < this.rows; row++)
      wanted[u16[slots / 2 + row]] += BigInt(i32[values / 4 + (row % BLOCK_ROWS)]);
    const { sumGroupSlotsI32, countCodesU16, fillI64 } = this.#kernels;
    const run = (): void => {
      fillI64(0n, slotCount * 4, counts);
      for (let from = 0; from < this.rows; from += BLOCK_ROWS) {
        countCodesU16(slots + from * 2, 0, BLOCK_ROWS, counts);
        for (let field = 0; field < 3; field++) {
          sumGroupSlotsI32(values, slots + from * 2, 0, BLOCK_ROWS, sums + field * slotCount * 8);
        }
      }
    };
    const check = (): void => {
      for (let at = 0; at < slotCount * 3; at++) {
        invariant(i64[sums / 8 + at] === wanted[at % slotCount], `slot ${at % slotCount} is wrong`);
      }
    };
    const nanosecondsPerRow = measure(this.rows, this.#rounds, run, check);
    return { work: `count and three sums, ${slotCount} slots, a kernel each`, nanosecondsPerRow };
  }

  /** Values scattered into runs of about `length`, and sorted there. */
  runs(length: number): GroupBenchRow[] {
    const { buffer } = this.#memory;
    const [u32, i64] = [new Uint32Array(buffer), new BigInt64Array(buffer)];
    const runCount = Math.max(1, Math.floor(this.rows / length));
    const slots = ARENA_RESERVED_BYTES;
    const values = slots + this.rows * 4;
    const out = values + this.rows * 8;
    const starts = out + this.rows * 8;
    const cursors = starts + (runCount + 1) * 4;
    const scratch = Math.ceil((cursors + runCount * 4) / 8) * 8;
    const counts = new Uint32Array(runCount);
    for (let row = 0; row < this.rows; row++) {
      const run = this.#prng.below(runCount);
      counts[run]++;
      u32[slots / 4 + row] = run;
      i64[values / 8 + row] = BigInt(this.#prng.below(100_000_000));
    }
    for (let run = 0, start = 0; run <= runCount; start += counts[run++]) u32[starts / 4 + run] = start;
    const { scatterRuns, sortRuns } = this.#kernels;
    const scatter = (): void => {
      u32.copyWithin(cursors / 4, starts / 4, starts / 4 + runCount);
      scatterRuns(slots, values, this.rows, cursors, out);
    };
    const scattered = measure(this.rows, this.#rounds, scatter, () =>
      invariant(u32[cursors / 4 + runCount - 1] === this.rows, 'every value is in its run'),
    );
    const both = measure(
      this.rows,
      this.#rounds,
      () => {
        scatter();
        sortRuns(out, starts, runCount, scratch);
      },
      () => {
        for (let run = 0; run < runCount; run++) {
          for (let at = u32[starts / 4 + run] + 1; at < u32[starts / 4 + run + 1]; at++)
            invariant(i64[out / 8 + at - 1] <= i64[out / 8 + at], `run ${run} is not sorted`);
        }
      },
    );
    return [
      { work: `values to runs of ${length}`, nanosecondsPerRow: scattered },
      { work: `sort in runs of ${length}`, nanosecondsPerRow: both - scattered },
    ];
  }
}

/** Allocates in a memory that nothing else uses. */
function allocated(memory: QueryMemory, bytes: number): number {
  const at = memory.allocateUnset(bytes, UNBOUNDED);
  invariant(at !== null, 'there is memory for the benchmark');
  return at;
}

/** A count and a sum by key words of `groupCount` different values, which a hash table numbers. */
function hashed(
  module: WebAssembly.Module,
  rows: number,
  rounds: number,
  groupCount: number,
): GroupBenchRow[] {
  const prng = new Prng(SEED);
  const memory = new QueryMemory(module);
  // Allocated anew in each round, at the same offsets and with the same contents.
  const allocate = () => ({
    words: allocated(memory, rows * 8),
    staged: allocated(memory, BLOCK_ROWS * SHORT_RECORD_BYTES),
    slots: allocated(memory, BLOCK_ROWS * 4),
    groupKeys: allocated(memory, (groupCount + BLOCK_ROWS) * 8),
    records: allocated(memory, (groupCount + BLOCK_ROWS) * SHORT_RECORD_BYTES),
  });
  const { words, staged, slots, groupKeys, records } = allocate();
  for (let row = 0; row < rows; row++)
    memory.i64[words / 8 + row] = BigInt(prng.below(groupCount)) * 1_000_003n;
  const different = new Set(memory.i64.subarray(words / 8, words / 8 + rows)).size;
  memory.kernels.stageOnes(BLOCK_ROWS * 2, staged, 8);
  let table = new HashTable(memory, UNBOUNDED);
  let used = 0;
  const add = (at: number, from: number, count: number): void => {
    table.reserve(count, groupKeys + used * 8);
    table.find(at, 0, count, groupKeys + used * 8, slots);
    memory.kernels.addRecords(slots, count, from, SHORT_RECORD_BYTES, records + used * SHORT_RECORD_BYTES);
  };
  const start = (): void => {
    used = 0;
    memory.clear();
    allocate();
    table = new HashTable(memory, UNBOUNDED);
    memory.kernels.fillI64(0n, (groupCount * SHORT_RECORD_BYTES) / 8, records);
  };
  const plainly = (): void => {
    start();
    for (let row = 0; row < rows; row += BLOCK_ROWS) add(words + row * 8, staged, BLOCK_ROWS);
    used = table.count;
  };
  const partitioned = (): void => {
    start();
    const chunks = HashPartitions.create(memory, UNBOUNDED, SHORT_RECORD_BYTES, 0);
    invariant(chunks !== null, 'there is memory for partitions');
    for (let row = 0; row < rows; row += BLOCK_ROWS)
      chunks.add({ words: words + row * 8, records: staged, extremes: 0, count: BLOCK_ROWS });
    for (let partition = 0; partition < PARTITION_COUNT; partition++) {
      for (const chunk of chunks.rowsOf(partition)) add(chunk.words, chunk.records, chunk.count);
      used += table.count;
      table.clear();
    }
  };
  const check = (): void => {
    let sum = 0;
    for (let group = 0; group < used; group++) sum += memory.u32[(records + group * SHORT_RECORD_BYTES) / 4];
    invariant(used === different && sum === rows, 'every row is counted in one group');
  };
  const hashedRows = measure(rows, rounds, plainly, check);
  const partitionedRows = measure(rows, rounds, partitioned, check);
  return [
    { work: `count and sum, ${groupCount} key words, hashed`, nanosecondsPerRow: hashedRows },
    { work: `count and sum, ${groupCount} key words, partitioned`, nanosecondsPerRow: partitionedRows },
  ];
}

export function groupBench(wasmBytes: Uint8Array, rows: number, rounds: number): GroupBenchRow[] {
  const bench = new Bench(wasmBytes, rows, rounds);
  return [
    ...SLOT_COUNTS.map((slotCount) => bench.records(slotCount)),
    ...SLOT_COUNTS.filter((slotCount) => slotCount <= 65_536).map((slotCount) => bench.separately(slotCount)),
    ...RUN_LENGTHS.flatMap((length) => bench.runs(length)),
    ...SLOT_COUNTS.flatMap((groupCount) => hashed(compileKernels(wasmBytes), bench.rows, rounds, groupCount)),
  ];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const rows = Number(process.argv[2] ?? 5_000_000);
  const rounds = Number(process.argv[3] ?? 7);
  const wasmBytes = fs.readFileSync(new URL('../../src/kernels/kernels.wasm', import.meta.url));
  console.log(`${rows} rows, seed ${SEED}, one core, CPU time, medians; every answer checked`);
  for (const { work, nanosecondsPerRow } of groupBench(wasmBytes, rows, rounds)) {
    console.log(work.padEnd(56), `${nanosecondsPerRow.toFixed(2)} ns a row`);
  }
}
