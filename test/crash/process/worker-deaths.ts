/**
 * Rounds in which worker threads of the real server process end in every way under writers and readers, at critical
 * times: while idle, during writes, during a checkpoint, during the rebuild of another worker, twice in a row, and
 * during their own rebuild. After each round every request is checked (check.ts), at intervals also after a kill -9 and
 * a restart. Invariants: the process continues; each request is answered with 200 or 9004; no acknowledged write is
 * lost or applied twice, no refused write has an effect; each noticed death is counted by quarry_lane_restarts_total.
 */
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Prng } from '../../../src/base/index.js';
import { type ApiRequest, JsonClient, type Reply } from '../../support/json-client.js';
import { ServerProcess } from '../../support/server-process.js';
import { Checker, type Findings, noFindings } from '../history/check.js';
import { Journal } from '../history/journal.js';
import { ALL_TIME, FIXED_COLUMNS } from '../history/row-requests.js';
import type { Torture } from '../history/torture-options.js';
import { Writer } from '../history/writer.js';
import { ALL_WAYS, type DeathOrder, DeathOrders, type Way } from './death-orders.js';

const WRITER_COUNT = 4;
const READER_COUNT = 2;
/** Queries wait for a thread that fills its heap, which takes longer than 30 s on busy cores. */
const FLAGS = ['--workers', '2', '--shards', '3', '--query-timeout', '120'];
/** The deletion of a database has a separate error code. */
const RETRYABLE_CODES = [9004, 189];
/** An idle thread takes an order at once; an order for a request waits for the next request of its kind. */
const TAKEN_MS_MAX = 8_000;
/** Filling a heap of 2 GiB takes several seconds. */
const BACK_MS_MAX = 60_000;
const ROUNDS_PER_CHECK = 4;
const ROUNDS_PER_LIFE = 12;
/** Number of older requests of each writer that are checked. */
const SAMPLE_COUNT = 10;

export const MOMENTS = [
  'while idle',
  'at a body',
  'at a batch',
  'at a query',
  'in a checkpoint',
  "during another one's rebuild",
  'twice in a row',
  'while it is rebuilt',
] as const;
export type Moment = (typeof MOMENTS)[number];

export interface Death {
  readonly way: Way;
  readonly moment: Moment;
}

export interface DeathsSummary extends Findings {
  deaths: number;
  /** Orders that no thread took. */
  untaken: number;
  restarts: number;
  acknowledged: number;
  refused: number;
}

/** Records errors that must not occur while threads die: missing answers and refusals that are not retryable. */
class WatchedClient extends JsonClient {
  readonly faults: string[] = [];

  override async request(request: ApiRequest): Promise<Reply> {
    try {
      const reply = await super.request(request);
      if (reply.status >= 500 && !isRetryable(reply))
        this.faults.push(`${request.path}: ${JSON.stringify(reply)}`);
      return reply;
    } catch (error) {
      this.faults.push(`no answer to ${request.path}: ${String(error)}`);
      throw error;
    }
  }
}

function isRetryable({ status, headers, body }: Reply): boolean {
  const { errors } = body as { errors?: readonly { code: number }[] };
  return (
    status === 503 && headers['retry-after'] !== undefined && RETRYABLE_CODES.includes(errors?.[0]?.code ?? 0)
  );
}

export class WorkerDeaths {
  readonly #dir: string;
  readonly #prng: Prng;
  readonly #orders: DeathOrders;
  readonly #journals = Array.from({ length: WRITER_COUNT }, (_, writer) => new Journal(writer));
  readonly #named = this.#journals.map(() => []);
  readonly findings: DeathsSummary = {
    ...noFindings(),
    deaths: 0,
    untaken: 0,
    restarts: 0,
    acknowledged: 0,
    refused: 0,
  };
  #server: ServerProcess | null = null;
  #client: WatchedClient | null = null;
  #round = 0;
  /** Rounds before the first number are checked; rounds before the second one were run by an earlier process. */
  #checkedTo = 0;
  #startedAt = 0;
  #httpPort = 0;
  /** Number of threads of the process when it began to serve. */
  #threadCount = 0;
  /** The metric of the running process after the last round. */
  #restartsBefore = 0;

  constructor(dir: string, seed: number) {
    this.#dir = dir;
    this.#prng = new Prng(seed);
    this.#orders = new DeathOrders(path.join(dir, 'orders'));
  }

