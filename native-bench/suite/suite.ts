/**
 * A public benchmark of SELECTs on the same generated tables in a server (over HTTPS, loaded by `quarry import` from
 * Parquet files) and in DuckDB in process. Every answer is compared with DuckDB's.
 */
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { DuckDBConnection } from '@duckdb/node-api';
import { Downloader } from '../load/download.js';
import { importDuckDb } from '../peers/packages.js';
import { PEER_THREADS } from '../peers/peer.js';
import { QuarryServer } from '../server/quarry.js';

const MAIN = fileURLToPath(new URL('../../src/main.js', import.meta.url));
const IMPORT_OUTPUT_MAX = 2 ** 24;

export interface Suite {
  /** Statements that create the tables in an empty DuckDB; the same scale always gives the same rows. */
  readonly tables: (scale: number) => readonly string[];
  /** By table: the expression that is unique per row, which becomes the entity ID in Quarry. */
  readonly ids: Readonly<Record<string, string>>;
  readonly queries: readonly string[];
  /** The query as DuckDB writes it. */
  readonly duckSql: (sql: string) => string;
}

export interface SuiteSettings {
  readonly scale: number;
  /** Timed runs of each query; the engines alternate. */
  readonly rounds: number;
  readonly workers: number;
  /** An empty directory for files of both engines. */
  readonly dir: string;
  readonly say: (text: string) => void;
}

export interface SuiteRow {
  /** From 1. */
  readonly query: number;
  readonly rowCount: number;
  /** Medians. */
  readonly quarryMs: number;
  readonly duckDbMs: number;
}

type Rows = readonly (readonly unknown[])[];

/** Rejects with a description of the first wrong answer. */
export async function runSuite(
  suite: Suite,
  { scale, rounds, workers, dir, say }: SuiteSettings,
): Promise<readonly SuiteRow[]> {
  const { DuckDBInstance } = await importDuckDb();
  const instance = await DuckDBInstance.create(path.join(dir, 'duck.db'), { threads: String(PEER_THREADS) });
  const duckDb = await instance.connect();
  try {
    say('generating the tables');
    for (const sql of suite.tables(scale)) await duckDb.run(sql);
    const server = await QuarryServer.start(path.join(dir, 'store'), workers);
    try {
      await importTables(suite.ids, server, duckDb, dir, say);
      return await compareAll(suite, server, duckDb, rounds, say);
    } finally {
      await server.close();
    }
  } finally {
    duckDb.closeSync();
    instance.closeSync();
  }
}

async function importTables(
  ids: Suite['ids'],
  server: QuarryServer,
  duckDb: DuckDBConnection,
  dir: string,
  say: (text: string) => void,
): Promise<void> {
  for (const [table, id] of Object.entries(ids)) {
    say(`importing ${table}`);
    const file = path.join(dir, `${table}.parquet`);
    await duckDb.run(
      `COPY (SELECT CAST(${id} AS VARCHAR) AS "entity-id", * FROM ${table}) TO '${file}' (FORMAT parquet)`,
    );
    const flags = ['--data-dir', server.dir, '--dimension', table, '--id', 'entity-id'];
    await promisify(execFile)(process.execPath, [MAIN, 'import', file, ...flags], {
      maxBuffer: IMPORT_OUTPUT_MAX,
    });
  }
}

async function compareAll(
  { queries, duckSql }: Suite,
  server: QuarryServer,
  duckDb: DuckDBConnection,
  rounds: number,
  say: (text: string) => void,
): Promise<readonly SuiteRow[]> {
  const downloader = new Downloader(server.target('/v1/sql', true));
  const results: SuiteRow[] = [];
  try {
    for (const [index, sql] of queries.entries()) {
      const query = index + 1;
      const times: { readonly quarry: number[]; readonly duckDb: number[] } = { quarry: [], duckDb: [] };
      let rowCount = 0;
      // The first round warms both up.
      for (let round = 0; round <= rounds; round++) {
        const found = await timed(() => rowsOf(downloader, sql));
        const expected = await timed(async () => (await duckDb.runAndReadAll(duckSql(sql))).getRowsJson());
        const fault = differenceOf(found.value, expected.value);
        if (fault !== null) throw new Error(`query ${query}: ${fault}`);
        rowCount = expected.value.length;
        if (round === 0) continue;
        times.quarry.push(found.ms);
        times.duckDb.push(expected.ms);
      }
      results.push({
        query,
        rowCount,
        quarryMs: medianOf(times.quarry),
        duckDbMs: medianOf(times.duckDb),
      });
      say(lineOf(results[index]));
    }
  } finally {
    downloader.close();
  }
  return results;
}

