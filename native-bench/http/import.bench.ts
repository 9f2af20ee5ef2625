/**
 * `quarry import` of the same rows as Parquet, as record batches and row by row, as CSV and as NDJSON, beside DuckDB, which reads the
 * Parquet file into a database file and takes a checkpoint.
 * Run after a build: node dist/native-bench/http/import.bench.js [million rows] [rounds]
 * Prints, per round, rows per second, and CPU seconds per million rows of the server and of the command. Counts and sums of the stored
 * rows are compared with those of the file.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { Downloader } from '../load/download.js';
import { cpuSecondsOf } from '../measure.js';
import { QuarryServer } from '../server/quarry.js';

const MAIN = fileURLToPath(new URL('../../src/main.js', import.meta.url));
const ROWS = Number(process.argv[2] ?? 3) * 1e6;
const ROUNDS = Number(process.argv[3] ?? 3);
const WORKERS = Math.min(2, os.availableParallelism());
/** Ten columns: an ID, four numbers, texts of 1,000 and of 50,000 values, a boolean, a date and a timestamp. */
const TABLE = `SELECT 'user-' || i AS id, (i % 100)::INT AS a, i::INT AS b, ((i % 10000) / 100)::DOUBLE AS c, i * 37 % 1000 AS d,
  'City ' || (i * 7 % 1000) AS city, 'Note ' || (i % 50000) AS note, i % 3 = 0 AS ok, DATE '2019-01-01' + (i % 1000)::INT AS day,
  TIMESTAMP '2020-09-13 12:26:40' + to_seconds(i % 10000000) AS at FROM range(${ROWS}) t(i)`;
const CHECK =
  'COUNT(*) AS n, SUM(b) AS b, SUM(d) AS d, COUNT(DISTINCT note) AS notes, COUNT(DISTINCT city) AS cities';

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'quarry-import-'));
const fileOf = (format: string): string => path.join(dir, `rows.${format}`);

interface Result {
  readonly seconds: number;
  /** Of the server, and of the command; null = not measured. */
  readonly cpuSeconds: readonly [server: number, client: number] | null;
  readonly check: string;
}

/** Runs the command and returns its CPU seconds, but for the last tenth of a second. */
async function run(words: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, [MAIN, ...words], { stdio: ['ignore', 'ignore', 'inherit'] });
  let cpuSeconds = 0;
  const timer = setInterval(() => {
    if (child.exitCode === null) cpuSeconds = cpuSecondsOf(child.pid as number);
  }, 100);
  const [code] = await once(child, 'close');
  clearInterval(timer);
  if (code !== 0) throw new Error(`quarry ${words.join(' ')} ended with ${code}`);
  return cpuSeconds;
}

/** Imports into an empty server. `flags` decide between record batches and rows. */
async function quarry(name: string, format: string, flags: readonly string[]): Promise<Result> {
  const file = fileOf(format);
  const server = await QuarryServer.start(path.join(dir, name), WORKERS);
  try {
    const cpuBefore = server.cpuSeconds();
    const started = performance.now();
    const words = ['import', file, '--data-dir', server.dir, '--dimension', 'rows', ...flags];
    const clientSeconds = await run(words);
    const seconds = (performance.now() - started) / 1_000;
    const cpuSeconds = [server.cpuSeconds() - cpuBefore, clientSeconds] as const;
    const downloader = new Downloader(server.target('/v1/sql', true));
    const { body } = await downloader.get(`SELECT ${CHECK} FROM [rows]`, 'application/json');
    downloader.close();
    const [row] = (JSON.parse(String(body)) as { readonly result: readonly object[] }).result;
    return { seconds, cpuSeconds, check: Object.values(row).map(Number).join() };
  } finally {
    await server.close();
    fs.rmSync(path.join(dir, name), { recursive: true });
    fs.rmSync(`${file}.import.json`, { force: true });
  }
}
/** Reads the file into a database file of DuckDB's, on two threads. */
async function duckDb(): Promise<Result> {
  const database = path.join(dir, 'duck.db');
  const instance = await DuckDBInstance.create(database, { threads: '2' });
  const connection = await instance.connect();
  try {
    const started = performance.now();
    await connection.run(`CREATE TABLE rows AS SELECT * FROM '${fileOf('parquet')}'`);
    await connection.run('CHECKPOINT');
    const seconds = (performance.now() - started) / 1_000;
    return { seconds, cpuSeconds: null, check: await checkOf(connection, 'rows') };
  } finally {
    connection.closeSync();
    instance.closeSync();
    fs.rmSync(database);
  }
}

async function checkOf(connection: DuckDBConnection, from: string): Promise<string> {
  const [row] = (await connection.runAndReadAll(`SELECT ${CHECK} FROM ${from}`)).getRows();
  return row.map(Number).join();
}

const WAYS: readonly (readonly [name: string, run: () => Promise<Result>])[] = [
  ['Parquet as columns', () => quarry('columns', 'parquet', [])],
  ['Parquet as rows', () => quarry('rows', 'parquet', ['--null', 'no such text'])],
  ['CSV', () => quarry('csv', 'csv', [])],
  ['NDJSON', () => quarry('ndjson', 'ndjson', [])],
  ['DuckDB', duckDb],
];

try {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  for (const [format, options] of [
    ['parquet', 'FORMAT parquet'],
    ['csv', 'FORMAT csv'],
    ['ndjson', 'FORMAT json'],
  ])
    await connection.run(`COPY (${TABLE}) TO '${fileOf(format)}' (${options})`);
  const expected = await checkOf(connection, `'${fileOf('parquet')}'`);
  for (let round = 1; round <= ROUNDS; round++) {
    for (const [name, measure] of WAYS) {
      const { seconds, cpuSeconds, check } = await measure();
      if (check !== expected) throw new Error(`${name}: ${check} instead of ${expected}`);
      const cpu =
        cpuSeconds === null
          ? ''
          : `, CPU s per million: ${cpuSeconds.map((own) => ((own * 1e6) / ROWS).toFixed(2)).join(' in the server, ')} in the command`;
      console.log(`round ${round}: ${name} ${Math.round(ROWS / seconds)} rows/s${cpu}`);
    }
  }
} finally {
  fs.rmSync(dir, { recursive: true });
}
