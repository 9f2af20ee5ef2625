/**
 * A server under a memory limit of the kernel is filled until it refuses, is sent three times the accepted data, and
 * gets concurrent queries that need the most memory. It must refuse only requests beyond its memory (9003, 9005, 9006),
 * always answer a good client correctly, keep its workers and all acknowledged writes, and stay within the limit.
 */
import fs from 'node:fs';
import path from 'node:path';
import { Prng } from '../../../src/base/index.js';
import { JsonClient } from '../../support/json-client.js';
import { ServerProcess, type Serving } from '../../support/server-process.js';
import type { TortureOptions } from '../history/torture-options.js';
import { HEAVY_QUERIES, take } from './heavy-queries.js';
import { MemoryGroup } from './memory-group.js';
import { metricsOf, processStats } from './process-stats.js';

const MIB = 2 ** 20;
/** Limits of the memory group; the server derives its own limit from them by default. */
const GROUP_MIB = [600, 900, 1_200, 2_200] as const;
const QUERIES = 60;
const ENTITIES_PER_BODY = 1_000;
const SENDERS = 4;
const QUERY_CLIENTS = 6;
/** Ratio of sent to accepted data. */
const SENT_PART = 3;
/**
 * Highest resident memory of the process relative to its limit, and an allowance for small limits, where threads and
 * buffers are a larger share.
 */
const RSS_PART_MAX = 1.1;
const RSS_BEYOND_MIB_MAX = 150;
const GOOD_PAUSE_MS = 30;
const CITIES = 50;
const COLUMNS = [
  { name: 'name', type: 'string' },
  { name: 'note', type: 'string' },
  { name: 'city', type: 'string' },
  { name: 'n', type: 'integer' },
  { name: 'seen', type: 'string-event' },
].map((column) => ({ ...column, 'api-name': column.name }));
const WRITES_REFUSED = 9003;
const QUERIES_REFUSED: readonly (number | null)[] = [9005, 9006];

export interface MemoryRound {
  readonly dir: string;
  readonly seed: number;
  readonly groupMib: number;
  /** Heavy queries of all clients together. */
  readonly queries: number;
}

export interface MemoryOutcome {
  readonly faults: readonly string[];
  readonly limitMib: number;
  /** The highest memory of the process, in its first run and in the run that loaded the store of the first one. */
  readonly rssMib: readonly number[];
  readonly bodiesTaken: number;
  readonly bodiesRefused: number;
  readonly queriesAnswered: number;
  readonly queriesRefused: number;
  /** Requests that were refused after the first bytes of their answers. */
  readonly queriesBroken: number;
  readonly goodAnswers: number;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

interface Life {
  readonly server: ServerProcess;
  readonly serving: Serving;
  readonly client: JsonClient;
}

class MemoryRun {
  readonly #round: MemoryRound;
  readonly #group: MemoryGroup;
  readonly #prng: Prng;
  readonly faults: string[] = [];
  readonly outcome: Mutable<MemoryOutcome> = {
    faults: this.faults,
    limitMib: 0,
    rssMib: [],
    bodiesTaken: 0,
    bodiesRefused: 0,
    queriesAnswered: 0,
    queriesRefused: 0,
    queriesBroken: 0,
    goodAnswers: 0,
  };

  constructor(round: MemoryRound, group: MemoryGroup) {
    this.#round = round;
    this.#group = group;
    this.#prng = new Prng(round.seed);
  }

  async run(): Promise<void> {
    await this.#live('first life', async (life) => {
      await life.client.succeed({ path: '/v1/column', body: COLUMNS });
      await life.client.succeed({ path: '/v1/insert', body: this.#entities('fixed', 'fixed') });
      this.outcome.bodiesTaken++;
      const over = { now: false };
      const good = this.#queryWithinLimit(life, over);
      try {
        await this.#fill(life);
        await this.#queryHeavily(life);
      } finally {
        over.now = true;
        await good;
      }
      await this.#checkRows(life);
    });
    // Data that was accepted under the limit must load under the same limit.
    await this.#live('second life', (life) => this.#checkRows(life));
  }

  /** A run of the server in the group, which ends by SIGKILL. */
  async #live(name: string, use: (life: Life) => Promise<void>): Promise<void> {
    const dir = path.join(this.#round.dir, 'store');
    const server = this.#group.within(() => new ServerProcess({ dir, flags: ['--workers', '2'] }));
    let client: JsonClient | null = null;
    try {
      const serving = await server.serving;
      client = new JsonClient(serving, server.keys().master);
      const life = { server, serving, client };
      await use(life);
      await this.#checkProcess(name, life);
    } catch (error) {
      this.faults.push(`${name}: ${(error as Error).message}; the kernel killed ${this.#group.killCount}`);
    } finally {
      client?.close();
      await server.kill();
    }
  }

  /** Sends bodies until they are refused, and then more bodies that are refused. */
  async #fill({ client }: Life): Promise<void> {
    let sent = 0;
    let takenAtFirst = 0;
    const send = async (sender: number): Promise<void> => {
      while (takenAtFirst === 0 || sent < takenAtFirst * SENT_PART) {
        const request = { path: '/v1/insert', body: this.#entities(`s${sender}-${sent++}`) };
        const { status, body } = await client.request(request);
        if (status === 200) {
          this.outcome.bodiesTaken++;
          continue;
        }
        this.outcome.bodiesRefused++;
        takenAtFirst ||= this.outcome.bodiesTaken;
        const { errors } = body as { errors: readonly { code: number }[] };
        if (status !== 503 || errors[0].code !== WRITES_REFUSED) {
          this.faults.push(`an insert was refused with HTTP ${status}, ${JSON.stringify(errors)}`);
        }
      }
    };
    await Promise.all(Array.from({ length: SENDERS }, (_, sender) => send(sender)));
  }

