/** A server process with a Postgres port, and clients. */
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import type { Test } from 'tap';
import { JsonClient } from '../support/json-client.js';
import { ServerProcess } from '../support/server-process.js';

export interface PostgresFixture {
  readonly port: number;
  readonly https: JsonClient;
  readonly keys: ReturnType<ServerProcess['keys']>;
  readonly server: ServerProcess;
  /** A connected client, closed when the test ends. */
  connect(key?: string, more?: pg.ClientConfig): Promise<pg.Client>;
  config(key?: string): pg.ClientConfig;
}

export async function freePort(): Promise<number> {
  const server = net.createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as net.AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

export async function startPostgres(t: Test, flags: readonly string[] = []): Promise<PostgresFixture> {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'quarry-pg-'));
  t.teardown(() => fs.rmSync(dir, { recursive: true, force: true }));
  const port = await freePort();
  const all = ['--pg-port', String(port), '--workers', '2', '--log-level', 'debug', ...flags];
  const server = new ServerProcess({ dir: path.join(dir, 'store'), flags: all });
  t.teardown(() => server.kill());
  const serving = await server.serving;
  const keys = server.keys();
  const https = new JsonClient(serving, keys.master);
  t.teardown(() => https.close());
  const config = (key = keys.master): pg.ClientConfig => ({
    host: '127.0.0.1',
    port,
    user: 'anybody',
    database: 'quarry',
    password: key,
    ssl: { rejectUnauthorized: false },
  });
  return {
    port,
    https,
    keys,
    server,
    config,
    async connect(key, more = {}) {
      const client = new pg.Client({ ...config(key), ...more });
      client.on('error', () => {});
      t.teardown(() => client.end());
      await client.connect();
      return client;
    },
  };
}

/** The flags with which psql connects to the server and prints bare rows. */
export const psqlFlags = ({ port }: Pick<PostgresFixture, 'port'>): readonly string[] => [
  ...['-X', '-A', '-t', '-h', '127.0.0.1', '-p', String(port)],
  ...['-U', 'any', '-d', 'quarry'],
];

/** The error of a query that must fail. */
export async function refusal(query: Promise<unknown>): Promise<pg.DatabaseError> {
  try {
    await query;
  } catch (error) {
    if (error instanceof pg.DatabaseError) return error;
    throw error;
  }
  throw new Error('the query was answered');
}