export const lineOf = ({ query, rowCount, quarryMs, duckDbMs }: SuiteRow): string =>
  `query ${query}: ${rowCount} rows, Quarry ${quarryMs.toFixed(0)} ms, DuckDB ${duckDbMs.toFixed(0)} ms, ratio ${(duckDbMs / quarryMs).toFixed(2)}`;

async function rowsOf(downloader: Downloader, sql: string): Promise<Rows> {
  const { body } = await downloader.get(sql, 'application/json');
  const { result } = JSON.parse(String(body)) as {
    readonly result: readonly Readonly<Record<string, unknown>>[];
  };
  return result.map((row) => Object.values(row));
}

async function timed<T>(run: () => Promise<T>): Promise<{ readonly value: T; readonly ms: number }> {
  const start = performance.now();
  const value = await run();
  return { value, ms: performance.now() - start };
}

const medianOf = (times: readonly number[]): number => [...times].sort((a, b) => a - b)[times.length >> 1];

/** Rows that tie in the order of the query may come in any order, so both sides are sorted. */
function differenceOf(found: Rows, expected: Rows): string | null {
  const [a, b] = [found, expected].map((rows) => rows.map((row) => row.map(plainValue)).sort(compareRows));
  const at = a.findIndex((row, index) => row.some((value, column) => !isNear(value, b[index]?.[column])));
  if (at === -1 && a.length === b.length) return null;
  return `${a.length} rows, ${b.length} expected; row ${at} is ${JSON.stringify(a[at])}, expected ${JSON.stringify(b[at])}`;
}

/** Quarry stores texts in lower case; DuckDB shows decimals as texts, and timestamps without T and Z. */
function plainValue(value: unknown): number | string | null {
  if (typeof value === 'number' || value === null) return value;
  const text = String(value)
    .toLowerCase()
    .replace(/^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)$/, '$1t$2z');
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

function compareRows(a: readonly (number | string | null)[], b: readonly (number | string | null)[]): number {
  const [left, right] = [a, b].map((row) =>
    JSON.stringify(row.map((value) => (typeof value === 'number' ? value.toFixed(1) : value))),
  );
  return left < right ? -1 : Number(left > right);
}

/** DuckDB divides decimals as doubles, Quarry rounds averages to six decimals. */
function isNear(a: unknown, b: unknown): boolean {
  if (typeof a !== 'number' || typeof b !== 'number') return a === b;
  return Math.abs(a - b) <= Math.max(2e-6, Math.abs(a) * 1e-9);
}

/** Runs a suite in a new directory and prints its rows; arguments: scale (default 1) and rounds (default 5). */
export async function runFromCommandLine(name: string, suite: Suite): Promise<void> {
  const [scale = '1', rounds = '5'] = process.argv.slice(2);
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), `quarry-${name}-`));
  try {
    const rows = await runSuite(suite, {
      scale: Number(scale),
      rounds: Number(rounds),
      workers: os.availableParallelism(),
      dir,
      say: (text) => process.stdout.write(`${text}\n`),
    });
    const ratios = rows.map(({ quarryMs, duckDbMs }) => duckDbMs / quarryMs);
    const mean = Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length);
    process.stdout.write(
      `geometric mean of the ratios ${mean.toFixed(2)}, least ${Math.min(...ratios).toFixed(2)}\n`,
    );
  } finally {
    fs.rmSync(dir, { recursive: true, force: true });
  }
}
