/**
 * A sync of the log, of a snapshot file or of the manifest fails in the real server while clients write or during a
 * start. The failure is injected below the code of the server (failing-sync.ts), and the unsynced bytes are lost. After
 * a failed sync of the log the process ends with exit code 70 and has acknowledged none of the lost bytes; after one of
 * a file of a checkpoint the checkpoint fails and the server continues; a start reports the failure. A clean restart
 * finds every acknowledged request complete.
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Prng } from '../../../src/base/index.js';
import { JsonClient } from '../../support/json-client.js';
import { runCommand, ServerProcess } from '../../support/server-process.js';
import type { TortureOptions } from '../history/torture-options.js';
import type { SyncOrder } from './failing-sync.js';

const PRELOAD = fileURLToPath(new URL('failing-sync.js', import.meta.url));
const WRITERS = 4;
/** Entities of each request, so that it spans several shards. */
const ENTITIES = 3;
const EXIT_FATAL = 70;
/** Number of writes to be acknowledged where the server continues. */
const REQUESTS_MIN = 20;

export type FailurePoint = 'log' | 'snapshot' | 'manifest' | 'start';
export const FAILURE_POINTS: readonly FailurePoint[] = ['log', 'snapshot', 'log', 'manifest', 'log', 'start'];

const PATTERNS: Readonly<Record<FailurePoint, string>> = {
  log: '/log/log-|/log$',
  snapshot: '/snapshot',
  manifest: '/manifest.new$|/store$',
  start: '/log/log-.*qlog$|/store$',
};

/** Timeout for the end of a server that must end at once. */
const END_MS_MAX = 10_000;

const SQL = { 'content-type': 'application/sql' };

class Rounds {
  readonly #dir: string;
  readonly #prng: Prng;
  /** Requests by their number: whether they were acknowledged. */
  readonly #requests: boolean[] = [];
  readonly faults: string[] = [];