  #entities(name: string, city?: string): Record<string, unknown> {
    const body: Record<string, unknown> = {};
    for (let index = 0; index < ENTITIES_PER_BODY; index++) {
      const chance = this.#prng.u32();
      body[`${name}-${index}`] = {
        name: `name of ${name}-${index}`,
        note: `${chance.toString(36)} of ${name}-${index} and what else there is to say of it`,
        city: city ?? `city ${chance % CITIES}`,
        n: index,
        seen: [{ value: `seen ${chance}`, date: '2026-01-01' }],
      };
    }
    return body;
  }

  async #queryHeavily({ serving, server }: Life): Promise<void> {
    const { master } = server.keys();
    let left = this.#round.queries;
    const runQuery = async (): Promise<void> => {
      while (left-- > 0) {
        const query = this.#prng.pick(HEAVY_QUERIES);
        const { status, code, whole } = await take(serving, master, query);
        if (status === 200) this.outcome[whole ? 'queriesAnswered' : 'queriesBroken']++;
        else if (status === 503 && QUERIES_REFUSED.includes(code)) this.outcome.queriesRefused++;
        else this.faults.push(`${query.text} was answered with HTTP ${status}, code ${code}`);
      }
    };
    await Promise.all(Array.from({ length: QUERY_CLIENTS }, runQuery));
  }

  /** Sends small queries one by one; each must get the right answer. */
  async #queryWithinLimit({ client }: Life, over: { readonly now: boolean }): Promise<void> {
    const query = [{ city: { equals: 'fixed' } }];
    const body = { 'query-name': 'fixed', query, 'bypass-cache': true };
    while (!over.now) {
      const reply = await client.request({ path: '/v1/query/count/entity', body });
      const { fixed } = (reply.body as { result?: { fixed?: number } }).result ?? {};
      if (fixed === ENTITIES_PER_BODY) this.outcome.goodAnswers++;
      else this.faults.push(`a small count got HTTP ${reply.status}, ${JSON.stringify(reply.body)}`);
      await new Promise((resolve) => setTimeout(resolve, GOOD_PAUSE_MS));
    }
  }

  async #checkRows({ client }: Life): Promise<void> {
    const text =
      'SELECT COUNT(*) AS c, COUNT(name) AS names, COUNT(note) AS notes, SUM(n) AS s FROM [default]';
    const headers = { 'content-type': 'application/sql' };
    const { result } = await client.succeed<{ result: readonly unknown[] }>({
      path: '/v1/sql',
      text,
      headers,
    });
    const c = this.outcome.bodiesTaken * ENTITIES_PER_BODY;
    const expected = [{ c, names: c, notes: c, s: (c * (ENTITIES_PER_BODY - 1)) / 2 }];
    if (JSON.stringify(result) !== JSON.stringify(expected)) {
      this.faults.push(`the rows are ${JSON.stringify(result)}, not ${JSON.stringify(expected)}`);
    }
  }

  async #checkProcess(name: string, { server, serving }: Life): Promise<void> {
    const metrics = await metricsOf(serving);
    const limitMib = Math.round((metrics.get('quarry_memory_limit_bytes') ?? 0) / MIB);
    const rssMib = Math.round(processStats(server.pid).rssMibMax);
    this.outcome.limitMib = limitMib;
    this.outcome.rssMib = [...this.outcome.rssMib, rssMib];
    if (limitMib === 0) this.faults.push(`${name}: the server reports no limit`);
    const restarts = metrics.get('quarry_lane_restarts_total');
    if (restarts !== 0) this.faults.push(`${name}: ${restarts} workers were started anew`);
    if (this.#group.killCount > 0) this.faults.push(`${name}: the kernel killed ${this.#group.killCount}`);
    if (rssMib > Math.max(limitMib * RSS_PART_MAX, limitMib + RSS_BEYOND_MIB_MAX)) {
      this.faults.push(`${name}: the process had ${rssMib} MiB, with a limit of ${limitMib}`);
    }
  }
}

/** Runs one round in an empty folder, or returns the reason why that is not possible. */
export async function memoryRound(round: MemoryRound): Promise<MemoryOutcome | string> {
  const group = MemoryGroup.make(round.groupMib * MIB);
  if (typeof group === 'string') return group;
  try {
    const run = new MemoryRun(round, group);
    await run.run();
    return run.outcome;
  } finally {
    await group.remove();
  }
}

/**
 * Rounds under limits of several sizes. Returns whether there was no error; without cgroups, reports that and returns
 * true.
 */
export async function memoryLimit({ rounds, seed, dir }: TortureOptions): Promise<boolean> {
  let isRight = true;
  for (let round = 0; round < rounds; round++) {
    const groupMib = GROUP_MIB[round % GROUP_MIB.length];
    const own = path.join(dir, `round-${round}`);
    const outcome = await memoryRound({ dir: own, seed: seed + round, groupMib, queries: QUERIES });
    if (typeof outcome === 'string') {
      console.log(`not tried: ${outcome}`);
      return true;
    }
    const { faults, ...counts } = outcome;
    for (const fault of faults) console.log(fault);
    console.log(`round ${round}, seed ${seed + round}, ${groupMib} MiB: ${JSON.stringify(counts)}`);
    isRight &&= faults.length === 0;
    if (faults.length === 0) fs.rmSync(own, { recursive: true });
  }
  return isRight;
}
