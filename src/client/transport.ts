/**
 * Sends requests and retries them.
 * Invariants: a request is retried only if it cannot take effect twice: it only reads, or has an Idempotency-Key (the same in
 * every attempt), or the server answered that it did nothing. The wait before a retry is random below a limit that doubles,
 * and never shorter than the server's Retry-After. Nothing is sent after the time limit or the caller's signal.
 */
import { ConnectionError, errorOf, NO_CODE, QuarryError } from './errors.js';
import { linesOf } from './lines.js';

/** The part of `fetch` that the client uses. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface CallOptions {
  /** Aborts the call, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Time limit for the whole call including its retries, in milliseconds; 0 = none. */
  readonly timeoutMs?: number;
}

export interface WriteOptions extends CallOptions {
  /** Identifies the write; random by default. Writes with the same key and body within 24 hours take effect once. */
  readonly idempotencyKey?: string;
}

export interface TransportSettings {
  readonly url: string;
  readonly key: string;
  readonly fetch: () => Promise<Fetch>;
  /** Maximum number of attempts after the first. */
  readonly retries: number;
  readonly timeoutMs: number;
}

export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The request may be sent again if no answer came. */
  readonly repeatable: boolean;
}

const FIRST_WAIT_MS = 50;
const WAIT_MS_MAX = 5_000;
/** Codes of temporary errors without effect: too many requests, disk or memory full, a shard is rebuilt, too slow. */
const PASSING = [1502, 9002, 9003, 9004, 9005];

export class Transport {
  readonly #settings: TransportSettings;

  constructor(settings: TransportSettings) {
    this.#settings = settings;
  }

  /** Resolves to the result of `read` for a successful answer. Rejects with QuarryError, ConnectionError, or the signal's reason. */
  async send<T>(sent: Sent, read: (response: Response) => Promise<T>, options: CallOptions = {}): Promise<T> {
    const limit = this.#limitOf(options);
    try {
      return await this.#retry(sent, read, limit);
    } finally {
      limit.end();
    }
  }

  /** The values of an answer of lines, as they arrive. The time limit applies to the begin of the answer. */
  async *lines(sent: Sent, options: CallOptions = {}): AsyncGenerator<unknown, void, void> {
    const limit = this.#limitOf(options);
    try {
      const response = await this.#retry(sent, async (answer) => answer, limit);
      limit.stopClock();
      yield* linesOf(response);
    } catch (error) {
      throw limit.signal.aborted ? limit.signal.reason : error;
    } finally {
      limit.end();
    }
  }

  #limitOf({ signal, timeoutMs }: CallOptions): TimeLimit {
    return new TimeLimit(signal, timeoutMs ?? this.#settings.timeoutMs);
  }

  async #retry<T>(sent: Sent, read: (response: Response) => Promise<T>, limit: TimeLimit): Promise<T> {
    for (let tries = 0; ; tries++) {
      try {
        return await this.#try(sent, read, limit.signal);
      } catch (error) {
        if (limit.signal.aborted) throw limit.signal.reason;
        const waitMs = tries < this.#settings.retries ? waitBefore(error, tries, sent.repeatable) : null;
        if (waitMs === null || waitMs > limit.leftMs()) throw error;
        await limit.sleep(waitMs);
      }
    }
  }

  async #try<T>(sent: Sent, read: (response: Response) => Promise<T>, signal: AbortSignal): Promise<T> {
    const { url, key } = this.#settings;
    const { method, path, body, headers } = sent;
    const ask = await this.#settings.fetch();
    try {
      const response = await ask(url + path, {
        method,
        headers: { ...(key === '' ? {} : { Authorization: key }), ...headers },
        ...(body === undefined ? {} : { body }),
        signal,
      });
      if (response.status !== 200) throw errorOf(response, await response.text());
      return await read(response);
    } catch (error) {
      if (error instanceof QuarryError || signal.aborted) throw error;
      throw new ConnectionError(`${method} ${path}: no whole answer came (${messageOf(error)})`, {
        cause: error,
      });
    }
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

/** Milliseconds to wait before the next attempt; null = it would be refused again, or could take effect twice. */
function waitBefore(error: unknown, tries: number, repeatable: boolean): number | null {
  const backOff = Math.random() * Math.min(WAIT_MS_MAX, FIRST_WAIT_MS * 2 ** (tries + 1));
  if (error instanceof ConnectionError) return repeatable ? backOff : null;
  if (!(error instanceof QuarryError)) return null;
  // A proxy between client and server sends no codes.
  const passes =
    PASSING.includes(error.code) || (error.code === NO_CODE && repeatable && isBusy(error.status));
  return passes ? Math.max(0, (error.retryAfterSeconds ?? 0) * 1_000) + backOff : null;
}

const isBusy = (status: number): boolean =>
  status === 429 || status === 502 || status === 503 || status === 504;

/** The caller's signal and the time limit as one signal. */
class TimeLimit {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal | undefined;
  readonly #onAbort = (): void => this.#controller.abort(this.#outer?.reason);
  readonly #timer: ReturnType<typeof setTimeout> | null = null;
  readonly #endsMs: number;

  constructor(outer: AbortSignal | undefined, limitMs: number) {
    this.#outer = outer;
    this.#endsMs = limitMs === 0 ? Number.POSITIVE_INFINITY : performance.now() + limitMs;
    if (outer?.aborted === true) this.#onAbort();
    outer?.addEventListener('abort', this.#onAbort);
    if (limitMs > 0) {
      const overdue = new DOMException(`no answer within ${limitMs} ms`, 'TimeoutError');
      this.#timer = setTimeout(() => this.#controller.abort(overdue), limitMs);
    }
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  leftMs(): number {
    return this.#endsMs - performance.now();
  }

  /** Rejects with the signal's reason. */
  sleep(ms: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        clearTimeout(timer);
        reject(this.signal.reason);
      };
      const timer = setTimeout(() => {
        this.signal.removeEventListener('abort', stop);
        resolve();
      }, ms);
      this.signal.addEventListener('abort', stop, { once: true });
    });
  }

  stopClock(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  end(): void {
    this.stopClock();
    this.#outer?.removeEventListener('abort', this.#onAbort);
  }
}

/** 128 random bits. */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
