/**
 * Requests to the server that sent this page, with one key. Nobody else is ever asked, and a key travels in a header only.
 * Invariant: a refusal keeps everything that the server said of it.
 */
import { isList, isObject, type Json, parseJson } from './json.js';

export interface Refusal {
  readonly code: number | null;
  readonly message: string;
  /** What else the server told; null = nothing. */
  readonly detail: Json;
}

/** The server said no, or could not be reached (status 0). */
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

export interface Asked {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  /** Text as it is sent; left out: none. */
  readonly body?: string;
}

export interface Answered {
  readonly json: Json;
  /** As it came. */
  readonly text: string;
  /** As the server tells it, else as long as it was waited for. */
  readonly seconds: number;
}

const SQL_PATH = '/v1/sql';
const LINES_TYPE = 'application/x-ndjson';
/** The key is wrong, or its session is over. */
const UNAUTHORIZED = 401;

export class Client {
  readonly #key: string;
  readonly #onEnded: () => void;

  /** `onEnded` is called when the server does not know the key (any more). */
  constructor(key: string, onEnded: () => void = () => {}) {
    this.#key = key;
    this.#onEnded = onEnded;
  }

  /** Rejects with RequestError, or with the AbortError of `signal`. */
  async ask(asked: Asked, signal?: AbortSignal): Promise<Answered> {
    const startedMs = performance.now();
    const text = await this.#text(asked, 'application/json', signal);
    const json = readJson(text);
    const took = isObject(json) ? json.took : undefined;
    const seconds = typeof took === 'number' ? took : (performance.now() - startedMs) / 1000;
    return { json, text, seconds };
  }

  /** All rows of an extraction, not its first page only: the server sends them as lines. */
  async askRows(asked: Asked, signal?: AbortSignal): Promise<Answered> {
    const startedMs = performance.now();
    const text = await this.#text(asked, LINES_TYPE, signal);
    const lines = text.split('\n').filter((line) => line !== '');
    const seconds = (performance.now() - startedMs) / 1000;
    return { json: { data: lines.map(readJson) }, text, seconds };
  }

  async #text({ method, path, body }: Asked, accept: string, signal?: AbortSignal): Promise<string> {
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

/** Every error of the answer; what is no answer of the interface is told as it is. */
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