  constructor(dir: string, seed: number) {
    this.#dir = path.join(dir, 'store');
    this.#prng = new Prng(seed);
    fs.mkdirSync(this.#dir, { recursive: true });
  }

  get acknowledgedCount(): number {
    return this.#requests.filter(Boolean).length;
  }

  async round(number: number, point: FailurePoint): Promise<void> {
    const order: SyncOrder = {
      armed: `${this.#dir}/../armed`,
      failed: `${this.#dir}/../failed`,
      pattern: PATTERNS[point],
      at: point === 'log' ? this.#prng.below(80) : this.#prng.below(point === 'snapshot' ? 12 : 2),
      forEver: this.#prng.chance(0.5),
      seed: this.#prng.u32(),
    };
    for (const file of [order.armed, order.failed]) fs.rmSync(file, { force: true });
    const what = `round ${number}, ${point}, call ${order.at}${order.forEver ? ' and all later ones' : ''}`;
    const tell = (fault: string): void => void this.faults.push(`${what}: ${fault}`);
    if (point === 'start') await this.#startFails(order, tell);
    else await this.#runFails(point, order, tell);
    const failed = fs.existsSync(order.failed);
    if (!failed && point !== 'start') tell('no sync failed');
    await this.#restart(tell);
  }

  #server(order: SyncOrder | null): ServerProcess {
    const env = {
      NODE_OPTIONS: `--import file://${PRELOAD}`,
      QUARRY_TEST_SYNC: JSON.stringify(order),
    };
    const flags = ['--workers', '2', '--shards', '3'];
    return new ServerProcess({ dir: this.#dir, flags, ...(order === null ? {} : { env }) });
  }

  async #runFails(point: FailurePoint, order: SyncOrder, tell: (fault: string) => void): Promise<void> {
    const server = this.#server(order);
    const ports = await server.serving;
    const clients = Array.from({ length: WRITERS }, () => new JsonClient(ports, server.keys().master));
    let over = false;
    void server.ended.then(() => {
      over = true;
    });
    const isOver = (): boolean => over;
    const { length: before } = this.#requests;
    const writing = Promise.all(clients.map((client) => this.#write(client, isOver, tell)));
    await this.#acknowledged(before, isOver);
    fs.writeFileSync(order.armed, '');
    if (point !== 'log') {
      server.signal('SIGUSR2');
      await server.wrote('checkpoint failed');
      await this.#acknowledged(this.#requests.length, isOver);
      if (over) tell(`the server ended:\n${server.output}`);
      over = true;
    }
    const late = setTimeout(() => server.signal('SIGKILL'), END_MS_MAX);
    await writing;
    for (const client of clients) client.close();
    if (point !== 'log') server.signal('SIGKILL');
    const { code } = await server.ended;
    clearTimeout(late);
    if (point !== 'log') return;
    if (code !== EXIT_FATAL) tell(`the server ended with ${code}:\n${server.output}`);
    if (!server.output.includes('EIO')) tell(`it did not say why:\n${server.output}`);
  }

  /** Resolves when enough of the requests from the number `from` on were acknowledged. */
  async #acknowledged(from: number, isOver: () => boolean): Promise<void> {
    while (!isOver() && this.#requests.slice(from).filter(Boolean).length < REQUESTS_MIN) {
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }

  async #write(client: JsonClient, isOver: () => boolean, tell: (fault: string) => void): Promise<void> {
    while (!isOver()) {
      const number = this.#requests.length;
      this.#requests.push(false);
      const entities = Array.from({ length: ENTITIES }, (_, at) => [`${number}-${at}`, { number }]);
      const body = { ...Object.fromEntries(entities), 'auto-create': ['column'] };
      // No answer: the server has ended.
      const reply = await client.request({ path: '/v1/insert', body }).catch(() => null);
      if (reply === null) return;
      if (reply.status === 200) this.#requests[number] = true;
      else if (!isOver()) tell(`request ${number} was refused: ${JSON.stringify(reply.body)}`);
    }
  }

  /** Starts a killed store while a sync fails; the start may also succeed without the failing syncs. */
  async #startFails(order: SyncOrder, tell: (fault: string) => void): Promise<void> {
    fs.writeFileSync(order.armed, '');
    const server = this.#server(order);
    const serves = await server.serving.then(
      () => true,
      () => false,
    );
    if (serves) {
      await server.kill();
      return;
    }
    const { code } = await server.ended;
    if (code !== 1 && code !== EXIT_FATAL) tell(`the start ended with ${code}:\n${server.output}`);
    if (!server.output.includes('EIO')) tell(`the start did not say why:\n${server.output}`);
  }

  async #restart(tell: (fault: string) => void): Promise<void> {
    const { code, output } = await runCommand(['verify', this.#dir]);
    if (code !== 0) tell(`verify: ${output}`);
    const server = this.#server(null);
    try {
      const client = new JsonClient(await server.serving, server.keys().master);
      const text = 'SELECT number, COUNT(*) AS entities FROM [default] GROUP BY number LIMIT 1000000';
      const found = new Map<number, number>();
      if (this.#requests.length > 0) {
        const request = { path: '/v1/sql', text, headers: SQL };
        const { result } = await client.succeed<{ result: Record<string, number>[] }>(request);
        for (const row of result) found.set(row.number, row.entities);
      }
      client.close();
      for (const [number, acknowledged] of this.#requests.entries()) {
        const count = found.get(number) ?? 0;
        if (count !== ENTITIES && (acknowledged || count > 0)) {
          tell(`request ${number}, ${acknowledged ? '' : 'not '}acknowledged, has ${count} of its entities`);
        }
      }
      await server.kill();
    } catch (error) {
      tell(`the restart: ${String(error)}`);
      await server.kill();
    }
  }
}

export interface FailedSyncs {
  readonly acknowledged: number;
  readonly faults: readonly string[];
}

export async function failSyncs(
  dir: string,
  seed: number,
  points: readonly FailurePoint[],
): Promise<FailedSyncs> {
  const rounds = new Rounds(dir, seed);
  for (const [number, point] of points.entries()) await rounds.round(number, point);
  return { acknowledged: rounds.acknowledgedCount, faults: rounds.faults };
}

export async function fsyncFails({ rounds, seed, dir }: TortureOptions): Promise<boolean> {
  const startedAt = performance.now();
  const points = Array.from({ length: rounds }, (_, round) => FAILURE_POINTS[round % FAILURE_POINTS.length]);
  const { acknowledged, faults } = await failSyncs(dir, seed, points);
  for (const fault of faults) console.log(fault);
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.log(
    `${rounds} rounds of failing syncs, ${acknowledged} requests acknowledged, ${faults.length} faults, ${seconds} s`,
  );
  return faults.length === 0;
}
