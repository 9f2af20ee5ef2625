/** Sends each kind of request and reads its answer. */
import type { Table } from 'apache-arrow';
import { ConnectionError, errorOf } from './errors.js';
import {
  type AnswerStream,
  type CallOptions,
  type Fetch,
  type HttpRequest,
  parseExact,
  type RetryPolicy,
  Transport,
  writeExact,
} from './transport/index.js';

export interface QuarryOptions {
  /** Such as `https://db.example.org:8443`. */
  readonly url: string;
  /** A key of a database, a custom key, a team key, or the key of a session. */
  readonly key: string;
  /** In Node: the trusted certificate (PEM) for the server, in place of Node's certificates. */
  readonly ca?: string;
  /** Used in place of the global `fetch`. */
  readonly fetch?: Fetch;
  /** Maximum number of retries of a request; 5 by default. */
  readonly retries?: number;
  /** Time limit for a call including its retries, in milliseconds; 60,000 by default, 0 = none. */
  readonly timeoutMs?: number;
}

export interface WriteOptions extends CallOptions {
  /** Identifies the write; random by default. Writes with the same key and body within 24 hours take effect once. */
  readonly idempotencyKey?: string;
}

export interface Result<T> {
  readonly result: T;
}

export const JSON_TYPE = 'application/json';
export const LINES_TYPE = 'application/x-ndjson';
export const ARROW_TYPE = 'application/vnd.apache.arrow.stream';
const EVENTS_TYPE = 'text/event-stream';
export const SQL_TYPE = 'application/sql';
export const SQL_PATH = '/v1/sql';
const TIMEOUT_MS = 60_000;
const RETRY_POLICY: RetryPolicy = {
  retriesMax: 5,
  firstWaitMs: 100,
  waitMsMax: 5_000,
  jitter: [0, 1],
  // Temporary errors without effect: too many requests, disk or memory full, a shard is rebuilt, too slow.
  codes: [1502, 9002, 9003, 9004, 9005],
  proxyStatuses: [429, 502, 503, 504],
};

type Change = 'POST' | 'PUT' | 'DELETE';

export class Sender {
  readonly #transport: Transport;

  constructor(options: QuarryOptions) {
    const { url, key, retries = RETRY_POLICY.retriesMax, timeoutMs = TIMEOUT_MS } = options;
    let found: Promise<Fetch> | null = null;
    this.#transport = new Transport({
      url: url.replace(/\/+$/, ''),
      key,
      timeoutMs,
      retries: { policy: { ...RETRY_POLICY, retriesMax: retries } },
      fetch: () => {
        found ??= fetchOf(options);
        return found;
      },
      refused: (_, refusal) => errorOf(refusal),
      lost: ({ method, path }, cause, at) =>
        new ConnectionError(
          at === 'stream'
            ? 'the answer was cut before its end'
            : `${method} ${path}: no whole answer came (${messageOf(cause)})`,
          { cause },
        ),
    });
  }

  #json<T>(request: HttpRequest, options?: CallOptions): Promise<T> {
    return this.#transport.send(request, async (response) => parseExact(await response.text()) as T, options);
  }

  get<T>(path: string, options?: CallOptions): Promise<T> {
    return this.#json<T>({ method: 'GET', path, repeatable: true }, options);
  }

  request<T>(path: string, body: unknown, options?: CallOptions): Promise<T> {
    return this.#json<T>(jsonRequest(path, body, JSON_TYPE), options);
  }

  async result<T>(path: string, body: unknown, options?: CallOptions): Promise<T> {
    return (await this.request<Result<T>>(path, body, options)).result;
  }

  /** Sends a change of the catalog. It has no Idempotency-Key and is not retried after an unknown outcome. */
  change<T>(method: Change, path: string, body: unknown, options?: CallOptions): Promise<T> {
    const sent = { method, path, repeatable: false };
    const request =
      body === undefined ? sent : { ...sent, body: writeExact(body), headers: { 'Content-Type': JSON_TYPE } };
    return this.#json<T>(request, options);
  }

  write<T>(path: string, body: string, type: string, options?: WriteOptions): Promise<T> {
    const headers = {
      'Content-Type': type,
      'Idempotency-Key': options?.idempotencyKey ?? newIdempotencyKey(),
    };
    return this.#json<T>({ method: 'POST', path, body, headers, repeatable: true }, options);
  }

  lines<T>(request: HttpRequest, options?: CallOptions): AsyncGenerator<T, void, void> {
    return this.#transport.lines(request, options) as AsyncGenerator<T, void, void>;
  }

  /** The bytes of a stream of server-sent events after the event `lastId`. The time limit applies to its beginning only. */
  async events(
    path: string,
    lastId: number | undefined,
    signal: AbortSignal,
  ): Promise<AnswerStream['bytes']> {
    const headers: Record<string, string> = { Accept: EVENTS_TYPE };
    if (lastId !== undefined) headers['Last-Event-ID'] = String(lastId);
    return (await this.#transport.stream({ method: 'GET', path, headers, repeatable: true }, { signal }))
      .bytes;
  }

  async arrow(request: HttpRequest, options?: CallOptions): Promise<Table> {
    const { tableFromIPC } = await import('apache-arrow');
    return this.#transport.send(
      request,
      async (response) => tableFromIPC(new Uint8Array(await response.arrayBuffer())),
      options,
    );
  }
}

/** The message of an error; `fetch` gives the reason in the cause of its error. */
function messageOf(error: unknown): string {
  const { message, cause } = error as {
    readonly message?: string;
    readonly cause?: { readonly message?: string };
  };
  return cause?.message ?? message ?? String(error);
}

/** The path is computed so that bundlers for browsers do not include the module. */
const NODE_FETCH = ['.', 'transport', 'node-fetch.js'].join('/');

async function fetchOf({ ca, fetch }: QuarryOptions): Promise<Fetch> {
  if (fetch !== undefined) return fetch;
  if (ca === undefined) return (url, init) => globalThis.fetch(url, init);
  const { nodeFetch } = (await import(NODE_FETCH)) as typeof import('./transport/node-fetch.js');
  return nodeFetch({ ca }).fetch;
}

export function jsonRequest(path: string, body: unknown, accept: string): HttpRequest {
  const headers = { 'Content-Type': JSON_TYPE, Accept: accept };
  return { method: 'POST', path, body: writeExact(body), headers, repeatable: true };
}

export function sqlRequest(select: string, accept: string): HttpRequest {
  const headers = {
    'Content-Type': SQL_TYPE,
    Accept: accept,
    'Idempotency-Key': newIdempotencyKey(),
  };
  return { method: 'POST', path: SQL_PATH, body: select, headers, repeatable: true };
}

/** 128 random bits. */
function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
