/**
 * The HTTP client of the commands: keep-alive connections to one address over HTTPS (or HTTP, which serves inserts only);
 * bodies and answers as a whole or as streams. Certificates are verified.
 * Requests reject with RemoteError when the answer is not HTTP 200, with UnreachableError when there is no answer.
 */
import http from 'node:http';
import https from 'node:https';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

export interface RemotePlace {
  /** "https://host:port", without a path. */
  readonly url: string;
  /** PEM text of the certificate to trust, such as the self-signed one of a data directory; null = the system's. */
  readonly certificate: string | null;
}

export interface RemoteRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly key: string;
  /** Absent = no body. A stream is sent chunked. */
  readonly body?: Uint8Array | string | Readable;
  /** Type of the body; absent = JSON. */
  readonly contentType?: string;
  /** Further headers, by lower-case name. */
  readonly headers?: Readonly<Record<string, string>>;
  /** When aborted, the connection is closed, so that the server cancels the request; the request or its stream fails. */
  readonly signal?: AbortSignal;
}

/** An answer other than HTTP 200. The message holds the method, the path, the status and the first error. */
export class RemoteError extends Error {
  override name = 'RemoteError';
  readonly status: number;
  /** Code of the first error; null when the answer does not have the interface's form. */
  readonly code: number | null;
  /** Message of the first error; the beginning of the answer when it does not have the interface's form. */
  readonly reason: string;
  /** Further members of the first error, such as the position in a statement. */
  readonly more: Readonly<Record<string, unknown>>;
  /** Seconds after which to retry; null = a retry is useless. */
  readonly retryAfterSeconds: number | null;

  constructor(request: RemoteRequest, status: number, retryAfter: string | undefined, text: string) {
    const first = firstError(text);
    const reason = first?.message ?? text.slice(0, 200);
    const code = first === null ? '' : `code ${first.code}: `;
    super(`${request.method} ${request.path}: HTTP ${status}, ${code}${reason}`);
    this.status = status;
    this.code = first?.code ?? null;
    this.reason = reason;
    this.more = first?.more ?? {};
    this.retryAfterSeconds = retryAfter !== undefined && /^\d+$/.test(retryAfter) ? Number(retryAfter) : null;
  }
}

/** No answer or an incomplete one: whether the server executed the request is unknown. */
export class UnreachableError extends Error {
  override name = 'UnreachableError';
}

interface FirstError {
  readonly code: number;
  readonly message: string;
  readonly more: Readonly<Record<string, unknown>>;
}

function firstError(text: string): FirstError | null {
  try {
    const { code, message, more_info } = JSON.parse(text).errors[0];
    const more = typeof more_info === 'object' && more_info !== null ? more_info : {};
    return typeof code === 'number' && typeof message === 'string' ? { code, message, more } : null;
  } catch {
    return null;
  }
}

export class RemoteClient {
  readonly #url: string;
  readonly #agent: http.Agent | https.Agent;

  /** `socketsMax` is the number of concurrent connections; further requests wait for one. */
  constructor({ url, certificate }: RemotePlace, socketsMax: number) {
    const options = { keepAlive: true, maxSockets: socketsMax };
    this.#url = url;
    this.#agent = url.startsWith('https:')
      ? new https.Agent(certificate === null ? options : { ...options, ca: certificate })
      : new http.Agent(options);
  }

  /** Sends a request and returns its parsed JSON answer. */
  async json(request: RemoteRequest): Promise<unknown> {
    return JSON.parse(await this.text(request));
  }

  /** Sends a request and returns its answer as text. */
  async text(request: RemoteRequest): Promise<string> {
    return readText(await this.stream(request), this.#url);
  }

  /** Sends a request and returns its answer as a stream, which must be read to its end or destroyed. */
  async stream(request: RemoteRequest): Promise<http.IncomingMessage> {
    const response = await this.#send(request);
    const { statusCode = 0, headers } = response;
    if (statusCode === 200) return response;
    throw new RemoteError(request, statusCode, headers['retry-after'], await readText(response, this.#url));
  }

  close(): void {
    this.#agent.destroy();
  }

  #send(request: RemoteRequest): Promise<http.IncomingMessage> {
    const { method, path, key, body, contentType = 'application/json', headers = {}, signal } = request;
    const sent: Record<string, string | number> = { authorization: key, ...headers };
    if (body !== undefined) sent['content-type'] = contentType;
    if (typeof body === 'string' || body instanceof Uint8Array)
      sent['content-length'] = Buffer.byteLength(body);
    return new Promise((resolve, reject) => {
      const fail = (error: unknown): void => reject(unreachable(this.#url, error));
      const send = this.#url.startsWith('https:') ? https.request : http.request;
      const options = { method, headers: sent, agent: this.#agent, signal };
      const outgoing = send(`${this.#url}${path}`, options, resolve);
      outgoing.on('error', fail);
      if (body === undefined || typeof body === 'string' || body instanceof Uint8Array) outgoing.end(body);
      // A server that answers before the body's end may close the connection; the answer is still used.
      else pipeline(body, outgoing).catch(fail);
    });
  }
}

async function readText(response: http.IncomingMessage, url: string): Promise<string> {
  const parts: Buffer[] = [];
  try {
    for await (const part of response) parts.push(part);
  } catch (error) {
    throw unreachable(url, error);
  }
  return Buffer.concat(parts).toString('utf8');
}

const HINTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there: is the server running?',
  ECONNRESET: 'the connection was cut',
  ENOTFOUND: 'there is no such host',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed: name it with --ca',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is self-signed: name it with --ca',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is of an unknown issuer: name that with --ca',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host name',
  EPROTO: 'it does not speak TLS: is it the port of HTTPS?',
};

function unreachable(url: string, error: unknown): UnreachableError {
  const { code = '', message } = error as NodeJS.ErrnoException;
  const hint = HINTS[code];
  return new UnreachableError(
    hint === undefined ? `${url}: ${message || code}` : `${url}: ${hint} (${code})`,
    {
      cause: error,
    },
  );
}
