/**
 * The requests of commands to one server over HTTPS (or HTTP, which serves inserts only), with certificates verified.
 * Requests reject with RemoteError when the answer is not HTTP 200, with UnreachableError when there is no whole answer.
 */
import {
  type AnswerStream,
  type HttpRequest,
  NO_CODE,
  type Refusal,
  type Retries,
  type SendOptions,
  Transport,
} from '../../client/transport/index.js';
import { type NodeFetch, nodeFetch } from '../../client/transport/node-fetch.js';

export interface RemoteAddress {
  /** "https://host:port", without a path. */
  readonly url: string;
  /** PEM text of the certificate to trust, such as the self-signed one of a data directory; null = the system's. */
  readonly certificate: string | null;
}

/** When its signal is aborted, the connection is closed, so that the server cancels the request. */
export interface RemoteRequest extends Omit<HttpRequest, 'repeatable'>, SendOptions {
  readonly key: string;
  /** Type of the body; absent = JSON. */
  readonly contentType?: string;
  /** The request has the same effect if it is sent twice: it is also retried without an answer. */
  readonly repeatable?: boolean;
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

  constructor({ method, path }: Pick<HttpRequest, 'method' | 'path'>, refusal: Refusal) {
    const { status, faults, text, retryAfterSeconds } = refusal;
    const first = faults.at(0);
    const code = first === undefined || first.code === NO_CODE ? null : first.code;
    const reason = code === null ? text.slice(0, 200) : (first?.message ?? '');
    super(`${method} ${path}: HTTP ${status}, ${code === null ? '' : `code ${code}: `}${reason}`);
    this.status = status;
    this.code = code;
    this.reason = reason;
    this.more = Object(first?.moreInfo ?? {});
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** No answer or an incomplete one: whether the server executed the request is unknown. */
export class UnreachableError extends Error {
  override name = 'UnreachableError';
}

export class RemoteClient {
  readonly #connections: NodeFetch;
  readonly #transport: Transport;

  /** `socketsMax` is the number of concurrent connections; further requests wait for one. `retries` of requests without their own. */
  constructor({ url, certificate }: RemoteAddress, socketsMax: number, retries?: Retries) {
    this.#connections = nodeFetch({ socketsMax, ...(certificate === null ? {} : { ca: certificate }) });
    this.#transport = new Transport({
      ...{ url, key: '', fetch: () => this.#connections.fetch, retries },
      refused: (request, refusal) => new RemoteError(request, refusal),
      lost: (_, cause, at) =>
        new UnreachableError(`${url}: ${at === 'stream' ? CUT_STREAM : hintOf(cause)}`, { cause }),
    });
  }

  /** Sends a request and returns its parsed JSON answer. */
  async json(request: RemoteRequest): Promise<unknown> {
    return JSON.parse(await this.text(request));
  }

  /** Sends a request and returns its answer as text. */
  text(request: RemoteRequest): Promise<string> {
    return this.#transport.send(httpRequest(request), (response) => response.text(), request);
  }

  /** Sends a request and returns its answer as it arrives. */
  stream(request: RemoteRequest): Promise<AnswerStream> {
    return this.#transport.stream(httpRequest(request), request);
  }

  close(): void {
    this.#connections.close();
  }
}

function httpRequest(request: RemoteRequest): HttpRequest {
  const { method, path, key, body, contentType = 'application/json', headers, repeatable = false } = request;
  const sent = { authorization: key, ...headers };
  if (body === undefined) return { method, path, headers: sent, repeatable };
  return { method, path, body, headers: { ...sent, 'content-type': contentType }, repeatable };
}

const CUT_STREAM = 'the answer is incomplete: the server cancelled it, or the connection was lost';

const HINTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there: is the server running?',
  ECONNRESET: 'the connection was cut',
  ENOTFOUND: 'there is no such host',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed: name it with --ca',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is self-signed: name it with --ca',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is of an unknown issuer: name that with --ca',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host name',
  EPROTO: 'the port does not speak TLS; it may not be the HTTPS port',
};

function hintOf(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  const hint = HINTS[code];
  return hint === undefined ? message || code : `${hint} (${code})`;
}
