/**
 * Repeats inserts until they are answered: after broken connections, and while a server starts, is full or limits the rate.
 * Invariant: a repeated request carries the same Idempotency-Key, so that it takes effect once.
 */
import { type RemoteClient, RemoteError, type RemoteRequest, UnreachableError } from '../../remote/index.js';
import { ImportError } from '../formats/row-block.js';

const PAUSE_MS_MIN = 100;
const PAUSE_MS_MAX = 5_000;
/** A longer Retry-After means a limit per day. */
const RETRY_AFTER_SECONDS_MAX = 120;
const AGAIN_STATUSES: readonly number[] = [429, 502, 503, 504];

export interface RetryPolicyOptions {
  readonly client: RemoteClient;
  readonly key: string;
  readonly elapsedMs: () => number;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly retrySeconds: number;
  readonly signal: AbortSignal;
  /** Reports that the policy waits, once per period without progress. */
  readonly note: (text: string) => void;
}

export class RetryPolicy {
  readonly #options: RetryPolicyOptions;
  #lastAnswerMs: number;
  #hasNoted = false;

  constructor(options: RetryPolicyOptions) {
    this.#options = options;
    this.#lastAnswerMs = options.elapsedMs();
  }

  /** Rejects with RemoteError for a permanent refusal, with ImportError after `retrySeconds` without an answer. */
  async post(body: Uint8Array, idempotencyKey: string): Promise<unknown> {
    const { client, key, elapsedMs, signal } = this.#options;
    const request: RemoteRequest = {
      method: 'POST',
      path: '/v1/insert',
      key,
      body,
      headers: { 'idempotency-key': idempotencyKey },
    };
    for (let attempt = 0; ; attempt++) {
      signal.throwIfAborted();
      try {
        const answer = await client.json(request);
        this.#lastAnswerMs = elapsedMs();
        this.#hasNoted = false;
        return answer;
      } catch (error) {
        await this.#pause(error, attempt);
      }
    }
  }

  /** Waits before the next attempt; throws `error` when a repetition is useless. */
  async #pause(error: unknown, attempt: number): Promise<void> {
    const isLost = error instanceof UnreachableError;
    if (!isLost && !(error instanceof RemoteError && AGAIN_STATUSES.includes(error.status))) {
      if (error instanceof RemoteError) this.#lastAnswerMs = this.#options.elapsedMs();
      throw error;
    }
    const { elapsedMs, random, retrySeconds, note, signal } = this.#options;
    const retryAfterSeconds = isLost ? null : error.retryAfterSeconds;
    const message = (error as Error).message;
    if (retryAfterSeconds !== null && retryAfterSeconds > RETRY_AFTER_SECONDS_MAX) {
      throw new ImportError(
        `${message}; the server requests a pause of ${retryAfterSeconds} s: run the same command again after it`,
      );
    }
    if (elapsedMs() - this.#lastAnswerMs > retrySeconds * 1_000) {
      throw new ImportError(
        `no insert was accepted for ${retrySeconds} s: ${message}; run the same command again later to resume`,
      );
    }
    if (!this.#hasNoted) note(`waiting: ${message}`);
    this.#hasNoted = true;
    const backOffMs = Math.min(PAUSE_MS_MAX, PAUSE_MS_MIN * 2 ** Math.min(attempt, 10)) * (0.5 + random());
    const retryAfterMs = (retryAfterSeconds ?? 0) * 1_000;
    await sleep(retryAfterMs + backOffMs, signal);
    // A pause requested by the server does not count as time without progress.
    this.#lastAnswerMs += retryAfterMs;
  }
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
}
