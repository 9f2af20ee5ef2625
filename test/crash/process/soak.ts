/**
 * A long run under a mixed load: batches of entities are inserted, changed and deleted, so that the size of the store
 * stays the same; columns are created and deleted, queries sent in JSON and SQL, checkpoints taken, connections opened
 * and closed. Every answer is checked. The resources of the process are sampled, and their linear trend over the last
 * two thirds must be flat.
 */
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Prng } from '../../../src/base/index.js';
import { type ApiRequest, JsonClient } from '../../support/json-client.js';
import { ServerProcess, type Serving } from '../../support/server-process.js';
import type { TortureOptions } from '../history/torture-options.js';
import { bytesBelow, processStats } from './process-stats.js';

const MIB = 2 ** 20;
const SAMPLE_MS = 10_000;
const CHECKPOINT_MS = 7_000;
/** Lifetime of a connection. */
const CONNECTION_MS = 3_000;
const CLIENTS = 4;
const ENTITIES_PER_BATCH = 400;
/** Batches of each client that exist at the same time. */
const BATCHES_RETAINED = 50;
/** Pause between two requests of a client, so that the machine is not fully loaded. */
const WAITED_CODE = 9004;
const ATTEMPTS_MAX = 5;
const PAUSE_MS = 2;
const SQL = { 'content-type': 'application/sql' };
const COLUMNS = [
  { name: 'batch', type: 'string' },
  { name: 'text', type: 'string' },
  { name: 'n', type: 'integer' },
  { name: 'seen', type: 'string-event' },
].map((column) => ({ ...column, 'api-name': column.name }));

/** Highest growth over the last two thirds of the run, whatever their length: per value, absolute or relative to its mean. */
const GROWTH_MAX = {
  rssMib: { absolute: 32, part: 0.08 },
  handles: { absolute: 6, part: 0 },
  threads: { absolute: 1, part: 0 },
  dirMib: { absolute: 64, part: 0.1 },
} as const;

type Figure = keyof typeof GROWTH_MAX;
type Sample = Readonly<Record<Figure, number>>;

/** Mean of the values, and the growth of their least-squares line from the first to the last value. */
export function growthOf(values: readonly number[]): { readonly mean: number; readonly growth: number } {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const [covariance, variance] = values.reduce(
    ([with_, of], value, at) => [with_ + (at - middle) * (value - mean), of + (at - middle) ** 2],
    [0, 0],
  );
  return { mean, growth: variance === 0 ? 0 : (covariance / variance) * (values.length - 1) };
}

/** Descriptions of the values that are not flat. */
export function unflat(samples: readonly Sample[]): string[] {
  const last = samples.slice(Math.ceil(samples.length / 3));
  return (Object.keys(GROWTH_MAX) as Figure[]).flatMap((figure) => {
    const { mean, growth } = growthOf(last.map((sample) => sample[figure]));
    const { absolute, part } = GROWTH_MAX[figure];
    const most = Math.max(absolute, mean * part);
    return growth <= most
      ? []
      : [`${figure} gained ${growth.toFixed(1)} around ${mean.toFixed(1)}, more than ${most.toFixed(1)}`];
  });
}

/** A client with entities that no other client changes. */
class SoakClient {
  readonly #name: string;
  readonly #prng: Prng;
  readonly #serving: Serving;
  readonly #key: string;
  #client: JsonClient;
  #connectedMs = performance.now();
  #batch = 0;
  /** Existing batches, oldest first. */
  readonly #retained: number[] = [];
  #columns = 0;
  requestCount = 0;

  constructor(name: string, serving: Serving, key: string, seed: number) {
    this.#name = name;
    this.#serving = serving;
    this.#key = key;
    this.#prng = new Prng(seed);
    this.#client = new JsonClient(serving, key);
  }

  /** Number of entities of this client that must exist. */
  get entityCount(): number {
    return this.#retained.length * ENTITIES_PER_BATCH;
  }

