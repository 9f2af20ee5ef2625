/** DuckDB in process, in memory. */
import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import type { CsvFiles } from '../data/peers.js';
import { importDuckDb } from './packages.js';
import { PEER_THREADS, type Peer, type Timed, timeCounts, timed } from './peer.js';

const COLUMNS = `{id: 'VARCHAR', country: 'VARCHAR', city: 'VARCHAR', age: 'UTINYINT', income: 'DECIMAL(12, 2)',
  active: 'BOOLEAN', visit: 'STRUCT(value VARCHAR, date DATE)[]'}`;

const readJson = (file: string): string =>
  `SELECT * FROM read_json('${file}', format = 'newline_delimited', columns = ${COLUMNS})`;

const readCsv = (file: string): string => `read_csv('${file}', header = true, all_varchar = true)`;
const ID = 'substr(id, 2)::UINTEGER AS id';

function eventTable(name: string, file: string, type: string): string[] {
  return [
    `CREATE TABLE ${name} AS SELECT ${ID}, value::${type} AS value, date::TIMESTAMP AS date FROM ${readCsv(file)} ORDER BY date`,
  ];
}

export class DuckDb implements Peer {
  readonly #instance: DuckDBInstance;
  readonly #connection: DuckDBConnection;

  private constructor(instance: DuckDBInstance, connection: DuckDBConnection) {
    this.#instance = instance;
    this.#connection = connection;
  }

  static async open(): Promise<DuckDb> {
    const { DuckDBInstance } = await importDuckDb();
    const instance = await DuckDBInstance.create(':memory:', { threads: String(PEER_THREADS) });
    return new DuckDb(instance, await instance.connect());
  }

  async version(): Promise<string> {
    const reader = await this.#connection.runAndReadAll('SELECT version()');
    return `DuckDB ${String(reader.getRows()[0][0])}`;
  }

  async ingest(_way: string, warmFile: string, file: string): Promise<Timed> {
    await this.#run(`CREATE OR REPLACE TABLE ingested AS ${readJson(warmFile)}`);
    return timed(() => this.#run(`INSERT INTO ingested ${readJson(file)}`));
  }

  async load(files: CsvFiles): Promise<void> {
    await this.#run('DROP TABLE IF EXISTS ingested');
    await this.#run(`CREATE TYPE page AS ENUM (SELECT DISTINCT value FROM ${readCsv(files.visit)})`);
    await this.#run(`CREATE TYPE land AS ENUM (SELECT DISTINCT country FROM ${readCsv(files.entities)})`);
    const tables = [
      ...eventTable('visit', files.visit, 'page'),
      ...eventTable('purchase', files.purchase, 'INTEGER'),
      ...eventTable('rating', files.rating, 'DECIMAL(4, 1)'),
      `CREATE TABLE people AS SELECT ${ID}, country::land AS country, city, age::UTINYINT AS age,
         income::DECIMAL(12, 2) AS income, active::BOOLEAN AS active, born::DATE AS born, joined::TIMESTAMP AS joined,
         longitude::DOUBLE AS longitude, latitude::DOUBLE AS latitude,
         substr(id, 2)::UINTEGER IN (SELECT id FROM visit) AS has_visit FROM ${readCsv(files.entities)} ORDER BY 1`,
    ];
    for (const sql of tables) await this.#run(sql);
  }

  async ask(sql: string): Promise<number> {
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

  async #run(sql: string): Promise<void> {
    await this.#connection.run(sql);
  }
}
