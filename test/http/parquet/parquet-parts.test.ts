/** A Parquet file as parts of a body: however it arrives and wherever it is left, its memory is released. */
import { hash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { tableFromArrays, tableFromIPC } from 'apache-arrow';
import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { ParquetParts } from '../../../src/http/parquet/parquet-parts.js';
import { ParquetThreads } from '../../../src/http/parquet/parquet-threads.js';
import { ByteBudget } from '../../../src/http/transport/body.js';
import { PARQUET_THREAD_FILE } from '../harness.js';
import { parquetOf, parquetOfDuckDb } from './parquet-files.js';

const MIB = 2 ** 20;
const SEED = Number(process.env.QUARRY_TEST_SEED ?? 4_712);
t.comment(`seed ${SEED}`);
t.setTimeout(120_000);

const random = new Prng(SEED);
const numbers = Int32Array.from({ length: 2_500 }, (_, at) => at);
const file = parquetOf(tableFromArrays({ n: numbers }), 1_000);
let reservedBytes = 0;
const threadsOf = (batchBytesMax: number): ParquetThreads =>
  new ParquetThreads({
    threadFile: PARQUET_THREAD_FILE,
    memoryBytesMax: 256 * MIB,
    batchBytesMax,
    reserveMemory: (bytes) => {
      reservedBytes += bytes;
      return () => {
        reservedBytes -= bytes;
      };
    },
  });
const threads = threadsOf(MIB);

function send(parts: ParquetParts, bytes: Uint8Array, chunkBytesMax = 2_000): void {
  for (let at = 0; at < bytes.length; ) {
    const chunk = bytes.slice(at, at + random.between(1, chunkBytesMax));
    if (!parts.add(chunk)) throw new Error('no capacity');
    at += chunk.length;
    chunk.fill(0xff);
  }
  parts.end();
}

async function released(budget: ByteBudget): Promise<void> {
  t.equal(budget.reservedBytes, 0, 'the bytes of the body are released');
  while (reservedBytes > 0) await pause(10);
}

t.test('each row group is a part', async (t) => {
  const budget = new ByteBudget(64 * MIB);
  const parts = new ParquetParts(budget, threads);
  t.equal(parts.coming, null, 'nothing comes before the end');
  send(parts, file);
  const found: [first: number, count: number][] = [];
  const values: unknown[] = [];
  while (parts.hasPart || parts.coming !== null) {
    await parts.coming;
    if (!parts.hasPart) continue;
    const { firstLine, lineCount, text } = parts.take();
    found.push([firstLine, lineCount]);
    values.push(...(tableFromIPC((text as Uint8Array).slice()).getChild('n') ?? []));
  }
  t.equal(parts.fault, null);
  t.strictSame(found, [
    [1, 1_000],
    [1_001, 1_000],
    [2_001, 500],
  ]);
  t.strictSame(values, [...numbers]);
  parts.release();
  await released(budget);
});

/** Rows and hash of each part of `bytes`, for a server with this limit, and the fault at the end. */
async function divided(bytes: Uint8Array, batchBytesMax: number) {
  const budget = new ByteBudget(128 * MIB);
  const parts = new ParquetParts(budget, threadsOf(batchBytesMax));
  send(parts, bytes, MIB);
  const found: string[] = [];
  while (parts.hasPart || parts.coming !== null) {
    await parts.coming;
    if (!parts.hasPart) continue;
    const { number, firstLine, lineCount, text } = parts.take();
    found.push(`${number}: ${firstLine} ${lineCount} ${hash('sha256', text as Uint8Array)}`);
  }
  const { fault } = parts;
  parts.release();
  await released(budget);
  return { found, fault };
}

t.test('a file has the same parts, whatever the limit of a part', async (t) => {
  const rows =
    "SELECT i AS id, repeat('v', CASE WHEN i < 25000 THEN 200 ELSE 900 END) AS note FROM range(35000) t(i)";
  const large = await parquetOfDuckDb(rows);
  const first = await divided(large, 32 * MIB);
  t.equal(first.fault, null);
  t.ok(first.found.length > 2, `${first.found.length} parts`);
  t.strictSame(await divided(large, 9 * MIB), first);
  const small = await divided(large, 4_400_000);
  t.match(small.fault, { code: 1507, message: /the rows from row \d+ on take more than 4400000 bytes/ });
  t.ok(small.found.length > 0);
  t.strictSame(small.found, first.found.slice(0, small.found.length), 'what does not fit ends the body');
});

t.test('a file that is left at any time releases its memory, and the next one is read', async () => {
  for (const isLeft of ['before its end', 'before its thread', 'while it is read', 'between parts']) {
    const budget = new ByteBudget(64 * MIB);
    const parts = new ParquetParts(budget, threads);
    if (isLeft === 'before its end') parts.add(file.slice(0, 100));
    else send(parts, file);
    const { coming } = parts;
    if (isLeft === 'while it is read') await pause(random.below(200));
    if (isLeft === 'between parts') {
      await coming;
      parts.take();
    }
    parts.release();
    await coming;
    await parts.coming;
    await released(budget);
  }
});

t.test('a file is refused before its thread if its frame is damaged or its bytes are too many', async (t) => {
  for (const [bytes, code] of [
    [file.subarray(1), 1503],
    [file.subarray(0, -1), 1503],
    [new Uint8Array(threads.fileBytesMax + 1), 1507],
  ] as const) {
    const budget = new ByteBudget(64 * MIB);
    const parts = new ParquetParts(budget, threads);
    send(parts, bytes);
    t.match(parts.fault, { code });
    t.equal(parts.coming, null);
    parts.release();
    await released(budget);
  }
});
