/**
 * Sends HTTP requests with a key and retries them: the common part of the client, the commands and the console, which differ
 * in the way to fetch, the errors and the retry policy.
 * Invariants: a request whose outcome is unknown is sent again only if it is repeatable: it only reads, or has an
 * Idempotency-Key, the same in every attempt. A wait is never shorter than the server's Retry-After. Nothing is sent after
 * the time limit or the caller's signal.
 */
import { parseExact } from './json.js';
import { type HttpResponse, type Refusal, readRefusal } from './refusal.js';
import { type Failure, type Retries, sleep, waitBefore } from './retry.js';

/** The part of `fetch` that is used. */
export type Fetch = (url: string, init: RequestInit) => Promise<HttpResponse>;

export interface CallOptions {
  /** Aborts the call, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Time limit for the whole call including its retries, in milliseconds; 0 = none. */
  readonly timeoutMs?: number;
}

export interface SendOptions extends CallOptions {
  /** Absent = one attempt. */
  readonly retries?: Retries;
}

export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  /** A stream is sent chunked, and only by `nodeFetch`. */
  readonly body?: string | Uint8Array | AsyncIterable<Uint8Array | string>;
  readonly headers?: Readonly<Record<string, string>>;
  /** The request may be sent again if its outcome is unknown. */
  readonly repeatable: boolean;
}

/** An answer that is read as it arrives. */
export interface AnswerStream {
  readonly headers: Pick<Headers, 'get'>;
  /** Must be read. Rejects if the answer is incomplete; leaving the loop ends the request. */
  readonly bytes: AsyncGenerator<Uint8Array, void, void>;
}

/** Where requests are sent, and the time limit and retries of those without their own. */
export interface TransportSettings extends Omit<SendOptions, 'signal'> {
  /** Address of the server without a path; empty = the server of the page. */
  readonly url: string;
  /** Empty = none. */
  readonly key: string;
  readonly fetch: () => Fetch | Promise<Fetch>;
  /** The error for an answer other than success. */
  readonly refused: (request: HttpRequest, refusal: Refusal) => Error;
  /** The error if there is no answer, its text is incomplete, or a stream of it is. */
  readonly lost: (request: HttpRequest, cause: unknown, at: 'connection' | 'text' | 'stream') => Error;
}

type Read<T> = (response: HttpResponse) => Promise<T>;
type Outcome<T> = { readonly value: T } | Failure;

export class Transport {
  readonly #settings: TransportSettings;

  constructor(settings: TransportSettings) {
    this.#settings = settings;
  }

  /**
   * Resolves to the result of `read` for a successful answer. Rejects with the errors of the settings, or with the signal's
   * reason. An answer that `read` cannot read counts as incomplete.
   */
  async send<T>(request: HttpRequest, read: Read<T>, options: SendOptions = {}): Promise<T> {
    const limit = limitOf(options, this.#settings);
    try {
      return await this.#attempts(request, read, limit, options);
    } finally {
      limit.end();
    }
  }

  /** Like `send`, but the answer is read as it arrives. The time limit and the retries apply to its beginning only. */
  async stream(request: HttpRequest, options: SendOptions = {}): Promise<AnswerStream> {
    const limit = limitOf(options, this.#settings);
    try {
      const response = await this.#attempts(request, async (answer) => answer, limit, options);
      limit.stopClock();
      return { headers: response.headers, bytes: this.#bytes(request, response, limit) };
    } catch (error) {
      limit.end();
      throw error;
    }
  }

  /** The values of an answer of lines, as they arrive. */
  async *lines(request: HttpRequest, options: SendOptions = {}): AsyncGenerator<unknown, void, void> {
    const { bytes } = await this.stream(request, options);
    const decoder = new TextDecoder();
    let rest = '';
    for await (const part of bytes) {
      const lines = (rest + decoder.decode(part, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) yield parseExact(line);
    }
    rest += decoder.decode();
    if (rest !== '') yield parseExact(rest);
  }

  async *#bytes(request: HttpRequest, { body }: HttpResponse, limit: Limit): AnswerStream['bytes'] {
    try {
      if (body !== null) yield* 'getReader' in body ? readBytes(body) : body;
    } catch (error) {
      throw limit.signal.aborted ? limit.signal.reason : this.#settings.lost(request, error, 'stream');
    } finally {
      limit.end();
    }
  }

  async #attempts<T>(request: HttpRequest, read: Read<T>, limit: Limit, options: SendOptions): Promise<T> {
    const { retries = this.#settings.retries } = options;
    for (let attempts = 1; ; attempts++) {
      const outcome = await this.#attempt(request, read, limit.signal);
      if ('value' in outcome) return outcome.value;
      const waitMs =
        retries === undefined ? null : waitBefore(retries, outcome, attempts, request.repeatable);
      if (waitMs === null || waitMs > limit.leftMs()) throw outcome.error;
      await (retries?.pause ?? sleep)(waitMs, limit.signal, outcome);
    }
  }

  /** Rejects only with the signal's reason, or if no `fetch` is available. */
  async #attempt<T>(request: HttpRequest, read: Read<T>, signal: AbortSignal): Promise<Outcome<T>> {
    const { url, key, refused, lost } = this.#settings;
    const { method, path, body, headers } = request;
    const fetch = await this.#settings.fetch();
    let at: 'connection' | 'text' = 'connection';
    try {
      const response = await fetch(url + path, {
        method,
        headers: { ...(key === '' ? {} : { Authorization: key }), ...headers },
        ...(body === undefined ? {} : { body: body as RequestInit['body'] }),
        signal,
      });
      at = 'text';
      if (response.status === 200) return { value: await read(response) };
      const refusal = await readRefusal(response);
      return { refusal, error: refused(request, refusal) };
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      return { refusal: null, error: lost(request, error, at) };
    }
  }
}

/** Streams of browsers have no iterator everywhere. */
async function* readBytes(body: NonNullable<Response['body']>): AsyncGenerator<Uint8Array, void, void> {
  const reader = body.getReader();
  let isWhole = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      isWhole = done;
      if (done) return;
      yield value;
    }
  } finally {
    if (!isWhole) await reader.cancel().catch(() => undefined);
  }
}

/** The caller's signal and the time limit as one signal. */
function limitOf({ signal: outer, ...own }: CallOptions, defaults: CallOptions) {
  const timeoutMs = own.timeoutMs ?? defaults.timeoutMs ?? 0;
  const controller = new AbortController();
  const endsMs = timeoutMs === 0 ? Number.POSITIVE_INFINITY : performance.now() + timeoutMs;
  const overdue = (): void =>
    controller.abort(new DOMException(`no answer within ${timeoutMs} ms`, 'TimeoutError'));
  const timer = timeoutMs === 0 ? undefined : setTimeout(overdue, timeoutMs);
  const onAbort = (): void => controller.abort(outer?.reason);
  const stopClock = (): void => clearTimeout(timer);
  if (outer?.aborted === true) onAbort();
  outer?.addEventListener('abort', onAbort);
  const end = (): void => {
    stopClock();
    outer?.removeEventListener('abort', onAbort);
  };
  return { signal: controller.signal, leftMs: () => endsMs - performance.now(), stopClock, end };
}

type Limit = ReturnType<typeof limitOf>;