  async run(untilMs: number): Promise<void> {
    while (performance.now() < untilMs) {
      await this.#insert();
      await this.#change();
      await this.#query();
      if (this.#retained.length > BATCHES_RETAINED) await this.#delete();
      if (this.#prng.chance(0.05)) await this.#makeAndDropColumn();
      if (performance.now() - this.#connectedMs > CONNECTION_MS) this.#reconnect();
    }
  }

  close(): void {
    this.#client.close();
  }

  #reconnect(): void {
    this.#client.close();
    this.#client = new JsonClient(this.#serving, this.#key);
    this.#connectedMs = performance.now();
  }

  #tag(batch: number): string {
    return `${this.#name}-${batch}`;
  }

  /** The members of the answer and of its result. */
  async #json(path_: string, body: object, method?: 'DELETE'): Promise<Record<string, unknown>> {
    this.requestCount++;
    await sleep(PAUSE_MS);
    const request = { path: `/v1/${path_}`, body, ...(method === undefined ? {} : { method }) };
    const { result, ...all } = await this.#succeed<Record<string, unknown>>(request);
    return { ...all, ...(result as Record<string, unknown> | undefined) };
  }

  async #sql(text: string): Promise<unknown> {
    this.requestCount++;
    await sleep(PAUSE_MS);
    return (await this.#succeed<{ result: unknown }>({ path: '/v1/sql', text, headers: SQL })).result;
  }

