/**
 * Repeats inserts until they are answered: after broken connections, and while a server starts, is full or limits the rate.
 * Invariant: a repeated request carries the same Idempotency-Key, so that it takes effect once.
 */
import { type Failure, type RetryPolicy, sleep } from '../../../client/transport/index.js';
import { type RemoteClient, RemoteError } from '../../remote/index.js';
import { ImportError } from '../formats/row-block.js';

const RETRY_POLICY: RetryPolicy = {
  retriesMax: Number.POSITIVE_INFINITY,
  firstWaitMs: 100,
  waitMsMax: 5_000,
  jitter: [0.5, 1.5],
  statuses: [429, 502, 503, 504],
};
export const ARROW_STREAM = 'application/vnd.apache.arrow.stream';

export interface InsertTarget {
  readonly path: string;
  readonly contentType: string;
}

const JSON_INSERT: InsertTarget = { path: '/v1/insert', contentType: 'application/json' };
/** A longer Retry-After means a limit per day. */
const RETRY_AFTER_SECONDS_MAX = 120;

export interface InsertSenderOptions {
  readonly client: RemoteClient;
  readonly key: string;
  readonly elapsedMs: () => number;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** Time without an answer after which the import ends. */
  readonly retrySeconds: number;
  readonly signal: AbortSignal;
  /** Reports that the import waits, once per period without progress. */
  readonly note: (text: string) => void;
}

export class InsertSender {
  readonly #options: InsertSenderOptions;
  #lastAnswerMs: number;
  #hasNoted = false;

  constructor(options: InsertSenderOptions) {
    this.#options = options;
    this.#lastAnswerMs = options.elapsedMs();
  }

  /**
   * Rejects with RemoteError for a permanent refusal, with ImportError after `retrySeconds` without an answer, with the
   * signal's reason before an attempt.
   */
  async post(
    body: Uint8Array,
    idempotencyKey: string,
    { path, contentType }: InsertTarget = JSON_INSERT,
  ): Promise<unknown> {
    const { client, key, elapsedMs, random, signal } = this.#options;
    signal.throwIfAborted();
    try {
      const answer = await client.json({
        ...{ method: 'POST', path, contentType, key, body, repeatable: true },
        headers: { 'idempotency-key': idempotencyKey },
        retries: {
          policy: RETRY_POLICY,
          random,
          pause: (waitMs, _, failure) => this.#pause(waitMs, failure),
        },
      });
      this.#lastAnswerMs = elapsedMs();
      this.#hasNoted = false;
      return answer;
    } catch (error) {
      if (error instanceof RemoteError) this.#lastAnswerMs = elapsedMs();
      throw error;
    }
  }

  /** Waits before the next attempt; rejects if the import ends instead. */
  async #pause(waitMs: number, { refusal, error: { message } }: Failure): Promise<void> {
    const { elapsedMs, retrySeconds, note, signal } = this.#options;
    const retryAfterSeconds = refusal?.retryAfterSeconds ?? 0;
    if (retryAfterSeconds > RETRY_AFTER_SECONDS_MAX) {
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
    await sleep(waitMs, signal);
    // A pause requested by the server does not count as time without progress.
    this.#lastAnswerMs += retryAfterSeconds * 1_000;
  }
}
