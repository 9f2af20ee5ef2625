/**
 * A Quarry server in a separate process, and its requests outside timed loads. It is ended with SIGKILL, because no
 * result of a benchmark depends on a clean stop.
 */
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { JsonClient } from '../../test/support/json-client.js';
import { freePort, ServerProcess } from '../../test/support/server-process.js';
import type { Target } from '../load/connection.js';
import { codeBytesOf, cpuSecondsOf, mainCpuSecondsOf, residentBytesOf, sleep } from '../measure.js';

/** Paths of the files that processes and threads start with. */
const BUNDLES = ['../../src/', '../../src/worker/', '../../src/kernels/'].map((folder) =>
  fileURLToPath(new URL(folder, import.meta.url)),
);
const READY_MS_MAX = 600_000;
const CHECKPOINT_MS_MAX = 600_000;

/** HTTP status of a GET, or 0 while nobody listens. */
function statusOf(port: number, urlPath: string): Promise<number> {
  return new Promise((resolve) => {
    const request = http.get({ host: '127.0.0.1', port, path: urlPath, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.on('error', () => resolve(0));
  });
}

function textOf(port: number, urlPath: string): Promise<string> {
  return new Promise((resolve, reject) => {
    http
      .get({ host: '127.0.0.1', port, path: urlPath, agent: false }, (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (part) => {
          text += part;
        });
        response.on('end', () => resolve(text));
      })
      .on('error', reject);
  });
}

export class QuarryServer {
  readonly dir: string;
  /** Seconds from the start of the process to the first 200 of /readyz. */
  readonly readySeconds: number;
  readonly #process: ServerProcess;
  readonly #httpPort: number;
  readonly #httpsPort: number;
  readonly #client: JsonClient;

  private constructor(process: ServerProcess, httpPort: number, httpsPort: number, readySeconds: number) {
    this.dir = process.dir;
    this.readySeconds = readySeconds;
    this.#process = process;
    this.#httpPort = httpPort;
    this.#httpsPort = httpsPort;
    this.#client = new JsonClient({ httpPort, httpsPort }, process.keys().master);
  }

  /** Starts with durability fsync and without limits. Rejects with the server's output if the server ends. */
  static async start(dir: string, workers: number): Promise<QuarryServer> {
    const httpPort = await freePort();
    const startedMs = performance.now();
    const process = new ServerProcess({ dir, httpPort, flags: ['--workers', String(workers)] });
    let ended = false;
    process.ended.then(() => {
      ended = true;
    });
    try {
      while ((await statusOf(httpPort, '/readyz')) !== 200) {
        if (ended) await process.serving;
        if (performance.now() - startedMs > READY_MS_MAX) throw new Error('the server did not become ready');
        await sleep(5);
      }
      const readySeconds = (performance.now() - startedMs) / 1000;
      const { httpsPort } = await process.serving;
      return new QuarryServer(process, httpPort, httpsPort, readySeconds);
    } catch (error) {
      await process.kill();
      throw error;
    }
  }

  target(urlPath: string, secure: boolean): Target {
    const certificate = fs.readFileSync(path.join(this.dir, 'tls/cert.pem'), 'utf8');
    const key = this.#process.keys().master;
    const url = secure ? `https://127.0.0.1:${this.#httpsPort}` : `http://127.0.0.1:${this.#httpPort}`;
    const contentType = urlPath === '/v1/sql' ? 'application/sql' : 'application/json';
    return { url, path: urlPath, key, certificate: secure ? certificate : null, contentType };
  }

  async createColumns(columns: readonly object[]): Promise<void> {
    await this.#client.succeed({ path: '/v1/column', body: columns });
  }

  /** Deletes a dimension with all its rows. */
  async deleteDimension(apiName: string): Promise<void> {
    await this.#client.succeed({
      method: 'DELETE',
      path: '/v1/dimension',
      body: { 'api-name': apiName },
    });
  }

  async countAll(): Promise<number> {
    const answer = await this.#client.succeed({ path: '/v1/query/count/entity/total' });
    return (answer as { result: { total: number } }).result.total;
  }

  async count(body: string): Promise<number> {
    const answer = await this.#client.succeed({ path: '/v1/query/count/entity', body: JSON.parse(body) });
    return (answer as { result: { q: number } }).result.q;
  }

  /** Name -> value of every metric without labels. */
  async metrics(): Promise<ReadonlyMap<string, number>> {
    const text = await textOf(this.#httpPort, '/metrics');
    return new Map([...text.matchAll(/^(\w+) (\S+)$/gm)].map(([, name, value]) => [name, Number(value)]));
  }

  cpuSeconds(): number {
    return cpuSecondsOf(this.#process.pid);
  }

  mainCpuSeconds(): number {
    return mainCpuSecondsOf(this.#process.pid);
  }

  residentBytes(): number {
    return residentBytesOf(this.#process.pid);
  }

  /** Bytes of the executable, of native libraries, and of the bundles and kernels that it runs. */
  codeBytes(): number {
    const bundles = BUNDLES.flatMap((folder) =>
      fs.readdirSync(folder).map((file) => path.join(folder, file)),
    );
    const files = bundles.filter((file) => /(\/(main|entry)\.cjs(\.code)?|\.wasm)$/.test(file));
    return files.reduce((sum, file) => sum + fs.statSync(file).size, codeBytesOf(this.#process.pid));
  }

  /** Takes a checkpoint of everything that is applied; resolves when it is in the manifest. */
  async checkpoint(): Promise<void> {
    const started = performance.now();
    while (performance.now() - started < CHECKPOINT_MS_MAX) {
      const metrics = await this.metrics();
      if (metrics.get('quarry_lsn_checkpoint') === metrics.get('quarry_lsn_applied')) return;
      // A running checkpoint may end at an older LSN; then another one is requested.
      this.#process.signal('SIGUSR2');
      await sleep(50);
    }
    throw new Error('the checkpoint did not end');
  }

  /** Log lines of the server with this message, newest last. */
  events(message: string): readonly Record<string, unknown>[] {
    return this.#process.output
      .split('\n')
      .filter((line) => line.startsWith('{') && line.includes(`"msg":"${message}"`))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  /** Ends the process with SIGKILL. */
  async close(): Promise<void> {
    this.#client.close();
    await this.#process.kill();
  }
}
