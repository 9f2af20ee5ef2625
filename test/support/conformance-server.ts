/** The whole server in the process of the test, which sends raw JSON text over HTTPS and can restart the server. */
import fs from 'node:fs';
import { Agent, request } from 'node:https';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { type RunningServer, startServer } from '../../src/commands/serve/serve.js';
import type { ServeConfig } from '../../src/commands/serve/serve-config.js';
import type { RuleName } from '../../src/plan/index.js';
import { unsharedClients } from './unshared-client.js';

const fileOf = (name: string): string => fileURLToPath(new URL(`../../src/${name}`, import.meta.url));

export interface RawAnswer {
  readonly status: number;
  readonly text: string;
  readonly bytes: Uint8Array;
}

export interface ServerLayout {
  readonly workers: number;
  /** null = as many as workers. */
  readonly shards: number | null;
  /** Memory limit of this process, including the test. */
  readonly memoryLimitBytes: number;
  /** See EngineOptions. Messages of queries with shared memory fail with the exchange of bytes, when the server is closed. */
  readonly partitionGroupsMin?: number;
  readonly exchange?: 'shared' | 'bytes';
  readonly spillShareBytesMax?: number;
  readonly disabledRules?: () => ReadonlySet<RuleName>;
}

export class ConformanceServer {
  #dir: string;
  readonly #layout: ServerLayout;
  #simd: boolean;
  #server: RunningServer | null = null;
  #agent = new Agent();
  #key = '';
  /** Shared memory in messages of queries that should have none. */
  readonly #sharedMemory: string[] = [];

  private constructor(dir: string, simd: boolean, layout: ServerLayout) {
    this.#dir = dir;
    this.#simd = simd;
    this.#layout = layout;
  }

  /** Starts on an empty data directory; `simd` false runs the kernels' TypeScript twins. */
  static async start(simd: boolean, layout: Partial<ServerLayout> = {}): Promise<ConformanceServer> {
    const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'quarry-conformance-'));
    const server = new ConformanceServer(dir, simd, {
      ...{ workers: 2, shards: null, memoryLimitBytes: 2 ** 30 },
      ...layout,
    });
    await server.#open();
    return server;
  }

  /** Starts another server on the files that a kill -9 would leave now; they contain everything acknowledged. */
  async copy(simd: boolean): Promise<ConformanceServer> {
    const server = new ConformanceServer(this.#copyData(), simd, this.#layout);
    await server.#open();
    return server;
  }

  /** A new directory with the data as a kill -9 would leave it now. */
  #copyData(): string {
    const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'quarry-conformance-'));
    const isData = (file: string): boolean => !fs.lstatSync(file).isSocket();
    fs.cpSync(this.#dir, dir, { recursive: true, filter: isData });
    return dir;
  }

  async #open(): Promise<void> {
    const config: ServeConfig = {
      dataDir: this.#dir,
      host: '127.0.0.1',
      httpsPort: 0,
      httpPort: 0,
      pgPort: null,
      pgAuth: 'password',
      ...this.#layout,
      durability: 'fsync',
      archiveDir: null,
      limits: null,
      spillBytesMax: 2 ** 30,
      idempotencyEntries: 1_000_000,
      lineKeys: 1_000_000,
      querySeconds: 30,
      cert: null,
      key: null,
      trustProxy: [],
      inlets: [],
      logLevel: 'silent',
      slowQueryMs: null,
      auditLog: null,
    };
    const { partitionGroupsMin, spillShareBytesMax, disabledRules, exchange = 'shared' } = this.#layout;
    const workerFile = fileOf('worker/entry.js');
    this.#server = await startServer(config, {
      ...(partitionGroupsMin === undefined ? {} : { partitionGroupsMin }),
      exchange,
      ...(exchange === 'bytes' && { createWorkerClient: unsharedClients(workerFile, this.#sharedMemory) }),
      ...(spillShareBytesMax === undefined ? {} : { spillShareBytesMax }),
      ...(disabledRules === undefined ? {} : { disabledRules }),
      release: '0.0.0-test',
      log: pino({ level: 'silent' }),
      workerFile,
      consoleDir: null,
      parquetThreadFile: fileOf('http/parquet/thread.js'),
      kernelsFile: this.#simd ? fileOf('kernels/kernels.wasm') : null,
      onFatal: (error) => {
        throw error;
      },
    });
    const keys = JSON.parse(fs.readFileSync(path.join(this.#dir, 'keys.json'), 'utf8'));
    this.#key = keys.database['master-key'];
    this.#agent = new Agent({ keepAlive: true, timeout: 5_000, ca: fs.readFileSync(this.#server.certFile) });
  }

  async #close(): Promise<void> {
    this.#agent.destroy();
    await this.#server?.close();
    this.#server = null;
    if (this.#sharedMemory.length > 0) throw new Error(`shared memory in ${this.#sharedMemory[0]}`);
  }

  /** Stops the server, which writes a snapshot, and starts it again, if requested with the other kernels. */
  async restart(simd: boolean = this.#simd): Promise<void> {
    await this.#close();
    this.#simd = simd;
    await this.#open();
  }

  /**
   * Restarts the server on the disk content from before the stop, as after a crash: the newest snapshot and the log
   * after it.
   */
  async restartFromLog(simd: boolean = this.#simd): Promise<void> {
    const copy = this.#copyData();
    await this.#close();
    fs.rmSync(this.#dir, { recursive: true, force: true });
    this.#dir = copy;
    this.#simd = simd;
    await this.#open();
  }

  /** Writes a snapshot, so that the next restart reads one. */
  async checkpoint(): Promise<void> {
    await this.#server?.checkpoint();
  }

  /** Stops the server and removes its data. */
  async stop(): Promise<void> {
    await this.#close();
    fs.rmSync(this.#dir, { recursive: true, force: true });
  }

  /** POST /v1/sql */
  sql(text: string | Uint8Array): Promise<RawAnswer> {
    return this.post('/v1/sql', text, 'application/sql');
  }

  post(
    urlPath: string,
    body: string | Uint8Array,
    contentType = 'application/json',
    accept = '*/*',
    more: Readonly<Record<string, string>> = {},
  ): Promise<RawAnswer> {
    return this.send('POST', urlPath, body, { 'content-type': contentType, accept, ...more });
  }

  send(
    method: string,
    urlPath: string,
    body: string | Uint8Array,
    headers: Readonly<Record<string, string>> = { 'content-type': 'application/json' },
  ): Promise<RawAnswer> {
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          host: '127.0.0.1',
          port: this.#server?.ports.httpsPort,
          path: urlPath,
          method,
          agent: this.#agent,
          headers: { authorization: this.#key, 'content-length': Buffer.byteLength(body), ...headers },
        },
        (response) => {
          const parts: Buffer[] = [];
          response.on('data', (part: Buffer) => parts.push(part));
          response.on('error', reject);
          response.on('end', () => {
            const bytes = Buffer.concat(parts);
            resolve({ status: response.statusCode ?? 0, text: bytes.toString('utf8'), bytes });
          });
        },
      );
      sent.on('error', reject);
      sent.end(body);
    });
  }
}
