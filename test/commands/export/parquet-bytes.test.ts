/** Parquet of random record batches, read by DuckDB: the same values, in several row groups; a failure is never a whole file. */
import fs from 'node:fs';
import path from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import {
  Bool,
  Int64,
  RecordBatch,
  type Schema,
  Table,
  TimestampSecond,
  Utf8,
  vectorFromArray,
} from 'apache-arrow';
import t from 'tap';
import { Prng } from '../../../src/base/index.js';
import { parquetBytes } from '../../../src/commands/export/parquet-bytes.js';

const SEED = 20_260_105;
t.comment(`seed ${SEED}`);
const random = new Prng(SEED);

interface Row {
  readonly id: string;
  readonly n: bigint | null;
  readonly city: string | null;
  readonly ok: boolean | null;
  /** Seconds since 1970. */
  readonly at: number | null;
}

const some = <T>(make: () => T): T | null => (random.chance(0.1) ? null : make());
const rowOf = (at: number): Row => ({
  id: `user-${at}`,
  n: some(() => random.pick([2n ** 63n - 1n, -(2n ** 63n), 0n, BigInt(random.u32())])),
  city: some(() => random.pick(['Zürich', '', 'Łódź', 'x'])),
  ok: some(() => random.chance(0.5)),
  at: some(() => random.pick([-62_135_596_800, -1, 0, 253_402_300_799, random.u32(), -random.u32()])),
});

function batchOf(rows: readonly Row[]): RecordBatch {
  const table = new Table({
    id: vectorFromArray(
      rows.map(({ id }) => id),
      new Utf8(),
    ),
    n: vectorFromArray(
      rows.map(({ n }) => n),
      new Int64(),
    ),
    city: vectorFromArray(
      rows.map(({ city }) => city),
      new Utf8(),
    ),
    ok: vectorFromArray(
      rows.map(({ ok }) => ok),
      new Bool(),
    ),
    at: vectorFromArray(
      rows.map(({ at }) => (at === null ? null : at * 1_000)),
      new TimestampSecond('UTC'),
    ),
  });
  return new RecordBatch(table.schema, table.batches[0].data);
}

async function* listed(batches: readonly RecordBatch[], failure?: Error): AsyncGenerator<RecordBatch> {
  yield* batches;
  if (failure !== undefined) throw failure;
}

async function written(schema: Schema, batches: AsyncIterable<RecordBatch>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of parquetBytes({ schema, batches }, 'snappy')) parts.push(part.slice());
  return Buffer.concat(parts);
}

t.test('DuckDB reads every value', async (t) => {
  const rows = Array.from({ length: 130_000 }, (_, at) => rowOf(at));
  const batches: RecordBatch[] = [];
  for (let from = 0; from < rows.length; ) {
    const size = random.between(1, 20_000);
    batches.push(batchOf(rows.slice(from, from + size)));
    from += size;
  }
  const file = path.join(t.testdir(), 'rows.parquet');
  fs.writeFileSync(file, await written(batches[0].schema, listed(batches)));
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  t.teardown(() => connection.closeSync());
  const groups = await connection.runAndReadAll(
    `SELECT COUNT(DISTINCT row_group_id)::INT FROM parquet_metadata('${file}')`,
  );
  t.strictSame(groups.getRowsJson(), [[2]]);
  const read = await connection.runAndReadAll(
    `SELECT id, n::VARCHAR, city, ok, epoch("at")::BIGINT::VARCHAR FROM '${file}'`,
  );
  const found = read.getRowsJson();
  t.equal(found.length, rows.length);
  const wrong = rows.filter(({ id, n, city, ok, at }, index) => {
    const text = (value: bigint | number | null): string | null => (value === null ? null : String(value));
    return JSON.stringify(found[index]) !== JSON.stringify([id, text(n), city, ok, text(at)]);
  });
  t.strictSame(
    wrong.slice(0, 3).map(({ id }) => id),
    [],
  );
});

t.test('batches that fail make the file fail with their error, whenever that is', async (t) => {
  const batch = batchOf([rowOf(1), rowOf(2)]);
  for (const count of [0, 1, 3]) {
    const failure = new Error(`cut off after ${count}`);
    await t.rejects(written(batch.schema, listed(new Array(count).fill(batch), failure)), failure);
  }
});

t.test('a reader that leaves early ends the batches', async (t) => {
  const batch = batchOf(Array.from({ length: 20_000 }, (_, at) => rowOf(at)));
  let ended = false;
  async function* batches(): AsyncGenerator<RecordBatch> {
    try {
      for (;;) yield batch;
    } finally {
      ended = true;
    }
  }
  for await (const _ of parquetBytes({ schema: batch.schema, batches: batches() }, 'none')) break;
  t.ok(ended);
});

t.test('no rows make a file with the columns', async (t) => {
  const { schema } = batchOf([rowOf(1)]);
  const bytes = await written(schema, listed([]));
  t.equal(bytes.subarray(-4).toString(), 'PAR1');
});
