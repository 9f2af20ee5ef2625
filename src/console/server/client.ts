/**
 * Sends requests with one key to the server that sent this page, and to no other server. The key is sent only in a header.
 * Invariant: a refusal keeps all details that the server sent.
 */
import { type Fetch, faultsOf, NO_CODE, Transport } from '../../client/transport/index.js';
import { isObject, type Json, parseJson } from './json.js';

export interface Refusal {
  readonly code: number | null;
  readonly message: string;
  /** Further details from the server; null = none. */
  readonly detail: Json;
}

/** The server refused the request, or could not be reached (status 0). */
export class RequestError extends Error {
  override name = 'RequestError';
  readonly status: number;
  readonly refusals: readonly Refusal[];

  constructor(status: number, refusals: readonly Refusal[]) {
    super(refusals[0]?.message ?? `the server answered ${status}`);
    this.status = status;
    this.refusals = refusals;
  }

  get code(): number | null {
    return this.refusals[0]?.code ?? null;
  }
}

export interface ServerRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  /** Text of the body; absent = no body. */
  readonly body?: string;
}

export interface Answered {
  readonly json: Json;
  /** Text of the answer as it was received. */
  readonly text: string;
  /** Duration that the server reports; otherwise the time until the answer arrived. */
  readonly seconds: number;
}

const SQL_PATH = '/v1/sql';
const EVENTS_TYPE = 'text/event-stream';
const LINES_TYPE = 'application/x-ndjson';
/** The key is wrong, or its session has ended. */
const UNAUTHORIZED = 401;

export class Client {
  readonly #transport: Transport;

  /** `onEnded` is called if the server does not accept the key (any more). */
  constructor(key: string, onEnded: () => void = () => {}) {
    this.#transport = new Transport({
      ...{ url: '', key, fetch: () => pageFetch },
      refused: (_, { status, text }) => {
        if (status === UNAUTHORIZED) onEnded();
        return new RequestError(status, refusalsOf(status, text));
      },
      lost: (_, cause, at) =>
        unreachable(
          at === 'connection' ? reasonOf(cause) : 'the answer was cut off before its end; try again',
        ),
    });
  }

  /** Sends a request. Rejects with RequestError, or with the AbortError of `signal`. */
  async request(request: ServerRequest, signal?: AbortSignal): Promise<Answered> {
    const startedMs = performance.now();
    const text = await this.#text(request, 'application/json', signal);
    const json = readJson(text);
    const took = isObject(json) ? json.took : undefined;
    const seconds = typeof took === 'number' ? took : (performance.now() - startedMs) / 1000;
    return { json, text, seconds };
  }

  /** Requests all rows of an extraction, not only its first page: the server sends them as lines. */
  async requestRows(request: ServerRequest, signal?: AbortSignal): Promise<Answered> {
    const startedMs = performance.now();
    const text = await this.#text(request, LINES_TYPE, signal);
    const lines = text.split('\n').filter((line) => line !== '');
    const seconds = (performance.now() - startedMs) / 1000;
    return { json: { data: lines.map(readJson) }, text, seconds };
  }

  /**
   * Yields for each of the server-sent events of a path, until the stream ends. Rejects with RequestError, or with the
   * AbortError of `signal`.
   */
  async *events(path: string, signal: AbortSignal): AsyncGenerator<void, void, void> {
    const headers = { Accept: EVENTS_TYPE };
    const request = { method: 'GET', path, headers, repeatable: false } as const;
    const decoder = new TextDecoder();
    let rest = '';
    for await (const part of (await this.#transport.stream(request, { signal })).bytes) {
      const lines = (rest + decoder.decode(part, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (line.startsWith('data:')) yield;
      }
    }
  }

  #text({ method, path, body }: ServerRequest, accept: string, signal?: AbortSignal): Promise<string> {
    const type = path === SQL_PATH ? 'application/sql' : 'application/json';
    const sent = body === undefined ? {} : { body, headers: { 'Content-Type': type } };
    return this.#transport.send(
      { method, path, ...sent, headers: { Accept: accept, ...sent.headers }, repeatable: false },
      (response) => response.text(),
      signal === undefined ? {} : { signal },
    );
  }
}

const FETCH_OPTIONS = { credentials: 'omit', cache: 'no-store' } as const;
const pageFetch: Fetch = (path, init) => fetch(path, { ...init, ...FETCH_OPTIONS });

const reasonOf = (error: unknown): string =>
  error instanceof TypeError && /headers|ISO-8859-1|ByteString/i.test(error.message)
    ? 'a key holds letters, digits and dashes only: was something else pasted?'
    : 'the server cannot be reached: it may be stopping, or the network is down';

const unreachable = (message: string): RequestError =>
  new RequestError(0, [{ code: null, message, detail: null }]);

function readJson(text: string): Json {
  try {
    return parseJson(text);
  } catch {
    throw unreachable('the answer is not JSON; there may be a proxy in between');
  }
}

/** Every error of the answer; the text of an answer that the server did not write is shown unchanged. */
export function refusalsOf(status: number, text: string): readonly Refusal[] {
  const faults = faultsOf(text, parseJson);
  if (faults.length === 0) {
    return [{ code: null, message: `the server answered ${status}: ${text.slice(0, 500)}`, detail: null }];
  }
  return faults.map(({ code, message, moreInfo = null }) => ({
    code: code === NO_CODE ? null : code,
    message,
    detail: moreInfo as Json,
  }));
}
