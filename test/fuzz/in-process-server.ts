/**
 * The whole server without its sockets and threads, in the test's process: router, authorization, request lifecycle,
 * handlers, the engine, and the workers on a disk in memory. Requests arrive as from the HTTP library, one at a time.
 * Invariants: every error that the server logs, and every worker that ends, is recorded in `faults`. Passwords are
 * hashed by scrypt with its smallest cost, because the usual cost takes a tenth of a second. No host name is looked up.
 */
import { createHash, scryptSync } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Logger, pino } from 'pino';
import { ManualClock } from '../../src/base/index.js';
import type { Catalog } from '../../src/catalog/index.js';
import type { Engine } from '../../src/engine/index.js';
import { AddressBook } from '../../src/http/auth/addresses.js';
import { admit, bodyLengthOf } from '../../src/http/auth/admission.js';
import { Authorizer } from '../../src/http/auth/authorize.js';
import { PasswordHasher } from '../../src/http/auth/passwords.js';
import { Sessions } from '../../src/http/auth/sessions.js';
import { ENDPOINTS } from '../../src/http/endpoints/endpoints.js';
import { HandlerRunner } from '../../src/http/endpoints/handler-runner.js';
import { Router, withoutTrailingSlash } from '../../src/http/endpoints/router.js';
import { HTTP_DEFAULTS } from '../../src/http/index.js';
import { NO_REFUSALS } from '../../src/http/limits/limits.js';
import { LiveHub } from '../../src/http/live/live-hub.js';
import { Audit } from '../../src/http/observability/audit.js';
import { Metrics } from '../../src/http/observability/metrics.js';
import { RequestLog } from '../../src/http/observability/request-log.js';
import { RunningQueries } from '../../src/http/observability/running-queries.js';
import { SlowQueries } from '../../src/http/observability/slow-queries.js';
import { ByteBudget } from '../../src/http/transport/body.js';
import { BodyDecoder } from '../../src/http/transport/decode.js';
import { HttpRequest } from '../../src/http/transport/http-request.js';
import { Peer } from '../../src/http/transport/proxy.js';
import type { ServerContext } from '../../src/http/transport/server-context.js';
import type { Response, UwsRequest } from '../../src/http/transport/uws.js';
import { NOW_MS, openEngine, STORE_DIR } from '../crash/history/engine-fixture.js';
import { parquetThreads } from '../http/harness.js';
import { wasmBytes } from '../kernels/twin-arena.js';
import type { FaultyDisk } from '../support/faulty-disk.js';

const HASH_BYTES = 32;
const INSERT_MEMORY_BYTES = 16 * 2 ** 20;
const LOG_FILE_BYTES = 2 ** 20;
/** Far more turns than a checkpoint of a small store needs. */
const CHECKPOINT_TURNS_MAX = 20_000;
const PEER = Buffer.from('127.0.0.1');

export interface NearKeys {
  readonly team: string;
  readonly master: string;
}

export interface InProcessRequest {
  readonly method: string;
  readonly path: string;
  /** Null: no Authorization header. */
  readonly key: string | null;
  readonly body: Uint8Array;
  /** Headers in addition to authorization, content-type and content-length; in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Offset at which the body arrives in two parts; 0 = one part. */
  readonly cutAt?: number;
}

/** The catalog and the position in the log at some time. */
export interface Savepoint {
  readonly catalog: Catalog;
  readonly lsnAppended: number;
  readonly checkpointCount: number;
}

export interface NearAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

/** The response object of the HTTP library. */
class MemoryResponse {
  readonly whole: Promise<NearAnswer | null>;
  onBytes: ((chunk: ArrayBuffer, last: boolean) => void) | null = null;
  #resolve: (answer: NearAnswer | null) => void = () => {};
  #status = 0;
  readonly #headers = new Map<string, string>();
  readonly #parts: Buffer[] = [];