  async start(): Promise<void> {
    this.#orders.withdrawAll();
    const dir = path.join(this.#dir, 'store');
    const isNew = !fs.existsSync(dir);
    const server = new ServerProcess({ dir, flags: FLAGS, env: this.#orders.env });
    this.#server = server;
    const serving = await server.serving;
    this.#httpPort = serving.httpPort;
    this.#restartsBefore = 0;
    this.#threadCount = this.#threads();
    const client = new WatchedClient(serving, server.keys().master);
    this.#client = client;
    if (isNew) await client.succeed({ path: '/v1/column', body: FIXED_COLUMNS });
  }

  /** Ends the process like kill -9. */
  async kill(): Promise<void> {
    this.#client?.close();
    await this.#server?.kill();
    this.#server = null;
  }

  /** Runs writers and readers until the death has happened and more was written; then checks all requests. */
  async round(death: Death): Promise<void> {
    const [server, client] = [this.#server, this.#client];
    if (server === null || client === null) throw new Error('the server was not started');
    let over = false;
    const deathsBefore = this.findings.deaths;
    const teamKey = server.keys().team;
    const writers = this.#journals.map((journal, index) => {
      const prng = new Prng(this.#prng.u32());
      const wrong = (text: string): void => this.#found('wrong', text);
      const named = this.#named[index];
      return new Writer({ journal, named, prng, round: this.#round, teamKey, wrong, repeated: () => {} });
    });
    const readers = Array.from({ length: READER_COUNT }, () => this.#read(client, () => over));
    const writing = writers.map((writer) => writer.run(client));
    try {
      await pause(this.#prng.between(50, 200));
      await this.#die(death, server);
      await this.#untilBack(client);
      await pause(this.#prng.between(20, 100));
    } finally {
      over = true;
      for (const writer of writers) writer.stopped = true;
    }
    for (const ended of await Promise.allSettled([...writing, ...readers])) {
      if (ended.status === 'rejected') this.#found('wrong', `${describe(death)}: ${String(ended.reason)}`);
    }
    const what = `${describe(death)}, round ${this.#round}`;
    for (const fault of client.faults.splice(0)) this.#found('wrong', `${what}: ${fault}`);
    await this.#checkRestarts(what, deathsBefore);
    this.#round++;
  }

  /** Checks every request of the rounds since the last check, and samples of older ones. */
  async check(): Promise<void> {
    const [server, client] = [this.#server, this.#client];
    if (server === null || client === null) throw new Error('the server was not started');
    const checker = new Checker(client, server.keys().team, this.findings, this.#prng);
    await checker.check(this.#journals, this.#checkedTo, SAMPLE_COUNT);
    for (const fault of client.faults.splice(0)) this.#found('wrong', `round ${this.#round}: ${fault}`);
    this.#checkedTo = this.#round;
  }

  /** The same for all rounds of this process, after a kill -9. */
  async checkAfterKill(): Promise<void> {
    await this.kill();
    this.#checkedTo = this.#startedAt;
    await this.start();
    this.#startedAt = this.#round;
    await this.check();
  }

  summary(): DeathsSummary {
    const entries = this.#journals.flatMap((journal) => journal.entries);
    const heard = (what: string): number => entries.filter((entry) => entry.heard === what).length;
    return { ...this.findings, acknowledged: heard('acknowledged'), refused: heard('refused') };
  }

  /** Sends the orders for a time of death, one by one. */
  async #die({ way, moment }: Death, server: ServerProcess): Promise<void> {
    switch (moment) {
      case 'while idle':
        return this.#order({ way });
      case 'at a body':
        return this.#order({ way, op: 'parse' });
      case 'at a batch':
        return this.#order({ way, op: 'apply' });
      case 'at a query':
        return this.#order({ way, op: 'count-entities' });
      case 'in a checkpoint': {
        server.signal('SIGUSR2');
        return this.#order({ way, op: 'checkpoint-step' });
      }
      case "during another one's rebuild":
        await this.#order({ way: 'throw' });
        await pause(this.#prng.below(60));
        return this.#order({ way });
      case 'twice in a row':
        await this.#order({ way, op: 'apply' });
        await this.#untilBack(this.#client as WatchedClient);
        return this.#order({ way, op: 'apply' });
      case 'while it is rebuilt': {
        // While it loads snapshots, at a log record, and before its first request.
        const op = this.#prng.pick(['load', 'apply', undefined]);
        const again: DeathOrder = { way, bornAfterMs: Date.now(), ...(op === undefined ? {} : { op }) };
        const file = this.#orders.put(again);
        await this.#order({ way: 'throw' });
        return this.#taken(file, again);
      }
    }
  }

  async #order(order: DeathOrder): Promise<void> {
    await this.#taken(this.#orders.put(order), order);
  }

  async #taken(file: string, { way, op }: DeathOrder): Promise<void> {
    if (await this.#orders.taken(file, TAKEN_MS_MAX)) this.findings.deaths++;
    else {
      this.findings.untaken++;
      this.findings.texts.push(`no thread was ended by ${way} at ${op ?? 'nothing'}`);
    }
  }

  /** Waits until all workers answer. Throws if the process ended or a worker is not rebuilt in time. */
  async #untilBack(client: WatchedClient): Promise<void> {
    const untilMs = performance.now() + BACK_MS_MAX;
    const server = this.#server as ServerProcess;
    let endedWith: string | null = null;
    void server.ended.then(({ code, signal }) => {
      endedWith = `${code ?? signal}`;
    });
    for (;;) {
      if (endedWith !== null)
        throw new Error(`the server ended with ${endedWith}: ${server.output.slice(-2_000)}`);
      if (performance.now() > untilMs)
        throw new Error(`a worker was not rebuilt: ${server.output.slice(-2_000)}`);
      const { status } = await client.request({
        path: '/v1/query/count/entity/total',
        body: { dimensions: ['default'] },
      });
      if (status === 200 && (await this.#metric('quarry_lanes_down')) === 0) return;
      await pause(10);
    }
  }

  async #metric(name: string): Promise<number> {
    const response = await fetch(`http://127.0.0.1:${this.#httpPort}/metrics`);
    const value = new RegExp(`^${name} (\\d+)$`, 'm').exec(await response.text())?.[1];
    if (value === undefined) throw new Error(`/metrics has no ${name}`);
    return Number(value);
  }

  /** Counts that must always be right: a tag that no client writes, and totals that are numbers. */
  async #read(client: WatchedClient, isOver: () => boolean): Promise<void> {
    const query = [{ 'tag-event': { equals: 'nobody', between: ALL_TIME } }];
    while (!isOver()) {
      const { status, body } = await client.request({
        path: '/v1/query/count/entity',
        body: [{ 'query-name': 'nobody', query }],
      });
      const { result } = body as { result?: { nobody: number } };
      if (status === 200 && result?.nobody !== 0)
        this.#found('wrong', `wrong count of a tag without entities: ${JSON.stringify(body)}`);
      await pause(2);
    }
  }

  /** 0 where the system does not report it. */
  #threads(): number {
    const dir = `/proc/${(this.#server as ServerProcess).pid}/task`;
    return fs.existsSync(dir) ? fs.readdirSync(dir).length : 0;
  }

  /** Every death is followed by a rebuild; a death during a rebuild by the same rebuild. */
  async #checkRestarts(what: string, deathsBefore: number): Promise<void> {
    const restarts = await this.#metric('quarry_lane_restarts_total');
    if (this.findings.deaths > deathsBefore && restarts <= this.#restartsBefore) {
      this.#found('wrong', `${what}: no restart was counted`);
    }
    // A thread may end with a delay.
    for (let tries = 0; this.#threads() > this.#threadCount && tries < 100; tries++) await pause(50);
    if (this.#threads() > this.#threadCount) {
      this.#found('wrong', `${what}: ${this.#threads()} threads, ${this.#threadCount} when it began`);
    }
    this.findings.restarts += restarts - this.#restartsBefore;
    this.#restartsBefore = restarts;
  }

  #found(problem: 'wrong', text: string): void {
    this.findings[problem]++;
    this.findings.texts.push(text);
  }
}

export const describe = ({ way, moment }: Death): string => `${way} ${moment}`;

export const isClean = ({ lost, half, doubled, wrong }: Findings): boolean =>
  lost + half + doubled + wrong === 0;

/** Deaths of every kind at every time, in an order determined by the seed. */
export const workerDeaths: Torture = async ({ dir, rounds, seed }) => {
  const startedAt = performance.now();
  const prng = new Prng(seed);
  const deaths = new WorkerDeaths(dir, seed);
  await deaths.start();
  try {
    for (let round = 0; round < rounds; round++) {
      const moment = MOMENTS[round % MOMENTS.length];
      // Filling a heap takes several seconds and uses 2 GiB of memory.
      const way = prng.chance(0.1) ? 'heap' : prng.pick(ALL_WAYS.filter((one) => one !== 'heap'));
      await deaths.round({ way, moment });
      const done = round + 1;
      if (done % ROUNDS_PER_CHECK === 0) await deaths.check();
      if (done % ROUNDS_PER_LIFE === 0) await deaths.checkAfterKill();
    }
    await deaths.check();
    await deaths.checkAfterKill();
  } finally {
    await deaths.kill();
  }
  const summary = deaths.summary();
  for (const text of summary.texts) console.log(text);
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.log(
    `${rounds} rounds, ${summary.deaths} threads died, ${summary.restarts} rebuilds, ${summary.untaken} orders came too late, ` +
      `${summary.acknowledged} requests acknowledged, ${summary.refused} refused, ${summary.checks} counts compared, ` +
      `${summary.lost} lost, ${summary.half} half, ${summary.doubled} doubled, ${summary.wrong} wrong, ${seconds} s`,
  );
  return isClean(summary);
};
