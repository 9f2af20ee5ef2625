/** Sends each kind of request and reads its answer. */
import type { Table } from 'apache-arrow';
import { parseExact, writeExact } from './json.js';
import {
  type CallOptions,
  type Fetch,
  newIdempotencyKey,
  type Sent,
  Transport,
  type WriteOptions,
} from './transport.js';

export interface QuarryOptions {
  /** Such as `https://db.example.org:8443`. */
  readonly url: string;
  /** A key of a database, a custom key, a team key, or that of a session. */
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

export interface Result<T> {
  readonly result: T;
}

export const JSON_TYPE = 'application/json';
export const LINES_TYPE = 'application/x-ndjson';
export const ARROW_TYPE = 'application/vnd.apache.arrow.stream';
export const SQL_TYPE = 'application/sql';
export const SQL_PATH = '/v1/sql';
const RETRIES = 5;
const TIMEOUT_MS = 60_000;

type Change = 'POST' | 'PUT' | 'DELETE';

export class Sender {
  readonly #transport: Transport;

  constructor(options: QuarryOptions) {
    const { url, key, retries = RETRIES, timeoutMs = TIMEOUT_MS } = options;
    let found: Promise<Fetch> | null = null;
    const fetch = (): Promise<Fetch> => {
      found ??= fetchOf(options);
      return found;
    };
    this.#transport = new Transport({ url: url.replace(/\/+$/, ''), key, fetch, retries, timeoutMs });
  }

  #json<T>(sent: Sent, options?: CallOptions): Promise<T> {
    return this.#transport.send(sent, async (response) => parseExact(await response.text()) as T, options);
  }

  get<T>(path: string, options?: CallOptions): Promise<T> {
    return this.#json<T>({ method: 'GET', path, repeatable: true }, options);
  }

  ask<T>(path: string, body: unknown, options?: CallOptions): Promise<T> {
    return this.#json<T>(jsonRequest(path, body, JSON_TYPE), options);
  }

  async result<T>(path: string, body: unknown, options?: CallOptions): Promise<T> {
    return (await this.ask<Result<T>>(path, body, options)).result;
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

  lines<T>(sent: Sent, options?: CallOptions): AsyncGenerator<T, void, void> {
    return this.#transport.lines(sent, options) as AsyncGenerator<T, void, void>;
  }

  async arrow(sent: Sent, options?: CallOptions): Promise<Table> {
    const { tableFromIPC } = await import('apache-arrow');
    return this.#transport.send(
      sent,
      async (response) => tableFromIPC(new Uint8Array(await response.arrayBuffer())),
      options,
    );
  }
}

/** The path is computed so that bundlers for browsers do not include the module. */
const NODE_FETCH = ['.', 'node.js'].join('/');

async function fetchOf({ ca, fetch }: QuarryOptions): Promise<Fetch> {
  if (fetch !== undefined) return fetch;
  if (ca === undefined) return (url, init) => globalThis.fetch(url, init);
  const { fetchTrusting } = (await import(NODE_FETCH)) as typeof import('./node.js');
  return fetchTrusting(ca);
}

export function jsonRequest(path: string, body: unknown, accept: string): Sent {
  const headers = { 'Content-Type': JSON_TYPE, Accept: accept };
  return { method: 'POST', path, body: writeExact(body), headers, repeatable: true };
}

export function sqlRequest(select: string, accept: string): Sent {
  const headers = {
    'Content-Type': SQL_TYPE,
    Accept: accept,
    'Idempotency-Key': newIdempotencyKey(),
  };
  return { method: 'POST', path: SQL_PATH, body: select, headers, repeatable: true };
}