  constructor() {
    this.whole = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  cork(run: () => void): this {
    run();
    return this;
  }

  writeStatus(line: string): this {
    this.#status = Number(line.slice(0, 3));
    return this;
  }

  writeHeader(name: string, value: string): this {
    // The form of an early answer while the rest of the body is still being read: see answerAndKeepReading.
    const [length, body] = value.split('\r\n\r\n');
    this.#headers.set(name.toLowerCase(), length);
    return body === undefined ? this : this.end(body);
  }

  write(part: string | Uint8Array): boolean {
    this.#parts.push(Buffer.from(part));
    return true;
  }

  end(body: string | Uint8Array = ''): this {
    this.write(body);
    this.#resolve({ status: this.#status, headers: this.#headers, body: Buffer.concat(this.#parts) });
    return this;
  }

  /** Memory accepts the whole body. */
  tryEnd(body: string | Uint8Array): [boolean, boolean] {
    this.end(body);
    return [true, true];
  }

  endWithoutBody(): this {
    return this.end();
  }

  close(): this {
    this.#resolve(null);
    return this;
  }

  onAborted(): this {
    return this;
  }

  onWritable(): this {
    return this;
  }

  onData(act: (chunk: ArrayBuffer, last: boolean) => void): this {
    this.onBytes = act;
    return this;
  }

  pause(): void {}

  resume(): void {}

  getRemoteAddressAsText(): ArrayBuffer {
    return new Uint8Array(PEER).buffer;
  }
}

function requestOf({ method, path, key, body, headers = {} }: InProcessRequest): UwsRequest {
  const all = new Map<string, string>();
  if (key !== null) all.set('authorization', key);
  if (body.length > 0) {
    all.set('content-type', path === '/v1/sql' ? 'application/sql' : 'application/json');
    all.set('content-length', String(body.length));
  }
  for (const [name, value] of Object.entries(headers)) all.set(name, value);
  return {
    getHeader: (name: string) => all.get(name) ?? '',
    getMethod: () => method.toLowerCase(),
    getUrl: () => path.split('?')[0],
    getQuery: () => path.split('?')[1] ?? '',
    forEach: (act: (name: string, value: string) => void) => {
      for (const [name, value] of all) act(name, value);
    },
  } as UwsRequest;
}

const bufferOf = (bytes: Uint8Array): ArrayBuffer => new Uint8Array(bytes).buffer;

export class InProcessServer {
  readonly engine: Engine;
  readonly keys: NearKeys;
  /** Errors that must never happen. */
  readonly faults: string[] = [];
  readonly #router = new Router(ENDPOINTS);
  readonly #authorizer: Authorizer;
  readonly #context: ServerContext;

  private constructor(engine: Engine, keys: NearKeys, seed: number) {
    this.engine = engine;
    this.keys = keys;
    let drawn = 0;
    // Differs from the bytes from which the store's first keys are generated.
    const randomBytes = (count: number): Uint8Array =>
      createHash('shake256', { outputLength: count }).update(`${seed} ${drawn++}`).digest();
    const clock = new ManualClock(NOW_MS);
    const elapsedMs = (): number => performance.now();
    const passwords = new PasswordHasher(async (password, salt) =>
      scryptSync(password, salt, HASH_BYTES, { N: 2, r: 1, p: 1 }),
    );
    const shared = {
      engine,
      clock,
      elapsedMs,
      sessions: new Sessions(randomBytes, null, passwords),
      addresses: new AddressBook(async () => ['127.0.0.1']),
      limiter: null,
    };
    const authorizer = new Authorizer(shared);
    this.#authorizer = authorizer;
    const budget = new ByteBudget(HTTP_DEFAULTS.bodyBytesReservedMax);
    const log = this.#errorLog();
    const nowMs = (): number => NOW_MS;
    const queries = new RunningQueries({ elapsedMs, nowMs, instanceId: 'fuzz' });
    const slowQueries = new SlowQueries(null);
    const context: ServerContext = {
      runner: new HandlerRunner({
        ...{ ...shared, authorizer, randomBytes, queries, slowQueries },
        live: new LiveHub({ engine, elapsedMs, settings: HTTP_DEFAULTS.live }),
        evaluated: () => {},
      }),
      elapsedMs,
      queries,
      log: new RequestLog({ log, audit: new Audit(log, null, nowMs), engine, slowQueries, nowMs }),
      budget,
      decoder: new BodyDecoder(),
      metrics: new Metrics(engine, {
        liveStreams: () => 0,
        openRequests: () => context.openCount,
        reservedBodyBytes: () => budget.reservedBytes,
        refusals: () => NO_REFUSALS,
      }),
      waiting: new Set(),
      arrowBatchBytesMax: HTTP_DEFAULTS.arrowBatchBytesMax,
      parquet: parquetThreads(engine),
      bodySecondsMax: HTTP_DEFAULTS.bodySecondsMax,
      stallSecondsMax: HTTP_DEFAULTS.stallSecondsMax,
      closing: false,
      openCount: 0,
      closed: () => {},
    };
    this.#context = context;
  }

