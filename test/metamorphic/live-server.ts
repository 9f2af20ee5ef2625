/** A server process that can be restarted on the same data, and a client of it. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Test } from 'tap';
import { JsonClient } from '../support/json-client.js';
import { ServerProcess } from '../support/server-process.js';

/** Two threads, three shards, no limits. */
export class LiveServer {
  readonly #dir: string;
  #process: ServerProcess;
  client!: JsonClient;
  team = '';

  private constructor(dir: string) {
    this.#dir = dir;
    this.#process = this.#spawn();
  }

  static async start(t: Test): Promise<LiveServer> {
    const server = new LiveServer(fs.mkdtempSync(path.join(os.tmpdir(), 'quarry-filter-')));
    t.teardown(async () => {
      server.client.close();
      await server.#process.kill();
      fs.rmSync(server.#dir, { recursive: true, force: true });
    });
    await server.#connect();
    return server;
  }

  #spawn(): ServerProcess {
    return new ServerProcess({ dir: this.#dir, flags: ['--workers', '2', '--shards', '3'] });
  }

  async #connect(): Promise<void> {
    this.client = new JsonClient(await this.#process.serving, this.#process.keys().master);
    this.team = this.#process.keys().team;
  }

  async restart(how: 'kill -9' | 'clean'): Promise<void> {
    this.client.close();
    await (how === 'clean' ? this.#process.end() : this.#process.kill());
    this.#process = this.#spawn();
    await this.#connect();
  }
}
