/** DuckDB in process: in memory, and for `ingest` also in a database file. */
import fs from 'node:fs';
import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import type { CsvFiles } from '../data/peers.js';
import { residentBytesOf } from '../measure.js';
import { importDuckDb } from './packages.js';
import { PEER_THREADS, type Peer, type Timed, timeCounts, timed } from './peer.js';

const COLUMNS = `{id: 'VARCHAR', country: 'VARCHAR', city: 'VARCHAR', age: 'UTINYINT', income: 'DECIMAL(12, 2)',
  active: 'BOOLEAN', visit: 'STRUCT(value VARCHAR, date DATE)[]'}`;

/** The table for each `way` of `ingest`. */
const WAYS: Readonly<Record<string, string>> = {
  'read_json into memory': 'memory.main.ingested',
  'read_json into a file': 'filed.main.ingested',
};
export const DUCKDB_WAYS = Object.keys(WAYS);

const readJson = (file: string): string =>
  `SELECT * FROM read_json('${file}', format = 'newline_delimited', columns = ${COLUMNS})`;

const readCsv = (file: string): string => `read_csv('${file}', header = true, all_varchar = true)`;
const ID = 'substr(id, 2)::UINTEGER AS id';
const LOADED = ['people', 'visit', 'purchase', 'rating'];
const storedFile = (dir: string): string => `${dir}/kept.db`;

function eventTable(name: string, file: string, type: string): string[] {
  return [
    `CREATE TABLE ${name} AS SELECT ${ID}, value::${type} AS value, date::TIMESTAMP AS date FROM ${readCsv(file)} ORDER BY date`,
  ];
}

export class DuckDb implements Peer {
  readonly #dir: string;
  readonly #instance: DuckDBInstance;
  readonly #connection: DuckDBConnection;

  private constructor(dir: string, instance: DuckDBInstance, connection: DuckDBConnection) {
    this.#dir = dir;
    this.#instance = instance;
    this.#connection = connection;
  }

  static async open(dir: string): Promise<DuckDb> {
    const duckDb = await DuckDb.#create(dir, ':memory:');
    fs.mkdirSync(dir);
    await duckDb.run(`ATTACH '${dir}/filed.db' AS filed`);
    return duckDb;
  }

  static reopen(dir: string): Promise<DuckDb> {
    return DuckDb.#create(dir, storedFile(dir));
  }

  static async #create(dir: string, file: string): Promise<DuckDb> {
    const { DuckDBInstance } = await importDuckDb();
    const instance = await DuckDBInstance.create(file, { threads: String(PEER_THREADS) });
    return new DuckDb(dir, instance, await instance.connect());
  }

  async version(): Promise<string> {
    const reader = await this.#connection.runAndReadAll('SELECT version()');
    return `DuckDB ${String(reader.getRows()[0][0])}`;
  }

  async ingest(way: string, warmFile: string, file: string): Promise<Timed> {
    for (const table of Object.values(WAYS)) await this.run(`DROP TABLE IF EXISTS ${table}`);
    await this.run(`CREATE TABLE ${WAYS[way]} AS ${readJson(warmFile)}`);
    const result = await timed(() => this.run(`INSERT INTO ${WAYS[way]} ${readJson(file)}`));
    await this.run(`CREATE OR REPLACE TEMP VIEW ingested AS SELECT * FROM ${WAYS[way]}`);
    return result;
  }

  async load(files: CsvFiles): Promise<void> {
    for (const table of Object.values(WAYS)) await this.run(`DROP TABLE IF EXISTS ${table}`);
    await this.run(`CREATE TYPE page AS ENUM (SELECT DISTINCT value FROM ${readCsv(files.visit)})`);
    await this.run(`CREATE TYPE land AS ENUM (SELECT DISTINCT country FROM ${readCsv(files.entities)})`);
    const tables = [
      ...eventTable('visit', files.visit, 'page'),
      ...eventTable('purchase', files.purchase, 'INTEGER'),
      ...eventTable('rating', files.rating, 'DECIMAL(4, 1)'),
      `CREATE TABLE people AS SELECT ${ID}, country::land AS country, city, age::UTINYINT AS age,
         income::DECIMAL(12, 2) AS income, active::BOOLEAN AS active, born::DATE AS born, joined::TIMESTAMP AS joined,
         longitude::DOUBLE AS longitude, latitude::DOUBLE AS latitude,
         substr(id, 2)::UINTEGER IN (SELECT id FROM visit) AS has_visit FROM ${readCsv(files.entities)} ORDER BY 1`,
    ];
    for (const sql of tables) await this.run(sql);
  }

  async keep(): Promise<void> {
    await this.run(`ATTACH '${storedFile(this.#dir)}' AS kept`);
    for (const table of LOADED) await this.run(`CREATE TABLE kept.${table} AS FROM ${table}`);
    await this.run('DETACH kept');
  }

  async query(sql: string): Promise<number> {
    const reader = await this.#connection.runAndReadAll(sql);
    return Number(reader.getRows()[0][0]);
  }

  time(sql: string, times: number, expected: number): Promise<number[]> {
    return timeCounts(this, sql, times, expected);
  }

  async close(): Promise<void> {
    this.#connection.closeSync();
    this.#instance.closeSync();
  }

  async loadTexts(table: string, file: string): Promise<void> {
    await this.run(`CREATE TABLE ${table} AS SELECT * FROM ${readCsv(file)}`);
  }

  async residentBytes(): Promise<number> {
    return residentBytesOf(process.pid);
  }

  async run(sql: string): Promise<void> {
    await this.#connection.run(sql);
  }
}
