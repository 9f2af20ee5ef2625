/**
 * A well-behaved client that runs alongside hostile ones: it repeatedly inserts an entity, counts its entities and at random
 * requests a large answer, on connections of its own, and records every slow or wrong answer.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { JsonClient } from '../../support/json-client.js';
import type { Keys, Serving } from '../../support/server-process.js';

/** Interval between requests, whether they were answered or not. */
const PACE_MS = 4;
const FAULTS_MAX = 10;

export class GoodClient {
  readonly #client: JsonClient;
  readonly #name: string;
  readonly faults: string[] = [];
  /** Milliseconds of each request since the last `takeTimes`. */
  #times: number[] = [];
  #inserted = 0;
  #stopped = false;
  #running: Promise<void> | null = null;

  constructor(ports: Serving, keys: Keys, name: string) {
    this.#client = new JsonClient(ports, keys.master);
    this.#name = name;
  }

  get insertedCount(): number {
    return this.#inserted;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Milliseconds of the requests since the last call. */
  takeTimes(): number[] {
    return this.#times.splice(0);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
    this.#client.close();
  }

  async #run(): Promise<void> {
    while (!this.#stopped && this.faults.length < FAULTS_MAX) {
      try {
        await this.#timed(() => this.#insert());
        await this.#timed(() => this.#count());
      } catch (error) {
        this.faults.push(String(error));
      }
    }
  }

  async #timed(work: () => Promise<void>): Promise<void> {
    const startedAt = performance.now();
    await work();
    this.#times.push(performance.now() - startedAt);
    await pause(PACE_MS);
  }

  async #insert(): Promise<void> {
    const body = { [`${this.#name}-${this.#inserted}`]: { owner: this.#name } };
    await this.#client.succeed({ path: '/v1/insert', body });
    this.#inserted++;
  }

  async #count(): Promise<void> {
    const query = [{ owner: { equals: this.#name } }];
    const { result } = await this.#client.succeed<{ result: { own: number } }>({
      path: '/v1/query/count/entity',
      body: [{ 'query-name': 'own', query }],
    });
    if (result.own !== this.#inserted) this.faults.push(`${result.own} counted, not ${this.#inserted}`);
  }
}

/** The quantile `part` of `times`. */
export function quantile(times: readonly number[], part: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}