  /** Opens the server on an empty disk, or on the files of an earlier one. */
  static async open(disk: FaultyDisk, seed: number, shardCount: number | null = 3): Promise<InProcessServer> {
    const { engine, fatal } = await openEngine(disk, shardCount, seed, 2, {
      kernels: wasmBytes(),
      insertMemoryBytes: INSERT_MEMORY_BYTES,
      logFileBytes: LOG_FILE_BYTES,
    });
    const text = Buffer.from(await disk.readFile(`${STORE_DIR}/keys.json`)).toString('utf8');
    const { 'team-key': team, database } = JSON.parse(text) as {
      'team-key': string;
      database: Readonly<Record<string, string>>;
    };
    const server = new InProcessServer(engine, { team, master: database['master-key'] }, seed);
    fatal.catch((error) => server.faults.push(`the engine ended: ${error}`));
    return server;
  }

  #errorLog(): Logger {
    return pino({ level: 'error' }, { write: (line: string) => this.faults.push(`logged: ${line.trim()}`) });
  }

  /** Null if the connection was closed instead of an answer. */
  async request(request: InProcessRequest): Promise<NearAnswer | null> {
    const response = new MemoryResponse();
    this.#handle(requestOf(request), response);
    const { body, cutAt = 0 } = request;
    if (body.length > 0 && response.onBytes !== null) {
      if (cutAt > 0 && cutAt < body.length) response.onBytes(bufferOf(body.subarray(0, cutAt)), false);
      response.onBytes(bufferOf(body.subarray(cutAt < body.length ? cutAt : 0)), true);
    }
    return response.whole;
  }

  #handle(request: UwsRequest, memory: MemoryResponse): void {
    const response = memory as unknown as Response;
    const method = request.getMethod();
    const path = withoutTrailingSlash(request.getUrl());
    const length = bodyLengthOf(request, method);
    const peer = new Peer(response, request, null);
    const head = { requestId: 'near', peer, bodyless: method === 'head', length };
    const httpRequest = new HttpRequest(this.#context, response, head);
    try {
      const arrival = { request, found: this.#router.find(path), method, path, secure: true, length, peer };
      void httpRequest.serve(admit(this.#authorizer, arrival, httpRequest.report));
    } catch (error) {
      httpRequest.refuse(error);
    }
  }

  mark(): Savepoint {
    const { lsnAppended, checkpointCount } = this.engine.stats();
    return { catalog: this.engine.catalog(), lsnAppended, checkpointCount };
  }

  /** Whether nothing was written since except by checkpoints, each of which begins with an empty record. */
  async isUntouched(since: Savepoint): Promise<boolean> {
    for (let turn = 0; turn < CHECKPOINT_TURNS_MAX; turn++) {
      const { catalog, lsnAppended, checkpointCount } = this.mark();
      if (catalog !== since.catalog) return false;
      if (lsnAppended - since.lsnAppended <= checkpointCount - since.checkpointCount) return true;
      await nextTurn();
    }
    return false;
  }

  /** Ends the engine, which writes a snapshot. */
  close(): Promise<void> {
    return this.engine.close();
  }
}
