/**
 * Attacks of hostile or broken clients: each kind is a function that runs `count` of them at once against a running server and
 * ends its connections. `hostileClients` runs all of them in a separate process (nice 19) alongside a good client, and compares
 * the response times of the good client with and without them.
 */
import { spawn } from 'node:child_process';
import os from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { Prng } from '../../../src/base/index.js';
import { JsonClient } from '../../support/json-client.js';
import { type Keys, ServerProcess, type Serving } from '../../support/server-process.js';
import type { Torture } from '../history/torture-options.js';
import { processStats } from '../process/process-stats.js';
import { GoodClient, quantile } from './good-client.js';
import { RawClient } from './raw-client.js';

export interface Target {
  readonly ports: Serving;
  readonly keys: Keys;
}

export const COLUMNS = [{ name: 'owner', 'api-name': 'owner', type: 'string' }];
const MIB = 2 ** 20;

export function headOf(method: string, path: string, key: string, lines: readonly string[]): string {
  const type = path === '/v1/sql' ? 'application/sql' : 'application/json';
  const head = [
    `${method} ${path} HTTP/1.1`,
    'Host: localhost',
    `Authorization: ${key}`,
    `Content-Type: ${type}`,
  ];
  return `${[...head, ...lines].join('\r\n')}\r\n\r\n`;
}

export const LIVEZ = 'GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n';

async function openMany(count: number, open: () => Promise<RawClient>): Promise<RawClient[]> {
  return Promise.all(Array.from({ length: count }, open));
}

/** Holds `count` connections for `holdMs` and sends `drip` repeatedly to each. */
async function hold(
  clients: readonly RawClient[],
  holdMs: number,
  first: string,
  drip: string | null,
): Promise<void> {
  for (const client of clients) client.send(first);
  const untilMs = performance.now() + holdMs;
  while (performance.now() < untilMs) {
    await pause(Math.min(500, holdMs));
    if (drip !== null) for (const client of clients) client.send(drip);
  }
  for (const client of clients) client.drop();
}

type Attack = (target: Target, count: number, holdMs: number, prng: Prng) => Promise<void>;

/** Sends `bytes` on new connections and disconnects regardless of the answer. */
async function sendAndGo(
  target: Target,
  count: number,
  holdMs: number,
  secure: boolean,
  bytes: () => string | Uint8Array,
): Promise<void> {
  const clients = await openMany(count, () => RawClient.open(target.ports, secure));
  for (const client of clients) client.send(bytes());
  await pause(holdMs);
  for (const client of clients) client.drop();
}

const randomBytes = (prng: Prng, length: number): Uint8Array =>
  Uint8Array.from({ length }, () => prng.below(256));

export const ATTACKS: Readonly<Record<string, Attack>> = {
  'half-sent heads': async ({ ports }, count, holdMs) =>
    hold(
      await openMany(count, () => RawClient.open(ports, false)),
      holdMs,
      'GET /livez HTTP/1.1\r\nHost: ',
      'x',
    ),

  'half-sent bodies': async ({ ports, keys }, count, holdMs) => {
    const head = headOf('POST', '/v1/insert', keys.master, ['Content-Length: 100000']);
    await hold(await openMany(count, () => RawClient.open(ports, false)), holdMs, head, ' ');
  },

  'big answers read slowly': async ({ ports, keys }, count, holdMs) => {
    const clients = await openMany(count, () => RawClient.open(ports, true));
    const text = 'select * from default';
    for (const client of clients) {
      client.socket.pause();
      client.send(headOf('POST', '/v1/sql', keys.master, [`Content-Length: ${text.length}`]) + text);
    }
    await pause(holdMs);
    for (const client of clients) client.drop();
  },

  'requests whose answers are neither awaited nor read': async ({ ports }, count, holdMs) => {
    const clients = await openMany(Math.max(1, Math.floor(count / 100)), () => RawClient.open(ports, false));
    for (const client of clients) {
      client.socket.pause();
      client.send(LIVEZ.repeat(10_000));
    }
    await pause(holdMs);
    for (const client of clients) client.drop();
  },

  'chunked bodies without an end': async ({ ports, keys }, count, holdMs) => {
    const chunk = `10000\r\n${' '.repeat(65_536)}\r\n`;
    const head = headOf('POST', '/v1/insert', keys.master, ['Transfer-Encoding: chunked']);
    const few = Math.max(1, Math.floor(count / 100));
    await sendAndGo({ ports, keys }, few, holdMs, false, () => head + chunk.repeat(100));
  },

  'gzip bombs': async ({ ports, keys }, count, holdMs) => {
    const bomb = gzipSync(Buffer.alloc(50 * MIB, ' '));
    const lines = ['Content-Encoding: gzip', `Content-Length: ${bomb.length}`];
    const head = Buffer.from(headOf('POST', '/v1/insert', keys.master, lines));
    const few = Math.max(1, Math.floor(count / 50));
    await sendAndGo({ ports, keys }, few, holdMs, false, () => Buffer.concat([head, bomb]));
  },

  'gzip bombs that just fit': async ({ ports, keys }, count, holdMs) => {
    const bomb = gzipSync(Buffer.alloc(5 * MIB - 100, ' '));
    const lines = ['Content-Encoding: gzip', `Content-Length: ${bomb.length}`];
    const head = Buffer.from(headOf('POST', '/v1/insert', keys.master, lines));
    await sendAndGo({ ports, keys }, Math.max(1, Math.floor(count / 5)), holdMs, false, () =>
      Buffer.concat([head, bomb]),
    );
  },

  'TLS handshakes that stop': async ({ ports }, count, holdMs, prng) => {
    const clients = await openMany(count, () => RawClient.openBare(ports));
    // The head of a ClientHello record, and garbage of the length that it names, cut short.
    const hello = Buffer.concat([Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc]), randomBytes(prng, 100)]);
    for (const client of clients) client.send(prng.chance(0.5) ? hello : randomBytes(prng, 300));
    await pause(holdMs);
    for (const client of clients) client.drop();
  },

  'random bytes': ({ ports, keys }, count, holdMs, prng) =>
    sendAndGo({ ports, keys }, count, holdMs, false, () => randomBytes(prng, 1_000)),

  'floods of header lines': ({ ports, keys }, count, holdMs) =>
    sendAndGo(
      { ports, keys },
      count,
      holdMs,
      false,
      () => `GET /livez HTTP/1.1\r\n${'X-A: b\r\n'.repeat(2_000)}`,
    ),

  'connections reset at once': async ({ ports }, count) => {
    const clients = await openMany(count, () => RawClient.open(ports, false));
    for (const client of clients) client.socket.resetAndDestroy();
  },
};

