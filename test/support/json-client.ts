/**
 * A keep-alive client of a server process. It distinguishes a complete answer of any status from an incomplete or
 * missing one, as crash tests require.
 */
import http from 'node:http';
import https from 'node:https';
import type { Serving } from './server-process.js';

export interface Reply {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: unknown;
}

export interface ApiRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly key?: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent unchanged, instead of `body`. */
  readonly text?: string | null;
  /** Headers that replace or extend the default ones; null omits a header. */
  readonly headers?: Readonly<Record<string, string | null>>;
  /** Uses the HTTP port instead of HTTPS. */
  readonly plain?: boolean;
}

const textOf = (body: unknown): string | null => (body === undefined ? null : JSON.stringify(body));

/**
 * The server drops connections that are idle for ten seconds, so a connection that is idle for this long is not used again.
 */
const IDLE_MS_MAX = 5_000;

export class JsonClient {
  readonly #ports: Serving;
  readonly #key: string;
  readonly #https = new https.Agent({ keepAlive: true, timeout: IDLE_MS_MAX, rejectUnauthorized: false });
  readonly #http = new http.Agent({ keepAlive: true, timeout: IDLE_MS_MAX });

  /** `key` is the default key of requests. */
  constructor(ports: Serving, key: string) {
    this.#ports = ports;
    this.#key = key;
  }

  /** Resolves with a complete answer. Rejects if there is none; then it is unknown whether the request took effect. */
  request({
    method,
    path,
    key = this.#key,
    body,
    text = textOf(body),
    headers,
    plain = false,
  }: ApiRequest): Promise<Reply> {
    const all: Readonly<Record<string, string | number | null>> = {
      authorization: key,
      ...(text === null
        ? {}
        : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
      ...headers,
    };
    const options = {
      host: '127.0.0.1',
      port: plain ? this.#ports.httpPort : this.#ports.httpsPort,
      path,
      method: method ?? (text === null ? 'GET' : 'POST'),
      agent: plain ? this.#http : this.#https,
      headers: Object.fromEntries(
        Object.entries(all).flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
      ),
    };
    return new Promise((resolve, reject) => {
      const sent = (plain ? http : https).request(options, (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('error', reject);
        response.on('end', () => {
          try {
            const body = JSON.parse(Buffer.concat(parts).toString('utf8'));
            resolve({ status: response.statusCode ?? 0, headers: response.headers, body });
          } catch (error) {
            reject(error as Error);
          }
        });
      });
      sent.on('error', reject);
      sent.end(text ?? undefined);
    });
  }

  /** Resolves with the answer's body as a `T`. Rejects if the status is not 200. */
  async succeed<T>(send: ApiRequest): Promise<T> {
    const { status, body } = await this.request(send);
    if (status !== 200) throw new Error(`${send.path}: HTTP ${status}, ${JSON.stringify(body)}`);
    return body as T;
  }

  close(): void {
    this.#https.destroy();
    this.#http.destroy();
  }
}
