/**
 * Another database, embedded in a separate process with two threads, because the server has two workers.
 * Tables after `load`: people (id, country, city, age, income, active, born, joined, longitude, latitude,
 * has_visit) and visit, purchase, rating (id, value, date), where id is the entity's number: the smallest typed
 * columns that hold the data, events ordered by date. Unlike the server, they need not support 64-bit integers and
 * arbitrary entity IDs, which is in their favour.
 */
import type { CsvFiles } from '../data/peers.js';

export const PEER_THREADS = 2;

export interface Timed {
  readonly seconds: number;
  /** User and system time of all threads, in seconds. */
  readonly cpuSeconds: number;
}

export interface Peer {
  version(): Promise<string>;
  /**
   * Loads `warmFile`, then `file` (NDJSON of data/peers.ts, shape 'ingest') into something new named `ingested`; the
   * time is that of `file`.
   */
  ingest(way: string, warmFile: string, file: string): Promise<Timed>;
  load(files: CsvFiles): Promise<void>;
  /** Stores the loaded data on disk, so that another process can open the directory and query it. */
  keep(): Promise<void>;
  /** Creates a table from a CSV file with a header line; all columns are texts. */
  loadTexts(table: string, file: string): Promise<void>;
  /** Resident memory of the process, in bytes. */
  residentBytes(): Promise<number>;
  /** The first number in the result of `sql`. */
  query(sql: string): Promise<number>;
  /** Milliseconds of each of `times` executions; every answer must be `expected`. */
  time(sql: string, times: number, expected: number): Promise<number[]>;
  close(): Promise<void>;
}

export async function timed(work: () => Promise<void>): Promise<Timed> {
  const [startMs, startCpu] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(startCpu);
  return { seconds: (performance.now() - startMs) / 1000, cpuSeconds: (user + system) / 1e6 };
}

export async function timeCounts(
  peer: Pick<Peer, 'query'>,
  sql: string,
  times: number,
  expected: number,
): Promise<number[]> {
  const found: number[] = [];
  for (let run = 0; run < times; run++) {
    const startMs = performance.now();
    const answer = await peer.query(sql);
    found.push(performance.now() - startMs);
    if (answer !== expected) throw new Error(`${answer} instead of ${expected}: ${sql}`);
  }
  return found;
}
