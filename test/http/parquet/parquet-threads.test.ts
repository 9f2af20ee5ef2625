/** Files that a thread reads as batches of Arrow: the same rows, within the limits. */
import { setTimeout as pause } from 'node:timers/promises';
import { type Table, tableFromArrays, tableFromIPC } from 'apache-arrow';
import t from 'tap';
import type { QuarryError } from '../../../src/base/index.js';
import {
  BATCH_BYTES_MAX,
  BATCH_ROWS_MAX,
  PARQUET_ROWS_MAX,
} from '../../../src/http/parquet/parquet-messages.js';
import { ParquetThreads } from '../../../src/http/parquet/parquet-threads.js';
import { PARQUET_THREAD_FILE } from '../harness.js';
import { parquetOf, parquetOfDuckDb } from './parquet-files.js';

const MIB = 2 ** 20;
t.setTimeout(180_000);
const STREAM_END = Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0);
let reservedBytes = 0;
let capacityBytes = Number.POSITIVE_INFINITY;

const threadsOf = (batchBytesMax: number, memoryBytesMax = 128 * MIB): ParquetThreads =>
  new ParquetThreads({
    threadFile: PARQUET_THREAD_FILE,
    memoryBytesMax,
    batchBytesMax,
    reserveMemory: (bytes) => {
      if (reservedBytes + bytes > capacityBytes) return null;
      reservedBytes += bytes;
      return () => {
        reservedBytes -= bytes;
      };
    },
  });

interface Read {
  /** Rows and bytes of each batch. */
  readonly batches: readonly { readonly rowCount: number; readonly byteLength: number }[];
  readonly table: Table;
}

const rowsOf = (table: Table): unknown[] => table.toArray().map((row) => ({ ...row }));

async function read(threads: ParquetThreads, file: Uint8Array): Promise<Read> {
  const reading = await threads.open(() => file);
  if (reading === null) throw new Error('nothing was opened');
  const all: Uint8Array[] = [];
  try {
    for (let next = await reading.next(); next !== null; next = await reading.next()) all.push(next);
  } finally {
    reading.close();
  }
  const table = tableFromIPC(Buffer.concat([...all, STREAM_END]));
  const batches = table.batches.map(({ numRows }, at) => ({ rowCount: numRows, byteLength: all[at].length }));
  return { batches, table };
}

const refusalOf = (reading: Promise<unknown>): Promise<QuarryError> =>
  reading.then(
    () => t.fail('a file is read') as never,
    (error: QuarryError) => error,
  );

t.test('rows are read in batches of one row group each', async (t) => {
  const count = 2_500;
  const table = tableFromArrays({
    id: Array.from({ length: count }, (_, at) => `user ${at % 7}`),
    n: Int32Array.from({ length: count }, (_, at) => at),
  });
  const { batches, table: got } = await read(threadsOf(32 * MIB), parquetOf(table, 1_000));
  t.strictSame(
    batches.map(({ rowCount }) => rowCount),
    [1_000, 1_000, 500],
  );
  t.strictSame(rowsOf(got), rowsOf(table));
  const { table: none } = await read(
    threadsOf(32 * MIB),
    await parquetOfDuckDb('SELECT 1 AS id WHERE FALSE'),
  );
  t.strictSame(rowsOf(none), []);
});

t.test('batches have at most as many rows and bytes as the limits', async (t) => {
  const count = 300_000;
  const narrow = await parquetOfDuckDb(`SELECT i AS id FROM range(${count}) t(i)`, ', ROW_GROUP_SIZE 300000');
  const { batches } = await read(threadsOf(32 * MIB), narrow);
  t.strictSame(
    batches.map(({ rowCount }) => rowCount),
    [BATCH_ROWS_MAX, BATCH_ROWS_MAX, count - 2 * BATCH_ROWS_MAX],
  );
  const wideCount = 40_000;
  // Later rows are longer than the first ones.
  const wide = await parquetOfDuckDb(
    `SELECT i AS id, repeat('x', CASE WHEN i < 2000 THEN 1 ELSE 400 END) AS note FROM range(${wideCount}) t(i)`,
  );
  const { batches: many, table } = await read(threadsOf(32 * MIB), wide);
  t.ok(many.length > 5, `${many.length} batches`);
  for (const { rowCount, byteLength } of many)
    t.ok(byteLength <= BATCH_BYTES_MAX || rowCount <= 1_024, `${rowCount} rows have ${byteLength} bytes`);
  t.strictSame(
    [...(table.getChild('id') ?? [])].map(Number),
    Array.from({ length: wideCount }, (_, at) => at),
  );
});

t.test('a file that is too large, once read, is refused, and the next one is read', async (t) => {
  const threads = threadsOf(8 * MIB, 64 * MIB);
  const bomb = await parquetOfDuckDb(
    "SELECT repeat('x', 200000) AS id FROM range(1024) t(i)",
    ', COMPRESSION zstd',
  );
  t.ok(bomb.length < MIB, `${bomb.length} bytes`);
  const { code, message } = await refusalOf(read(threads, bomb));
  t.strictSame([code, /takes more than 67108864 bytes/.test(message)], [1503, true], message);
  const long = await parquetOfDuckDb(`SELECT 1 AS id FROM range(${PARQUET_ROWS_MAX + 1}) t(i)`);
  t.match(await refusalOf(read(threads, long)), { code: 1507, message: /16777217 rows/ });
  t.equal((await read(threads, await parquetOfDuckDb('SELECT 5 AS id'))).table.numRows, 1);
  while (reservedBytes > 0) await pause(10);
});

t.test('a thread that cannot be started leaves its memory and its slot to the next file', async (t) => {
  const settings = {
    threadFile: 'no path',
    memoryBytesMax: 64 * MIB,
    batchBytesMax: 8 * MIB,
    reserveMemory: (bytes: number) => {
      reservedBytes += bytes;
      return () => {
        reservedBytes -= bytes;
      };
    },
  };
  const threads = new ParquetThreads(settings);
  const file = await parquetOfDuckDb('SELECT 5 AS id');
  const waiting = [1, 2].map(() =>
    t.rejects(
      threads.open(() => file),
      { code: 'ERR_WORKER_PATH' },
    ),
  );
  await Promise.all(waiting);
  t.equal(reservedBytes, 0);
  settings.threadFile = PARQUET_THREAD_FILE;
  t.equal((await read(threads, file)).table.numRows, 1);
  while (reservedBytes > 0) await pause(10);
});

t.test('one file is read at a time, and others wait', async (t) => {
  const threads = threadsOf(8 * MIB);
  const file = await parquetOfDuckDb('SELECT 5 AS id');
  const first = await threads.open(() => file);
  let isOpen = false;
  const second = threads
    .open(() => file)
    .then((reading) => {
      isOpen = true;
      return reading;
    });
  const left = threads.open(() => null);
  t.ok((await first?.next()) instanceof Uint8Array);
  t.equal(isOpen, false);
  first?.close();
  const reading = await second;
  t.ok((await reading?.next()) instanceof Uint8Array);
  reading?.close();
  t.equal(await left, null, 'a file that nobody waits for is not read');
  t.strictSame((await read(threads, file)).table.numRows, 1);
  capacityBytes = 100 * MIB;
  t.match(await refusalOf(threads.open(() => file)), { code: 9003 });
  capacityBytes = Number.POSITIVE_INFINITY;
  t.equal((await read(threads, file)).table.numRows, 1);
});