const SEED_PER_ROUND = 1_000;

/** Entry of the process that runs only the attacks. */
export async function attackForEver(target: Target, seed: number, count: number): Promise<never> {
  const prng = new Prng(seed);
  const names = Object.keys(ATTACKS);
  for (let at = prng.below(names.length); ; at++) {
    await ATTACKS[names[at % names.length]](target, count, 200, prng);
    await pause(100);
  }
}

const WINDOW_MS = 4_000;
const CONNECTIONS = 200;
const PROCESS_FILE = fileURLToPath(new URL('../process/hostile-process.js', import.meta.url));
/** Memory that the server may hold in addition after all attacks: pooled buffers, and garbage that is not yet collected. */
export const RESIDENT_MIB_MORE_MAX = 700;

/** Rounds of one window without and one with the hostile process. */
export const hostileClients: Torture = async ({ dir, rounds, seed }) => {
  const server = new ServerProcess({ dir, flags: ['--workers', '2'] });
  const [without, beside]: [number[], number[]] = [[], []];
  const faults: string[] = [];
  try {
    const ports = await server.serving;
    const target = { ports, keys: server.keys() };
    const client = new JsonClient(ports, target.keys.master);
    await client.succeed({ path: '/v1/column', body: COLUMNS });
    client.close();
    const good = new GoodClient(ports, target.keys, 'good');
    good.start();
    await pause(WINDOW_MS / 2);
    const before = processStats(server.pid);
    let mibMost = 0;
    for (let round = 0; round < rounds; round++) {
      good.takeTimes();
      await pause(WINDOW_MS);
      without.push(quantile(good.takeTimes(), 0.99));
      const args = [
        PROCESS_FILE,
        JSON.stringify(target),
        String(seed + round * SEED_PER_ROUND),
        String(CONNECTIONS),
      ];
      const hostile = spawn(process.execPath, args, { stdio: 'ignore' });
      os.setPriority(hostile.pid as number, 19);
      await pause(1_000);
      good.takeTimes();
      await pause(WINDOW_MS);
      beside.push(quantile(good.takeTimes(), 0.99));
      mibMost = Math.max(mibMost, processStats(server.pid).rssMib);
      const ended = new Promise((resolve) => hostile.once('exit', resolve));
      hostile.kill('SIGKILL');
      await ended;
      await pause(1_000);
    }
    await good.stop();
    faults.push(...good.faults);
    // Silent connections are dropped after ten seconds.
    await pause(15_000);
    const handles = processStats(server.pid).handles - before.handles;
    if (handles > 10) faults.push(`${handles} file handles more than before`);
    if (mibMost - before.rssMib > RESIDENT_MIB_MORE_MAX)
      faults.push(`${Math.round(mibMost - before.rssMib)} MiB more than before`);
    if (server.output.includes('unexpected error')) faults.push(server.output.slice(-2_000));
    const [p99, p99Beside] = [quantile(without, 0.5), quantile(beside, 0.5)];
    if (p99Beside > 2 * p99)
      faults.push(`p99 ${p99Beside.toFixed(1)} ms with hostile clients, ${p99.toFixed(1)} ms without`);
    for (const fault of faults) console.log(fault);
    console.log(
      `${rounds} windows: p99 ${p99.toFixed(1)} ms without, ${p99Beside.toFixed(1)} ms with ${CONNECTIONS} hostile connections at a time; ` +
        `${good.insertedCount} inserts, ${Math.round(mibMost - before.rssMib)} MiB more at most, ` +
        `${handles} file handles more at the end, ${faults.length} faults`,
    );
  } finally {
    await server.kill();
  }
  return faults.length === 0;
};