  /** Repeats a request that was refused without effect because another client deleted a column meanwhile. */
  async #succeed<T>(request: ApiRequest): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const { status, body } = await this.#client.request(request);
      if (status === 200) return body as T;
      const code = (body as { errors?: readonly { code: number }[] }).errors?.[0]?.code;
      if (status !== 503 || code !== WAITED_CODE || attempt === ATTEMPTS_MAX) {
        throw new Error(`${request.path}: HTTP ${status}, ${JSON.stringify(body)}`);
      }
      await sleep(PAUSE_MS);
    }
  }

  #expect(what: string, found: unknown, expected: unknown): void {
    if (JSON.stringify(found) === JSON.stringify(expected)) return;
    throw new Error(`${what} of ${this.#name}: ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`);
  }

  async #insert(): Promise<void> {
    const batch = this.#batch++;
    const tag = this.#tag(batch);
    const body: Record<string, unknown> = {};
    for (let index = 0; index < ENTITIES_PER_BATCH; index++) {
      const text = `${this.#prng.u32().toString(36)} ${tag}`;
      const seen = [{ value: text, date: '2026-01-01' }, { value: 'seen' }];
      body[`${tag}-${index}`] = { batch: tag, text, n: index, seen };
    }
    const answer = await this.#json('insert', body);
    this.#expect('an insert', answer['inserted-entities'], ENTITIES_PER_BATCH);
    this.#retained.push(batch);
  }

  async #change(): Promise<void> {
    const tag = this.#tag(this.#prng.pick(this.#retained));
    const text = `changed ${this.#prng.u32()}`;
    if (this.#prng.chance(0.5)) {
      const answer = await this.#json('update', { query: [{ batch: { equals: tag } }], set: { text } });
      this.#expect('an update', answer.updated, ENTITIES_PER_BATCH);
    } else {
      const result = await this.#sql(`UPDATE [default] SET text = '${text}' WHERE batch = '${tag}'`);
      this.#expect('an UPDATE', result, { updated: ENTITIES_PER_BATCH });
    }
  }

  async #query(): Promise<void> {
    const tag = this.#tag(this.#prng.pick(this.#retained));
    const query = [{ batch: { equals: tag } }];
    const counted = await this.#json('query/count/entity', { 'query-name': 'q', query });
    this.#expect('a count', counted.q, ENTITIES_PER_BATCH);
    const summed = await this.#sql(`SELECT COUNT(*) AS c, SUM(n) AS s FROM [default] WHERE batch = '${tag}'`);
    const s = (ENTITIES_PER_BATCH * (ENTITIES_PER_BATCH - 1)) / 2;
    this.#expect('a SELECT', summed, [{ c: ENTITIES_PER_BATCH, s }]);
    const dice = this.#prng.below(12);
    if (dice === 0) await this.#json('query/aggregation', { query: [{ batch: 100 }, { text: 3 }] });
    else if (dice === 1)
      await this.#sql('SELECT text, COUNT(*) AS c FROM [default] GROUP BY text ORDER BY c DESC LIMIT 5');
    else if (dice === 2)
      await this.#json('data_extraction/result', { query, columns: ['text', 'n'], limit: 1000 });
  }

  async #delete(): Promise<void> {
    const tag = this.#tag(this.#retained.shift() ?? 0);
    if (this.#prng.chance(0.5)) {
      const answer = await this.#json('delete', { query: [{ batch: { equals: tag } }] });
      this.#expect('a delete', answer.deleted, ENTITIES_PER_BATCH);
    } else {
      const result = await this.#sql(`DELETE FROM [default] WHERE batch = '${tag}'`);
      this.#expect('a DELETE', result, { deleted: ENTITIES_PER_BATCH });
    }
  }

  async #makeAndDropColumn(): Promise<void> {
    const name = `${this.#name}-column-${this.#columns++}`;
    await this.#json('column', { name, 'api-name': name, type: 'string' });
    const query = [{ batch: { equals: this.#tag(this.#prng.pick(this.#retained)) } }];
    await this.#json('update', { query, set: { [name]: 'x' } });
    await this.#json('column', { 'api-name': name }, 'DELETE');
  }
}

async function sampleUntil(server: ServerProcess, untilMs: number, samples: Sample[]): Promise<void> {
  while (performance.now() + SAMPLE_MS <= untilMs) {
    await sleep(SAMPLE_MS);
    const { rssMib, handles, threads } = processStats(server.pid);
    const sample = {
      rssMib: Math.round(rssMib),
      handles,
      threads,
      dirMib: Math.round(bytesBelow(server.dir) / MIB),
    };
    samples.push(sample);
    if (samples.length % 6 === 0) console.log(`${samples.length / 6} min: ${JSON.stringify(sample)}`);
  }
}

async function checkpointUntil(server: ServerProcess, untilMs: number): Promise<void> {
  while (performance.now() < untilMs) {
    await sleep(CHECKPOINT_MS);
    server.signal('SIGUSR2');
  }
}

/** Runs of `operations` minutes each. Returns whether every answer was right and every value stayed flat. */
export async function soak({ rounds, seed, operations: minutes, dir }: TortureOptions): Promise<boolean> {
  let isRight = true;
  for (let round = 0; round < rounds; round++) {
    const own = path.join(dir, `round-${round}`);
    const faults = await soakRun(own, seed + round, minutes);
    for (const fault of faults) console.log(fault);
    isRight &&= faults.length === 0;
    if (faults.length === 0) fs.rmSync(own, { recursive: true });
  }
  return isRight;
}

async function soakRun(dir: string, seed: number, minutes: number): Promise<readonly string[]> {
  const server = new ServerProcess({ dir, flags: ['--workers', '2', '--shards', '4'] });
  const samples: Sample[] = [];
  try {
    const serving = await server.serving;
    const { master } = server.keys();
    const admin = new JsonClient(serving, master);
    await admin.succeed({ path: '/v1/column', body: COLUMNS });
    const clients = Array.from(
      { length: CLIENTS },
      (_, at) => new SoakClient(`c${at}`, serving, master, seed * CLIENTS + at),
    );
    const untilMs = performance.now() + minutes * 60_000;
    const besides = [sampleUntil(server, untilMs, samples), checkpointUntil(server, untilMs)];
    await Promise.all([...clients.map((client) => client.run(untilMs)), ...besides]);
    const expected = clients.reduce((sum, { entityCount }) => sum + entityCount, 0);
    const { result } = await admin.succeed<{ result: { total: number } }>({
      path: '/v1/query/count/entity/total',
    });
    for (const client of clients) client.close();
    admin.close();
    const requests = clients.reduce((sum, { requestCount }) => sum + requestCount, 0);
    const code = await server.end();
    console.log(
      `seed ${seed}: ${minutes} minutes, ${requests} requests, ${expected} entities; ${flatness(samples)}`,
    );
    return [
      ...unflat(samples),
      ...(result.total === expected ? [] : [`there are ${result.total} entities, not ${expected}`]),
      ...(code === 0 ? [] : [`SIGTERM ended the server with ${code}: ${server.output}`]),
    ];
  } catch (error) {
    return [`after ${samples.length} samples: ${(error as Error).message}`];
  } finally {
    await server.kill();
  }
}

function flatness(samples: readonly Sample[]): string {
  const last = samples.slice(Math.ceil(samples.length / 3));
  return (Object.keys(GROWTH_MAX) as Figure[])
    .map((figure) => {
      const { mean, growth } = growthOf(last.map((sample) => sample[figure]));
      return `${figure} ${mean.toFixed(0)} ${growth < 0 ? '' : '+'}${growth.toFixed(1)}`;
    })
    .join(', ');
}
