/** ClickHouse in process (chdb): MergeTree tables on disk, or a table of its Memory engine. */
import fs from 'node:fs';
import type { Session } from 'chdb';
import type { CsvFiles } from '../data/peers.js';
import { residentBytesOf } from '../measure.js';
import { importChdb } from './packages.js';
import { PEER_THREADS, type Peer, type Timed, timeCounts, timed } from './peer.js';

/** The table and the batches for each `way` of `ingest`. */
const WAYS: Readonly<Record<string, { engine: string; rows: number }>> = {
  'MergeTree, batches of 1,000': { engine: 'MergeTree', rows: 1_000 },
  'MergeTree, batches of 100,000': { engine: 'MergeTree', rows: 100_000 },
  'Memory, batches of 1,000': { engine: 'Memory', rows: 1_000 },
  'Memory, batches of 100,000': { engine: 'Memory', rows: 100_000 },
};
export const CLICKHOUSE_WAYS = Object.keys(WAYS);

/** Disables the caches of answers and conditions, and the throttling of inserts with too many parts. */
const PART_SETTINGS = 'SETTINGS parts_to_delay_insert = 1000000, parts_to_throw_insert = 1000000';
const INGESTED = `id String, country LowCardinality(String), city LowCardinality(String), age UInt8,
  income Decimal(12, 2), active Bool, visit Array(Tuple(value LowCardinality(String), date Date))`;

const ID = 'toUInt32(substring(id, 2))';
const event = (name: string, file: string, type: string): string[] => [
  `CREATE TABLE ${name} (id UInt32, value ${type}, date DateTime('UTC')) ENGINE = MergeTree ORDER BY date`,
  `INSERT INTO ${name} SELECT ${ID}, value, parseDateTimeBestEffort(date, 'UTC')
     FROM file('${file}', CSVWithNames, 'id String, value ${type}, date String')`,
  `OPTIMIZE TABLE ${name} FINAL`,
];

/** The file in pieces of `rows` lines. */
function batchesOf(file: string, rows: number): Buffer[] {
  const bytes = fs.readFileSync(file);
  const batches: Buffer[] = [];
  let start = 0;
  let lines = 0;
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) {
    if (++lines % rows !== 0) continue;
    batches.push(bytes.subarray(start, at + 1));
    start = at + 1;
  }
  if (start < bytes.length) batches.push(bytes.subarray(start));
  return batches;
}

export class ClickHouse implements Peer {
  readonly #session: Session;

  private constructor(session: Session) {
    this.#session = session;
  }

  static async open(dir: string): Promise<ClickHouse> {
    const clickHouse = await ClickHouse.#create(dir);
    clickHouse.#session.query('CREATE DATABASE bench');
    clickHouse.#session.query('USE bench');
    return clickHouse;
  }

  static async reopen(dir: string): Promise<ClickHouse> {
    const clickHouse = await ClickHouse.#create(dir);
    clickHouse.#session.query('USE bench');
    return clickHouse;
  }

  static async #create(dir: string): Promise<ClickHouse> {
    const { Session } = await importChdb();
    const session = new Session(dir);
    const settings = [
      `max_threads = ${PEER_THREADS}`,
      'use_query_condition_cache = 0',
      'use_query_cache = 0',
    ];
    for (const setting of settings) session.query(`SET ${setting}`);
    return new ClickHouse(session);
  }

  async version(): Promise<string> {
    return `ClickHouse ${this.#session.query('SELECT version()', 'TSV').trim()} (chdb)`;
  }

  async ingest(way: string, warmFile: string, file: string): Promise<Timed> {
    const { engine, rows } = WAYS[way];
    const isTree = engine === 'MergeTree';
    this.#session.query('DROP TABLE IF EXISTS ingested SYNC');
    this.#session.query(
      `CREATE TABLE ingested (${INGESTED}) ENGINE = ${engine} ${isTree ? `ORDER BY tuple() ${PART_SETTINGS}` : ''}`,
    );
    const send = async (batches: readonly Buffer[]): Promise<void> => {
      for (const values of batches)
        await this.#session.insert({ table: 'ingested', values, format: 'JSONEachRow' });
    };
    await send(batchesOf(warmFile, rows));
    const batches = batchesOf(file, rows);
    return timed(() => send(batches));
  }

  async load(files: CsvFiles): Promise<void> {
    const statements = [
      'DROP TABLE IF EXISTS ingested SYNC',
      ...event('visit', files.visit, 'LowCardinality(String)'),
      ...event('purchase', files.purchase, 'Int32'),
      ...event('rating', files.rating, 'Decimal(4, 1)'),
      `CREATE TABLE people (id UInt32, country LowCardinality(String), city LowCardinality(String), age UInt8,
         income Decimal(12, 2), active Bool, born Date32, joined DateTime('UTC'), longitude Float64, latitude Float64,
         has_visit Bool) ENGINE = MergeTree ORDER BY id`,
      `INSERT INTO people SELECT ${ID} AS number, country, city, age, income, active, born,
         parseDateTimeBestEffort(joined, 'UTC'), longitude, latitude, number IN (SELECT id FROM visit)
         FROM file('${files.entities}', CSVWithNames, 'id String, country String, city String, age UInt8,
           income Decimal(12, 2), active Bool, born Date32, joined String, longitude Float64, latitude Float64')`,
      'OPTIMIZE TABLE people FINAL',
    ];
    for (const sql of statements) this.#session.query(sql);
  }

  async loadTexts(table: string, file: string): Promise<void> {
    const head = fs.readFileSync(file, 'utf8').split('\n', 1)[0].split(',');
    const columns = head.map((name) => `${name} String`).join();
    this.#session.query(`CREATE TABLE ${table} (${columns}) ENGINE = MergeTree ORDER BY ${head[0]}`);
    this.#session.query(`INSERT INTO ${table} SELECT * FROM file('${file}', CSVWithNames, '${columns}')`);
    this.#session.query(`OPTIMIZE TABLE ${table} FINAL`);
  }

  /** Does nothing, because the tables are on disk. */
  async keep(): Promise<void> {}

  async residentBytes(): Promise<number> {
    return residentBytesOf(process.pid);
  }

  async query(sql: string): Promise<number> {
    return Number(this.#session.query(sql, 'TSV').split(/[\t\n]/, 1)[0]);
  }

  time(sql: string, times: number, expected: number): Promise<number[]> {
    return timeCounts(this, sql, times, expected);
  }

  async close(): Promise<void> {
    this.#session.close();
  }
}
