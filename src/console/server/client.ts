/**
 * Sends requests with one key to the server that sent this page, and to no other server. The key is sent only in a header.
 * Invariant: a refusal keeps all details that the server sent.
 */
import { isList, isObject, type Json, parseJson } from './json.js';

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
const LINES_TYPE = 'application/x-ndjson';
/** The key is wrong, or its session has ended. */
const UNAUTHORIZED = 401;

export class Client {
  readonly #key: string;
  readonly #onEnded: () => void;

  /** `onEnded` is called if the server does not accept the key (any more). */
  constructor(key: string, onEnded: () => void = () => {}) {
    this.#key = key;
    this.#onEnded = onEnded;
  }

  /** Sends a request. Rejects with RequestError, or with the AbortError of `signal`. */
  async ask(request: ServerRequest, signal?: AbortSignal): Promise<Answered> {
    const startedMs = performance.now();
    const text = await this.#text(request, 'application/json', signal);
    const json = readJson(text);
    const took = isObject(json) ? json.took : undefined;
    const seconds = typeof took === 'number' ? took : (performance.now() - startedMs) / 1000;
    return { json, text, seconds };
  }

  /** Requests all rows of an extraction, not only its first page: the server sends them as lines. */
  async askRows(request: ServerRequest, signal?: AbortSignal): Promise<Answered> {
    const startedMs = performance.now();
    const text = await this.#text(request, LINES_TYPE, signal);
    const lines = text.split('\n').filter((line) => line !== '');
    const seconds = (performance.now() - startedMs) / 1000;
    return { json: { data: lines.map(readJson) }, text, seconds };
  }

  async #text({ method, path, body }: ServerRequest, accept: string, signal?: AbortSignal): Promise<string> {
    const headers: Record<string, string> = { Accept: accept };
    if (this.#key !== '') headers.Authorization = this.#key;
    if (body !== undefined) {
      headers['Content-Type'] = path === SQL_PATH ? 'application/sql' : 'application/json';
    }
    const response = await reach(path, {
      ...{ method, headers, credentials: 'omit', cache: 'no-store' },
      ...(body === undefined ? {} : { body }),
      ...(signal === undefined ? {} : { signal }),
    });
    const text = await response.text().catch((error: unknown) => {
      throw signal?.aborted ? error : unreachable('the answer was cut off before its end: ask again');
    });
    if (response.ok) return text;
    if (response.status === UNAUTHORIZED) this.#onEnded();
    throw new RequestError(response.status, refusalsOf(response.status, text));
  }
}

async function reach(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(path, init);
  } catch (error) {
    if (init.signal?.aborted) throw error;
    if (error instanceof TypeError && /headers|ISO-8859-1|ByteString/i.test(error.message)) {
      throw unreachable('a key holds letters, digits and dashes only: was something else pasted?');
    }
    throw unreachable('the server cannot be reached: it may be stopping, or the network is away');
  }
}

const unreachable = (message: string): RequestError =>
  new RequestError(0, [{ code: null, message, detail: null }]);

function readJson(text: string): Json {
  try {
    return parseJson(text);
  } catch {
    throw unreachable('the answer is no JSON: is there a proxy in between?');
  }
}

/** Every error of the answer; the text of an answer that the server did not write is shown unchanged. */
export function refusalsOf(status: number, text: string): readonly Refusal[] {
  const errors = errorsIn(text);
  if (errors.length === 0) {
    return [{ code: null, message: `the server answered ${status}: ${text.slice(0, 500)}`, detail: null }];
  }
  return errors.map((error) => ({
    code: typeof error.code === 'number' ? error.code : null,
    message: String(error.message ?? ''),
    detail: error['more-info'] ?? error.more_info ?? null,
  }));
}

function errorsIn(text: string) {
  try {
    const json = parseJson(text);
    return isObject(json) && isList(json.errors) ? json.errors.filter(isObject) : [];
  } catch {
    return [];
  }
}
