/** Parquet files of parquet-wasm and of DuckDB. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { type Table, tableToIPC } from 'apache-arrow';
import { Compression, Table as WasmTable, WriterPropertiesBuilder, writeParquet } from 'parquet-wasm';

/** The rows of `table` in row groups of `groupRows` rows. */
export function parquetOf(
  table: Table,
  groupRows: number,
  compression = Compression.SNAPPY,
): Uint8Array<ArrayBuffer> {
  const properties = new WriterPropertiesBuilder()
    .setMaxRowGroupSize(groupRows)
    .setCompression(compression)
    .build();
  const file = writeParquet(WasmTable.fromIPCStream(tableToIPC(table, 'stream')), properties);
  return new Uint8Array(file);
}

/** The rows of a SELECT of DuckDB's. `options` of COPY. */
export async function parquetOfDuckDb(select: string, options = ''): Promise<Uint8Array<ArrayBuffer>> {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'quarry-parquet-'));
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    await connection.run(`COPY (${select}) TO '${dir}/rows.parquet' (FORMAT parquet${options})`);
    return new Uint8Array(fs.readFileSync(`${dir}/rows.parquet`));
  } finally {
    connection.closeSync();
    instance.closeSync();
    fs.rmSync(dir, { recursive: true });
  }
}
